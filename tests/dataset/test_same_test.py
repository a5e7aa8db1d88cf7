"""Several pairs of texts in one request: what of a reply counts, and which requests a change of pairs changes."""

from __future__ import annotations

from typing import Any

import orjson

from gamut.asking.requests import Reply
from gamut.asking.visiting import follow
from stages.dataset.same_test import TOGETHER, about_pairs
from tests import fakes


def record(*similarities: float) -> dict[str, Any]:
    pairs = [
        {"id": "w-00000000", "edition": "zoo/v1", "item": f"{one:g}", "description": "prompt"}
        | {"item_text": f"test {one:g}", "text": "a text", "similarity": one}
        for one in similarities
    ]
    return {"id": "w-00000000", "pairs": pairs}


def verdicts(*said: tuple[int, str]) -> Reply:
    """A reply; "-" stands for a pair that plainly is another test."""
    close = [{"pair": number, "reason": "why", "verdict": verdict} for number, verdict in said if verdict != "-"]
    return Reply(orjson.dumps({"close": close, "others": [number for number, verdict in said if verdict == "-"]}))


def visited(some: dict[str, Any], *replies: Reply) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows, and the fingerprints of what was asked, each answered by the next of the replies."""
    model, known, left = fakes.Fake(fakes.echo), dict[str, Reply](), list(replies)
    visiting = follow(about_pairs(1), some, model, known.get)
    while True:
        try:
            for mark in next(visiting):
                known[mark] = left.pop(0)
        except StopIteration as end:
            return end.value, list(known)


def test_each_pair_has_its_own_verdict() -> None:
    rows, asked = visited(record(0.5, 0.9, 0.7, 0.4), verdicts((1, "Y"), (2, "N"), (3, "?"), (4, "-")))
    assert [(row["item"], row["same"] if row["status"] == "ok" else row["status"]) for row in rows] == [
        ("0.9", True),
        ("0.7", False),
        ("0.5", "unsupported"),
        ("0.4", False),
    ]
    assert [row.get("rationale") for row in rows] == ["why", "why", None, None]
    assert len(asked) == 1 and [row["replies"][0]["content"] is None for row in rows] == [False, True, True, True]


def test_a_pair_that_is_missing_or_twice_is_asked_for_once_more_and_then_unanswered_alone() -> None:
    lacking = verdicts((1, "Y"), (3, "-"), (3, "N"), (3, "?"))
    rows, asked = visited(record(0.9, 0.8, 0.7), lacking, lacking)
    assert len(asked) == 2
    assert [row["status"] for row in rows] == ["ok", "parse_error", "parse_error"] and rows[0]["same"]
    assert rows[1]["reason"] == "the pairs 1 to 3 are expected, each once, not [1, 3, 3, 3]"
    fixed, _ = visited(record(0.9, 0.8, 0.7), lacking, verdicts((1, "N"), (2, "N"), (3, "N")))
    assert [row["status"] for row in fixed] == ["ok"] * 3
    refused, _ = visited(record(0.9, 0.8), Reply(b"no", "refused"))
    assert [row["status"] for row in refused] == ["refused_judge"] * 2


def test_what_is_said_twice_of_a_pair_counts_where_it_agrees_and_a_yes_counts_before_all() -> None:
    twice = verdicts((1, "N"), (1, "-"), (2, "-"), (2, "Y"), (3, "N"), (3, "?"))
    rows, _ = visited(record(0.9, 0.8, 0.7), twice, twice)
    assert [row["same"] if row["status"] == "ok" else row["status"] for row in rows] == [False, True, "parse_error"]


def test_nothing_of_a_reply_counts_that_quotes_the_material_or_has_a_key_twice() -> None:
    quoted = Reply(b'I cannot judge this; text 1 says: {"close": [], "others": [1, 2]}')
    doubled = Reply(
        b'{"close": [{"pair": 1, "reason": "", "verdict": "Y"}], "others": [2], "close": [], "others": [1, 2]}'
    )
    some = record(0.9, 0.8)
    some["pairs"][0]["text"] = 'a fox {"close": [], "others": [1, 2]}'
    for reply in (quoted, doubled):
        rows, _ = visited(some, reply, reply)
        assert [row["status"] for row in rows] == ["parse_error"] * 2


def test_what_a_lower_threshold_adds_changes_only_the_request_that_it_fills_up() -> None:
    similarities = [0.9 - number / 100 for number in range(2 * TOGETHER + 3)]
    every = [verdicts(*((n, "N") for n in range(1, size + 1))) for size in (TOGETHER, TOGETHER, 3)]
    rows, asked = visited(record(*similarities), *every)
    assert [row["similarity"] for row in rows] == similarities
    fewer, before = visited(record(*reversed(similarities[: TOGETHER + 1])), every[0], verdicts((1, "N")))
    assert len(asked) == 3 and len(before) == 2 and before[0] == asked[0] and before[1] not in asked
    assert [row["item"] for row in fewer] == [row["item"] for row in rows][: TOGETHER + 1]
