"""Benchmarks stay out of the release: by row, by text, in both languages."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from stages.dataset import annotate, hold_out, originals, select, sources, synthesize, translate
from stages.dataset.hold_out import decide, gathered
from stages.dataset.shared.joins import (
    ANNOTATED,
    HELD_OUT,
    ORIGINALS,
    SELECTED,
    SOURCE_ROWS,
    SYNTHESIZED,
    TRANSLATED,
)
from stages.evaluation.defining.editions import read_editions, source_sha256
from stages.tables.columns import Row
from stages.tables.reading import manifest, read_rows
from stages.tables.writing import TableWriter
from tests import fakes

LONG = "a fox in a red scarf reads a newspaper under a street lamp while snow falls"  # 15 words
ZH = "一只围着红围巾的狐狸在路灯下读报"


def edition(name: str, *items: dict[str, Any]) -> None:
    path = Path("datasets/editions") / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in items))


def named(row: int, sha256: str | None) -> dict[str, Any]:
    """An item that names a row."""
    return {"id": 1, "prompt": "a fox reads", "row": f"w-{row:08d}"} | ({"row_sha256": sha256} if sha256 else {})


def picture(number: int, *texts: tuple[str, str], caption: str = "a source's caption") -> Row:
    """A selected picture as `described` gives it."""
    return {"id": f"w-{number:08d}", "source_sha256": source_sha256(caption, "a prompt"), "texts": texts}


def benchmarks() -> hold_out.Benchmarks:
    return gathered(list(read_editions()), 0.845)


@pytest.mark.parametrize(
    ("texts", "item", "description"),
    [
        ([("prompt", LONG)], "1", "prompt"),
        ([("prompt", "another thing"), ("detail", LONG.upper())], "1", "detail"),
        ([("prompt", LONG.replace("scarf", "coat"))], "1", "prompt"),  # 14 of 16 words: .875
        ([("prompt", LONG.replace("scarf", "coat").replace("snow", "rain"))], None, None),  # 13 of 17: .765
        ([("prompt", "a dog")], None, None),
        ([("detail_cn", ZH)], "2", "detail_cn"),
        ([("prompt", ZH)], "2", "prompt"),
        ([], None, None),
    ],
)
def test_what_resembles_an_item(project: Path, texts: Any, item: str | None, description: str | None) -> None:
    edition("prism/v1", {"id": 1, "prompt": LONG}, {"id": 2, "prompt": "a fox reads", "prompt_zh": ZH})
    decided = decide(picture(0, *texts), benchmarks())
    assert (decided["kept"], decided.get("item"), decided.get("description")) == (item is None, item, description)


def test_all_texts_of_an_item_are_held_out(project: Path) -> None:
    edition("zoo/v1", {"id": 7, "prompt": "put <image1> there", "texts": ["a hint", LONG]})
    for text in ("put <image1> there", "a hint", LONG):
        assert decide(picture(0, ("detail", text)), benchmarks())["item"] == "7"
    assert decide(picture(0, ("detail", "another hint")), benchmarks())["kept"]


def test_a_row_that_became_an_item(project: Path) -> None:
    edition("prism/v1", named(7, source_sha256("fox, reading", "a fox reads a paper")))
    assert decide(picture(7, caption="fox, reading"), benchmarks()) == {
        "id": "w-00000007",
        "kept": False,
        "reason": "benchmark",
        "edition": "prism/v1",
        "item": "1",
        "description": "row",
        "similarity": 1.0,
    }
    for other in (picture(7, caption="another source's row of this id"), picture(8, caption="fox, reading")):
        assert decide(other, benchmarks()) == {"id": other["id"], "kept": True, "reason": None}


def test_an_older_item_without_a_hash_counts_by_its_texts(project: Path) -> None:
    edition("prism/v1", named(7, None) | {"prompt": LONG})
    assert decide(picture(7, caption="fox, reading"), benchmarks())["kept"]
    assert decide(picture(3, ("detail", LONG)), benchmarks())["description"] == "detail"


def test_what_identifies_a_rows_source() -> None:
    caption, empty = hashlib.sha256("eine Füchsin".encode()).hexdigest(), hashlib.sha256(b"").hexdigest()
    assert source_sha256("eine Füchsin", "a vixen") == caption, "whatever prompt was made of it"
    assert source_sha256(None, "eine Füchsin") == caption, "an invented row has its prompt alone"
    assert source_sha256("", "a vixen") == empty


def test_the_table(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edition("prism/v1", {"id": 1, "prompt": LONG}, named(2, source_sha256(None, "thing 2")) | {"id": 2})
    edition("another/v1", named(0, source_sha256("another caption", "thing 0")))
    ids = [f"w-{n:08d}" for n in range(4)]
    tables: list[tuple[Path, Any, list[dict[str, Any]]]] = [
        (SOURCE_ROWS, sources.SCHEMA, [{"id": i, "caption": None if i == ids[2] else i, "status": "ok"} for i in ids]),
        (
            SYNTHESIZED,
            synthesize.SCHEMA,
            [{"id": i, "prompt": f"thing {n}", "status": "ok"} for n, i in enumerate(ids)],
        ),
        (SELECTED, select.SCHEMA, [{"id": i, "kept": i != ids[3], "reason": None} for i in ids]),
        (ANNOTATED, annotate.SCHEMA, [{"id": i, "description": "detail", "caption": i, "status": "ok"} for i in ids]),
        (ORIGINALS, originals.SCHEMA, [{"id": ids[1], "caption": LONG, "kept": True}]),
        (TRANSLATED, translate.SCHEMA, []),
    ]
    for folder, schema, rows in tables:
        with TableWriter(folder, schema) as table:
            table.write("w-00000", rows)
            table.write("x-00000", [])
    hold_out.hold_out(fakes.params())
    assert [(r["id"], r["kept"], r["description"]) for r in read_rows(HELD_OUT)] == [
        (ids[0], True, None),
        (ids[1], False, "original"),
        (ids[2], False, "row"),
    ]
    assert [shard["rows"] for shard in manifest(HELD_OUT)["shards"]] == [3, 0]
    assert "3 items of 2 frozen editions" in capsys.readouterr().out
