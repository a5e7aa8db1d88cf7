"""Constraints of GENIUS: how far texts alone get, and pictures alone, counted over all that the others might be."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product

import pytest
from scipy.stats import chisquare

from stages.genius.construction.cases import Case
from stages.genius.construction.operations import EXCHANGE, done, operations
from stages.genius.construction.rule_book import RULES, cases
from stages.genius.construction.scenes import NUMBERS, RELATIONS, Scene, Things, canonical
from stages.genius.construction.symbols import CHARACTERS, FEATURES, LOOKS
from stages.sandbox.contexts import wanted_by_rule
from tests.genius.construction.solving import described, parts_of, pool, seen

Pictures = Mapping[str, Scene]
LABELS = {
    "operation": r"(?<=Operation )\S+",
    "visual_metaphor": r"(?<=looks )\w+",
    "layout": r"(?<=layout )[^.]+",
    "instance_binding": r"(?<=called )\w+",
    "visual_feature": r"(?<=Feature )\S+",
}
"""What pictures are labelled with in the texts of a context."""
WORTHS = r"(?<=is worth )\w+"


def what_comes_of(cases: Iterable[Case]) -> Counter[Scene]:
    """Count what is wanted by whoever reads the whole of each."""
    found: Counter[Scene] = Counter()
    for case in cases:
        scene = wanted_by_rule(parts_of(case, "in_place"), "both", 0, random.Random(0), seen)
        assert scene is not None
        found[canonical(described(scene))] += 1
    return found


def with_texts(case: Case, pattern: str, texts: Iterable[tuple[str, ...]]) -> Iterator[Case]:
    """Yield a case with other words where its context has those of a pattern."""
    for words in texts:
        between = re.split(pattern, case.context)
        yield case._replace(context="".join(part + word for part, word in zip(between, (*words, ""), strict=True)))


def with_pictures(case: Case, pictures: Iterable[Pictures]) -> Iterator[Case]:
    """Yield a case with other pictures in its context."""
    for others in pictures:
        yield case._replace(pictures=tuple((name, others.get(name, scene)) for name, scene in case.pictures))


def asked(case: Case, pattern: str) -> str:
    """Return the picture that bears the label which the instruction has."""
    sentence = next(one for one in case.context.split(". ") if re.findall(pattern, one)[0].strip(".") in case.prompt)
    return re.findall(r"<image:(\w)>", sentence)[0]


def other_texts(sub_task: str, case: Case) -> Iterator[Case]:
    """Yield a case with all texts that its context might have, one as probable as another."""
    if sub_task.endswith("constraint"):
        count = len(re.findall(WORTHS, case.context))
        yield from with_texts(case, WORTHS, permutations(NUMBERS[1:], count))
        return
    labels = re.findall(LABELS[sub_task], case.context)
    labelled = with_texts(case, LABELS[sub_task], permutations(labels))
    if sub_task != "visual_feature":
        yield from labelled
        return
    parts = "|".join(FEATURES.values())
    others = [said for part, said in FEATURES.items() if part != "colour"]
    pairs = [pair for said in others for pair in permutations((FEATURES["colour"], said))]
    for one in labelled:
        yield from with_texts(one, parts, pairs)


def other_operations(case: Case) -> Iterator[Pictures]:
    given = dict(case.pictures)["e"]
    colours = [colour for colour in pool().colours if colour not in [things.colour for things in given.groups]]
    known = operations(colours, pool().most)
    both = "and then" in case.prompt
    pairs = [pair for one in known for pair in permutations((EXCHANGE, one))] if both else permutations(known, 2)
    for first, second in pairs:
        yield {"a": given, "b": done(given, first), "c": given, "d": done(given, second)}


def other_looks(case: Case) -> Iterator[Pictures]:
    given = dict(case.pictures)["c"]
    that = asked(case, LABELS["visual_metaphor"])
    for part, values in zip(LOOKS, (pool().lights, pool().moods, pool().wonders), strict=True):
        new = [value for value in values if value != getattr(given, part)]
        for value, other in zip(new, new[1:] + new[:1], strict=True):
            plain = given._replace(groups=(Things("chair"),))
            shown = {part: value}, {part: other}
            names = (that, "ab".replace(that, ""))
            yield {name: plain._replace(**look) for name, look in zip(names, shown, strict=True)}  # type: ignore[arg-type]


def other_layouts(case: Case) -> Iterator[Pictures]:
    given = dict(case.pictures)["d"]
    new = [relation for relation in RELATIONS if relation != given.relation]
    for relations in permutations(new):
        yield {name: given._replace(relation=one) for name, one in zip("abc", relations, strict=True)}


def other_features(case: Case) -> Iterator[Pictures]:
    given = dict(case.pictures)["c"]
    colours = [colour for colour in pool().colours if colour != given.groups[0].colour]
    rest = zip(
        [number for number in range(1, 6) if number != given.groups[0].number],
        [style for style in pool().styles if style != given.style],
        [light for light in pool().lights if light != given.light],
        strict=True,
    )
    for colour, (number, style, light) in product(colours, rest):
        yield {
            name: Scene((Things(kind, colour, number),), style=style, light=light)
            for name, kind in (("a", "chair"), ("b", "hat"))
        }


def other_bearers(case: Case) -> Iterator[Pictures]:
    that = asked(case, LABELS["instance_binding"])
    for kind, colour in product(CHARACTERS, pool().colours):
        yield {that: Scene((Things(kind, colour),))}


def others_in_their_places(*places: str) -> Callable[[Case], Iterator[Pictures]]:
    """Return what yields all orders of the pictures that are alike in what is said of them."""

    def orders(case: Case) -> Iterator[Pictures]:
        shown = dict(case.pictures)
        for names in product(*(permutations(place) for place in places)):
            yield {
                name: shown[other]
                for place, order in zip(places, names, strict=True)
                for name, other in zip(place, order, strict=True)
            }

    return orders


OTHER_PICTURES: Mapping[str, Callable[[Case], Iterator[Pictures]]] = {
    "operation": other_operations,
    "visual_metaphor": other_looks,
    "layout": other_layouts,
    "visual_feature": other_features,
    "instance_binding": other_bearers,
    "simple_constraint": others_in_their_places("abc"),
    "complex_constraint": others_in_their_places("ac", "bd"),
}
"""By sub-task, all pictures that a context might have with its texts, one as probable as another."""


@pytest.mark.parametrize("sub_task", OTHER_PICTURES)
def test_texts_alone_get_as_far_as_is_said(sub_task: str) -> None:
    for case in cases(sub_task, 13, 3, pool()):
        assert_share(case, with_pictures(case, OTHER_PICTURES[sub_task](case)), RULES[sub_task].by_texts)


@pytest.mark.parametrize("sub_task", OTHER_PICTURES)
def test_pictures_alone_get_as_far_as_is_said(sub_task: str) -> None:
    for case in cases(sub_task, 13, 3, pool()):
        assert_share(case, other_texts(sub_task, case), RULES[sub_task].by_pictures)


def assert_share(case: Case, possible: Iterable[Case], share: Fraction) -> None:
    """The best guess, and no other one, is as good as what is right."""
    found = what_comes_of(possible)
    assert Fraction(found[canonical(case.wanted)], found.total()) == share, case
    assert Fraction(max(found.values()), found.total()) == share, found


@pytest.mark.parametrize("sub_task", LABELS)
def test_where_the_context_tells_of_what_is_asked_says_nothing(sub_task: str) -> None:
    places: Counter[int] = Counter()
    for case in cases(sub_task, 17, 300, pool()):
        labels = re.findall(LABELS[sub_task], case.context)
        asked_first = re.findall("|".join(map(re.escape, labels)), case.prompt)[0]
        places[labels.index(asked_first)] += 1
    assert chisquare(list(places.values())).pvalue > 0.001, places


@pytest.mark.parametrize("sub_task", ["simple_constraint", "complex_constraint"])
def test_any_of_the_numbers_may_count(sub_task: str) -> None:
    places: Counter[int] = Counter()
    for case in cases(sub_task, 17, 300, pool()):
        numbers = re.findall(WORTHS, case.context)
        places[numbers.index(NUMBERS[case.wanted.groups[0].number])] += 1
    assert chisquare(list(places.values())).pvalue > 0.001, places


def test_operations_in_the_other_order_come_to_something_else() -> None:
    both = [case for case in cases("operation", 19, 40, pool()) if "and then" in case.prompt]
    assert len(both) > 10
    for case in both:
        first, second = re.findall(r"operation (\S+)", case.prompt)
        swapped = case.prompt.translate(str.maketrans({first: second, second: first}))
        assert case.wanted not in what_comes_of([case._replace(prompt=swapped)])
