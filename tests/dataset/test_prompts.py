"""Captions become prompts by every route: duplicates named, nothing dropped without a reason."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gamut.command.reply_store import drop_searches
from gamut.dataset.reading.rows import SCHEMA as ROWS_SCHEMA
from gamut.dataset.shared.joins import table_of
from gamut.project.places import store_root
from gamut.tables.columns import Row, place
from gamut.tables.reading import manifest, read_rows
from gamut.tables.writing import TableWriter
from gamut.texts.near_duplicate_search import search_wave
from stages.dataset import imagine, legible, mine_text, rewrite
from stages.dataset.prompts import SCHEMA, SEARCHED, STEP, text_of
from tests import fakes

LONG = "a red cube on a white table in a quiet room with two tall windows"  # 15 words


def row(number: int, caption: str | None, route: str = "as_is", wave: str = "w", **more: Any) -> Row:
    origin = {"wave": wave, "route": route, "status": "ok", "reason": None}
    return {"id": f"{wave}-{number:08d}", "caption": caption} | origin | more


def write(folder: Path, schema: Any, *rows: Row, shards: tuple[str, ...] = ()) -> None:
    """A table with these rows, in their shards and in these (which may stay empty)."""
    by_shard: dict[str, list[Row]] = {name: [] for name in shards}
    for r in rows:
        by_shard.setdefault(place(r["id"])[0], []).append(r)
    with TableWriter(folder, schema) as table:
        for name, those in by_shard.items():
            table.write(name, those)


def decided(*rows: Row, **changes: Any) -> list[tuple[Any, ...]]:
    """Prompt, reason and what it duplicates, of sources whose captions go as they are."""
    write(table_of("source_rows"), ROWS_SCHEMA, *rows)
    STEP.carry_out(fakes.params(**changes))
    found = list(read_rows(table_of("prompts")))
    assert [f["id"] for f in found] == [r["id"] for r in rows]
    assert all(f["kept"] == (f["reason"] is None) for f in found)
    return [(f["prompt"], f["reason"], f["duplicate_of"]) for f in found]


SHORT = {"prompts": {"max_characters": 20}}


def test_duplicates_name_the_first(project: Path) -> None:
    rows = [row(0, "A red cube"), row(1, "a ball"), row(2, "a RED  cube\n"), row(3, "A red, cube!")]
    assert decided(*rows) == [
        ("A red cube", None, None),
        ("a ball", None, None),
        ("a RED cube", "duplicate", "w-00000000"),
        ("A red, cube!", "near_duplicate", "w-00000000"),
    ]


def test_near_duplicates_name_the_first_and_how_alike_they_are(project: Path) -> None:
    # 14 of the 15 words are left: 14 / (15 + 15 - 14) = 0.875
    assert decided(row(0, LONG), row(1, LONG.replace("quiet", "silent")), row(2, "a red ball")) == [
        (LONG, None, None),
        (LONG.replace("quiet", "silent"), "near_duplicate", "w-00000000"),
        ("a red ball", None, None),
    ]
    similarities = [r["similarity"] for r in read_rows(table_of("prompts"))]
    assert similarities == [None, 0.875, None]


def test_kept_pictures_need_no_prompt_and_repeat_nothing(project: Path) -> None:
    """Two photographs with one caption are two pictures, and a text prompt like that caption is new."""
    own = [row(n, caption, "keep", "own") for n, caption in enumerate(("a cat", "a cat", None))]
    lost = row(3, None, "keep", "own") | {"status": "invalid_input", "reason": "there is no image"}
    assert decided(*own, lost, row(0, "a cat")) == [
        (None, None, None),
        (None, None, None),
        (None, None, None),
        (None, "invalid_input: there is no image", None),
        ("a cat", None, None),
    ]


def test_across_shards_and_waves_the_earlier_wins(project: Path) -> None:
    rows = [row(0, "a red cube"), row(5000, "A red cube"), row(0, "a red cube", wave="a"), row(1, "a ball", wave="a")]
    assert [(reason, of) for _, reason, of in decided(*rows)] == [
        (None, None),
        ("duplicate", "w-00000000"),
        ("duplicate", "w-00000000"),
        (None, None),
    ]


def test_invalid_rows_keep_their_reason_and_take_no_text(project: Path) -> None:
    broken = row(0, None, status="invalid_input", reason="line 2 is not JSON")
    rows = [broken, row(1, "\x00 \n"), row(2, "\u200b\ufeff"), row(3, "x" * 21), row(4, "x" * 21)]
    assert [found[1] for found in decided(*rows, **SHORT)] == [
        "invalid_input: line 2 is not JSON",
        "invalid_input: nothing readable is in it",
        "invalid_input: nothing readable is in it",
        "invalid_input: 21 characters, at most 20 are asked",
        "invalid_input: 21 characters, at most 20 are asked",
    ]


OK = {"status": "ok"}


@pytest.mark.parametrize(
    ("source", "texts", "legibility", "text", "reason"),
    [
        (row(0, "own"), None, None, "own", None),
        (row(0, None, status="invalid_input", reason="no caption"), None, None, None, "invalid_input: no caption"),
        (row(0, "own", "rewrite"), {"caption": "new", "status": "ok"}, None, "new", None),
        (row(0, "own", "rewrite"), {"caption": None, "status": "truncated"}, None, None, "rewrite_truncated"),
        (row(0, None, "imagine"), {"caption": None, "status": "parse_error"}, None, None, "imagine_parse_error"),
        (row(0, "own", "mine_text"), None, {"legible": False, "reason": "legibility"}, None, "legibility"),
        (
            row(0, None, "mine_text"),
            {"caption": 'sign "A"', "status": "ok"},
            {"legible": True, "reason": None},
            'sign "A"',
            None,
        ),
    ],
)
def test_the_text_of_every_route(
    source: Row, texts: Any, legibility: Any, text: str | None, reason: str | None
) -> None:
    tables = {"texts": None if texts is None else {source["id"]: texts}}
    tables |= {"legible": None if legibility is None else {source["id"]: legibility}}
    assert text_of(source, **tables) == {"text": text, "reason": reason}


def test_every_route_in_one_table(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shards = ("w-00000", "r-00000", "i-00000", "t-00000", "e-00000")
    captions = [
        row(0, "a red cube"),
        row(0, "old", "rewrite", "r"),
        row(1, "old too", "rewrite", "r"),
        row(0, None, "imagine", "i"),
        row(0, "alt", "mine_text", "t"),
        row(1, "alt", "mine_text", "t"),
    ]
    write(table_of("source_rows"), ROWS_SCHEMA, *captions, shards=shards)
    texts = [{"id": "r-00000000", "caption": "A red cube"} | OK, {"id": "r-00000001", "status": "refused_judge"}]
    write(table_of("rewrite"), rewrite.SCHEMA, *texts, shards=shards)
    write(table_of("imagine"), imagine.SCHEMA, {"id": "i-00000000", "caption": "a whale of glass"} | OK, shards=shards)
    passing = {"id": "t-00000001", "legible": True}
    write(
        table_of("legible"),
        legible.STEP.schema,
        {"id": "t-00000000", "legible": False, "reason": "legibility"},
        passing,
        shards=shards,
    )
    write(table_of("mine_text"), mine_text.SCHEMA, {"id": "t-00000001", "caption": 'a sign "OPEN"'} | OK, shards=shards)
    STEP.carry_out(fakes.params())
    assert [(r["id"], r["prompt"], r["reason"]) for r in read_rows(table_of("prompts"))] == [
        ("w-00000000", "a red cube", None),
        ("r-00000000", "A red cube", "duplicate"),
        ("r-00000001", None, "rewrite_refused_judge"),
        ("i-00000000", "a whale of glass", None),
        ("t-00000000", None, "legibility"),
        ("t-00000001", 'a sign "OPEN"', None),
    ]
    assert [shard["rows"] for shard in manifest(table_of("prompts"))["shards"]] == [1, 2, 1, 2, 0]
    words = "prompts: 3 of 6 pass, left out: 1 duplicate, 1 rewrite_refused_judge, 1 legibility\n"
    assert capsys.readouterr().out == words


def test_a_new_wave_leaves_old_rows_as_they_are(project: Path) -> None:
    old = [row(n, f"thing {n % 7} of many") for n in range(20)]
    decided(*old)
    before = (table_of("prompts") / "w-00000.parquet").read_bytes()
    new = [row(n, f"thing {n} of many", wave="a") for n in range(20)]
    decided(*old, *new)
    assert (table_of("prompts") / "w-00000.parquet").read_bytes() == before
    assert list(next(read_rows(table_of("prompts")))) == SCHEMA.names


PIPELINE = """\
stages:
  prompts: {cmd: x, params: [prompts, near_duplicates], outs: [datasets/prompts], deps: [datasets/source_rows,
    datasets/imagine, datasets/rewrite, datasets/legible, datasets/mine_text]}
