"""The released arithmetic, outcome by outcome: what a reply is worth there, and what that does to an item."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from gamut.evaluation.scoring.scores import OK
from gamut.tables.columns import Row
from stages.genius.released import released_metrics, scores_of
from stages.genius.shared.metrics import JUDGED
from tests.genius.small_genius import genius_item


def ours(score: int) -> str:
    return json.dumps({"reason": "Rule Compliance: 1 would be wrong", "score": score})


def reply(text: str | None, finish: str = "stop") -> Row:
    return {"finish": finish, "content": text}


ERROR = reply("503", "transport_error")


def row(question: str, *replies: Row, repeat: int = 0, part: int = 0) -> Row:
    return {"question": question, "repeat": repeat, "part": part, "replies": [*replies]}


def run_of(repeat: int = 0, **said: Sequence[Row]) -> list[Row]:
    usual = {"rule": [reply(ours(2))], "cats": [reply(ours(2))], "birds": [reply(ours(1))], "looks": [reply(ours(2))]}
    names = {"rule": (0, "rule_compliance"), "cats": (0, "visual_consistency")}
    names |= {"birds": (1, "visual_consistency"), "looks": (0, "aesthetic_quality")}
    return [row(name, *(usual | said)[key], repeat=repeat, part=part) for key, (part, name) in names.items()]


Of = tuple[int, int, int] | None
"""Rule, consistency and looks; None where the item is dropped."""
DROPPED = None, ["dropped"]
OUTCOMES: dict[str, tuple[list[Row], Of, list[str]]] = {
    # (2 + 1) / 2 = 1.5, rounded to the even 2
    "all is right": (run_of(), (2, 2, 2), []),
    # (0 + 1) / 2 = 0.5, rounded to the even 0
    "a hint of which nothing was kept": (run_of(cats=[reply(ours(0))]), (2, 0, 2), []),
    "another form": (run_of(rule=[reply("Rule Compliance: 2")]), (0, 2, 2), ["unread"]),
    "off the scale": (run_of(rule=[reply('{"reason": "r", "score": 3}')]), (0, 2, 2), ["unread"]),
    "fixed when asked again, which counts here alone": (
        run_of(rule=[reply("Sure!"), reply(ours(2))]),
        (0, 2, 2),
        ["unread"],
    ),
    "nothing": (run_of(looks=[reply("")]), (2, 2, 0), ["unread"]),
    "thinking that was cut off": (run_of(looks=[reply("<think>Well,", "length")]), (2, 2, 0), ["unread"]),
    "a copy of one reference, of which nobody is asked, takes both hints": (run_of(birds=[]), (2, 0, 2), ["copy"]),
    "an error in the rule's question": (run_of(rule=[ERROR]), *DROPPED),
    "an error in consistency": (run_of(cats=[ERROR]), *DROPPED),
    "an error in looks": (run_of(looks=[ERROR]), *DROPPED),
    "a refusal": (run_of(rule=[reply(None, "refused")]), *DROPPED),
    "a question that was never asked": (run_of()[1:], *DROPPED),
    "nothing was asked": ([], *DROPPED),
}


@pytest.mark.parametrize(("rows", "of", "faults"), OUTCOMES.values(), ids=OUTCOMES)
def test_every_outcome_of_an_item(rows: list[Row], of: Of, faults: list[str]) -> None:
    found = scores_of(genius_item(), OK, rows)
    assert found.by_measure == (None if of is None else dict(zip(JUDGED, of, strict=True)))
    assert found.faults == faults


def test_runs_are_averaged_and_rounded_to_a_whole_number() -> None:
    """(2 + 1 + 1) / 3 = 1.33 is 1; of consistency (1.5 + 0.5 + 0.5) / 3 = 0.83 is 1. One fault counts once."""
    said = reply(ours(1))
    low = {"rule": [said], "cats": [reply(ours(0))]}
    rows = [*run_of(), *run_of(1, **low), *run_of(2, **low, looks=[reply("none")])]
    found = scores_of(genius_item(), OK, rows)
    assert found.by_measure == {"rule_compliance": 1, "visual_consistency": 1, "aesthetic_quality": 1}
    assert found.faults == ["unread"]  # (2 + 2 + 0) / 3 = 1.33


@pytest.mark.parametrize("status", ["answered.missing_output", "answered.refused_generation"])
def test_without_a_picture_there_is_0_throughout(status: str) -> None:
    assert scores_of(genius_item(), status, []) == (dict.fromkeys(JUDGED, 0), ["no_picture"])
    two = {"rule_compliance": 0, "aesthetic_quality": 0}
    assert scores_of(genius_item(hints=0), status, []) == (two, ["no_picture"])


def test_of_an_item_without_hints_consistency_is_no_measure() -> None:
    rows = [one for one in run_of() if one["question"] != "visual_consistency"]
    found = scores_of(genius_item(hints=0), OK, rows)
    assert found == ({"rule_compliance": 2, "aesthetic_quality": 2}, [])


def test_means_are_of_what_is_left_with_two_decimals() -> None:
    """Rule: 50 * (2 + 1) / 2 = 75 of two; the third is dropped, a fourth has no consistency and 50 * (2 + 1 + 0) / 3 =
    50 is its task's and all others' mean of looks.
    """
    bare = genius_item(hints=0, task="multi_semantic")
    of_bare = [one for one in run_of() if one["question"] != "visual_consistency"]
    kept = scores_of(genius_item(), OK, run_of())
    lower = scores_of(genius_item(), OK, run_of(rule=[reply(ours(1))], looks=[reply(ours(1))]))
    dropped = scores_of(genius_item(), OK, run_of(rule=[ERROR]))
    plain = scores_of(bare, OK, [*of_bare[:1], row("aesthetic_quality", reply("?"))])
    found = released_metrics([(genius_item(), kept), (genius_item(), lower), (genius_item(), dropped), (bare, plain)])
    assert found == {
        "rule_compliance": 83.33,
        "visual_consistency": 100,
        "aesthetic_quality": 50,
        "overall": 87.5,  # 0.6 * 250 / 3 + 0.35 * 100 + 0.05 * 50
        "symbolic_constraint.rule_compliance": 75,
        "symbolic_constraint.visual_consistency": 100,
        "symbolic_constraint.aesthetic_quality": 75,
        "multi_semantic.rule_compliance": 100,
        "multi_semantic.aesthetic_quality": 0,
        "n": 4,
        "dropped": 1,
        "because.dropped": 1,
        "because.unread": 1,
    }


def test_no_answers_have_no_values() -> None:
    assert released_metrics([]) == {"n": 0, "dropped": 0}
