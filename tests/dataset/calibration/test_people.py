"""Several people label the same rows: what most say counts, and how far they agree is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from gamut.dataset.calibration.labels import BAD, DISPUTED, GOOD, Agreement, Label, agreement, join_labels
from gamut.project.decisions import Decision, Decisions
from gamut.project.errors import UserError

FILE = Path("datasets/labels/mine.csv")


def log(said: Mapping[str, str], number: int = 0) -> Decisions:
    return {(thing, number): Decision(id=thing, round=number, decision=words) for thing, words in said.items()}


def rows(**said: int | None) -> dict[tuple[str, str], Label]:
    return {("clarity", row_id): Label(label, "below 6", 2.5) for row_id, label in said.items()}


def test_what_most_say_counts() -> None:
    drawn = rows(a=GOOD, b=None, c=None, d=None, e=BAD)
    decisions = {
        "ann": log({"clarity/a": "0", "clarity/b": "0", "clarity/c": "1"}),
        "bob": log({"clarity/a": "0", "clarity/b": "1"}) | log({"clarity/a": "1", "clarity/d": "1"}, number=1),
    }
    found, agreements, changed = join_labels(drawn, FILE, decisions, {})
    # a: the file says 1, two logs say 0; b: one each; c: one; d: only in a second round, which measures the person.
    assert {row_id: label.verdict for (_, row_id), label in found.items()} == {
        "a": BAD,
        "b": DISPUTED,
        "c": GOOD,
        "d": None,
        "e": BAD,
    }
    assert {label[1:] for label in found.values()} == {("below 6", 2.5, "")}, "a log changes no stratum and no weight"
    assert agreements["clarity"].twice == 2 and not changed and join_labels(drawn, FILE, {}, {}) == (drawn, {}, {})


def test_what_was_said_of_another_picture_does_not_count() -> None:
    drawn = {("clarity", row_id): Label(BAD, "below 6", 2.5, "p1") for row_id in "abc"}
    now = {("clarity", "a"): "p1", ("clarity", "b"): "p2"}  # b was painted again, c is not there any more
    decisions = {
        "ann": {
            (f"clarity/{row_id}", 0): Decision(id=f"clarity/{row_id}", about=about, decision="1")
            for row_id, about in {"a": "p0", "b": "p2", "c": "p1"}.items()
        },
        "bob": log({"clarity/a": "0", "clarity/b": "1"}),  # who does not say what was shown speaks of what was drawn
    }
    said = join_labels(drawn, FILE, decisions, now)
    found = {row_id: (label.verdict, label.about) for (_, row_id), label in said.rows.items()}
    assert found == {"a": (BAD, "p1"), "b": (GOOD, "p2"), "c": (DISPUTED, "p1")}
    assert said.changed == {str(FILE): ["clarity/b"], "ann": ["clarity/a"], "bob": ["clarity/b"]}
    assert said.agreements["clarity"].twice == 2, "a: the file and Bob; c: the file and Ann"


def test_where_somebody_does_not_say_what_was_shown_it_is_not_known() -> None:
    drawn = rows(a=GOOD, b=None, c=None)
    told = {("clarity/b", 0): Decision(id="clarity/b", about="p1", decision="1")}
    said = join_labels(
        drawn, FILE, {"ann": told | log({"clarity/a": "1"})}, {("clarity", "a"): "p1", ("clarity", "b"): "p1"}
    )
    assert {row_id: label.about for (_, row_id), label in said.rows.items()} == {"a": "", "b": "p1", "c": ""}


def test_agreement() -> None:
    first, second = [0, 0, 1, 1, 1, 0, 1, 1], [0, 1, 1, 1, 0, 0, 1, 1]
    both = [{"ann": a, "bob": b} for a, b in zip(first, second, strict=True)]
    found = agreement(both)
    # 6 of 8 alike; by chance 3/8 · 3/8 + 5/8 · 5/8 = 34/64: (48 - 34) / (64 - 34) = 14/30.
    assert found.kappa == pytest.approx(14 / 30, abs=1e-6) == pytest.approx(cohen_kappa_score(first, second), abs=1e-6)
    # Of 16 labels 10 are 1: disagreement 4/16 observed, 2 · 10 · 6 / (16 · 15) = 1/2 expected.
    assert found.alpha == pytest.approx(1 / 2)
    # Cyd says what Ann says: kappa is 1 of these two, and 14/30 twice.
    three = agreement([said | {"cyd": said["ann"]} for said in both])
    assert three.kappa == pytest.approx((1 + 28 / 30) / 3, abs=1e-6)
    assert agreement([{"ann": 1, "bob": 1}]) == Agreement(1, None, None), "chance would agree as well"


def test_logs_that_speak_of_other_rows_are_named() -> None:
    decisions = {
        "ann": log({"clarity/a": "1", **{f"clarity/x{n}": "1" for n in range(5)}}),
        "bob": log({"sense/a": "1", "clarity/a": "maybe"}),
    }
    with pytest.raises(UserError) as error:
        join_labels(rows(a=None), FILE, decisions, {})
    fix = "at calibrate.labels, name the file that they were drawn into, or move the log away"
    assert str(error.value).splitlines() == [
        f"datasets/decisions/ann/filters.jsonl: 5 rows not in {FILE} (clarity/x0, clarity/x1, clarity/x2, …): {fix}",
        "datasets/decisions/bob/filters.jsonl: 1 label other than 1 and 0 (clarity/a: 'maybe'): label again",
        f"datasets/decisions/bob/filters.jsonl: 1 row not in {FILE} (sense/a): {fix}",
    ]
