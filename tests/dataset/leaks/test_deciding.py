"""What holds a picture out, and what is known of how much is found: pure functions, counted by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from gamut.dataset.leaks.deciding import (
    COUNTS,
    KnownText,
    answers_of,
    counts_of,
    known_text,
    leaks_of,
    recall,
    summed_counts,
    thresholds,
)
from gamut.dataset.leaks.suspects import finding, pair
from gamut.tables.columns import table_schema
from tests import fakes

BLOCK = fakes.params().hold_out  # unanswered from .9 on


def asked(item: str, similarity: float, description: str = "prompt") -> dict[str, Any]:
    return pair(
        "w-00000000", description, "a text", {"edition": "zoo/v1", "item": item, "text": f"test {item}"}, similarity
    )


def said(item: str, status: str = "ok", same: bool | None = None, description: str = "prompt") -> dict[str, Any]:
    pair = {"edition": "zoo/v1", "item": item, "description": description, "item_text": f"test {item}"}
    return pair | {"status": status, "same": same}


def by(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["found_by"], one["item"]) for one in found]


@pytest.mark.parametrize(
    ("similarity", "answer", "found_by"),
    [
        (0.5, said("1", same=True), "same_test"),
        (0.99, said("1", same=False), None),
        (0.95, said("1", "unsupported"), "unanswered"),
        (0.95, said("1", "transport_error"), "unanswered"),
        (0.95, None, "unanswered"),
        (0.9, None, "unanswered"),
        (0.89, said("1", "parse_error"), None),
        (0.95, said("1", same=True, description="detail"), "unanswered"),  # that is another text of the picture
        (0.95, said("2", same=True), "unanswered"),  # and that another item
    ],
)
def test_a_pair(similarity: float, answer: Any, found_by: str | None) -> None:
    found = leaks_of([asked("1", similarity)], answers_of([answer] if answer else []), BLOCK)
    assert [one["found_by"] for one in found] == ([found_by] if found_by else [])


@pytest.mark.parametrize(
    ("answer", "found_by"),
    [
        (said("1", same=True), "same_test"),
        (said("1", same=False), None),
        (said("1", "refusal"), "near_duplicate"),
        (said("1", "transport_error"), "near_duplicate"),
        (said("1", same=False) | {"item_text": "its other text"}, "near_duplicate"),
        (None, "near_duplicate"),
    ],
)
def test_a_near_duplicate_falls_unless_somebody_says_that_it_is_another_test(answer: Any, found_by: str | None) -> None:
    near = asked("1", 0.85) | {"found_by": "near_duplicate"}
    answers = answers_of([answer] if answer else [])
    leaks = leaks_of([near], answers, BLOCK)
    assert [one["found_by"] for one in leaks] == ([found_by] if found_by else [])
    assert counts_of([near], answers, leaks)["unanswered_held_out"] == (found_by == "near_duplicate")


def test_the_surest_comes_first_then_the_most_similar() -> None:
    like = finding("w-00000000", "picture", "zoo/v1", "9", "picture input_1", 0.9)
    suspects = [asked("1", 0.92), like, asked("2", 0.6), asked("3", 0.7)]
    answers = answers_of([said("2", same=True), said("3", same=True)])
    assert by(leaks_of(suspects, answers, BLOCK)) == [
        ("picture", "9"),
        ("same_test", "3"),
        ("same_test", "2"),
        ("unanswered", "1"),
    ]


def test_counts() -> None:
    rows = []
    for suspects, answers in [
        ([], []),
        ([asked("1", 0.5), asked("2", 0.5)], [said("1", same=True), said("2", same=False)]),
        ([asked("1", 0.95), asked("2", 0.5)], [said("1", "unsupported"), said("2", "truncated")]),
        ([finding("w-00000000", "row", "zoo/v1", "1", "row", 1.0)], []),
    ]:
        known = answers_of(answers)
        leaks = leaks_of(suspects, known, BLOCK)
        rows.append(counts_of(suspects, known, leaks) | {"found_by": leaks[0]["found_by"] if leaks else None})
    schema = table_schema("found_by", *COUNTS)
    assert summed_counts(pa.Table.from_pylist(some, schema=schema) for some in (rows[:2], [], rows[2:])) == {
        "pictures": 4,
        "held_out": {"row": 1, "same_text": 0, "picture": 0, "same_test": 1, "near_duplicate": 0, "unanswered": 1},
        "pairs": {"asked": 4, "same": 1, "other": 1, "unanswered_held_out": 1, "unanswered_kept": 1},
        "unanswered": {"truncated": 1, "unsupported": 1},
    }


def test_recall_and_false_alarms() -> None:
    planted = {"edition": "zoo/v1", "item": "1", "way": "prefix"}
    right, wrong = [asked("1", 0.7), asked("2", 0.8)], [asked("2", 0.7)]
    assert known_text(planted, right, answers_of([said("1", same=True)]), BLOCK) == KnownText("prefix", True, True)
    assert known_text(planted, right, answers_of([said("2", same=True)]), BLOCK) == KnownText("prefix", True, False)
    assert known_text(planted, wrong, answers_of([said("2", same=True)]), BLOCK) == KnownText("prefix", False, False)
    own = planted | {"way": None}
    assert known_text(own, wrong, answers_of([said("2", same=True)]), BLOCK) == KnownText("another", True, True)
    assert known_text(own, [], {}, BLOCK) == KnownText("another", False, False)
    found = recall(
        [
            KnownText("prefix", True, True),
            KnownText("prefix", True, False),
            KnownText("sentence", False, False),
            KnownText("chinese", True, True),
            KnownText("another", True, True),
            *[KnownText("another", True, False)] * 3,
        ]
    )
    assert found == {
        "recall": {
            "english": {"candidates": 0.6667, "found": 0.3333, "n": 3},
            "prefix": {"candidates": 1.0, "found": 0.5, "n": 2},
            "sentence": {"candidates": 0.0, "found": 0.0, "n": 1},
            "chinese": {"candidates": 1.0, "found": 1.0, "n": 1},
        },
        "false_alarms": {"share": 0.25, "n": 4},
    }
    assert recall([]) == {"recall": {}, "false_alarms": {}}


def test_thresholds_stand_beside_what_they_find() -> None:
    assert thresholds(BLOCK, 0.845) == {
        "near_duplicates": 0.845,
        "asked": 20,
        "ask_from": 0.4,
        "ask_at_odds": True,
        "unanswered": 0.9,
        "picture": 24,
    }
