"""What lies nearest: an embedder is asked, and what is kept is which items these are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Embed, Nearest, Part, Reply, Request, fingerprint, pack_vector, parts_of
from gamut.asking.visiting import Answer
from gamut.dataset.leaks.lookup import LookingUp, Lookup, look_up_texts, rule_of
from gamut.dataset.leaks.nearest import ItemEmbeddings, Traits, embeddings_of, traits_of
from gamut.dataset.leaks.pictures import WORDS
from tests.fakes import Fake

VECTORS = {"a cat": [1, 0], "a black cat": [0.8, 0.6], "a dog": [0, 1], "a cow": [-1, 0]}
"""Cosines with the items: a cat [1, 0], and two texts of another item, a dog [0, 1] and a cow [-.6, .8]."""


def embed(request: Request) -> Reply:
    parts = parts_of(request)
    if "spoilt" in parts:
        return Reply(b"no", "invalid")
    return Reply(pack_vector(np.array([VECTORS[str(part)] for part in parts], np.float32)), "stop", len(parts))


def lookup(most: int = 2, named: Traits | None = None) -> tuple[Lookup, Fake]:
    async def items() -> ItemEmbeddings:
        return embeddings_of([[1, 0], [0, 1], [-0.6, 0.8]], ["cat", "farm", "farm"], [7, 8, 9])

    fake = Fake(embed)
    return Lookup(fake, {"items": "these"}, items, most, named), fake


def look_up(model: Lookup, *groups: Sequence[Part]) -> Outcome:
    talk = LookingUp(Nearest(tuple(map(tuple, groups))))
    outcome = talk.next([asyncio.run(model.answer(talk.request))])
    assert isinstance(outcome, Outcome)
    return outcome


def test_the_nearest_of_each_group() -> None:
    # a black cat: .8 to the cat, .6 to the dog; a cow: -1, 0, .6; a dog: 0, 1, .8
    model, fake = lookup()
    found = look_up(model, ("a black cat", "a cow"), ("a dog", "a black cat")).value
    assert found == [(0, 7, 0.8), (0, 8, 0.6), (2, 8, 1.0), (3, 7, 0.8)]
    assert fake.asked == [Embed(("a black cat", "a cow", "a dog"))], "each text once"
    assert look_up(lookup(most=1)[0], ("a black cat",)).value == [(0, 7, 0.8)]
    assert look_up(model, ("a cow",)).value == [(0, 9, 0.6)], "0 and less is not near"


def test_items_at_odds_with_a_groups_first_text_are_passed_over() -> None:
    model, _ = lookup(named=traits_of(["a white cat", "a dog", "a cow"]))
    assert look_up(model, ("a black cat",)).value == [(0, 8, 0.6)]


def test_many_texts_go_together_and_one_failure_is_the_answer() -> None:
    model, fake = lookup()
    VECTORS.update({f"text {n}": [1, 0] for n in range(70)})
    assert len(look_up(model, [f"text {n}" for n in range(70)]).value) == 1
    assert [len(parts_of(request)) for request in fake.asked] == [32, 32, 6]
    outcome = look_up(model, ("a cat", "spoilt"))
    assert (outcome.status, outcome.reason) == ("invalid_input", "no")


def test_an_embedding_of_another_length_than_items_have_is_a_failure() -> None:
    model, _ = lookup()
    VECTORS["long"] = [1, 0, 0]
    assert look_up(model, ("long",)).reason == "an embedding has 3 numbers, but those of items have 2"


def test_of_a_record_counts_what_can_be_embedded() -> None:
    """The whole first; then, where that failed, caption by caption."""
    visiting = look_up_texts((np.zeros((WORDS, 0), np.uint64), []), asks=True)(
        {"id": "w-00000001", "texts": [("prompt", "a cat"), ("detail", "spoilt")]}
    )
    model, _ = lookup()

    def answer(talk: LookingUp) -> Answer:
        reply = asyncio.run(model.answer(talk.request))
        outcome = talk.next([reply])
        assert isinstance(outcome, Outcome)
        return Answer(outcome, "fake", (("mark", reply),))

    [whole] = next(visiting)
    each = visiting.send([answer(whole)])
    with pytest.raises(StopIteration) as end:
        visiting.send([*map(answer, each)])
    [row] = end.value.value
    assert [(near["description"], near["item_text"]) for near in row["nearest"]] == [("prompt", "ITEMS-00000007")]
    assert (row["status"], row["reason"]) == ("invalid_input", "no")


@pytest.mark.parametrize("content", [b"", b"x\x9cno", pack_vector(np.ones(3, np.float32))])
def test_a_damaged_answer_is_no_answer(content: bytes) -> None:
    outcome = LookingUp(Nearest((("a cat",),))).next([Reply(content)])
    assert isinstance(outcome, Outcome) and outcome.status == "parse_error"


def test_other_items_or_another_way_to_compare_is_another_question() -> None:
    request, rules = (
        Nearest((("a cat", "a dog"),)),
        [rule_of(["a"], most=2), rule_of(["b"], most=2), rule_of(["a"], most=3)],
    )
    marks = {fingerprint(request, {"id": "x", "nearest": rule}) for rule in rules}
    marks |= {fingerprint(Nearest((("a cat",), ("a dog",))), {"id": "x", "nearest": rules[0]})}
    assert len(marks) == 4
