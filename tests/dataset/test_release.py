"""The published columns, pairs of captions, and a shard that Hugging Face's `datasets` reads as images."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.shared.joins import table_of
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows, read_shard
from gamut.tables.writing import TableWriter
from stages.dataset import release
from stages.dataset.release import SCHEMA, caption_pairs, released_row
from tests.dataset import small_build
from tests.fakes import jpeg

NAMES = ["composition", "entity", "text", "imaginative", "style", "abstract", "original", "detail"]
COLUMNS = [
    "id",
    "image",
    *(f"caption_{name}" for name in NAMES),
    *(f"caption_{name}_cn" for name in NAMES),
    *(f"bool_caption_{name}" for name in NAMES),
    *(f"score_{name}" for name in NAMES[:-1]),
    "score_image_clarity",
    "score_image_structure",
    "caption",
]


def test_the_published_columns() -> None:
    # 2 + 8 captions + 8 Chinese + 8 flags + 7 scores + 2 scores + 1 = 36
    assert len(COLUMNS) == 36 and SCHEMA.names == COLUMNS
    types = {name: str(SCHEMA.field(name).type) for name in COLUMNS}
    assert types.pop("image") == "struct<bytes: binary, path: string>"
    assert {t for n, t in types.items() if n.startswith("score_")} == {"int64"}
    assert {t for n, t in types.items() if n.startswith("bool_")} == {"bool"}
    assert {t for n, t in types.items() if not n.startswith(("score_", "bool_"))} == {"string"}


def english(description: str, caption: str | None) -> Row:
    return {"description": description, "caption": caption}


def chinese(description: str, caption: str | None, status: str = "ok") -> Row:
    return {"description": description, "caption_cn": caption, "status": status}


@pytest.mark.parametrize(
    ("one", "two", "pairs"),
    [
        ([], [], {}),
        ([english("detail", "d")], [chinese("detail", "细")], {"detail": ("d", "细")}),
        ([english("detail", "d")], [], {}),
        ([english("detail", "d")], [chinese("detail", None, "parse_error")], {}),
        ([english("style", "s"), english("detail", "d")], [chinese("detail", "细")], {"detail": ("d", "细")}),
        (
            [english("style", "s"), english("detail", "d")],
            [chinese("detail", "细"), chinese("style", "风")],
            {"style": ("s", "风"), "detail": ("d", "细")},
        ),
    ],
)
def test_captions_come_in_pairs_or_not_at_all(one: list[Row], two: list[Row], pairs: dict[str, Any]) -> None:
    found = caption_pairs(one, two)
    assert found == pairs and list(found) == list(pairs)


def released(true: bool = False, **original: tuple[str, str]) -> Row:
    image = {"bytes": jpeg("red", (16, 8)), "path": None}
    scores = {"score_image_clarity": 9, "score_image_structure": 8}
    scores |= {f"score_{name}": n for n, name in enumerate(NAMES[:6])}
    pairs = {"style": ("Bold.", "粗犷。"), "detail": ("All of it.", "全部。")}
    return released_row("w-00000007", scores, pairs | original, true) | {"image": image}


def test_a_released_row() -> None:
    row = released()
    assert set(row) == set(COLUMNS) - {"score_original"}
    assert (row["caption_style"], row["caption_style_cn"], row["bool_caption_style"]) == ("Bold.", "粗犷。", True)
    assert (row["caption_text"], row["caption_text_cn"], row["bool_caption_text"]) == (None, None, False)
    assert row["caption"] == row["caption_detail"] == "All of it." and row["caption_detail_cn"] == "全部。"
    assert [row[f"score_{name}"] for name in NAMES[:6]] == [0, 1, 2, 3, 4, 5]
    assert (row["score_image_clarity"], row["score_image_structure"]) == (9, 8)
    assert [name for name in NAMES if row[f"bool_caption_{name}"]] == ["style", "detail"]
    assert row["bool_caption_original"] is False and row["caption_original"] is None


@pytest.mark.parametrize("true", [True, False])
def test_the_sources_own_caption_stands_whether_or_not_it_is_true_and_its_flag_says_so(true: bool) -> None:
    row = released(true, original=("A cube.", "立方体。"))
    assert (row["caption_original"], row["caption_original_cn"]) == ("A cube.", "立方体。")
    assert row["bool_caption_original"] is true
    assert released(true=True)["bool_caption_original"] is False  # none was translated: nothing stands there


READ = """
import sys
from datasets import Image, load_dataset
data = load_dataset(sys.argv[1], cache_dir=sys.argv[2], split="train")
picture = data[0]["image"]
print(data.num_rows, data.num_columns, isinstance(data.features["image"], Image), picture.size, picture.format)
row, kind = data[0], data.features["score_text"].dtype
print(row["caption_style_cn"], row["caption_text"], row["score_original"], kind)
print(*load_dataset(sys.argv[3], cache_dir=sys.argv[2], split="train")["prompt"])
"""


@pytest.mark.parametrize("reader", ["pandas", "pyarrow.dataset", "polars", "duckdb"])
def test_other_readers(project: Path, reader: str) -> None:
    """Two shards, one of them without rows, read as one table: columns, types, text and image bytes."""
    with TableWriter(Path("release"), SCHEMA) as table:
        table.write("w-00000", [released()])
        table.write("x-00000", [])
    module = importlib.import_module(reader)
    if reader == "pandas":
        row = module.read_parquet("release").iloc[0].to_dict()
    elif reader == "pyarrow.dataset":
        row = module.dataset("release").to_table().to_pylist()[0]
    elif reader == "polars":
        row = module.read_parquet("release/*.parquet").to_dicts()[0]
    else:
        found = module.sql("select * from 'release/*.parquet'")
        row = dict(zip(found.columns, found.fetchall()[0], strict=True))
    assert list(row) == COLUMNS
    assert (row["id"], row["caption_style_cn"], row["score_text"]) == ("w-00000007", "粗犷。", 2)
    assert row["bool_caption_style"] and not row["bool_caption_text"]
    assert row["image"]["bytes"] == jpeg("red", (16, 8)) and row["image"]["path"] is None


def test_where_the_pictures_come_from(project: Path) -> None:
    """Shard for shard beside the release, the same ids in the same order."""
    small_build.write()
    release.STEP.carry_out(small_build.params())
    for shard in ("legacy-00000", "imagined-00000", "mined-00000"):
        assert [row["id"] for row in read_shard(table_of("provenance"), shard)] == [
            row["id"] for row in read_shard(table_of("release"), shard)
        ]
    origin = {"source": "sandbox", "license": None, "source_id": None, "prompt": "p"}
    assert list(read_rows(table_of("provenance"))) == [
        {"id": "legacy-00000000", "wave": "legacy", "route": "rewrite", **origin},
        {"id": "imagined-00000000", "wave": "imagined", "route": "imagine", **origin},
    ]


@pytest.mark.parametrize(("may", "prompt"), [(True, "p"), (False, None)])
def test_a_source_that_others_made(project: Path, may: bool, prompt: str | None) -> None:
    """Its licence and the id there are told; its prompt only where its texts may be passed on."""
    small_build.write()
    rows = [row | {"source_id": "7"} for row in read_rows(table_of("source_rows"))]
    small_build.put(table_of("source_rows"), rows)
    file = {"kind": "file", "wave": "legacy", "route": "rewrite", "path": "datasets/sources/a.csv"}
    file |= {"columns": {"caption": "c"}, "license": "CC BY 4.0", "redistributable": may}
    release.STEP.carry_out(small_build.params(sources=[file, *small_build.SOURCES[1:]]))
    [legacy] = read_shard(table_of("provenance"), "legacy-00000")
    assert (legacy["license"], legacy["source_id"], legacy["prompt"]) == ("CC BY 4.0", "7", prompt)
    [imagined] = read_shard(table_of("provenance"), "imagined-00000")
    assert (imagined["license"], imagined["prompt"]) == (None, "p")


def test_datasets_reads_the_folder_and_shows_images_as_images(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with TableWriter(Path("release"), SCHEMA) as table:
        table.write("w-00000", [released()])
        table.write("x-00000", [])
    small_build.write()
    arguments = [sys.executable, "-c", READ, "release", str(project / "cache"), str(table_of("provenance"))]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["1 36 True (16, 8) JPEG", "粗犷。 None None int64", "p p"]
