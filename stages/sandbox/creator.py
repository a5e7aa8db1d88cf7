"""The embedded world as a contestant: it paints, edits by looking, and says, as it is asked to."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .answering import Unsupported, unreadable
from .captions import understand
from .editing import ANEW, wanted
from .material import Material, Parts, material, pictures_of, tellings, texts_of, together
from .painting import draw_faults, jpeg, paint, shown
from .replying import reply
from .scene import Scene, complete
from .signs import misspell
from .statements import Statement, in_words
from .writing import write

_TELL = r"^\s*(?:please )?(?:tell and show|show and tell|tell and paint|say and show)\s*[:,.]\s*"
_SAID = ("wrong_count", "swapped_relation")
"""Faults of the painter that a caption can have too."""


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
    """
    parts = [re.sub(_TELL, "", part, flags=re.IGNORECASE) if isinstance(part, str) else part for part in parts]
    rng = random.Random(f"{seed} {_mark(parts)}")
    if "image" not in modalities:
        return [_text(parts, random.Random(f"text {seed} {_mark(parts)}"), faults)]
    scene = complete(_wish(parts), rng)
    drawn = draw_faults(scene, faults, rng)
    try:
        picture = jpeg(paint(scene, width, height, rng, drawn))
    except ValueError as error:
        raise Unsupported(str(error)) from error
    if "text" not in modalities:
        return [picture]
    caption = _caption(scene, random.Random(f"text {seed} {_mark(parts)}"), faults)
    return ["This is what was asked for:", picture, write(caption)]


def _mark(parts: Parts) -> str:
    """Return what tells a request from others: of texts alone the prompt, as the painter does."""
    digests = [hashlib.sha256(picture).hexdigest() for picture in pictures_of(parts)]
    return " ".join([*texts_of(parts), *digests])


def _wish(parts: Parts) -> Scene:
    """Return the scene that is to be painted, None in it for what is left open."""
    if pictures_of(parts):
        return wanted(material(parts)).scene
    prompt = " ".join(texts_of(parts))
    if (scene := understand(prompt) or understand(re.sub(ANEW, "", prompt, flags=re.IGNORECASE))) is not None:
        return scene
    told = [tellings(text) for text in texts_of(parts)]
    if not told or not all(told):
        raise unreadable(prompt)
    return together([scene for scenes in told for scene in scenes])


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
            return replace(statement, value=misspell(str(value), rng))
    return statement


def _caption(scene: Scene, rng: random.Random, faults: Mapping[str, float]) -> Scene:
    """Return the scene that a hasty contestant tells: with the faults that its pictures have, as far as words can."""
    return shown(scene, draw_faults(scene, {name: faults.get(name, 0.0) for name in _SAID}, rng), rng)
