"""From text to a checked vector: guard, engine, centring per language, checks. The one way in."""

import json
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assistant.embedder import guard
from assistant.embedder.engines import PASSAGE, QUERY, Engine, Identity, Rows

MEANS = Path(__file__).parent / "means.json"
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003134f]")
NEUTRAL = {
    "zh": (
        "今天的天气还可以。", "这是一个普通的句子。", "他们昨天下午开了一个会。", "我们需要再看一下这个问题。",
        "这件事情以后再说。", "桌子上放着一本书。", "她每天早上坐车去上班。", "请问这个怎么用？",
        "这个城市有很多人。", "大家都觉得这样比较好。", "我在网上看到了一个消息。", "时间过得真快。",
    ),
    "en": (
        "The weather is all right today.", "This is an ordinary sentence.", "They had a meeting yesterday afternoon.",
        "We need to look at this question again.", "Let us talk about this later.", "There is a book on the table.",
        "She takes the bus to work every morning.", "How does this work, please?", "Many people live in this city.",
        "Everyone thinks that this is better.", "I saw some news on the internet.", "Time really flies.",
    ),
}  # fmt: skip
GOLDEN = (
    (QUERY, "上次我报名的是哪个月的活动？"),
    (PASSAGE, "The reading group meets in the library on Saturday at two."),
    (PASSAGE, "外币汇率换算脚本在 tools/fx.py，用法见 README。"),
)
SLICE = 8
"""Texts handed to the engine at once; between slices another caller has its turn."""


class Broken(Exception):
    """The engine does not give the vectors that it should."""


class Vectors:
    """One engine with its means; `embed` may be called from one thread at a time."""

    def __init__(self, engine: Engine, means: dict[str, Any] | None = None) -> None:
        self.engine = engine
        kept = means if means is not None else json.loads(MEANS.read_text())["engines"]
        self._means = {
            name: np.asarray(row, dtype=np.float32) for name, row in kept.get(engine.name, {}).get("means", {}).items()
        }
        self._golden = [np.asarray(row, dtype=np.float32) for row in kept.get(engine.name, {}).get("golden", [])]
        self._hash = kept.get(engine.name, {}).get("hash", "")
        self._version = json.loads(MEANS.read_text())["version"] if means is None else 0

    @cached_property
    def identity(self) -> Identity:
        engine = self.engine
        return Identity(
            engine.name, engine.version, engine.hash, engine.prefix, f"language-{self._version}", engine.size
        )

    def embed(self, texts: Sequence[str], kind: str) -> Rows:
        """Shape (len(texts), size), unit length; a text longer than a piece is the mean of its pieces."""
        cut = [guard.pieces(text) for text in texts]
        rows = self._centred([piece for parts in cut for piece in parts], kind)
        found = np.empty((len(cut), self.engine.size), dtype=np.float32)
        start = 0
        for place, parts in enumerate(cut):
            found[place] = rows[start : start + len(parts)].mean(axis=0)
            start += len(parts)
        return _unit(found)

    def check(self) -> None:
        """The self-test: file, size, golden vectors; raises `Broken`."""
        if self._hash != self.engine.hash:
            raise Broken("the model file is not the one that the means were made with")
        for (kind, text), expected in zip(GOLDEN, self._golden, strict=True):
            likeness = float(self.embed([text], kind)[0] @ expected)
            if not likeness > 0.99:
                raise Broken(f"a golden vector differs (cosine {likeness:.3f})")

    def _centred(self, texts: list[str], kind: str) -> Rows:
        rows = np.concatenate(
            [self.engine.rows(texts[start : start + SLICE], kind) for start in range(0, len(texts), SLICE)]
        )
        if rows.shape != (len(texts), self.engine.size) or not np.isfinite(rows).all():
            raise Broken("the engine gave no proper vectors")
        means = np.stack([self._means[f"{language(text)}.{kind}"] for text in texts])
        return _unit(_unit(rows) - means)


def language(text: str) -> str:
    """By the share of Han characters among letters: zh from a third on, else en."""
    letters = sum(letter.isalpha() for letter in text)
    return "zh" if letters and len(_HAN.findall(text)) * 3 >= letters else "en"


def make_means(engine: Engine) -> dict[str, Any]:
    """The entry of one engine in `means.json`."""
    means = {
        f"{spoken}.{kind}": _unit(engine.rows(list(sentences), kind)).mean(axis=0)
        for spoken, sentences in NEUTRAL.items()
        for kind in (QUERY, PASSAGE)
    }
    entry: dict[str, Any] = {"hash": engine.hash, "means": {name: _listed(row, 6) for name, row in means.items()}}
    vectors = Vectors(engine, {engine.name: entry | {"golden": []}})
    entry["golden"] = [_listed(vectors.embed([text], kind)[0], 5) for kind, text in GOLDEN]
    return entry


def _listed(row: Rows, digits: int) -> list[float]:
    return [round(float(number), digits) for number in row]


def _unit(rows: Rows) -> Rows:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (norms > 1e-6).all():
        raise Broken("a vector without length")
    unit: Rows = (rows / norms).astype(np.float32)
    return unit
