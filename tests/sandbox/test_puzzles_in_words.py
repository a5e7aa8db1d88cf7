"""The embedded world as a contestant of GIR-Bench: puzzles of numbers, places and lettering, and what is described."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.gir.construction import lettering, quantity, spatial
from stages.gir.construction.words import WORLD_POOLS
from stages.sandbox import clues, placings, quantities
from stages.sandbox import vocabulary as v
from stages.sandbox.answering import Unsupported
from stages.sandbox.captions import understand
from stages.sandbox.creator import create
from stages.sandbox.descriptions import describe
from stages.sandbox.detector import detect
from stages.sandbox.working_out import work_out

WRONG = {"wrong_reasoning": 1.0}
HOW_MANY = "Work out how many {} there are, and draw exactly that many of each."
ROW = "Draw side by side in one row, each exactly once: red cat and T-shirt."
COLUMN = "Draw one above the other in one column, each exactly once: cat and slice of pizza."


def plainly(text: str) -> str:
    return work_out(text, 0.0, random.Random(0))


def painted(prompt: str, seed: int = 1, **faults: float) -> bytes:
    [picture] = create([prompt], ["image"], 256, 256, seed, faults)
    assert isinstance(picture, bytes)
    return picture


@pytest.mark.parametrize(
    ("things", "facts", "wanted"),
    [
        ("cats and ducks", "Counted together, the cats and ducks have 14 legs. The cats outnumber the ducks by two.",
         "Three cats and one duck."),  # 4c + 2d = 14, c = d + 2
        ("mice and snakes", "Counted together, the mice and snakes have twelve legs. There are as many mice as snakes.",
         "Three mice and three snakes."),  # 4m + 0s = 12
        ("cars and keys", "Taken together, the cars and keys number five. The number of keys is four times the number "
         "of cars.", "One car and four keys."),
        ("apples", "Divide twelve apples into six equal shares: the apples are one of the shares.", "Two apples."),
        ("slices of pizza", "There were thirteen slices of pizza, and twelve of them have gone.", None),
        ("slices of pizza", "There were 13 slices of pizza, and twelve of them have gone.", "One slice of pizza."),
        ("dogs", "The dogs have as many legs as four birds and two horses taken together.", "Four dogs."),  # 8 + 8
        ("cats and dogs", "Taken together, the cats and dogs number three. There were five cats, and five of them have "
         "gone.", "Three dogs."),
        ("cats", "There were five cats, and five of them have gone.", None),  # nothing is to be painted
        ("cats and dogs", "Taken together, the cats and dogs number three.", None),  # several answers
        ("cats", "There were five cats, and two of them have gone. There were two cats, and two of them have gone.",
         None),  # they contradict each other
        ("cats", "Divide five cats into two equal shares: the cats are one of the shares.", None),  # no answer
        ("cats", "There were five dogs, and two of them have gone.", None),  # another kind
        ("cats and keys", "Counted together, the cats and keys have 14 legs.", None),  # of keys no legs are known
        ("cats", "Counted together, the cats have 12 wings.", None),
        ("unicorns", "There were five unicorns, and two of them have gone.", None),
        ("cats, dogs and cows", "Taken together, the cats, dogs and cows number one.", None),
        ("cats and cats", "Taken together, the cats and cats number two.", None),
        ("cats", "Paint them well.", None),
    ],
)  # fmt: skip
def test_numbers_are_worked_out(things: str, facts: str, wanted: str | None) -> None:
    prompt = f"{HOW_MANY.format(things)} {facts} If the answer for something is zero, leave it out."
    assert quantities.solved(prompt, 0.0, random.Random(0)) == wanted
    assert plainly(prompt) == (wanted or prompt)


@pytest.mark.parametrize(
    ("fact", "wanted"),
    [
        ("Put the red cat further left than the T-shirt.", "A red cat to the left of a T-shirt."),
        ("Put the T-shirt further right than the red cat.", "A red cat to the left of a T-shirt."),
        ("Do not put the red cat further left than the T-shirt.", "A T-shirt to the left of a red cat."),
        ("Put the T-shirt right beside the red cat, on its left.", "A T-shirt to the left of a red cat."),
        ("Put nothing further left than the red cat.", "A red cat to the left of a T-shirt."),
        ("Put the red cat higher than the T-shirt.", None),
        ("Put the red cat further left than the dog.", None),
        ("Put the red cat further left than the T-shirt. Put nothing further left than the T-shirt.", None),
    ],
)
def test_places_are_worked_out(fact: str, wanted: str | None) -> None:
    assert plainly(f"{ROW} {fact}") == (wanted.replace("T-s", "t-s").capitalize() if wanted else f"{ROW} {fact}")


@pytest.mark.parametrize(
    "fact",
    [
        "Put the cat higher than the slice of pizza.",
        "Put the slice of pizza lower than the cat.",
        "Do not put the slice of pizza higher than the cat.",
        "Put the cat directly above the slice of pizza, with nothing between.",
        "Put nothing higher than the cat.",
    ],
)
def test_what_stands_above_is_worked_out(fact: str) -> None:
    assert plainly(f"{COLUMN} {fact}") == "A cat above a slice of pizza."


@pytest.mark.parametrize("seed", range(3))
def test_all_that_is_constructed_of_the_world_is_understood(seed: int) -> None:
    for case in quantity.quantities(seed, 40, quantity.read_pools(WORLD_POOLS)):
        scene = understand(plainly(case.prompts["en"]))
        assert scene is not None
        wanted = {kind: count for kind, count in zip(case.objects, case.number, strict=True) if count}
        assert {group.kind: group.count for group in scene.groups} == wanted
    for place in spatial.spatials(seed, 40, spatial.read_pools(WORLD_POOLS)):
        scene = understand(plainly(place.prompts["en"]))
        assert scene is not None
        [(one, relation, other)] = place.relations()
        assert [group.kind for group in scene.groups] == [place.objects[one][0], place.objects[other][0]]
        assert scene.relation == relation
        assert [group.colour for group in scene.groups] == (
            [place.colours[one], place.colours[other]] if place.colours else [None, None]
        )


def test_every_clue_of_the_world_is_understood_wherever_it_stands() -> None:
    pool = lettering.read_pools(WORLD_POOLS)
    for case in lettering.letterings(1, len(pool.riddles), pool):
        assert (
            plainly(case.prompt)
            == plainly(f"Paint this as a sign: {case.prompt}")
            == f'A sign that says "{case.text}".'
        )
    assert len(clues.CLUES) == len(pool.riddles)
    assert not {*clues.CLUES.values()} - {*v.LETTERING}


def test_a_puzzle_is_painted_as_it_was_worked_out() -> None:
    prompt = (
        f"{HOW_MANY.format('cats and ducks')} Counted together, the cats and ducks have 14 legs. "
        "The cats outnumber the ducks by two."
    )
    found = detect(painted(prompt), ["cats", "ducks"])
    assert sorted(one.label for one in found) == ["cats", "cats", "cats", "ducks"]
    cat, pizza = detect(painted(f"{COLUMN} Put nothing higher than the cat."), ["cat", "slice of pizza"])
    assert cat.box[3] < pizza.box[3] and cat.label == "cat"
    assert painted(prompt) == painted("Three cats and one duck.")  # chance goes by what is wanted


def test_wrong_reasoning_gives_another_answer_that_can_be_painted() -> None:
    numbers = f"{HOW_MANY.format('cats')} There were five cats, and two of them have gone."
    counts = [len(detect(painted(numbers, seed, **WRONG), ["cats"])) for seed in range(8)]
    assert 3 not in counts and 0 not in counts and len({*counts}) > 2
    turned = work_out(f"{COLUMN} Put nothing higher than the cat.", 1.0, random.Random(0))
    assert turned == "A slice of pizza above a cat."
    sign = work_out("What florists sell. Draw the answer.", 1.0, random.Random(0))
    assert sign.startswith('A sign that says "') and "FLOWERS" not in sign
    assert painted(numbers, 3, **WRONG) == painted(numbers, 3, **WRONG)


def test_half_of_the_answers_are_wrong_at_a_rate_of_a_half() -> None:
    rng = random.Random(0)
    found = [work_out("What florists sell.", 0.5, rng) for _ in range(400)]
    assert 160 <= sum("FLOWERS" in one for one in found) <= 240


def test_what_is_no_puzzle_stays_as_it_is_and_draws_nothing() -> None:
    rng = random.Random(4)
    for text in ("Two red cats.", "", "x" * 5000, f"{HOW_MANY.format('cats')}"):
        assert work_out(text, 1.0, rng) == text
    assert rng.random() == random.Random(4).random()


def test_a_description_beside_a_picture_is_not_taken_for_a_prompt() -> None:
    with pytest.raises(Unsupported, match="that hops"):
        create([painted("a red car"), describe("a kangaroo")], ["image"], 256, 256, 1, {})


def test_a_puzzle_that_is_not_understood_is_not_painted() -> None:
    with pytest.raises(Unsupported, match="cannot read"):
        painted(f"{HOW_MANY.format('cats')} The cats sing.")


@given(st.text(max_size=200))
def test_any_text_is_worked_out_or_left(text: str) -> None:
    for prompt in (text, f"{HOW_MANY.format('cats')} {text}", f"{ROW} {text}"):
        assert isinstance(plainly(prompt), str)
        for puzzle in (quantities, placings, clues):
            puzzle.solved(prompt, 0.0, random.Random(0))
