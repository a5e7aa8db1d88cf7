"""The embedded world as a contestant: it paints, edits by looking, and says, as it is asked to."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple, TypeVar

from .answering import Unsupported
from .editing import told_apart, wished
from .layout import Layout, plan
from .material import Material, Parts, material, pictures_of, texts_of
from .misspelling import misspell
from .painting import draw_faults, jpeg, lettering, paint, shown
from .pairs import in_words_of, meaning, mistaken
from .puzzling import solved_puzzle
from .reasoning import reasoned
from .recognising import recognise
from .replying import reply
from .riddles import solve
from .scene import Scene, complete
from .statements import Statement, in_words
from .working_out import work_out
from .writing import write

Made = TypeVar("Made")
_SAID = ("wrong_count", "swapped_relation")
"""Faults of the painter that a caption can have too."""
_REASONING = "wrong_reasoning"
"""The fault of a contestant that no painter has."""
_POINTS = re.compile(r"\n\s*A right answer has all of this:.*", re.DOTALL)
_TRIES = 4
"""How often riddles are solved wrongly before they are solved right, since nothing wrong could be done."""


class Painted(NamedTuple):
    """A picture, the complete scene that was wanted, and what is in it: the scene with its faults, where its things
    are, and its lettering letter by letter.
    """

    picture: bytes
    wanted: Scene
    there: Scene
    layout: Layout
    lettering: str


def create(
    parts: Parts, modalities: Sequence[str], width: int, height: int, seed: int, faults: Mapping[str, float]
) -> list[str | bytes]:
    """Answer with a text, a picture, or both; the same for the same arguments. Unsupported: not understood, and why.

    A text answers the one question that is asked about pictures or texts (see `replying`). A picture is painted from
    texts alone, as the painter does it; where pictures are given it is one of them edited, or made of things of theirs
    (see `editing`), and never of the words alone. Both: a sentence, the picture, and a caption of what was wanted; the
    words may begin with "Tell and show:".

    `faults` maps names of faults to rates 0..1. Pictures have them as the painter's do. In texts a number, which of
    several pictures, and yes or no are wrong at the rate of `wrong_count`, quoted lettering at that of
    `misspelt_lettering`; a caption has a wrong number or turned places. Colours are always told right.

    Riddles and puzzles in the texts are solved first (see `riddles`, `working_out`), each wrongly at the rate of
    `wrong_reasoning`. Where that would ask for what cannot be done, others are tried, and the right solution in the
    end. Behind "A right answer has all of this:" on a line of its own stands nothing new. What several pictures have in
    common is told wrongly at the same rate (see `recognising`), and so are puzzles in a picture (see `puzzling`): their
    answer is a PNG of that picture's size. Questions that are put twice, for words and for a picture, see `pairs`, are
    understood at the same rate; problems in drawn pictures, see `reasoning`, are answered wrongly at it.
    """
    rate, others = faults.get(_REASONING, 0.0), {name: faults[name] for name in faults if name != _REASONING}
    outcome = reasoned(parts, modalities, rate, random.Random(f"reason {seed} {_mark(parts)}"))
    if outcome is not None:
        return outcome
    if (scene := _of_pair(parts, modalities, rate, f"pair {seed} {_mark(parts)}", others)) is not None:
        if isinstance(scene, str):
            return [scene]
        parts = [write(scene)]
    if "image" not in modalities:
        common = recognise(parts, rate, random.Random(f"recognise {seed} {_mark(parts)}"))
        if common is not None:
            return [common]
    elif (edited := solved_puzzle(parts, rate, random.Random(f"puzzle {seed} {_mark(parts)}"))) is not None:
        return [edited] if "text" not in modalities else ["This is what was asked for:", edited]
    return _tried(parts, seed, rate, lambda solved, mark: _made(solved, modalities, width, height, mark, others))


def _of_pair(
    parts: Parts, modalities: Sequence[str], rate: float, mark: str, faults: Mapping[str, float]
) -> Scene | str | None:
    """Return what the prompt of a pair is answered with: words, or a scene to be painted; None for another prompt, and
    for one that is painted as any other.
    """
    meant = meaning(parts)
    if meant is None or (meant.sort == "thing" and "image" in modalities):
        return None
    rng = random.Random(mark)
    scene = mistaken(meant, rng) if rng.random() < rate else meant.right
    return scene if "image" in modalities else in_words_of(meant, _caption(scene, rng, faults))


def painted(parts: Parts, width: int, height: int, seed: int, faults: Mapping[str, float]) -> Painted:
    """Return what `create` paints for the same arguments where a picture alone is wanted and no puzzle is put in one,
    with what is in it. Unsupported as there.
    """
    rate, others = faults.get(_REASONING, 0.0), {name: faults[name] for name in faults if name != _REASONING}
    return _tried(parts, seed, rate, lambda solved, mark: _painted(solved, width, height, random.Random(mark), others))


def _tried(parts: Parts, seed: int, rate: float, make: Callable[[list[str | bytes], str], Made]) -> Made:
    """Return what is made of what was given without riddles, and of a mark that chance goes by: of the first wrong
    solution of which something can be made, else of the right one.
    """
    right = _solved(parts, 0.0, random.Random(0))
    mark = f"{seed} {_mark(right)}"  # whatever is made of them, riddles have the other faults that plain words have
    rng = random.Random(f"riddles {seed} {_mark(parts)}")
    for _ in range(_TRIES if rate else 0):
        if (solved := _solved(parts, rate, rng)) == right:
            break
        try:
            return make(solved, mark)
        except Unsupported:
            continue
    return make(right, mark)


def _solved(parts: Parts, rate: float, rng: random.Random) -> list[str | bytes]:
    """Return what was given without "Tell and show:", without points that say it once more, and without riddles.

    Texts beside pictures are no puzzles: what they describe is to be found there.
    """
    told = [re.sub(_POINTS, "", part) if isinstance(part, str) else part for part in told_apart(parts)]
    if not pictures_of(told):
        told = [work_out(part, rate, rng) if isinstance(part, str) else part for part in told]
    return [solve(part, rate, rng) if isinstance(part, str) else part for part in told]


def _made(
    parts: Parts, modalities: Sequence[str], width: int, height: int, mark: str, faults: Mapping[str, float]
) -> list[str | bytes]:
    """Answer what is asked without riddles; chance goes by `mark`."""
    rng = random.Random(mark)
    if "image" not in modalities:
        return [_text(parts, random.Random(f"text {mark}"), faults)]
    made = _painted(parts, width, height, rng, faults)
    if "text" not in modalities:
        return [made.picture]
    caption = _caption(made.wanted, random.Random(f"text {mark}"), faults)
    return ["This is what was asked for:", made.picture, write(caption)]


def _painted(parts: Parts, width: int, height: int, rng: random.Random, faults: Mapping[str, float]) -> Painted:
    """Paint what is asked without riddles."""
    scene = complete(wished(parts), rng)
    drawn = draw_faults(scene, faults, rng)
    again = copy(rng)
    try:
        picture = jpeg(paint(scene, width, height, rng, drawn))
    except ValueError as error:
        raise Unsupported(str(error)) from error
    there = shown(scene, drawn, again)
    return Painted(picture, scene, there, plan(there, width, height, again), lettering(there, drawn))


def _mark(parts: Parts) -> str:
    """Return what tells a request from others: of texts alone the prompt, as the painter does."""
    digests = [hashlib.sha256(picture).hexdigest() for picture in pictures_of(parts)]
    return " ".join([*texts_of(parts), *digests])


def _text(parts: Parts, rng: random.Random, faults: Mapping[str, float]) -> str:
    given = material(parts)
    language = "zh" if any(re.search(r"[\u4e00-\u9fff]", text) for text in texts_of(parts)) else "en"
    return in_words(_spoilt(reply(given), given, rng, faults), language)


def _spoilt(statement: Statement, given: Material, rng: random.Random, faults: Mapping[str, float]) -> Statement:
    """Return a statement as a hasty contestant makes it."""
    miscounted = rng.random() < faults.get("wrong_count", 0.0)
    misspelt = rng.random() < faults.get("misspelt_lettering", 0.0)
    value = statement.value
    match statement.sort:
        case "scene":
            assert isinstance(value, Scene)
            return replace(statement, value=_caption(value, rng, faults))
        case "number" if miscounted:
            return replace(statement, value=rng.choice([n for n in range(1, 6) if n != value]))
        case "truth" if miscounted:
            return replace(statement, value=not value)
        case "which" if miscounted:
            others = [(n,) for n in range(1, len(given.seen or given.told) + 1) if (n,) != value]
            return replace(statement, value=rng.choice([*others, ()] if value else others))
        case "lettering" if misspelt:
            return replace(statement, value=misspell(str(value), rng.random()))
    return statement


def _caption(scene: Scene, rng: random.Random, faults: Mapping[str, float]) -> Scene:
    """Return the scene that a hasty contestant tells: with the faults that its pictures have, as far as words can."""
    return shown(scene, draw_faults(scene, {name: faults.get(name, 0.0) for name in _SAID}, rng), rng)
