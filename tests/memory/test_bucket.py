"""The archive in a bucket: the same as in a folder, over S3; nothing is asked of the network but that bucket."""

import socket
import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3
import pytest
from django.test import override_settings
from django.utils import timezone
from moto.server import ThreadedMotoServer

from memory import correct, depot, policy, recall, sealed, shelf, upkeep
from memory.models import Memory
from profiles.access import Reader, scoped
from profiles.models import Membership
from tests.caller import Caller
from tests.memory.test_sealed import holding
from tests.memory.test_shelf import EVENTS, shelved
from tests.memory.test_upkeep import add, happened, keep, nothing
from tests.people import World


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket of its own, configured as an operator would."""
    for name, value in {"AWS_ACCESS_KEY_ID": "kith", "AWS_SECRET_ACCESS_KEY": "kk-Very-Private-1234567890",
                        "AWS_DEFAULT_REGION": "eu-central-1"}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    name = f"kith-{uuid.uuid4().hex[:8]}"
    made = boto3.resource("s3", endpoint_url=server).create_bucket(
        Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
    )  # fmt: skip
    depot._client.cache_clear()
    with override_settings(ARCHIVE_DIR=None, ARCHIVE_URL=f"s3://{name}/some/where", ARCHIVE_ENDPOINT_URL=server):
        yield made
    depot._client.cache_clear()


def files(bucket: Any, reader: Reader) -> list[str]:
    return [row.key for row in bucket.objects.all() if str(reader.member) in row.key]


@pytest.mark.parametrize("text", EVENTS)
def test_its_words_are_in_one_encrypted_object_and_are_brought_back_whole(world: World, bucket: Any, text: str) -> None:
    memory, other = shelved(world.alice, text, "met Ann")
    assert holding(world, text) == set()
    (name,) = files(bucket, world.alice)
    assert name.startswith(f"some/where/{world.alice.member}.")
    assert text.encode() not in bucket.Object(name).get()["Body"].read()
    assert Caller(world.alice)("get", f"/memories/{memory.id}")["text"] == text
    back = Caller(world.alice)("post", f"/memories/{memory.id}/restore", version=1)
    assert (back["text"], back["status"]) == (text, "active")
    assert len(files(bucket, world.alice)) == 1
    with scoped(world.alice):
        assert [row.text for row in sealed.shown(Memory.objects.filter(id=other.id))] == ["met Ann"]


@pytest.mark.parametrize("where", ["before the file", "before the commit"])
def test_a_crash_loses_and_doubles_nothing(world: World, bucket: Any, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    first, second = shelved(world.alice, EVENTS[0])[0], add(world.alice, happened(EVENTS[1]))
    write = shelf.write

    def dies(*args: Any) -> None:
        if where == "before the commit":
            write(*args)
        raise KeyboardInterrupt

    keep(world.alice, policy.COLD_DAYS + 1)
    with monkeypatch.context() as patch:
        patch.setattr(shelf, "write", dies)
        with pytest.raises(KeyboardInterrupt):
            upkeep.run(world.alice, timezone.now() + timedelta(days=39), blacken=nothing)
    with scoped(world.alice):
        texts = {row.id: row.text for row in sealed.shown(Memory.objects.all())}
    assert texts == {first.id: EVENTS[0], second.id: EVENTS[1]}
    assert keep(world.alice, 39) == {"shelve": 1}
    with scoped(world.alice):
        assert {row.id: row.text for row in sealed.shown(Memory.objects.all())} == texts
    assert len(files(bucket, world.alice)) == 1


def test_the_object_goes_with_the_membership_and_a_neighbour_s_stays(world: World, bucket: Any) -> None:
    shelved(world.alice, EVENTS[0])
    shelved(world.bob, EVENTS[0])
    Membership.objects.using("owner").get(id=world.alice.member).delete()
    assert files(bucket, world.alice) == [] and len(files(bucket, world.bob)) == 1


def test_what_is_forgotten_out_of_the_archive_leaves_the_object(world: World, bucket: Any) -> None:
    (memory,) = shelved(world.alice, EVENTS[1])
    (before,) = files(bucket, world.alice)
    with scoped(world.alice):
        gone = correct.forget(world.alice, memory.id)
        assert gone is not None
    (after,) = files(bucket, world.alice)
    assert before != after
    with scoped(world.alice):
        correct.undo(world.alice, gone.id)
        assert Memory.objects.get(id=memory.id).text == EVENTS[1]


@pytest.mark.parametrize("how", ["lost", "unreachable", "refused"])
def test_a_question_is_answered_without_an_archive_that_can_not_be_read(world: World, bucket: Any, how: str) -> None:
    shelved(world.alice, EVENTS[0])
    add(world.alice, happened("met Ann on Mount Tai"))
    question = "Which mountain did I climb before, Mount Tai?"
    url, endpoint = f"s3://{bucket.name}/some/where", depot.here().endpoint  # type: ignore[attr-defined]
    if how == "lost":
        bucket.objects.all().delete()
    elif how == "unreachable":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
    else:
        url = "s3://not-there/some/where"
    with override_settings(ARCHIVE_URL=url, ARCHIVE_ENDPOINT_URL=endpoint), scoped(world.alice):
        assert [hit.text for hit in recall.recall(world.alice, question).memories] == ["met Ann on Mount Tai"]


def test_a_night_without_the_bucket_moves_nothing_and_the_next_one_does(world: World, bucket: Any) -> None:
    memory = add(world.alice, happened(EVENTS[0]))
    keep(world.alice, policy.COLD_DAYS + 1)
    with override_settings(ARCHIVE_URL="s3://not-there/x"), pytest.raises(OSError, match="NoSuchBucket"):
        upkeep.run(world.alice, timezone.now() + timedelta(days=40), blacken=nothing)
    with scoped(world.alice):
        row = Memory.objects.get(id=memory.id)
        assert (row.text, row.shelved) == (EVENTS[0], False)
    assert keep(world.alice, 40)["shelve"] == 1


class Metadata(ThreadingHTTPServer):
    """Counts what a machine of a cloud would be asked for its credentials."""

    asked = 0


class _Answer(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        Metadata.asked += 1
        self.send_error(404)

    do_GET = do_PUT

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.mark.parametrize(("wanted", "asked"), [("", False), ("false", True)])
def test_no_metadata_service_is_asked_unless_the_operator_says_so(
    bucket: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, wanted: str, asked: bool
) -> None:
    service = Metadata(("127.0.0.1", 0), _Answer)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    Metadata.asked = 0
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"http://127.0.0.1:{service.server_port}")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    if wanted:
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", wanted)
    depot._client.cache_clear()
    try:
        with pytest.raises(OSError, match="NoCredentials"):
            depot.here().read("x")
    finally:
        service.shutdown()
        service.server_close()
    assert bool(Metadata.asked) == asked