"""


class TestWavesThatAreKept:
    """In a project what was searched of older waves is looked up, not searched again."""

    @pytest.fixture(autouse=True)
    def searches(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """How many waves lay before each that was searched."""
        (project / "dvc.yaml").write_text(PIPELINE)
        (project / "params.yaml").write_text("prompts: {max_characters: 2000}\nnear_duplicates: {similarity: 0.845}\n")
        for name, step in (("imagine", imagine), ("rewrite", rewrite), ("mine_text", mine_text)):
            write(table_of(name), step.SCHEMA)
        write(table_of("legible"), legible.STEP.schema)
        found: list[int] = []

        def search_and_note(texts: Any, earlier: Any, *others: Any) -> Any:
            found.append(len(earlier))
            return search_wave(texts, earlier, *others)

        monkeypatch.setattr("stages.dataset.prompts.search_wave", search_and_note)
        return found

    waves = (
        [row(0, LONG), row(1, "a red cube"), row(2, "a ball")],
        [row(0, LONG.replace("quiet", "silent"), wave="b"), row(1, "a BALL", wave="b")],
        [row(0, "A ball!", wave="c"), row(1, "a hat", wave="c"), row(2, LONG.replace("quiet", "dark"), wave="c")],
    )

    def shards(self, *rows: Row) -> dict[str, bytes]:
        decided(*rows)
        return {path.name: path.read_bytes() for path in sorted(table_of("prompts").iterdir())}

    def test_a_wave_is_searched_once_and_decides_as_from_nothing(
        self, searches: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        a, b, c = self.waves
        self.shards(*a)
        self.shards(*a, *b)
        grown = self.shards(*a, *b, *c)
        assert searches == [0, 1, 2]
        assert self.shards(*a, *b, *c) == grown and searches == [0, 1, 2]
        monkeypatch.setenv("GAMUT_STORE", "other")
        assert self.shards(*a, *b, *c) == grown and searches == [0, 1, 2, 0, 1, 2]
        reasons = [(r["reason"], r["duplicate_of"]) for r in read_rows(table_of("prompts"))]
        assert reasons[3:] == [
            ("near_duplicate", "w-00000000"),
            ("duplicate", "w-00000002"),
            ("near_duplicate", "w-00000002"),
            (None, None),
            ("near_duplicate", "w-00000000"),
        ]

    def test_an_older_wave_that_changed_is_searched_again_with_all_after_it(self, searches: list[int]) -> None:
        a, b, _ = self.waves
        self.shards(*a, *b)
        # Without "a ball" before it, that of the second wave stays.
        self.shards(*a[:2], *b)
        assert searches == [0, 1, 0, 1]
        assert [r["kept"] for r in read_rows(table_of("prompts"))] == [True, True, False, True]

    def test_what_is_missing_or_damaged_is_searched_again(self, searches: list[int]) -> None:
        a, b, c = self.waves
        self.shards(*a, *b)
        first, second = sorted(
            (store_root() / SEARCHED).iterdir(), key=lambda folder: len(np.load(folder / "numbers.npy")), reverse=True
        )
        (first / "keys.npy").write_bytes(b"x")
        grown = self.shards(*a, *b, *c)
        assert searches == [0, 1, 0, 2]  # the second is as it was
        shutil.rmtree(second)
        shutil.rmtree(store_root() / "shards")
        assert self.shards(*a, *b, *c) == grown and searches == [0, 1, 0, 2, 1]

    def test_pruning_drops_what_no_table_is_made_from(self) -> None:
        a, b, _ = self.waves
        self.shards(*a[:2])
        self.shards(*a, *b)
        assert len(list((store_root() / SEARCHED).iterdir())) == 3
        drop_searches(STEP)
        assert len(list((store_root() / SEARCHED).iterdir())) == 2
