"""The table of sources: every row of every wave, kept where nothing changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import gamut.dataset.reading.rows as rows_module
from gamut.command import check
from gamut.dataset.reading.rows import SCHEMA
from gamut.dataset.reading.waves import write_sources
from gamut.dataset.shared.joins import ROUTES, table_of
from gamut.dataset.shared.source_blocks import FileSource
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, read_rows
from tests import fakes
from tests.paths import PARTI


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    path = project / "datasets" / "sources"
    path.mkdir(parents=True)
    return path


def make(**changes: Any) -> list[Row]:
    write_sources(fakes.params(**changes))
    return list(read_rows(table_of("source_rows")))


def file_block(wave: str, name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "file", "wave": wave, "path": f"datasets/sources/{name}", "columns": {"caption": "caption"}} | more


def test_the_table_has_every_row_of_every_wave(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.csv").write_text("caption\n" + "".join(f"cube {n}\n" for n in range(5_101)))
    (folder / "b.jsonl").write_text('{"caption": "ball"}\nnonsense\n')
    (folder / "c.tsv").write_text("caption\n")
    blocks = [file_block("a", "a.csv"), file_block("b-part01", "b.jsonl"), file_block("c", "c.tsv")]
    found = make(sources=blocks)
    assert len(found) == 5_103 and len({row["id"] for row in found}) == 5_103
    assert found[5_100] | {"caption": None} == dict.fromkeys(SCHEMA.names) | {
        "id": "a-00005100",
        "wave": "a",
        "route": "as_is",
        "source": "datasets/sources/a.csv",
        "status": "ok",
    }
    shards = [(shard["name"], shard["rows"]) for shard in manifest(table_of("source_rows"))["shards"]]
    assert shards == [
        ("a-00000.parquet", 5_000),
        ("a-00001.parquet", 101),
        ("b-part01-00000.parquet", 2),
        ("c-00000.parquet", 0),
    ]
    assert manifest(table_of("source_rows"))["statuses"] == {"invalid_input": 1, "ok": 5_102}
    assert capsys.readouterr().out.splitlines() == [
        "sources: wave a: 5,101 rows",
        "sources: wave b-part01: 2 rows, 1 unusable",
        "sources: wave c: 0 rows (datasets/sources/c.tsv is empty)",
    ]


def test_rows_to_be_imagined_have_only_their_ids() -> None:
    found = make(sources=[{"kind": "imagine", "wave": "dreams", "count": 101}])
    assert [row["id"] for row in found] == [f"dreams-{n:08d}" for n in range(101)]
    place = {"id": "dreams-00000100", "wave": "dreams", "route": "imagine", "source": "imagine", "status": "ok"}
    assert found[100] == dict.fromkeys(SCHEMA.names) | place


def test_a_new_wave_leaves_the_shards_before_it(folder: Path) -> None:
    (folder / "a.csv").write_text("caption\n" + "".join(f"cube {n}\n" for n in range(5_101)))
    first, second = file_block("a", "a.csv"), {"kind": "imagine", "wave": "b", "count": 3}
    make(sources=[first])
    before, routes_before = fakes.contents(table_of("source_rows")), fakes.contents(ROUTES)
    make(sources=[first, second])
    after, routes_after = fakes.contents(table_of("source_rows")), fakes.contents(ROUTES)
    assert sorted(set(after) - set(before)) == ["b-00000.parquet"]
    assert {name for name in before if before[name] != after[name]} == {"_manifest.json"}
    assert routes_before.keys() == {"as_is.json", "imagine.json", "keep.json", "mine_text.json", "rewrite.json"}
    assert {name for name in routes_before if routes_before[name] != routes_after[name]} == {"imagine.json"}


def test_what_was_read_is_not_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only where block, file, code and shard are as they were; the table is the same in any case."""
    (folder / "a.csv").write_text("caption\na red cube\n\n")
    first, second = file_block("a", "a.csv"), {"kind": "imagine", "wave": "b", "count": 3}
    code = {"stages/dataset/sources.py": "1", "datasets/world/sources": "of another kind"}

    def again(waves: list[dict[str, Any]], declared: dict[str, str]) -> list[str]:
        """The waves that were not read."""
        write_sources(fakes.params(sources=waves), lambda: declared)
        lines = capsys.readouterr().out.splitlines()
        return [line.split()[2].rstrip(":") for line in lines if line.endswith(", as read before")]

    assert again([first], code) == []
    whole = fakes.contents(table_of("source_rows"))
    assert again([first], code) == ["a"] and fakes.contents(table_of("source_rows")) == whole
    assert again([first, second], code) == ["a"]
    assert again([first, second], code | {"datasets/world/sources": "2"}) == ["a", "b"]
    assert again([first, second], code | {"stages/dataset/sources.py": "2"}) == []
    assert again([first | {"limit": 1}, second], code) == ["b"]
    assert again([first, second], code) == ["a", "b"], "as the first time"
    (folder / "a.csv").write_text("caption\na blue cube\n\n")
    assert again([first], code) == []
    assert [row["caption"] for row in read_rows(table_of("source_rows"))] == ["a blue cube"]
    shard = table_of("source_rows") / "a-00000.parquet"
    pq.write_table(pq.read_table(shard), shard, compression="none")  # in place: the pool's file is the same one
    assert again([first], code) == []
    assert again([first], code) == ["a"]


