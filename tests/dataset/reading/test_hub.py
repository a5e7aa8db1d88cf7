"""Datasets on the Hub, read from a server of our own: the pinned commit or one clear line, never an earlier copy."""

from __future__ import annotations

import atexit
import io
import json
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, nullcontext, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.dataset.reading.rows import rows_of
from gamut.dataset.reading.waves import write_sources
from gamut.dataset.shared.joins import table_of
from gamut.project.errors import UserError
from gamut.tables.columns import IMAGE, Row
from tests import fakes
from tests.hub.client import environment
from tests.hub.server import Hub, hub_server

REPO = "org/pictures"
RED, BLUE = fakes.jpeg("red"), fakes.jpeg("blue")


# What is run in the client's process


def surround(variables: dict[str, str]) -> None:
    os.environ.update(variables)


def read(block: dict[str, Any]) -> list[Row] | str:
    """A block's rows, or the message of the UserError that they end with."""
    try:
        return list(rows_of(fakes.params(sources=[block]).sources[0]))
    except UserError as error:
        return str(error)


def build(block: dict[str, Any], folder: str) -> tuple[str, bool]:
    """The whole stage: what it says, and whether there is a table."""
    os.chdir(folder)
    with redirect_stdout(io.StringIO()) as said:
        try:
            write_sources(fakes.params(sources=[block]))
        except UserError as error:
            print(error)
    return said.getvalue(), table_of("source_rows").exists()


def load(repo: str, revision: str) -> list[str]:
    """Load a dataset as people do, into the cache of `datasets`."""
    from datasets import load_dataset

    return list(load_dataset(repo, revision=revision, split="train")["text"])


def stream(repo: str, revision: str) -> list[str]:
    """What `datasets` alone streams."""
    from datasets import load_dataset

    return [row["text"] for row in load_dataset(repo, revision=revision, split="train", streaming=True)]


def read_offline(block: dict[str, Any]) -> list[Row] | str:
    from datasets import config
    from huggingface_hub import constants

    with patch.object(config, "HF_HUB_OFFLINE", True), patch.object(constants, "HF_HUB_OFFLINE", True):
        return read(block)


def read_with_cache(block: dict[str, Any]) -> list[Row] | str:
    """As if no empty folder stood in for the cache of `datasets`."""
    with patch("tempfile.TemporaryDirectory", nullcontext):
        return read(block)


# The server, and a process that knows no other Hub


@cache
def started() -> tuple[Hub, Callable[..., Any]]:
    """A server, and what runs a function in a process that has huggingface_hub look at it: once for all modules."""
    stack = ExitStack()
    atexit.register(stack.close)
    hub = stack.enter_context(hub_server())
    variables = environment(hub.url, Path(stack.enter_context(TemporaryDirectory())))
    context = multiprocessing.get_context("spawn")
    pool = stack.enter_context(ProcessPoolExecutor(1, context, initializer=surround, initargs=(variables,)))
    return hub, lambda function, *arguments: pool.submit(function, *arguments).result()


@pytest.fixture(scope="module")
def hub() -> Hub:
    return started()[0]


@pytest.fixture(scope="module")
def client(hub: Hub) -> Callable[..., Any]:
    return started()[1]


def parquet(texts: list[Any], pictures: list[Any] | None = None, name: str = "text") -> bytes:
    structs = [data and {"bytes": data, "path": None} for data in pictures or [None] * len(texts)]
    table = pa.table({name: pa.array(texts), "picture": pa.array(structs, IMAGE), "n": list(range(len(texts)))})
    features = {
        name: {"dtype": "string", "_type": "Value"},
        "picture": {"_type": "Image"},
        "n": {"dtype": "int64", "_type": "Value"},
    }
    out = io.BytesIO()
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    pq.write_table(table.replace_schema_metadata(metadata), out)
    return out.getvalue()


def card(text: str) -> bytes:
    return f"---\n{text}\n---\n# A dataset\n".encode()


def block(revision: str, repo: str = REPO, **more: Any) -> dict[str, Any]:
    columns = {"caption": "text", "image": "picture"}
    given = {"kind": "hub", "wave": "w", "route": "rewrite", "repo": repo, "split": "train", "columns": columns}
    return given | {"revision": revision} | more


def captions(found: list[Row] | str) -> list[str | None]:
    assert isinstance(found, list), found
    return [row["caption"] for row in found]


# What comes


