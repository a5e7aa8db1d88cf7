"""How a picture is judged: by its rule's hint, by each hint of what is to stay, and by its looks (section 2.3, A.2).

Who hands a picture back that was given keeps all of it: such a copy has kept nothing, and nobody is asked about that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from stages.asking.material import enclosed
from stages.asking.questions import Question
from stages.asking.requests import Part
from stages.asking.seeing import Computing
from stages.evaluation.defining.inquiries import Inquiry, Judged, Pictures, Seen, Sighting, Wording
from stages.evaluation.defining.parameters import BenchmarkParameters
from stages.evaluation.running.copies import TOLERANCE, known_copy
from stages.genius.shared.instructions import (
    AESTHETIC_QUALITY,
    RULE_BY_SCORING,
    RULE_COMPLIANCE,
    VISUAL_CONSISTENCY,
    Score,
)
from stages.genius.shared.items import LETTERS, ConsistencyHint, GeniusItem, Rule, chosen
from stages.genius.shared.putting import PROBE, probe_of

CHOSEN = "chosen"
"""The measure."""


def inquiries(item: GeniusItem, side: str) -> Sequence[Inquiry]:
    """Return what people are asked, too: whether or not it is a copy. About words nothing; consistency once a hint."""
    if side == PROBE:
        return []
    return [
        by_rule(item.rule),
        *(about(VISUAL_CONSISTENCY, {"hint": worded(one)}, one.reference) for one in item.consistency_hints),
        about(AESTHETIC_QUALITY, {}),
    ]


def posed(block: BenchmarkParameters, item: GeniusItem, side: str) -> Sequence[Inquiry]:
    """Return what a judge is asked: about a hint nothing where the picture is a copy of the hint's reference."""
    if side == PROBE:
        return []
    rule, *kept, looks = inquiries(item, side)
    known = (partial(known_copy, names=(hint.reference,), tolerance=TOLERANCE) for hint in item.consistency_hints)
    return [rule, *(replace(one, known=is_copy) for one, is_copy in zip(kept, known, strict=True)), looks]


def by_rule(rule: Rule) -> Inquiry:
    """Return the inquiry about an item's rule: by its own scoring where its hint has one."""
    if not rule.scoring:
        return about(RULE_COMPLIANCE, {"hint": rule.shows})
    return replace(about(RULE_BY_SCORING, {"hint": rule.shows}), fields={"scoring": rule.scoring})


def about(question: Question, texts: dict[str, str], reference: str | None = None) -> Inquiry:
    """Return the inquiry named as its measure, with texts of the item in blocks of these names and a picture of it."""
    return Inquiry(question, {}, (question.name,), read, shown(texts, reference))


def worded(one: ConsistencyHint) -> str:
    """Return a hint as a judge reads it: what names its picture, as published hints do, calls it the reference."""
    return re.sub(rf"<image:\s*{re.escape(one.reference)}\s*>", "the reference", one.hint)


def read(reply: Score) -> Sequence[Judged]:
    """Return what a reply says."""
    return [Judged(reply.score, reply.reason)]


def shown(texts: dict[str, str], reference: str | None) -> Callable[[Sequence[Part], Pictures], Sequence[Part]]:
    """Return what shows a judge a picture in a block, behind the reference and the texts in blocks of their own."""

    def material(answer: Sequence[Part], pictures: Pictures) -> Sequence[Part]:
        given = enclosed("reference", [pictures[reference]]) if reference is not None else ()
        hints = (part for name, text in texts.items() for part in enclosed(name, [text]))
        return (*given, *hints, *enclosed("picture", answer))

    return material


def sightings(item: GeniusItem, side: str) -> Sequence[Sighting]:
    """Return the letter that an answer in words chooses: 1 where right, else 0; no score where it chooses none."""
    if side != PROBE:
        return []
    probe = probe_of(item)
    options, right = probe.options, probe.right
    listed = " ".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=True))

    def values(made: Sequence[Seen], beside: Sequence[Seen]) -> Sequence[Judged]:
        letter = chosen("\n".join(one.part for one in made), options)
        return [Judged(float(letter == right), letter)]

    wording = Wording(f"Does the answer choose {right}, and no other? {listed}")
    return [Sighting("choice", "rules", as_it_is, (CHOSEN,), values, of="text", wording=(wording,))]


def as_it_is(part: Part) -> Computing:
    """Look at a text as it is."""
    return Computing(lambda: part)
