"""Bare versions for tests: files of a few bytes with the paths of real ones, and a repository to bring them to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub.utils import disable_progress_bars

from gamut.publish.content import manifest_file
from gamut.publish.files import File, disk_file, memory_file
from gamut.publish.hub import Remote
from tests.hub.client import client_here
from tests.hub.server import Hub, hub_server

REPO = "somebody/small"


def table(shards: Mapping[str, bytes]) -> bytes:
    """A release's own manifest."""
    entries = [{"name": f"{name}.parquet", "sha256": hashlib.sha256(data).hexdigest()} for name, data in shards.items()]
    return json.dumps({"rows": 3 * len(shards), "statuses": {}, "shards": entries}).encode()


def version(folder: Path, number: str, shards: Mapping[str, bytes], more: Sequence[File] = ()) -> list[File]:
    """All files of a version whose shards hold these bytes."""
    more = more or [memory_file("data/_manifest.json", table(shards), "_manifest.json")]
    files = []
    for name, data in shards.items():
        local = folder / f"{name}.parquet"
        local.parent.mkdir(parents=True, exist_ok=True)
        local.write_bytes(data)
        sha256 = disk_file("", local).sha256
        files.append(File(f"data/{name}-{sha256[:8]}.parquet", local, len(data), sha256, local.name, 3))
    files += [*more, memory_file("README.md", f"---\nlicense: cc0-1.0\n---\n# Version {number}\n".encode())]
    return [*files, manifest_file("dataset", number, 3 * len(shards), files)]


@contextmanager
def served(folder: Path, repo: str = REPO) -> Iterator[tuple[Hub, Remote]]:
    """A Hub, and a repository on it that is not there yet."""
    disable_progress_bars()
    with hub_server() as hub, client_here(hub, folder / "home") as api:
        yield hub, Remote(repo, api)
