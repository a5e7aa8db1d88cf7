"""Cases of GENIUS: drawn by a seed, none twice, in words that can be painted."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import sqrt

import pytest
from pydantic import ValidationError
from scipy.stats import chisquare

from gamut.texts.near_duplicates import Reading, near_duplicate_similarity
from stages.genius.construction.cases import (
    NUMBERS,
    Case,
    Pool,
    Scene,
    describe_scene,
    full_text,
    hints_of,
    scene_sentence,
)
from stages.genius.construction.draw_cases import RULES, draw_unlike
from tests.genius.construction.solving import accepts, canonical, cases, compatible, described, pool, seen
from tests.paths import ROOT


@pytest.mark.parametrize("sub_task", RULES)
def test_the_smallest_pool_will_do(sub_task: str) -> None:
    fewer = pool().model_dump() | {"styles": pool().styles[:4], "moods": pool().moods[:5]}
    assert len(list(cases(sub_task, 0, 12, Pool(**fewer)))) == 12
    for name in ("colours", "styles", "lights", "moods", "wonders", "relations"):
        with pytest.raises(ValidationError, match=name):
            Pool(**fewer | {name: fewer[name][:-1]})


@pytest.mark.parametrize("sub_task", RULES)
def test_same_seed_same_cases_and_fewer_are_the_first(sub_task: str) -> None:
    drawn = list(cases(sub_task, 3, 20))
    assert drawn == list(cases(sub_task, 3, 20))
    assert drawn[:5] == list(cases(sub_task, 3, 5))
    assert drawn != list(cases(sub_task, 4, 20))


@pytest.mark.parametrize("sub_task", RULES)
def test_says_what_the_world_understands(sub_task: str) -> None:
    for case in cases(sub_task, 5, 8):
        for _, scene in case.pictures:
            assert accepts(scene, described(seen(describe_scene(scene, pool()))))
        wanted = described(seen(describe_scene(case.right_scene, pool())))
        assert accepts(case.right_scene, wanted)
        assert hints_of(case, pool())["rule_hint"].startswith(
            f"The picture shows {describe_scene(case.right_scene, pool())}."
        )
        assert len({scene_sentence(scene, pool()) for scene in (case.right_scene, *case.wrong_scenes)}) == 4
        assert not any(compatible(case.right_scene, other) for other in case.wrong_scenes), (
            "no wrong option may be right"
        )


SIMILARITY = 0.845


@pytest.mark.parametrize("sub_task", RULES)
def test_of_many_none_are_alike(sub_task: str) -> None:
    drawn = list(draw_unlike(sub_task, 1, 25, pool(), SIMILARITY))
    texts = [full_text(case, pool()) for case in drawn]
    assert not any(
        near_duplicate_similarity(Reading(one), Reading(other), SIMILARITY)
        for one, other in combinations(texts[:20], 2)
    )
    assert drawn[:20] == list(draw_unlike(sub_task, 1, 20, pool(), SIMILARITY))
    there = list(cases(sub_task, 1, 40))
    assert set(drawn) <= set(there) and len(set(drawn)) == 25, "what is alike is passed over, nothing else changes"


def test_what_is_like_an_earlier_one_is_passed_over() -> None:
    """Of 1,000 phrases drawn some are alike, and what `unlike` draws is all but those."""
    drawn = list(cases("adjective_phrase", 1, 120))
    texts = [full_text(case, pool()) for case in drawn]
    kept: list[int] = []
    for number, text in enumerate(texts):
        if not any(near_duplicate_similarity(Reading(text), Reading(texts[other]), SIMILARITY) for other in kept):
            kept.append(number)
    assert len(kept) < 120
    assert list(draw_unlike("adjective_phrase", 1, len(kept), pool(), SIMILARITY)) == [drawn[number] for number in kept]


def kinds(scene: Scene) -> list[str]:
    return sorted(things.kind for things in scene.groups)


STAYS: Mapping[str, Callable[[Scene, Scene], bool]] = {
    "things": lambda given, wanted: set(given.groups) <= set(wanted.groups),
    "kinds": lambda given, wanted: kinds(given) == kinds(wanted),
    "colours": lambda given, wanted: [one.colour for one in given.groups] == [one.colour for one in wanted.groups],
    "number": lambda given, wanted: [one.number for one in given.groups] == [one.number for one in wanted.groups],
    "places": lambda given, wanted: (
        [one.kind for one in canonical(given).groups] == [one.kind for one in canonical(wanted).groups]
        and canonical(given).relation == canonical(wanted).relation
    ),
    "style": lambda given, wanted: given.style == wanted.style,
    "light and mood": lambda given, wanted: (given.light, given.mood) == (wanted.light, wanted.mood),
}


@pytest.mark.parametrize("sub_task", RULES)
def test_what_is_to_stay_is_what_is_wanted(sub_task: str) -> None:
    for case in cases(sub_task, 9, 15):
        shown = dict(case.pictures)
        assert all(STAYS[what](shown[name], case.right_scene) for what, name in case.unchanged), (
            case.unchanged,
            case.right_scene,
        )
        assert not any(accepts(case.right_scene, scene) for _, scene in case.pictures), (
            "nothing is right as it is given"
        )


@pytest.mark.parametrize("sub_task", RULES)
def test_is_put_in_sentences(sub_task: str) -> None:
    for case in cases(sub_task, 9, 15):
        context, prompt = sentences(case.context), sentences(case.prompt)
        assert 2 <= len(context) <= 5 and len(prompt) == 1
        hints = hints_of(case, pool()).values()
        for sentence in (*context, *prompt, *(sentence for hint in hints for sentence in sentences(hint))):
            assert re.match(r"[A-Z<]", sentence) and "  " not in sentence, sentence
            assert not re.search(r"\b[Aa] [aeiou]|\b[Aa]n [^aeiou]|\b(?!is)(\w+) \1\b|None", sentence), sentence
            for many in re.findall(r"\b(?:two|three|four|five) ([^.,]+)", sentence):
                assert not any(re.search(rf"^(?:\w+ )?{one}\b(?!')", many) for one in SINGULAR), sentence
        names = {name for name, _ in case.pictures}
        assert set(re.findall(r"<image:(\w)>", case.context + case.prompt)) == names
        assert "image:" not in hints_of(case, pool())["text_hint"], "what is told in words needs no picture"


SINGULAR = [one for one, many in pool().plurals.items() if one != many]


def sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=\.) ", text)
    assert all(re.fullmatch(r"[^.!?]+\.", part) for part in parts), text
    return parts


def test_the_docs_tell_every_sub_task() -> None:
    page = (ROOT / "docs/genius.md").read_text()
    for sub_task, rule in RULES.items():
        drawn = rule.func if isinstance(rule, partial) else rule
        what = " ".join((drawn.__doc__ or "").split("\n\n")[0].split())
        assert f"| `{sub_task}` | {what} | " in page, sub_task


LABELS = {
    "operation": r"(?<=Operation )\S+",
    "visual_metaphor": r"(?<=looks )\w+",
    "layout": r"(?<=layout )[^.]+",
    "instance_binding": r"(?<=called )\w+",
    "visual_feature": r"(?<=Feature )\S+",
}
"""What pictures are labelled with in the texts of a context."""
WORTHS = r"(?<=is worth )\w+"


@pytest.mark.parametrize("sub_task", LABELS)
def test_where_the_context_tells_of_what_is_asked_says_nothing(sub_task: str) -> None:
    places: Counter[int] = Counter()
    for case in cases(sub_task, 17, 300):
        labels = re.findall(LABELS[sub_task], case.context)
        asked_first = re.findall("|".join(map(re.escape, labels)), case.prompt)[0]
        places[labels.index(asked_first)] += 1
    assert chisquare(list(places.values())).pvalue > 0.001, places


@pytest.mark.parametrize("sub_task", ["simple_constraint", "complex_constraint"])
def test_any_of_the_numbers_may_count(sub_task: str) -> None:
    places: Counter[int] = Counter()
    for case in cases(sub_task, 17, 300):
        numbers = re.findall(WORTHS, case.context)
        places[numbers.index(NUMBERS[case.right_scene.groups[0].number])] += 1
    assert chisquare(list(places.values())).pvalue > 0.001, places


OFTEN = 80
PHRASES = ("noun_phrase", "verb_phrase", "adjective_phrase")
"""Of these the instruction itself leaves two, the two things that a name may mean."""


def options_of(case: Case, number: int) -> list[Scene]:
    return [case.right_scene, *random.Random(f"options {number}").sample(case.wrong_scenes, 3)]


def values(scene: Scene) -> set[str | int | None]:
    return {value for things in scene.groups for value in things}


def alike(one: Scene, other: Scene) -> int:
    return sum(a == b for a, b in zip(one, other, strict=True)) + len(values(one) & values(other))


def share_of_choice(options: Sequence[Scene], most: bool) -> float:
    likeness = [sum(alike(one, other) for other in options) for one in options]
    best = [one for one in likeness if one == (max if most else min)(likeness)]
    return (likeness[0] == best[0]) / len(best)


@pytest.mark.parametrize("most", [True, False])
@pytest.mark.parametrize("sub_task", RULES)
def test_how_options_are_alike_says_nothing_of_which_is_right(sub_task: str, most: bool) -> None:
    """One of four by chance, one of two where the instruction leaves two: four standard errors above that at most."""
    drawn = enumerate(cases(sub_task, 23, OFTEN))
    share = sum(share_of_choice(options_of(case, number), most) for number, case in drawn) / OFTEN
    chance = 1 / 2 if sub_task in PHRASES else 1 / 4
    assert share < chance + 4 * sqrt(chance * (1 - chance) / OFTEN)


@pytest.mark.parametrize("sub_task", ["simple_constraint", "complex_constraint"])
def test_all_numbers_that_a_context_names_are_among_the_options(sub_task: str) -> None:
    for number, case in enumerate(cases(sub_task, 31, 60)):
        named = {worth for worth, word in enumerate(NUMBERS) if f"is worth {word}" in case.context}
        assert named <= {scene.groups[0].number for scene in options_of(case, number)}


def test_what_operations_bring_stands_in_two_options_each() -> None:
    """Were one of them in three, what has it would be right more often than not."""
    for number, case in enumerate(cases("operation", 37, 60)):
        given = values(dict(case.pictures)["e"])
        brought = Counter(value for one in options_of(case, number) for value in values(one) - given)
        assert [*brought.values()] == [2, 2], brought