def test_the_pinned_commit_is_read(hub: Hub, client: Callable[..., Any]) -> None:
    files = {"data/train-00000.parquet": parquet(["one", None], [RED, BLUE])}
    files["data/train-00001.parquet"] = parquet(["three", "four"], [None, b"no picture"])
    pinned = hub.commit(REPO, files | {"data/test-00000.parquet": parquet(["test"])})
    hub.commit(REPO, {"data/train-00000.parquet": parquet(["newer"])})
    found = client(read, block(pinned))
    assert [(row["id"], row["caption"], row["image"] and row["image"]["bytes"]) for row in found] == [
        ("w-00000000", "one", RED),
        ("w-00000001", None, BLUE),
        ("w-00000002", "three", None),
        ("w-00000003", "four", None),
    ]
    assert [row["image_reason"] for row in found] == [
        None,
        None,
        "column 'picture' is empty",
        "column 'picture' is not a picture in a known format",
    ]
    assert {row["source"] for row in found} == {f"{REPO}@{pinned}"} and {row["status"] for row in found} == {"ok"}
    assert captions(client(read, block(pinned, limit=3))) == ["one", None, "three"]
    assert captions(client(read, block(pinned, split="test"))) == ["test"]
    numbered = client(read, block(pinned, columns={"caption": "text", "source_id": "n"}))
    assert [(row["source_id"], row["reason"]) for row in numbered] == [
        ("0", None),
        ("1", "there is neither a caption nor an image"),
        ("0", "source id '0' is taken by an earlier row"),
        ("1", None),
    ]


def test_a_configuration(hub: Hub, client: Callable[..., Any]) -> None:
    configs = "configs:\n" + "".join(f"- config_name: {name}\n  data_files: {name}.parquet\n" for name in "ab")
    files = {"README.md": card(configs), "a.parquet": parquet(["in a"]), "b.parquet": parquet(["in b"])}
    pinned = hub.commit("org/configs", files)
    assert captions(client(read, block(pinned, "org/configs", config="b"))) == ["in b"]
    said = client(read, block(pinned, "org/configs", config="c"))
    assert "BuilderConfig 'c' not found. Available: ['a', 'b']" in said
    assert "Config name is missing" in client(read, block(pinned, "org/configs"))


def test_a_folder_here_of_the_same_name(hub: Hub, client: Callable[..., Any], tmp_path: Path) -> None:
    pinned = hub.commit("org/here", {"train.parquet": parquet(["on the Hub"])})
    (tmp_path / "org" / "here").mkdir(parents=True)
    (tmp_path / "org" / "here" / "train.parquet").write_bytes(parquet(["not"]))
    client(os.chdir, tmp_path)
    assert client(stream, "org/here", pinned) == ["not"], "what `datasets` does with the bare name"
    assert captions(client(read, block(pinned, "org/here"))) == ["on the Hub"]


# What does not


@pytest.fixture(scope="module")
def cached(hub: Hub, client: Callable[..., Any]) -> str:
    """A commit that is not the newest of org/cached, whose older commit `datasets` has in its cache."""
    old = hub.commit("org/cached", {"train.parquet": parquet(["old"])})
    assert client(load, "org/cached", old) == ["old"]
    return hub.commit("org/cached", {"train.parquet": parquet(["new"])})


def refused(found: list[Row] | str, repo: str, revision: str) -> str:
    """The part of a message that says what is wrong; before it stand repository, commit and wave."""
    assert isinstance(found, str), found
    start = f"{repo} at {revision} (wave 'w' in params.yaml): "
    assert found.startswith(start) and "\n" not in found
    return found.removeprefix(start)


def test_an_unreachable_hub_never_gives_a_cached_copy(hub: Hub, client: Callable[..., Any], cached: str) -> None:
    with hub.unreachable():
        said = refused(client(read, block(cached, "org/cached")), "org/cached", cached)
    assert said.endswith("Connection refused: fix its block, or check the network, and run it again")
    assert captions(client(read, block(cached, "org/cached"))) == ["new"]


@pytest.mark.parametrize("part", ["/tree/", "README.md", "/resolve/"])
def test_a_hub_that_fails_after_it_was_verified(hub: Hub, client: Callable[..., Any], cached: str, part: str) -> None:
    with hub.failing(part, 403):
        assert client(stream, "org/cached", cached) == ["old"], "what `datasets` does"
        said = refused(client(read, block(cached, "org/cached")), "org/cached", cached)
        assert said.endswith(": fix its block, or check the network, and run it again")
        said = refused(client(read_with_cache, block(cached, "org/cached")), "org/cached", cached)
    assert said == "some files to be read are not of this commit: run it again"


