"""Pictures that people looked at: what most reject is left out, and only what they saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.reviewed import TASK, digest_of, read_reviews
from gamut.project.decisions import Decision, open_log
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from stages.dataset import select, synthesize
from stages.dataset.select import Select

CAT, DOG, OWL = (
    {"id": f"w-{n:08d}", "status": "ok", "prompt": prompt, "seed": n, "model": "world"}
    for n, prompt in enumerate(("a cat", "a dog", "an owl"))
)
LOWEST = Select(contrast=6, letterforms=5, sense=4)


@pytest.fixture(autouse=True)
def painted(project: Path) -> None:
    with TableWriter(table_of("synthesize"), synthesize.SCHEMA) as table:
        table.write("w-00000", [CAT, DOG, OWL])


def decide(reviewer: str, *said: tuple[Row, str]) -> None:
    with open_log(reviewer, TASK) as log:
        for row, decision in said:
            log.add(Decision(id=row["id"], about=digest_of(row), decision=decision))


def test_what_more_people_reject_than_accept_is_left_out() -> None:
    decide("ann", (CAT, "reject"), (DOG, "reject"), (OWL, "accept"))
    decide("bob", (CAT, "reject"), (DOG, "accept"))
    reviews = read_reviews()
    assert reviews.excluded_ids("w-00000") == {CAT["id"]} and reviews.excluded_ids("x-00000") == set()
    assert reviews.summary() == "5 decisions of people; reviewers are evenly divided about 1 picture, which stay"


def test_what_was_said_of_another_picture_does_not_count() -> None:
    decide("ann", (CAT | {"seed": 7}, "reject"), (DOG | {"model": "flux"}, "reject"), (OWL, "reject"))
    decide("bob", ({**CAT, "id": "w-00000009"}, "reject"))
    reviews = read_reviews()
    assert reviews.excluded_ids("w-00000") == {OWL["id"]}
    assert reviews.summary() == "1 decision of people; 3 decisions not counted, because the picture has changed"


def test_nobody_looked() -> None:
    reviews = read_reviews()
    assert reviews.excluded_ids("w-00000") == set() and reviews.summary() is None


def test_what_is_no_decision_about_a_picture_is_named() -> None:
    decide("ann", (DOG, "accept"), ({**CAT, "id": "cat"}, "reject"), (DOG, "rejct"))
    with pytest.raises(UserError) as error:
        read_reviews()
    assert str(error.value).splitlines() == [
        "datasets/decisions/ann/review.dataset.jsonl, line 2: 'cat' is not the id of a row",
        "datasets/decisions/ann/review.dataset.jsonl, line 3: there is no decision 'rejct'; did you mean 'reject'?",
    ]


@pytest.mark.parametrize(("categories", "reason"), [(["style"], "excluded_by_human"), ([], "no_category")])
def test_a_filter_that_rejects_first_is_the_reason(categories: list[str], reason: str) -> None:
    row = {"categories": categories, "reason": None if categories else "no_category"}
    tables = (
        {CAT["id"]: {"admitted": True, "reason": None}},
        {CAT["id"]: row},
        {"proofread": {}, "follow": {}, "safety": {}},
    )
    assert select.decide(CAT, *tables, LOWEST, {CAT["id"]: "excluded_by_human"})["reason"] == reason
