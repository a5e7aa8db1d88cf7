"""How a picture is judged: by its rule's hint, by each hint of what is to stay, and by its looks (section 2.3, A.2).

Who hands a picture back that was given keeps all of it: such a copy has kept nothing. Equal pixels are found by rule,
and nobody is asked; about all others the judge is, one picture at a time. What differs in one place is no copy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from stages.asking.material import enclosed
from stages.asking.questions import Question
from stages.asking.requests import Part, Picture
from stages.evaluation.defining.inquiries import Inquiry, Judged, Pictures
from stages.evaluation.defining.parameters import BenchmarkParameters
from stages.evaluation.running.checklists import Verdict
from stages.genius.shared.instructions import (
    AESTHETIC_QUALITY,
    COPY_CHECK,
    RULE_BY_SCORING,
    RULE_COMPLIANCE,
    VISUAL_CONSISTENCY,
    Score,
)
from stages.genius.shared.items import ConsistencyHint, GeniusItem, Rule
from stages.genius.shared.putting import PROBE
from stages.tables.images import upright_rgb


def inquiries(item: GeniusItem, side: str) -> Sequence[Inquiry]:
    """Return what a judge is asked about a picture, as people are asked who label answers: whether or not it is a copy.
    About words it is asked nothing.

    Visual consistency is asked as often as the item has hints for it: an item's score is their mean.
    """
    if side == PROBE:
        return []
    return [
        by_rule(item.rule),
        *(about(VISUAL_CONSISTENCY, {"hint": worded(one)}, one.reference) for one in item.consistency_hints),
        about(AESTHETIC_QUALITY, {}),
    ]


def posed(block: BenchmarkParameters, item: GeniusItem, side: str) -> Sequence[Inquiry]:
    """Return what a judge is asked with the parameters of the block: behind a check for copies of each reference."""
    if side == PROBE:
        return []
    rule, *kept, looks = inquiries(item, side)
    hints = zip(kept, item.consistency_hints, strict=True)
    return [rule, *(screened(one, hint) for one, hint in hints), looks]


def by_rule(rule: Rule) -> Inquiry:
    """Return the inquiry about an item's rule: by its own scoring where its hint has one."""
    if not rule.scoring:
        return about(RULE_COMPLIANCE, {"hint": rule.shows})
    return replace(about(RULE_BY_SCORING, {"hint": rule.shows}), fields={"scoring": rule.scoring})


def about(question: Question, texts: dict[str, str], reference: str | None = None) -> Inquiry:
    """Return the inquiry that asks a question, named as its measure, with texts of the item in blocks of these names
    and one of its pictures.
    """
    return Inquiry(question, {}, (question.name,), read, shown(texts, reference))


def worded(one: ConsistencyHint) -> str:
    """Return a hint as a judge reads it: what names its picture, as published hints do, calls it the reference."""
    return re.sub(rf"<image:\s*{re.escape(one.reference)}\s*>", "the reference", one.hint)


def screened(one: Inquiry, hint: ConsistencyHint) -> Inquiry:
    """Return the inquiry about a hint, which is not asked of a copy of the hint's picture."""
    screen = Inquiry(COPY_CHECK, {}, one.measures, copied, shown({}, hint.reference))
    return replace(one, screen=screen, known=partial(same_pixels, reference=hint.reference))


def read(reply: Score) -> Sequence[Judged]:
    """Return what a reply says."""
    return [Judged(reply.score, reply.reason)]


def copied(reply: Verdict) -> Sequence[Judged]:
    """Return that nothing was kept where the judge calls it a copy, else nothing."""
    return [Judged(0, f"a copy: {reply.reason}")] if reply.verdict == "Y" else []


def same_pixels(answer: Sequence[Part], pictures: Pictures, reference: str) -> Judged | None:
    """Return that a picture is worth nothing as it has just the pixels of one that was given, whatever file they came
    in; None where one differs, or where it cannot be decoded.
    """
    for made in answer:
        if isinstance(made, Picture) and equal(made.data, pictures[reference].data):
            return Judged(0, f"the very pixels of {reference}")
    return None


def equal(made: bytes, given: bytes) -> bool:
    """Return whether two pictures have the same size and the same upright pixels; what cannot be decoded has none."""
    try:
        one, other = upright_rgb(made), upright_rgb(given)
    except ValueError:
        return False
    return one.size == other.size and one.tobytes() == other.tobytes()


def shown(texts: dict[str, str], reference: str | None) -> Callable[[Sequence[Part], Pictures], Sequence[Part]]:
    """Return what shows a judge a picture in a block, behind the reference and the texts in blocks of their own."""

    def material(answer: Sequence[Part], pictures: Pictures) -> Sequence[Part]:
        given = enclosed("reference", [pictures[reference]]) if reference is not None else ()
        hints = (part for name, text in texts.items() for part in enclosed(name, [text]))
        return (*given, *hints, *enclosed("picture", answer))

    return material
