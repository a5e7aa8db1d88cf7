"""The embedded world as a writer of checklists: what a right answer to a task has, as questions and as key points.

Asked for is what the request says, as the reference shows and says it; of an edit, all that the picture then shows.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .answering import Unsupported, Values
from .editing import told_apart, wished
from .facts import Fact, Reading, Sort, Thing, facts_of, reading_of, values
from .material import Enclosed, Parts, pictures_of, texts_of
from .naming import named, plain
from .scene import Scene
from .vocabulary import KINDS
from .wordings import About, both, in_short, ways

_FLAWED = 0.25
"""How often a question is followed by a flawed one: a fifth of a checklist, which is to be refined."""
_ASPECTS = ("count", "colour", "relation")
"""In what words and pictures of one answer have to agree."""
_ANSWERS: tuple[Sort, ...] = ("truth", "which", "colour", "lettering", "count")


class Point(NamedTuple):
    """A fact that a right answer has, and in what of it: text, image, or where the two agree."""

    about: About
    fact: Fact


def write_checklist(fields: Mapping[str, str], enclosed: Enclosed, seed: int) -> Values:
    """Return questions, each about one fact and tied to one of the keywords (one a line), that every right answer to
    `clear_prompt` with the pictures of `input` meets as `reference` does; and a share of flawed ones among them.

    A flawed one asks for what another does: in other words, inverted, or together with a second fact. Raises
    Unsupported where task, prompt or reference are not understood, and without keywords.
    """
    prompt, reference = fields.get("clear_prompt", ""), reading_of(enclosed.get("reference", ()))
    keywords = [line.strip() for line in fields.get("keywords", "").splitlines() if line.strip()]
    if not keywords:
        raise Unsupported("a checklist is written along keywords, and there are none")
    points = points_of(fields.get("task", ""), [*pictures_of(enclosed.get("input", ())), prompt], reference)
    rng = random.Random(f"{seed} checklist {prompt}")
    written = [_question(ways(point.fact, point.about)[0], point, keywords) for point in points]
    for number, point in enumerate(points):
        if rng.random() < _FLAWED:
            beside = points[number - 1] if number else point
            flawed = _flawed(point, beside if beside.about == point.about else point, rng)
            written.insert(rng.randint(number + 1, len(written)), _question(flawed, point, keywords))
    return {"questions": written}


def extract_keywords(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return the key points of a right answer: its things with number and colour, how they stand, its looks, or what is
    answered. Raises Unsupported where nothing of the reference is understood.

    Looks that a request for a new picture leaves open are none.
    """
    prompt = fields.get("clear_prompt", "")
    reference = reading_of(enclosed.get("reference") or [fields.get("reference", "")])
    scenes = reference.shown or reference.told
    if not scenes or _counted(prompt):
        return {"keywords": [in_short([fact]) for fact in _answered(prompt, reference)]}
    try:
        facts = _as_in(facts_of(wished(told_apart([prompt]))), scenes)
    except Unsupported:  # its pictures are not at hand
        anew = re.match(r"\s*(?:paint|draw)\b", prompt, re.IGNORECASE)
        facts = [fact for fact in facts_of(scenes[0]) if fact.of or not anew or in_short([fact]) in prompt]
    things = [fact.of for fact in facts if fact.sort == "kind"]
    groups = [[fact for fact in facts if fact.of == thing and fact.sort != "relation"] for thing in things]
    rest = [[fact] for fact in facts if fact.of is None or fact.sort == "relation"]
    return {"keywords": [in_short(point) for point in (*groups, *rest)]}


def points_of(task: str, request: Parts, reference: Reading) -> list[Point]:
    """Return all that a right answer to a request has, in its texts, in its picture, and in both.

    Raises Unsupported for a task that there is none of, a request that is not understood, and a reference without it.
    """
    if task == "understanding":
        return [Point("text", fact) for fact in _answered(" ".join(texts_of(request)), reference)]
    if task not in ("generation", "editing", "interleaved"):
        raise Unsupported(f"the embedded world knows no task {task!r}")
    facts = facts_of(wished(told_apart(request)))
    points = [Point("image", fact) for fact in _as_in(facts, reference.shown)]
    if task == "interleaved":
        told = _as_in(facts, reference.told)
        points += [Point("text", fact) for fact in told]
        points += [Point("consistency", fact._replace(value=None)) for fact in told if fact.sort in _ASPECTS]
    if not points:
        raise Unsupported("the reference has nothing of what is asked for")
    return points


def _as_in(facts: Sequence[Fact], scenes: Sequence[Scene]) -> list[Fact]:
    """Return facts with the values that scenes have; without those that they do not have."""
    found = [(fact, values(fact, scenes)) for fact in facts]
    return [fact._replace(value=known[0]) for fact, known in found if known]


def _answered(question: str, reference: Reading) -> list[Fact]:
    """Return what a text answers to a question: a number, yes or no, which picture, a colour, lettering, or a scene."""
    if thing := _counted(question):
        wanted = [Fact("count", None, thing)]
        found = values(wanted[0], reference.told, reference.statements)
    elif reference.told:
        return facts_of(reference.told[0])
    else:
        wanted = [Fact(sort, None) for sort in _ANSWERS if values(Fact(sort, None), (), reference.statements)]
        found = values(wanted[0], (), reference.statements) if wanted else []
    if not found:
        raise Unsupported("the reference answers nothing that the embedded world understands")
    return [wanted[0]._replace(value=found[0])]


def _counted(question: str) -> Thing | None:
    """Return the things whose number a question asks for."""
    match = re.search(r"how many (.+?) (?:are|is|can|do|does)\b", plain(question))
    thing = named(match[1]) if match else None
    return Thing(thing.kind, thing.colour, True) if thing else None


def _flawed(point: Point, beside: Point, rng: random.Random) -> str:
    """Return a question that has to be refined: a duplicate, an inverted one, or one about two facts."""
    first, *others = ways(point.fact, point.about)
    flawed = [rng.choice(others), rng.choice(ways(point.fact, point.about, inverted=True))]
    if beside != point:
        flawed.append(both(ways(beside.fact, beside.about)[0], first))
    return rng.choice(flawed)


def _question(question: str, point: Point, keywords: Sequence[str]) -> Values:
    """Return a question with the keyword that has most words of its fact; the first one, if none has any."""
    fact = point.fact
    words = {word for thing in (fact.of, fact.other) if thing for word in (thing.kind, KINDS[thing.kind].plural)}
    words |= set(plain(in_short([fact])).split()) if fact.value is not None else set()
    keyword = max(keywords, key=lambda one: len(words & set(plain(one).split())))
    inverted = question in ways(fact, point.about, inverted=True)
    return {"question": question, "about": point.about, "keyword": keyword, "inverted": inverted}
