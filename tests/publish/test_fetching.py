"""`gamut fetch`: a version comes back byte for byte, or one clear line says why and nothing here is changed."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.locks import only_writer
from gamut.publish import fetching, troubles
from gamut.publish.files import File, memory_file
from gamut.tables.writing import TableWriter
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.publish.bare_version import REPO, served, table, version

SHARDS = {"a-00000": b"rows of a", "b-00000": b"rows of b"}
OTHER = {"a-00000": b"new rows"}
RELEASE = Path("datasets/release")


def whole(shards: Mapping[str, bytes]) -> dict[str, bytes]:
    """A release as it lies here."""
    return {"_manifest.json": table(shards)} | {f"{name}.parquet": data for name, data in shards.items()}


WHOLE = whole(SHARDS)


@pytest.fixture
def hub(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub with one version, in an empty project."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    with served(project) as (hub, _):
        write_files(hub, laid_out(project))
        hub.log.clear()
        yield hub


def laid_out(folder: Path, number: str = "0.1.0", shards: Mapping[str, bytes] = SHARDS) -> dict[str, bytes]:
    """All files of a version by their paths."""
    files = version(folder / "made", number, shards)
    return {file.path: file.read() for file in files}


def write_files(hub: Hub, files: Mapping[str, bytes], tag: str = "v0.1.0") -> None:
    hub.repo(REPO).tags[tag] = hub.commit(REPO, files) if files else ""


def fetch(tag: str = "v0.1.0") -> list[str]:
    said: list[str] = []
    fetching.fetch_version(f"{REPO}@{tag}", said.append)
    return said


def here() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(RELEASE.iterdir())} if RELEASE.exists() else {}


def refused(line: str, tag: str = "v0.1.0") -> None:
    before = here()
    with pytest.raises(UserError, match=line) as error:
        fetch(tag)
    assert "\n" not in str(error.value)
    assert here() == before, "nothing half done"


def test_the_files_lie_where_the_build_would_have_put_them(hub: Hub) -> None:
    said = fetch()
    assert here() == WHOLE
    assert said[-1] == f"{RELEASE}: 6 rows of {REPO}@v0.1.0, every file verified"
    assert list(Path("datasets").iterdir()) == [RELEASE]
    assert [path.name for path in Path(".store/fetched").iterdir()] == ["releases"], "nothing is kept twice"


def test_a_release_that_was_fetched_gives_way_to_another_version(hub: Hub, project: Path) -> None:
    write_files(hub, laid_out(project, "0.2.0", OTHER), "v0.2.0")
    fetch()
    (RELEASE / "a-00000.parquet").write_bytes(b"rotten   ")
    fetch("v0.2.0")
    assert here() == whole(OTHER)
    fetch()
    assert here() == WHOLE


def test_what_says_where_pictures_come_from_comes_and_goes_with_the_version(hub: Hub, project: Path) -> None:
    """v0.2.0 has it, v0.1.0 was published before there was such a table."""
    origins, shards = Path("datasets/provenance"), {"a-00000": b"origins"}
    files = with_table(project, "0.2.0", shards, table(shards))
    write_files(hub, files, "v0.2.0")
    fetch()
    fetch("v0.2.0")
    assert here() == whole(OTHER)
    assert {path.name: path.read_bytes() for path in origins.iterdir()} == whole(shards)
    assert fetch("v0.2.0")[-1].endswith("already, verified: nothing to do")
    shutil.rmtree(origins)
    fetch("v0.2.0")
    assert (origins / "a-00000.parquet").read_bytes() == b"origins"
    fetch()
    assert here() == WHOLE and [path.name for path in Path("datasets").iterdir()] == ["release"]
    (origins / "mine").parent.mkdir()
    refused(r"^datasets/provenance holds a release that was not fetched and is not recorded in dvc\.lock: move it away")
    assert origins.exists()


def test_pairs_of_pictures_come_and_go_with_the_version(hub: Hub, project: Path) -> None:
    """Those of v0.2.0; of v0.1.0 there are none. A table of one's own stays where a version has none."""
    pairs, shards = Path("datasets/preferences"), {"a-00000": b"pairs"}
    write_files(hub, with_table(project, "0.2.0", shards, table(shards), "preferences"), "v0.2.0")
    pairs.mkdir(parents=True)
    (pairs / "_manifest.json").write_bytes(b"{}")
    fetch()
    assert (pairs / "_manifest.json").read_bytes() == b"{}"
    refused(r"^datasets/preferences holds a release that was not fetched and is not recorded in dvc\.lock", "v0.2.0")
    shutil.rmtree(pairs)
    fetch("v0.2.0")
    assert {path.name: path.read_bytes() for path in pairs.iterdir()} == whole(shards)
    fetch()
    assert here() == WHOLE and not pairs.exists()


