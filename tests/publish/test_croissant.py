"""croissant.json: `mlcroissant` finds no error in it, and reads the records of a version through it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlcroissant
import pyarrow as pa
import pytest

from stages.publish.croissant import REPOSITORY, record_set
from tests.publish import small_version

AUTHORS = ["Ada", '"Quoted" # {1}', "甲乙"]
RECORDS = {"dataset": 2, "prism": 3}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return small_version.laid_out(tmp_path_factory.mktemp("build"), AUTHORS)


def described(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    return found


def read(folder: Path) -> mlcroissant.Dataset:
    """With the downloaded version in place of the repository, so that nothing is asked of the network."""
    return mlcroissant.Dataset(jsonld=described(folder), mapping={REPOSITORY: folder})


@pytest.mark.parametrize("name", RECORDS)
def test_it_is_valid(versions: Mapping[str, Path], name: str) -> None:
    """All it lacks is a date of publication, which would differ from time to time."""
    found = read(versions[name]).metadata
    assert not found.ctx.issues.errors
    assert [warning.rpartition("] ")[2] for warning in found.ctx.issues.warnings] == [
        'Property "https://schema.org/datePublished" is recommended, but does not exist.'
    ]
    assert (found.name, found.version, found.license) == ("Small", "0.1.0", ["cc0-1.0"])
    assert found.url == "https://huggingface.co/datasets/org/name" and found.cite_as.startswith("@misc{name-0-1-0,")
    assert [creator.name for creator in found.creators] == AUTHORS


@pytest.mark.parametrize("name", RECORDS)
def test_every_file_of_rows_is_named_with_its_sha256(versions: Mapping[str, Path], name: str) -> None:
    folder = versions[name]
    objects = {of.id: of for of in read(folder).metadata.file_objects if of.id != REPOSITORY}
    assert set(objects) == {
        str(path.relative_to(folder)) for kind in ("data", "provenance") for path in folder.glob(f"{kind}/*")
    }
    for path, of in objects.items():
        content = (folder / path).read_bytes()
        assert (of.sha256, of.content_size) == (hashlib.sha256(content).hexdigest(), f"{len(content)} B")
        assert of.content_url == f"https://huggingface.co/datasets/org/name/resolve/v0.1.0/{path}"


def test_the_records_of_all_shards_are_read(versions: Mapping[str, Path]) -> None:
    """Three shards, the last without rows."""
    rows = list(read(versions["dataset"]).records("default"))
    assert sorted(row["default/id"] for row in rows) == [b"imagined-00000000", b"legacy-00000000"]
    legacy = next(row for row in rows if row["default/id"].startswith(b"legacy"))
    assert len(legacy) == 36 and legacy["default/caption_entity_cn"].decode() == "一只鲸鱼"
    assert legacy["default/image"].size == (64, 48) and legacy["default/image"].getpixel((5, 5)) == (254, 0, 0)
    assert (legacy["default/score_original"], legacy["default/bool_caption_text"]) == (9, False)
    assert legacy["default/caption_text"] is None


def test_where_pictures_come_from_is_read_and_joined_by_id(versions: Mapping[str, Path]) -> None:
    rows = {row["provenance/id"]: row for row in read(versions["dataset"]).records("provenance")}
    assert sorted(rows) == [b"imagined-00000000", b"legacy-00000000"]
    assert {name: value and value.decode() for name, value in rows[b"legacy-00000000"].items()} == {
        "provenance/id": "legacy-00000000", "provenance/wave": "legacy", "provenance/route": "rewrite",
        "provenance/source": "sandbox", "provenance/license": None, "provenance/source_id": None,
        "provenance/prompt": "p",
    }  # fmt: skip
    [records] = [of for of in described(versions["dataset"])["recordSet"] if of["@id"] == "provenance"]
    assert records["field"][0]["references"] == {"field": {"@id": "default/id"}}


def test_the_items_of_an_edition_are_read(versions: Mapping[str, Path]) -> None:
    rows = list(read(versions["prism"]).records("default"))
    assert [row["default/id"] for row in rows] == [b"style/0", b"style/1", b"entity/0"]
    assert rows[1]["default/prompt_zh"].decode() == "写“甲”。" and rows[1]["default/row"] is None


def test_shards_of_another_version_are_not_read(versions: Mapping[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "version"
    shutil.copytree(versions["dataset"], folder)
    shutil.copy(next(folder.glob("data/legacy-*.parquet")), folder / "data/legacy-00000-ffffffff.parquet")
    assert len(list(read(folder).records("default"))) == 2


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        (pa.null(), True),
        (pa.list_(pa.int64()), True),
        (pa.struct([("options", pa.list_(pa.string())), ("right", pa.string())]), True),
        (pa.list_(pa.struct([("subject", pa.list_(pa.string()))])), True),
        (pa.json_(), False),
        (pa.struct([]), False),
        (pa.list_(pa.list_(pa.int64())), False),
        (pa.struct([("deep", pa.struct([("er", pa.string())]))]), False),
        (pa.timestamp("s"), False),
    ],
)
def test_no_type_is_guessed(kind: pa.DataType, typed: bool) -> None:
    schema = pa.schema([("id", pa.string()), ("other", kind)])
    found = record_set("default", "Rows.", schema, "rows")
    assert [one["name"] for one in found["field"]] == ["id", "other"][: 1 + typed]
    assert ("have others, for which Croissant has no type: other." in found["description"]) is not typed
