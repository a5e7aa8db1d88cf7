"""The three phases of the filter, decided: thresholds met exactly, and the first reason for every reject."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.pipeline.steps import Decides, reason_key
from gamut.tables.columns import Row, table_schema
from gamut.tables.reading import manifest, read_rows
from gamut.tables.writing import TableWriter
from stages.dataset import (
    admit,
    categorize,
    examine,
    follow,
    proofread,
    safety,
    same_pictures,
    score,
    select,
    synthesize,
)
from stages.dataset.admit import Admit
from stages.dataset.categorize import Categorize
from stages.dataset.select import Select
from tests import fakes

FAILURES = ["unsupported", "parse_error"]


# Phase one


@pytest.mark.parametrize(
    ("clarity", "structure", "reason"),
    [
        (7, 6, None),
        (10, 10, None),
        (6, 6, "clarity"),
        (7, 5, "structure"),
        (6, 5, "clarity"),  # the first that is missed
        (0, 0, "clarity"),
    ],
)
def test_admit(clarity: int, structure: int, reason: str | None) -> None:
    row = {"id": "w-00000000", "status": "ok", "score_image_clarity": clarity, "score_image_structure": structure}
    decided = admit.decide(row, Admit(clarity=7, structure=6))
    assert decided == {"id": "w-00000000", "admitted": reason is None, "reason": reason}


@pytest.mark.parametrize("status", FAILURES)
def test_what_could_not_be_examined_is_not_admitted(status: str) -> None:
    row = {"id": "x", "status": status, "score_image_clarity": None, "score_image_structure": None}
    assert admit.decide(row, Admit(clarity=0, structure=0)) == {
        "id": "x",
        "admitted": False,
        "reason": f"examine_{status}",
    }


# Phase two


def test_affection_is_asked_by_its_name_and_written_under_the_published_one() -> None:
    names = ("composition", "entity", "text", "imaginative", "style", "affection")
    reply = score.Scores(reason="sad", **{name: n for n, name in enumerate(names)})
    columns = {f"score_{name}": n for n, name in enumerate(CHARACTERISTICS)}
    found = {name: getattr(reply, asked) for name, asked in score.COLUMNS.items()}
    assert found == columns | {"rationale": "sad"} and columns["score_abstract"] == 5


LOWEST = Categorize(composition=7, entity=7, text=5, imaginative=7, style=0, abstract=10)


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        # composition, entity, text, imaginative, style, abstract against 7, 7, 5, 7, 0, 10
        ((7, 6, 4, 6, 0, 9), ["composition", "style"]),
        ((10, 10, 10, 10, 10, 10), list(CHARACTERISTICS)),
        ((0, 0, 0, 0, 0, 0), ["style"]),
        ((0, 7, 5, 0, 3, 10), ["entity", "text", "style", "abstract"]),
    ],
)
def test_categorize(scores: tuple[int, ...], labels: list[str]) -> None:
    columns = {f"score_{name}": value for name, value in zip(CHARACTERISTICS, scores, strict=True)}
    decided = categorize.decide({"id": "x", "status": "ok", **columns}, LOWEST)
    assert decided == {"id": "x", "categories": labels, "text": "text" in labels, "reason": None}


def test_no_category() -> None:
    columns = dict.fromkeys((f"score_{name}" for name in CHARACTERISTICS), 6)
    decided = categorize.decide({"id": "x", "status": "ok", **columns}, Categorize(**dict.fromkeys(CHARACTERISTICS, 7)))
    assert decided == {"id": "x", "categories": [], "text": False, "reason": "no_category"}


@pytest.mark.parametrize("status", FAILURES)
def test_what_could_not_be_scored_has_no_category(status: str) -> None:
    columns = dict.fromkeys((f"score_{name}" for name in CHARACTERISTICS), None)
    decided = categorize.decide({"id": "x", "status": status, **columns}, LOWEST)
    assert decided == {"id": "x", "categories": [], "text": False, "reason": f"score_{status}"}


# Phase three


TYPOGRAPHIC = Select(contrast=6, letterforms=5, sense=4, follows=5)


def typography(contrast: int | None, letterforms: int | None, sense: int | None, status: str = "ok") -> Row:
    scores = {"score_contrast": contrast, "score_letterforms": letterforms, "score_sense": sense}
    return {"id": "x", "status": status, **scores}


@pytest.mark.parametrize(
    ("scores", "fault"),
    [
        ((6, 5, 4), None),
        ((5, 5, 4), "typography_contrast"),
        ((6, 4, 4), "typography_letterforms"),
        ((6, 5, 3), "typography_sense"),
        ((0, 0, 0), "typography_contrast"),
    ],
)
def test_typographic_fault(scores: tuple[int, int, int], fault: str | None) -> None:
    judged = {"proofread": {"x": typography(*scores)}, "follow": {}, "safety": {}}
    assert next(select.faults("x", judged, TYPOGRAPHIC), None) == fault


def test_a_picture_that_does_not_follow_its_prompt_is_left_out() -> None:
    for status, value, fault in (("ok", 5, None), ("ok", 4, "prompt_follows"), ("truncated", None, "follow_truncated")):
        judged = {"proofread": {}, "safety": {}, "follow": {"x": {"id": "x", "status": status, "score_follows": value}}}
        assert next(select.faults("x", judged, TYPOGRAPHIC), None) == fault


YES, NO = {"admitted": True, "reason": None}, {"admitted": False, "reason": "clarity"}
PLAIN, LETTERED = {"categories": ["style"], "reason": None}, {"categories": ["text"], "reason": None}
NONE = {"categories": [], "reason": "no_category"}


@pytest.mark.parametrize(
    ("status", "admitted", "categories", "read", "reason"),
    [
        ("ok", YES, PLAIN, None, None),
        ("ok", YES, LETTERED, typography(6, 5, 4), None),
        ("ok", YES, LETTERED, typography(6, 5, 3), "typography_sense"),
        ("ok", YES, LETTERED, typography(None, None, None, "truncated"), "proofread_truncated"),
        ("ok", YES, NONE, None, "no_category"),
        ("ok", NO, None, None, "clarity"),
        ("unsupported", None, None, None, "synthesize_unsupported"),
        ("parse_error", None, None, None, "synthesize_parse_error"),
    ],
)
def test_select(status: str, admitted: Any, categories: Any, read: Any, reason: str | None) -> None:
    tables: list[Any] = [{"x": row} if row else {} for row in (admitted, categories, read)]
    tables[2] = {"proofread": tables[2], "follow": {}, "safety": {}}
    decided = select.decide({"id": "x", "status": status}, *tables, TYPOGRAPHIC)
    labels = categories["categories"] if categories else []
    assert decided == {"id": "x", "kept": reason is None, "reason": reason, "categories": labels}


@pytest.mark.parametrize(
    ("reason", "name"),
    [("examine_parse_error", "examine_parse_error"), ("invalid_input: line 2 is not JSON: what", "invalid_input")],
)
def test_reasons_become_names_of_metrics(reason: str, name: str) -> None:
    assert reason_key(reason) == name


# All together, over tables


def write(folder: Path, schema: Any, rows: list[Row]) -> None:
    with TableWriter(folder, schema) as table:
        table.write("w-00000", rows)
        table.write("x-00000", [])


def ids(*numbers: int) -> list[str]:
    return [f"w-{number:08d}" for number in numbers]


def test_every_picture_has_its_end(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    painted = ids(*range(6))
    statuses = ["unsupported", *["ok"] * 5]
    write(
        table_of("synthesize"),
        synthesize.SCHEMA,
        [{"id": i, "status": s, "painted": s == "ok"} for i, s in zip(painted, statuses, strict=True)],
    )
    quality = [(1, 6, 9), (2, 9, 9), (3, 9, 9), (4, 9, 9), (5, 9, 9)]
    write(
        table_of("examine"),
        examine.STEP.schema,
        [
            {"id": ids(n)[0], "status": "ok", "score_image_clarity": c, "score_image_structure": s}
            for n, c, s in quality
        ],
    )
    admit.STEP.carry_out(fakes.params())
    relevance = {2: {}, 3: {"score_text": 9}, 4: {"score_text": 9, "score_style": 8}, 5: {"score_style": 7}}
    zeros = dict.fromkeys((f"score_{name}" for name in CHARACTERISTICS), 0)
    write(
        table_of("score"),
        score.STEP.schema,
        [{"id": ids(n)[0], "status": "ok", **zeros, **s} for n, s in relevance.items()],
    )
    categorize.STEP.carry_out(fakes.params())
    read = {3: typography(9, 9, 3), 4: typography(9, 9, 9)}
    write(table_of("proofread"), proofread.STEP.schema, [row | {"id": ids(n)[0]} for n, row in read.items()])
    for step in (follow.STEP, safety.STEP, same_pictures.STEP):
        write(step.table, step.schema, [])  # nobody was asked, nothing was compared
    select.STEP.carry_out(fakes.params())
    assert [(r["id"], r["reason"], r["categories"]) for r in read_rows(table_of("select"))] == [
        (ids(0)[0], "synthesize_unsupported", []),
        (ids(1)[0], "clarity", []),
        (ids(2)[0], "no_category", []),
        (ids(3)[0], "typography_sense", ["text"]),
        (ids(4)[0], None, ["text", "style"]),
        (ids(5)[0], None, ["style"]),
    ]
    for folder, count in ((table_of("admit"), 5), (table_of("categorize"), 4), (table_of("select"), 6)):
        assert [shard["rows"] for shard in manifest(folder)["shards"]] == [count, 0]
    assert capsys.readouterr().out.splitlines() == [
        "admit: 4 of 5 pass, left out: 1 clarity",
        "categorize: 3 of 4 pass, left out: 1 no_category",
        "select: 2 of 6 pass, left out: 1 synthesize_unsupported, 1 clarity, 1 no_category, 1 typography_sense",
    ]
    plain = Decides("plain", schema=table_schema("id kept:bool reason"))  # as in stages/mine
    reasons = {4: "one_colour", 3: "one_colour", 5: None}
    rows = [{"id": ids(n)[0], "kept": why is None, "reason": why} for n, why in reasons.items()]
    write(table_of("plain"), plain.schema, sorted(rows, key=lambda row: row["id"]))
    with monkeypatch.context() as patched:
        patched.setattr(select, "OWN_DECISIONS", (plain,))
        select.STEP.carry_out(fakes.params())
    assert [row["reason"] for row in read_rows(table_of("select"))][3:] == ["typography_sense", "one_colour", None]
    judged = {"id": ids(1)[0], "status": "ok", "score_follows": 9}
    write(table_of("follow"), follow.STEP.schema, [judged])
    with pytest.raises(KeyError):  # somebody was, and not about all that were admitted
        select.STEP.carry_out(fakes.params())