def test_offline_mode_never_gives_a_cached_copy(client: Callable[..., Any], cached: str) -> None:
    said = refused(client(read_offline, block(cached, "org/cached")), "org/cached", cached)
    assert said == "offline mode does not reach the Hub: unset HF_HUB_OFFLINE"


def test_a_commit_that_is_not_there(client: Callable[..., Any], cached: str) -> None:
    nowhere = "0123456789" * 4
    said = refused(client(read, block(nowhere, "org/cached")), "org/cached", nowhere)
    assert said == "no commit has this id: fix `revision`; the page of its files lists them"


def test_a_branch_named_like_a_commit(hub: Hub, client: Callable[..., Any]) -> None:
    name = "abcdef0123" * 4
    moving = hub.commit("org/branch", {"train.parquet": parquet(["moves"])}, branch=name)
    said = refused(client(read, block(name, "org/branch")), "org/branch", name)
    assert said == f"`revision` is not a commit but a name of {moving}: write the commit"


def test_a_dataset_that_is_not_there(client: Callable[..., Any], cached: str) -> None:
    said = refused(client(read, block(cached, "org/none")), "org/none", cached)
    assert said == "it does not exist or is private: fix `repo`, or run `hf auth login`"


def test_a_dataset_that_its_owner_guards(hub: Hub, client: Callable[..., Any], cached: str) -> None:
    with hub.failing("/api/datasets/org/cached", 403, "GatedRepo"):
        said = refused(client(read, block(cached, "org/cached")), "org/cached", cached)
    assert said == "access is restricted: ask for it on its page, then run `hf auth login`"


def test_a_split_or_column_that_is_not_there(hub: Hub, client: Callable[..., Any]) -> None:
    pinned = hub.commit("org/split", {"train.parquet": parquet(["one"])})
    said = refused(client(read, block(pinned, "org/split", split="trian")), "org/split", pinned)
    assert said == "there is no split 'trian'; did you mean 'train'?"
    said = refused(client(read, block(pinned, "org/split", columns={"caption": "Text"})), "org/split", pinned)
    assert said == "train.parquet: there is no column 'Text'; did you mean 'text'?"


def test_files_that_stand_elsewhere(hub: Hub, client: Callable[..., Any]) -> None:
    hub.commit("org/other", {"x.parquet": parquet(["unpinned"])})
    configs = "configs:\n- config_name: default\n  data_files: hf://datasets/org/other/x.parquet"
    pinned = hub.commit("org/elsewhere", {"README.md": card(configs), "x.parquet": parquet(["pinned"])})
    said = refused(client(read, block(pinned, "org/elsewhere")), "org/elsewhere", pinned)
    assert "Data files don't belong to org/elsewhere" in said


def test_a_stream_that_breaks_leaves_no_table(hub: Hub, client: Callable[..., Any], tmp_path: Path) -> None:
    files = {f"data/train-{n:05d}.parquet": parquet([f"row {n}"]) for n in range(3)}
    pinned = hub.commit("org/breaks", files)
    assert captions(client(read, block(pinned, "org/breaks"))) == ["row 0", "row 1", "row 2"]
    with hub.failing("00002.parquet", 403):
        assert captions(client(read, block(pinned, "org/breaks", limit=2))) == ["row 0", "row 1"]
        said, there = client(build, block(pinned, "org/breaks"), tmp_path)
    assert "403 Forbidden" in refused(said.rstrip("\n"), "org/breaks", pinned) and not there


def test_a_stream_that_ends_early(hub: Hub, client: Callable[..., Any]) -> None:
    types = {"text": "string", "picture": "image", "n": "int64"}
    features = "".join(f"  - name: {name}\n    dtype: {kind}\n" for name, kind in types.items())
    splits = "  splits:\n  - name: train\n    num_bytes: 1\n    num_examples: 3"
    readme = card(f"dataset_info:\n  features:\n{features}{splits}")  # as `push_to_hub` writes it
    pinned = hub.commit("org/early", {"README.md": readme, "train.parquet": parquet(["one", "two"])})
    said = refused(client(read, block(pinned, "org/early")), "org/early", pinned)
    assert said == "only 2 of 3 rows came: run it again, or set `limit: 2`"
    assert captions(client(read, block(pinned, "org/early", limit=2))) == ["one", "two"]


def test_a_later_file_without_the_column(hub: Hub, client: Callable[..., Any]) -> None:
    files = {"train-00000.parquet": parquet(["one"]), "train-00001.parquet": parquet(["two"], name="other")}
    pinned = hub.commit("org/later", {f"data/{name}": data for name, data in files.items()})
    assert isinstance(client(read, block(pinned, "org/later")), str)