def kept_waves(capsys: pytest.CaptureFixture[str], block: dict[str, Any]) -> list[str]:
    """Read one wave, and return its captions behind whether it was read before."""
    found = make(sources=[block])
    return [str(" as read before" in capsys.readouterr().out), *(str(row["caption"]) for row in found)]


def test_a_file_behind_a_link_that_changes_is_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = folder / "photos" / ".elsewhere"
    elsewhere.mkdir(parents=True)
    (folder / "photos" / "more").symlink_to(elsewhere)
    (elsewhere / "a.jpg").write_bytes(fakes.jpeg())
    (elsewhere / "a.txt").write_text("a red cube")
    block = {"kind": "folder", "wave": "a", "path": "datasets/sources/photos"}
    assert kept_waves(capsys, block) == ["False", "a red cube"]
    assert kept_waves(capsys, block) == ["True", "a red cube"]
    (elsewhere / "a.txt").write_text("two blue balls")
    assert kept_waves(capsys, block) == ["False", "two blue balls"]


def test_a_file_of_the_same_size_and_time_is_read_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As an archive or `rsync --times` may put it there."""
    (folder / "photos").mkdir()
    (folder / "photos" / "a.jpg").write_bytes(fakes.jpeg())
    caption = folder / "photos" / "a.txt"
    block = {"kind": "folder", "wave": "a", "path": "datasets/sources/photos"}
    for text, there in (("a red cube", "False"), ("a red cube", "True"), ("a big cube", "False")):
        if there == "False":
            caption.write_text(text)
            os.utime(caption, ns=(10**18, 10**18))
        assert kept_waves(capsys, block) == [there, text]


def test_what_changes_while_it_is_read_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stage ends badly then; the file put back as it was, what was read of it meanwhile is no part of it."""
    path = folder / "a.csv"
    path.write_text("caption\na red cube\n")
    declared = iter(("1", "2", "3", "3"))  # of datasets/sources, by its files' times
    reading = rows_module.file_rows

    def edited(source: FileSource) -> Any:
        path.write_text("caption\na blue cube\n")
        found = list(reading(source))
        path.write_text("caption\na red cube\n")
        return iter(found)

    monkeypatch.setattr(rows_module, "file_rows", edited)
    write_sources(fakes.params(sources=[file_block("a", "a.csv")]), lambda: {"datasets/sources": next(declared)})
    assert [row["caption"] for row in read_rows(table_of("source_rows"))] == ["a blue cube"]
    monkeypatch.undo()
    monkeypatch.chdir(folder.parents[1])
    write_sources(fakes.params(sources=[file_block("a", "a.csv")]), lambda: {"datasets/sources": next(declared)})
    assert [row["caption"] for row in read_rows(table_of("source_rows"))] == ["a red cube"]


def test_a_trial_leaves_what_the_project_noted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    block = file_block("a", "a.csv")
    (folder / "a.csv").write_text("caption\na red cube\na blue cube\n")
    assert kept_waves(capsys, block)[0] == "False"
    trial = folder.parents[1] / ".dvc" / "tmp" / "try"
    (trial / "datasets" / "sources").mkdir(parents=True)
    (trial / "datasets" / "sources" / "a.csv").write_text("caption\na red cube\na blue cube\n")
    with monkeypatch.context() as there:
        there.chdir(trial)
        assert kept_waves(capsys, block | {"limit": 1}) == ["False", "a red cube"]
    assert kept_waves(capsys, block) == ["True", "a red cube", "a blue cube"]


def test_parti_prompts(folder: Path) -> None:
    (folder / "parti.tsv").symlink_to(PARTI)
    block = file_block("parti", "parti.tsv", columns={"caption": "Prompt"})
    found = make(sources=[block])
    lines = PARTI.read_text(encoding="utf-8").splitlines()[1:]
    assert len(found) == 1_632
    assert [row["caption"] for row in found] == [line.split("\t")[0] for line in lines]
    assert {row["status"] for row in found} == {"ok"}
    assert make(sources=[block | {"limit": 10}]) == found[:10]


# What `gamut check` says of sources


def test_what_check_says_of_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    (folder / "parts").mkdir()
    hub = {"kind": "hub", "wave": "d", "repo": "org/name", "revision": "0" * 40, "split": "train"}
    blocks = [
        file_block("a", "a.csv"),
        file_block("b", "parts"),
        {"kind": "folder", "wave": "c", "path": "datasets/sources/pictures"},
        hub | {"columns": {"caption": "text"}},
        {"kind": "imagine", "wave": "e", "count": 1},
    ]
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub")
    for offline in (False, True):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
        found = list(check.check_sources(fakes.everything(sources=blocks)))
        assert [(finding.what, finding.found) for finding in found] == [
            ("datasets/sources/a.csv", False),
            ("datasets/sources/parts", True),
            ("datasets/sources/pictures", False),
            ("org/name", not offline),
        ]
        assert all(finding.needed for finding in found)
    assert found[2].remark == "rows of wave c: put it there, or run `dvc pull`"
    assert found[3].remark == "rows of wave d, streamed from https://hub (not checked here): unset HF_HUB_OFFLINE"
