"""`gamut export dataset`: the release as WebDataset's own package and `datasets` read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset
from webdataset import WebDataset

from gamut.command.export_dataset import SOURCE
from gamut.dataset.shared.joins import table_of
from gamut.dataset.steps import CAPTION_COLUMNS, RELEASE_SCHEMA
from gamut.tables.columns import Row
from gamut.tables.writing import write_rows
from tests import fakes
from tests.in_command import gamut

SHARDS = Path("shards")


def released(row_id: str, colour: str, **captions: str) -> Row:
    row: Row = {"id": row_id, "image": {"bytes": fakes.jpeg(colour, (64, 48)), "path": None}, "caption": f"a {colour}"}
    row |= dict.fromkeys((name for name in RELEASE_SCHEMA.names if name.startswith("score_")), 7)
    row["score_original"] = None
    row |= {f"bool_caption_{name}": name in captions for name in CAPTION_COLUMNS}
    return row | {f"caption_{name}": text for name, text in captions.items()}


ROWS = [
    released("own-00000000", "red", entity="red", detail="a red"),
    released("own-00000001", "blue", detail="a blue"),
    released("text-00000000", "green", text="a “green”", detail="a green"),
]


@pytest.fixture(autouse=True)
def release(project: Path) -> None:
    write_rows(table_of("release"), RELEASE_SCHEMA, ROWS)


def export(*arguments: str) -> str:
    code, said = gamut("export", "dataset", str(SHARDS), *arguments)
    assert code == 0, said
    return said


def captions_of(row: Row) -> dict[str, str]:
    return {one["name"]: one["text"] for one in row["captions"]}


def test_webdataset_has_every_row_for_its_own_package_and_for_datasets(tmp_path: Path) -> None:
    """The first rows have no caption of text and no score of an original, the last has one: types stay the same."""
    assert export() == "shards: 3 rows as webdataset, `.txt` has caption\n"
    files = [str(path) for path in sorted(SHARDS.glob("*.tar"))]
    assert [Path(one).name for one in files] == ["own-00000.tar", "text-00000.tar"]
    theirs = list(WebDataset(files, shardshuffle=False).decode("pil").to_tuple("__key__", "jpg", "txt", "json"))
    assert [(key, image.size, text) for key, image, text, _ in theirs] == [
        (row["id"], (64, 48), row["caption"]) for row in ROWS
    ]
    assert [captions_of(about) for *_, about in theirs] == [
        {"entity": "red", "detail": "a red"},
        {"detail": "a blue"},
        {"text": "a “green”", "detail": "a green"},
    ]
    assert {one["value"] for *_, about in theirs for one in about["scores"]} == {7}
    loaded = load_dataset("webdataset", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    assert [(row["__key__"], row["txt"], captions_of(row["json"])) for row in loaded] == [
        (key, text, captions_of(about)) for key, _, text, about in theirs
    ]


def test_a_folder_is_an_image_folder(tmp_path: Path) -> None:
    assert export("--format", "folder", "--caption", "caption_entity") == (
        "shards: 1 row as folder, `.txt` has caption_entity; 2 without caption_entity left out\n"
    )
    assert (SHARDS / "own-00000/own-00000000.txt").read_text() == "red"
    assert (SHARDS / "own-00000/own-00000000.jpg").read_bytes() == ROWS[0]["image"]["bytes"]
    [row] = load_dataset("imagefolder", data_dir=str(SHARDS), split="train", cache_dir=str(tmp_path / "cache"))
    assert row["caption_detail"] == "a red" and row["caption_text"] is None and row["image"].size == (64, 48)


def test_a_killed_export_goes_on_with_the_same_bytes() -> None:
    export()
    whole = fakes.contents(SHARDS)
    (SHARDS / "text-00000.tar").unlink()
    (SHARDS / ".text-00000.tar.new").write_bytes(b"cut off")
    export()
    assert fakes.contents(SHARDS) == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "tfrecord"], "--format tfrecord is not known: give webdataset or folder"),
        (["--caption", "caption_entiti"], "--caption caption_entiti: the release has no such column; did you mean"),
        (["--class", "unified"], "`gamut export dataset` has no contestant: leave out --class and --benchmarks"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(arguments: list[str], message: str) -> None:
    code, said = gamut("export", "dataset", str(SHARDS), *arguments)
    assert code == 1 and said.startswith(message) and said.count("\n") == 1
    assert not SHARDS.exists()


def test_another_release_does_not_go_into_the_same_folder() -> None:
    export()
    write_rows(table_of("release"), RELEASE_SCHEMA, ROWS[:1])
    before: Any = fakes.contents(SHARDS)
    code, said = gamut("export", "dataset", str(SHARDS))
    assert code == 1 and said == "shards holds other files, or another release: name a new folder\n"
    assert fakes.contents(SHARDS) == before and SOURCE in before
