"""`python -m tests.idle` in small: silent sockets stay open, no frame is lost or doubled, a restart loses no turn."""

from concurrent.futures import ThreadPoolExecutor

from tests.idle import Heard, run, sound


def test_no_frame_is_lost_and_a_restart_loses_no_turn() -> None:
    with ThreadPoolExecutor(1) as pool:  # the browser's event loop is on this thread
        found = pool.submit(run, idle=12, active=6, seconds=4, streams=6, speaks=2.0).result()
    assert sound(found), found
    assert found["sockets"]["turns"] >= 6
    assert sum(found["restart"]["ends"].values()) == 6


def test_what_is_wrong_with_frames_is_found() -> None:
    heard, turn = Heard(""), {"turn": "x"}
    for seq in (1, 1, 3):
        heard.add({"type": "delta", "seq": seq, "n": seq, "text": "a", **turn})
    heard.add({"type": "done", "seq": 4, "text": "aaa", **turn})
    heard.add({"type": "error", "code": "rate_limited"})
    assert heard.wrong == {"twice": 1, "lost": 1, "not the text": 1, "error rate_limited": 1}