def with_table(
    folder: Path, number: str, shards: Mapping[str, bytes], own: bytes, name: str = "provenance"
) -> dict[str, bytes]:
    """A version of OTHER rows with these shards of another table."""
    more = [memory_file("data/_manifest.json", table(OTHER), "_manifest.json")]
    more += [memory_file(f"{name}/{of}-0.parquet", data, f"{of}.parquet") for of, data in shards.items()]
    more += [memory_file(f"{name}/_manifest.json", own, "_manifest.json")]
    return {file.path: file.read() for file in version(folder / "made", number, OTHER, more)}


def test_a_release_that_was_built_gives_way_only_when_dvc_knows_it(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    RELEASE.mkdir(parents=True)
    (RELEASE / "_manifest.json").write_bytes(b"{}")
    refused(r"^datasets/release holds a release that was not fetched and is not recorded in dvc\.lock: move it away")
    Path("dvc.yaml").touch()
    monkeypatch.setattr(pipeline, "is_recorded", lambda stage, _: stage == "release")
    fetch()
    assert here() == WHOLE


def test_what_is_not_an_address() -> None:
    for text in ("org", "org/name", "org/name@", "@v1", "a/b/c@v1"):
        with pytest.raises(UserError, match=r"org/name@v0\.1\.0 is expected$"):
            fetching.fetch_version(text, print)


def test_what_is_not_there(hub: Hub) -> None:
    refused(rf"^{REPO}: there is no tag 'v0\.1\.1'; did you mean 'v0\.1\.0'\?$", "v0.1.1")
    refused(rf"^{REPO}: there is no tag 'main'", "main")
    with pytest.raises(UserError, match=r"^some/thing: it does not exist on the Hub or is private"):
        fetching.fetch_version("some/thing@v1", print)


def test_a_commit_that_is_a_path_deletes_nothing(hub: Hub, project: Path) -> None:
    beside = project.parent / f"{project.name}-beside"
    beside.mkdir()
    (beside / "mine").write_text("mine")
    repo = hub.repo(REPO)
    evil = f"x/../../../../{beside.name}"
    repo.commits[evil] = replace(repo.commits[repo.tags["v0.1.0"]], oid=evil)
    repo.tags["v0.1.0"] = evil
    refused(rf"^{REPO}@v0\.1\.0: x/\.\./.* is not a commit: fix HF_ENDPOINT$")
    assert [path.name for path in beside.iterdir()] == ["mine"]


def test_a_shard_that_was_altered_on_the_hub(hub: Hub, project: Path) -> None:
    files = laid_out(project)
    path = next(path for path in files if path.startswith("data/b"))
    write_files(hub, files | {path: b"other row"})
    refused(rf"^{REPO}: {path} has sha256 [0-9a-f]{{8}}… and 9 bytes, but [0-9a-f]{{8}}… and 9 are listed: run it")


def test_shards_of_which_the_release_does_not_know(hub: Hub, project: Path) -> None:
    for content in (table(OTHER), table(SHARDS | OTHER), b'{"shards": [', b"[" * 100_000, b"{}"):
        own = memory_file("data/_manifest.json", content, "_manifest.json")
        write_files(hub, {file.path: file.read() for file in version(project / "made", "0.1.0", SHARDS, more=[own])})
        refused(
            rf"^{REPO}@v0\.1\.0: data/_manifest\.json names other shards than manifest\.json lists: the version was alt"
        )
    assert not hub.asked("GET", r"\.parquet"), "before they come"


def test_a_shard_that_was_taken_away_on_the_hub(hub: Hub, project: Path) -> None:
    files = laid_out(project)
    del files[path := next(path for path in files if path.startswith("data/b"))]
    write_files(hub, files)
    refused(rf"^{REPO}: {path} is listed but missing: it was altered on the Hub$")


def test_other_bytes_on_the_way_are_brought_again_by_the_next_run(hub: Hub) -> None:
    hub.script.append(Fault("GET", r"data/b.*parquet", "other_bytes"))
    refused(r"data/b-00000-.* has sha256 .*: run it again")
    fetch()
    assert here() == WHOLE
    assert len(hub.asked("GET", r"data/a.*parquet")) == 1, "what was right was kept"


def test_a_receipt_tells_that_the_tag_was_moved(hub: Hub, project: Path) -> None:
    receipt = Path(f"datasets/published/{REPO}/v0.1.0.json")
    receipt.parent.mkdir(parents=True)
    receipt.write_text(
        json.dumps(
            {"product": "dataset", "repo": REPO, "url": "", "tag": "v0.1.0", "commit": "1" * 40, "git_revision": ""}
            | {"manifest_sha256": "2" * 64, "files": 1, "bytes": 1, "rows": 1, "dvc_hash": None}
        )
    )
    refused(
        rf"^{REPO}@v0\.1\.0: the tag names commit [0-9a-f]{{8}}, but {receipt} says 11111111: the version was moved on"
    )
    text = receipt.read_text().replace("1" * 40, hub.repo(REPO).tags["v0.1.0"])
    receipt.write_text(text)
    refused(rf"^{REPO}@v0\.1\.0: its manifest\.json is not that of {receipt}: it was altered$")
    receipt.write_text("{}")
    refused(rf"^{receipt} is not a receipt: restore it from git")


def test_a_network_that_goes_away_and_comes_back(hub: Hub) -> None:
    with hub.unreachable():
        refused(rf"^{REPO}: the Hub cannot be reached \(.+\): check the network")
    hub.script.append(Fault("GET", r"data/b.*parquet", "drop_before", times=99))
    refused(rf"^{REPO}: ")
    hub.script.clear()
    fetch()
    assert here() == WHOLE
    assert len(hub.asked("GET", r"data/a.*parquet")) == 1, "what came before was kept"


def full(source: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"rows")  # there was room for that
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


def on_another_disk(*arguments: object) -> None:
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def test_a_store_on_another_disk(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", on_another_disk)
    fetch()
    assert here() == WHOLE


def test_a_disk_that_fills_up_while_files_are_put_in_place(
    hub: Hub, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(hub, laid_out(project, "0.2.0", OTHER), "v0.2.0")
    for tag in ("v0.1.0", "v0.2.0"):
        with monkeypatch.context() as patch:
            patch.setattr(os, "link", on_another_disk)
            patch.setattr(shutil, "copyfile", full)
            refused(r"^datasets/release\.fetched/a-00000\.parquet: No space left on device: fix that and run it", tag)
        assert set(Path("datasets").iterdir()) <= {RELEASE}
        hub.log.clear()
        fetch(tag)
        assert not hub.asked("GET", r"\.parquet"), "what came was kept"


def test_a_rename_that_fails_changes_nothing(hub: Hub, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(hub, laid_out(project, "0.2.0", OTHER), "v0.2.0")
    fetch()
    rename = Path.rename

    def fails(path: Path, target: Path) -> Path:
        if path.name.endswith(".fetched") and target == RELEASE:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fails)
        refused(
            r"^datasets/release\.fetched: Permission denied: fix that and run it again; what was fetched is kept$",
            "v0.2.0",
        )
    assert list(Path("datasets").iterdir()) == [RELEASE]
    fetch("v0.2.0")
    assert here() == whole(OTHER)


def test_nothing_is_put_or_deleted_where_a_link_leads_out_of_the_project(hub: Hub, project: Path) -> None:
    outside = project.with_name(f"{project.name} outside")
    for kept in ("release.replaced", "release.fetched"):  # what a run clears up
        (outside / kept).mkdir(parents=True)
    Path("datasets").symlink_to(outside)
    refused(r"^datasets leads datasets/release out of this project: remove it$")
    assert sorted(path.name for path in outside.iterdir()) == ["release.fetched", "release.replaced"]


def test_a_release_that_is_a_link_or_a_file(hub: Hub, project: Path) -> None:
    write_files(hub, laid_out(project, "0.2.0", OTHER), "v0.2.0")
    fetch()
    RELEASE.rename("elsewhere")
    RELEASE.symlink_to(Path("elsewhere").absolute())
    refused(r"^datasets/release is a link or a file, not a folder: move it away first$", "v0.2.0")
    RELEASE.unlink()
    RELEASE.write_text("mine")
    with pytest.raises(UserError, match=r"^datasets/release is a link or a file, not a folder: move it away first$"):
        fetch()
    assert RELEASE.read_text() == "mine"


def test_a_build_at_work_and_a_fetch_keep_apart(hub: Hub) -> None:
    with only_writer("release"), TableWriter(RELEASE, pa.schema([("id", pa.string())])) as built:
        built.write("w-00000", [{"id": "w-00000000"}])
        refused(r"^datasets/release is being built: process \d+ already runs this: wait for it to end$")
        built.write("w-00001", [{"id": "w-00005000"}])
    assert sorted(here()) == ["_manifest.json", "w-00000.parquet", "w-00001.parquet"]


def test_a_release_that_was_built_while_the_version_came_stays(hub: Hub) -> None:
    def build(hub: Hub) -> None:
        RELEASE.mkdir(parents=True)
        (RELEASE / "_manifest.json").write_bytes(b"{}")

    hub.script.append(Fault("GET", r"data/b.*parquet", then=build))
    with pytest.raises(UserError, match=r"holds a release that was not fetched and is not recorded"):
        fetch()
    assert here() == {"_manifest.json": b"{}"}


def test_an_edition_is_never_overwritten(hub: Hub, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = b'{"id": "a/0", "prompt": "a cat"}\n'
    data = memory_file(f"data/v1-{memory_file('', items).sha256[:8]}.jsonl", items, "v1.jsonl")
    bench = served_edition(project, data)
    write_files(hub, {file.path: file.read() for file in bench}, "v0.1.0")
    fetch()
    path = Path("datasets/editions/prism/v1.jsonl")
    assert path.read_bytes() == items
    assert list(path.parent.iterdir()) == [path]
    path.write_bytes(b'{"id": "a/0", "prompt": "a dog"}\n')
    with pytest.raises(UserError, match=rf"^{path} is frozen here with other items: move it away first$"):
        fetch()
    assert b"dog" in path.read_bytes()
    path.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", on_another_disk)
        patch.setattr(shutil, "copyfile", full)
        with pytest.raises(UserError, match=rf"^{path}\.fetched: No space left on device: fix that and run it again"):
            fetch()
    assert list(path.parent.iterdir()) == []


def served_edition(folder: Path, data: File) -> list[File]:
    from gamut.publish.content import manifest_file

    return [data, manifest_file("prism", "0.1.0", 1, [data])]
