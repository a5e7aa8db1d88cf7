"""Who is kept, swapped and held out, by arithmetic that stands here."""

from __future__ import annotations

from typing import Any

import pytest

from gamut.project.errors import UserError
from stages.knowledge.design import (
    Fact,
    facts_of,
    held_out_wordings,
    left_out,
    pick_neighbours,
    rows_of_fact,
    split_pictures,
)
from stages.knowledge.parameters import Probe
from stages.knowledge.sets import kept_figures

PROBE = Probe(pictures=5, known=0.8, unknown=0.2)
WORDINGS = {
    "open": [f"What {n}?" for n in range(5)],
    "choice": [f"Which {n}?" for n in range(5)],
    "concise": [f"A {n}." for n in range(5)],
    "detailed": [f"An {n}." for n in range(5)],
}


def answers(**right: int) -> list[dict[str, Any]]:
    """Five answers of each side of each model, `right` of them right: `one_und=4`."""
    return [
        {"model": key.split("_")[0], "side": key.split("_")[1], "status": "ok", "correct": number < count}
        for key, count in right.items()
        for number in range(5)
    ]


@pytest.mark.parametrize(
    ("right", "edit", "inject"),
    [
        ({"a_und": 4, "a_gen": 5}, None, "a.und.known"),  # 4 of 5 are 0.8
        ({"a_und": 1, "a_gen": 0}, "a.und.unknown", None),  # 1 of 5 is 0.2
        ({"a_und": 5, "a_gen": 3}, "a.gen.unsure", "a.und.known"),
        ({"a_und": 0, "a_gen": 3}, "a.und.unknown", "a.gen.unsure"),
        ({"a_und": 5, "a_gen": 5, "b_und": 5, "b_gen": 0}, "b.gen.unknown", "a.und.known"),  # by all models
    ],
)
def test_edits_want_what_all_know_and_injections_what_none_does(
    right: dict[str, int], edit: str | None, inject: str | None
) -> None:
    assert left_out("edit", answers(**right), PROBE) == edit
    assert left_out("inject", answers(**right), PROBE) == inject


def test_who_failed_to_answer_knows_neither_nor_not() -> None:
    rows = answers(a_und=0, a_gen=0)
    rows[7] |= {"status": "refused_generation", "correct": None}
    assert left_out("edit", rows[5:], PROBE) == left_out("inject", rows, PROBE) == "a.gen.refused_generation"


def test_figures_say_how_many_fell_out_and_why() -> None:
    why = {"edit": {"cat": None, "dog": "a.und.unknown"}, "inject": {"cat": "a.und.known", "dog": None}}
    assert kept_figures(why, 1) == {
        "entities": 3,
        "left_out.pictures": 1,
        "edit.kept": 1,
        "edit.left_out.a.und.unknown": 1,
        "inject.kept": 1,
        "inject.left_out.a.und.known": 1,
    }


def test_neighbours_come_from_where_one_would_find_no_partner() -> None:
    """2 of 10: each odd category gives one, so that no third is without a partner."""
    known = {"animal": ["a", "b", "c"], "food": ["d", "e"], "tool": ["f", "g", "h", "i", "j"]}
    neighbours, left = pick_neighbours(known, 0.2, 0)
    assert len(neighbours) == 2 and sorted(map(len, left.values())) == [2, 2, 4]
    assert sorted([*neighbours, *(name for names in left.values() for name in names)]) == list("abcdefghij")


def test_pairs_stay_in_their_category_and_what_is_left_is_named() -> None:
    known = {"animal": ["a", "b", "c", "d"], "tool": ["f", "g", "h"]}
    facts = facts_of("edit", known, [], 4, 0.01, 0)  # one neighbour at least: of the three tools
    trained = [fact for fact in facts if fact.role == "trained"]
    assert len(trained) == 4 and all(
        {fact.entity, fact.name} <= {*"abcd"} or {fact.entity, fact.name} <= {*"fgh"} for fact in trained
    )
    for fact in trained:
        assert fact.old == fact.entity != fact.name
        assert next(one for one in trained if one.entity == fact.name).cluster == fact.cluster
    roles = {role: [fact.entity for fact in facts if fact.role == role] for role in ("neighbour", "replay")}
    assert len(roles["neighbour"]) == 1 and len(roles["replay"]) == 7 - 4 - 1
    assert facts == facts_of("edit", known, [], 4, 0.01, 0) and facts != facts_of("edit", known, [], 4, 0.01, 1)


def test_an_injection_teaches_an_entity_its_own_name() -> None:
    facts = facts_of("inject", {"animal": ["a", "b"]}, ["x", "y", "z"], 2, 0.5, 0)
    trained = [fact for fact in facts if fact.role == "trained"]
    assert len(trained) == 2 and all(fact == Fact(fact.name, fact.name, None, fact.name, "trained") for fact in trained)


@pytest.mark.parametrize("study", ["edit", "inject"])
def test_nothing_to_train_is_said(study: str) -> None:
    with pytest.raises(UserError, match=f"study {study} has nothing to train: .*metrics/knowledge/kept.json"):
        facts_of(study, {"animal": ["a", "b"]}, [], 4, 0.5, 0)  # one of the two is a neighbour


def test_one_in_five_pictures_and_wordings_is_held_out_on_both_sides() -> None:
    assert split_pictures(10) == {"trained": [0, 1, 2, 3, 5, 6, 7, 8], "held_out": [4, 9]}
    fact = Fact("cat", "dog", "cat", "cat - dog", "trained")
    held_out = {kind: held_out_wordings({"cat": WORDINGS[kind]}, 0) for kind in WORDINGS}
    rows = list(rows_of_fact(fact, WORDINGS, held_out, ["cat", "dog", "cow", "bat", "owl"], 10, 0))
    for kind in WORDINGS:
        own = [row for row in rows if row["kind"] == kind]
        assert [row["split"] for row in own].count("held_out") == 1 and len(own) == 5
        assert all((row["number"] in (4, 9)) == (row["split"] == "held_out") for row in own)
    assert {row["shown"] for row in rows if row["side"] == "und"} == {"cat"}  # its picture is called dog,
    assert {row["shown"] for row in rows if row["side"] == "gen"} == {"dog"}  # and by its name a dog is painted
    for row in (row for row in rows if row["kind"] == "choice"):
        options = row["question"].partition("? ")[2].split(", ")
        assert len(options) == len({*options}) == 4 and {"cat", "dog"} <= {*options}


def test_what_is_held_out_of_one_entity_is_trained_about_no_other() -> None:
    """All three share a question, two of them another; the fourth has its own. The name is no difference."""
    wordings = {"cat": ["Is it A cat?", "b", "c"], "dog": ["c", "Is it a dog?", "d"], "owl": ["is it a owl?", "c"]}
    assert held_out_wordings(wordings, 0) in ({"is it a …?"}, {"c"})
    lone = held_out_wordings(wordings | {"saw": ["x", "y"]}, 0)
    assert len(lone) == 2 and len(lone & {"x", "y"}) == 1
    assert len({frozenset(held_out_wordings(wordings, seed)) for seed in range(9)}) == 2
