"""A worker that is at nothing, and takes nothing though much waits, ends itself: whoever started it starts another.

What waits for messages in Valkey can lose its place in an outage, and would then wait for ever.
"""

import logging
import os
import threading
import time
from typing import Any

import redis
from celery.signals import task_received, worker_ready
from celery.worker import state
from django.conf import settings

from memory import policy

log = logging.getLogger(__name__)
EVERY = 10.0
"""Seconds between two looks."""


class Watch:
    """What is known of one worker: when it last took something, or nothing waited for it."""

    def __init__(self, now: float) -> None:
        self.well = self.looked = now

    def took(self, now: float) -> None:
        self.well = now

    def lost(self, now: float, *, waiting: int, busy: bool) -> bool:
        """Whether it has been idle beside a full queue for too long; the time in which nobody looked, as the whole
        machine was stopped, does not count."""
        if busy or not waiting or now - self.looked > 3 * EVERY:
            self.well = now
        self.looked = now
        return now - self.well > policy.WORKER_IDLE_SECONDS


_watch = Watch(time.monotonic())


@task_received.connect  # type: ignore[untyped-decorator]
def _received(**_: Any) -> None:
    _watch.took(time.monotonic())


@worker_ready.connect  # type: ignore[untyped-decorator]
def _ready(**_: Any) -> None:
    _watch.took(time.monotonic())  # starting is no idling
    threading.Thread(target=_look, args=(f"{settings.QUEUE_PREFIX}celery",), daemon=True, name="watch").start()


def _look(queue: str) -> None:
    while True:
        time.sleep(EVERY)
        try:
            waiting: Any = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2).llen(queue)
        except redis.RedisError:  # nothing can be taken now
            _watch.took(time.monotonic())
            continue
        busy = bool(state.active_requests or state.reserved_requests)
        if _watch.lost(time.monotonic(), waiting=waiting, busy=busy):
            log.error("the worker has lost its place in the queue, and ends")
            os._exit(1)  # its main thread waits for what never comes, a clean end too
