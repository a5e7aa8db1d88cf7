"""Probes: what speaks against wrong options, where the right one stands, and how a letter is read."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import chisquare

from stages.asking.outcomes import Outcome
from stages.asking.requests import Reply
from stages.genius.construction.cases import Case, rule_hint
from stages.genius.construction.draw_cases import RULES
from stages.genius.construction.probes import (
    WRONG,
    Distractors,
    checking,
    may_be_right,
    objection,
    probe_of,
    stated,
    unread,
    writing,
)
from stages.genius.construction.scenes import OPPOSITE, Scene, in_words
from stages.genius.shared.items import LETTERS, Probe, chosen
from tests.genius.construction.solving import cases, pool

HINT = "The picture shows two red cats to the left of a house, at night."
WRONGS = (
    "The picture shows two red cats above a house, at night.",
    "The picture shows three red cats to the left of a house, at night.",
    "The picture shows two blue cats to the left of a house, at night.",
)
RIGHT = Probe(options=(WRONGS[0], WRONGS[1], HINT, WRONGS[2]), right="C")


def against(*distractors: str, hint: str = HINT) -> str | None:
    return objection(Distractors(distractors=[*distractors]), {"rule_hint": hint}, pool())


def all_cases() -> list[Case]:
    each = [list(cases(sub_task, 4, -(-100 // len(RULES)), pool())) for sub_task in RULES]
    return list(islice(chain.from_iterable(zip(*each, strict=True)), 100))


def miscounted(scene: Scene) -> list[Scene]:
    first, *others = scene.groups
    numbers = [number for number in range(1, pool().most + 1) if number != first.number][:WRONG]
    return [scene._replace(groups=(first._replace(number=number), *others)) for number in numbers]


def otherwise(scene: Scene, chance: random.Random) -> Scene:
    turned = scene._replace(groups=scene.groups[::-1], relation=OPPOSITE[scene.relation]) if scene.relation else scene
    filled = [turned._replace(mood="calm")] if scene.mood is None else []
    filled += [turned._replace(light="dawn")] if scene.light is None else []
    filled += [turned._replace(style=None, light=None, mood=None, wonder=None)]
    return chance.choice([other for other in (turned, *filled) if in_words(other, pool()) != in_words(scene, pool())])


def test_three_wrong_texts_are_wanted() -> None:
    assert against(*WRONGS) is None


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (WRONGS[:2], "has 2 texts, 3 are wanted"),
        ((*WRONGS, "x"), "has 4 texts"),
        ((*WRONGS[:2], WRONGS[0].replace("two", "Two")), "two of the texts are the same"),
        ((*WRONGS[:2], f" {HINT[:-1]}"), "two of the texts are the same"),
        ((*WRONGS[:2], "The picture shows\na cat to the left of a house."), "text 3 is to be one line"),
        (("*", *WRONGS[:2]), "text 1 is to be one line"),
        ((*WRONGS[:2], "The picture shows a cat."), "text 3 is to have about 64 characters, and has 24"),
        ((WRONGS[0], WRONGS[1] * 3, WRONGS[2]), "text 2 is to have about 64 characters"),
        ((*WRONGS[:2], "The picture shows a house to the right of two red cats, at night."), "text 3 is not wrong"),
        ((*WRONGS[:2], "The picture shows two red cats to the left of a blue house."), "text 3 is not wrong"),
        (("The picture shows two red cats and a house, in a calm mood.", *WRONGS[:2]), "text 1 is not wrong"),
    ],
)
def test_what_is_no_good_is_objected_to(texts: tuple[str, ...], why: str) -> None:
    found = against(*texts)
    assert found is not None and why in found


def test_a_text_that_is_right_is_found_wherever_it_is_planted() -> None:
    """A hundred are planted, one in a case, at any place among wrong ones; three that are wrong all stay."""
    chance, found = random.Random(5), 0
    for case in all_cases():
        hint = rule_hint(case, pool())
        wrong = [rule_hint(case._replace(wanted=other), pool()) for other in miscounted(case.wanted)]
        assert against(*wrong, hint=hint) is None
        planted = rule_hint(case._replace(wanted=otherwise(case.wanted, chance)), pool())
        at = chance.randrange(WRONG)
        said = against(*wrong[:at], planted, *wrong[at + 1 :], hint=hint)
        found += said is not None and f"text {at + 1} is not wrong" in said
        assert may_be_right(planted, hint, pool()) is True
    assert found == 100


def test_what_the_engine_cannot_read_is_put_to_a_checker() -> None:
    free = "The picture shows a pair of crimson cats beside a cottage after dark."
    assert against(free, *WRONGS[1:]) is None
    assert unread([free, *WRONGS[1:]], HINT, pool()) == [free]
    assert unread(WRONGS, "Three apples are seen.", pool()) == [*WRONGS]
    assert checking(free, HINT, 1).fields == {"rule_hint": HINT, "distractor": free}


def test_a_hint_that_says_what_is_not_there_is_read() -> None:
    hint = f"{HINT} There is no dog in it."
    assert unread(WRONGS, hint, pool()) == []
    assert may_be_right(HINT, hint, pool()) is True


def test_the_writer_is_asked_again_about_a_text_that_is_right() -> None:
    hint = f"{HINT}\n(All satisfied: 2 score; Not satisfied: 0 score)"
    asked = writing("I like <image:a>.", "Paint it.", hint, WRONGS, pool(), 3)
    assert asked.fields["rule_hint"] == HINT
    right = Distractors(distractors=[HINT.replace(", at night", ""), *WRONGS[1:]])
    again = asked.next([Reply(right.model_dump_json().encode())])
    assert not isinstance(again, Outcome)
    outcome = asked.next([Reply(Distractors(distractors=[*WRONGS]).model_dump_json().encode())])
    assert isinstance(outcome, Outcome) and outcome.status == "ok"


def test_what_a_hint_says_of_scores_is_no_option() -> None:
    assert stated("It shows a worm. (All satisfied: 2 score; Not satisfied: 0 score)") == "It shows a worm."
    assert stated("It shows a worm (full score: 2)") == "It shows a worm"
    assert stated("It shows\n a worm (a book's).") == "It shows a worm (a book's)."


def test_what_must_not_be_there_is_no_option() -> None:
    """No other option says that: it would tell which is right."""
    assert stated(f"{HINT} There is no dog in it. There is no house in it.") == HINT
    assert stated("There is no dog in it, but a cat.") == "There is no dog in it, but a cat."


def test_the_right_letter_is_uniform_over_positions() -> None:
    """Of 1,000 seeds each letter has 250 on average: chi-square with 3 degrees of freedom, and all orders occur."""
    probes = [probe_of(HINT, WRONGS, seed) for seed in range(1000)]
    assert all(probe.options[LETTERS.index(probe.right)] == HINT for probe in probes)
    assert chisquare([Counter(probe.right for probe in probes)[letter] for letter in LETTERS]).pvalue > 0.001
    orders = Counter(probe.options for probe in probes)
    assert len(orders) == 24 and chisquare([*orders.values()]).pvalue > 0.001


def test_the_same_seed_the_same_probe() -> None:
    assert probe_of(HINT, WRONGS, 7) == probe_of(HINT, WRONGS, 7)
    with pytest.raises(ValueError, match="2 wrong options are given"):
        probe_of(HINT, WRONGS[:2], 7)
    with pytest.raises(ValidationError, match="two options are the same"):
        probe_of(HINT, [HINT, *WRONGS[:2]], 7)


@given(st.text())
def test_a_choice_is_read_or_it_is_none(said: str) -> None:
    try:
        letter = chosen(said, RIGHT.options)
    except ValueError:
        return
    assert letter.lower() in said.lower()[:6]
