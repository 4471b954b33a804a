"""Where the files of the archive lie: in a folder, or in a bucket that speaks S3. Neither ever holds half a file.

What goes wrong with a bucket is an `OSError`, as with a folder; a file that is not there is a `FileNotFoundError`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings

from memory import policy


class Depot(Protocol):
    """Whole files by name."""

    def read(self, name: str) -> bytes:
        """All of it."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """There for sure when it returns."""
        ...

    def names(self, beginning: str) -> list[str]:
        """Every file whose name begins so."""
        ...

    def delete(self, name: str) -> None:
        """Gone, whether it was there or not."""
        ...


def here() -> Depot:
    """As ARCHIVE_URL says."""
    if settings.ARCHIVE_DIR is not None:
        return Folder(settings.ARCHIVE_DIR)
    bucket, _, prefix = settings.ARCHIVE_URL.removeprefix("s3://").partition("/")
    return Bucket(bucket, f"{prefix.strip('/')}/" if prefix.strip("/") else "", settings.ARCHIVE_ENDPOINT_URL)


@dataclass(frozen=True, slots=True)
class Folder:
    """Files that only their owner on the machine can read."""

    path: Path

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """An unfinished one never bears the name."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = (self.path / name).with_suffix(".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        fresh.replace(self.path / name)
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def names(self, beginning: str) -> list[str]:
        return [path.name for path in self.path.glob(f"{beginning}*")]

    def delete(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Objects under a prefix; credentials and region as boto3 finds them. An object is there whole, or not at all."""

    bucket: str
    prefix: str
    endpoint: str

    def read(self, name: str) -> bytes:
        with _as_files(name) as s3:
            content: bytes = s3(self.endpoint).get_object(Bucket=self.bucket, Key=self.prefix + name)["Body"].read()
            return content

    def write(self, name: str, content: bytes) -> None:
        with _as_files(name) as s3:
            s3(self.endpoint).put_object(Bucket=self.bucket, Key=self.prefix + name, Body=content)

    def names(self, beginning: str) -> list[str]:
        with _as_files(beginning) as s3:
            pages = s3(self.endpoint).get_paginator("list_objects_v2")
            found = pages.paginate(Bucket=self.bucket, Prefix=self.prefix + beginning)
            return [row["Key"].removeprefix(self.prefix) for page in found for row in page.get("Contents", ())]

    def delete(self, name: str) -> None:
        with _as_files(name) as s3:
            s3(self.endpoint).delete_object(Bucket=self.bucket, Key=self.prefix + name)


@contextmanager
def _as_files(name: str) -> Iterator[Any]:
    """What boto3 raises, as what files raise; the message holds no credential."""
    from botocore.exceptions import BotoCoreError, ClientError  # of the extra `s3`

    try:
        yield _client
    except ClientError as problem:
        code = problem.response.get("Error", {}).get("Code", "")
        wrong = FileNotFoundError if code in ("NoSuchKey", "404", "NotFound") else OSError
        raise wrong(f"{name}: {code}") from problem
    except BotoCoreError as problem:
        raise OSError(f"{name}: {type(problem).__name__}") from problem


@lru_cache(maxsize=4)
def _client(endpoint: str) -> Any:
    """One client a process, and safe between threads. It asks no metadata service, unless the operator wants that
    (AWS_EC2_METADATA_DISABLED=false): that is an address on the network which nobody has configured."""
    import boto3
    import botocore.session
    from botocore.config import Config

    session = botocore.session.get_session()
    if os.environ.get("AWS_EC2_METADATA_DISABLED", "true").lower() != "false":
        session.get_component("credential_provider").remove("iam-role")
    config = Config(
        connect_timeout=policy.BUCKET_CONNECT_SECONDS, read_timeout=policy.BUCKET_READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": policy.BUCKET_ATTEMPTS},
        s3={"addressing_style": "path"} if endpoint else None,
        request_checksum_calculation="when_required", response_checksum_validation="when_required",
    )  # fmt: skip
    return boto3.Session(botocore_session=session).client("s3", endpoint_url=endpoint or None, config=config)
