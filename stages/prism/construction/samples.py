"""Curated prompts before they are words: which elements each has to have, and the check that it has them all.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Category-Specific Prompt Construction". Long text is not drawn.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from numpy.random import default_rng

from stages.prism.construction.element_pools import TRACKS, Elements, Pools
from stages.project.validation import read_yaml, validated

FOLDER = Path(__file__).parents[1] / "pools"
CONTENT = "content"
"""The role of what is to be written in the picture."""
QUOTES = (('"', '"'), ("'", "'"), ("「", "」"), ("『", "』"), ("«", "»"))
STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
SPACED = str.maketrans("-‐‑", "   ")


class Sample(NamedTuple):
    """What one curated prompt of a track is composed of; `number` counts from 0."""

    track: str
    number: int
    elements: Elements


@cache
def pools(track: str, folder: Path = FOLDER) -> Pools:
    """Read the pools of a track; UserError for a file that is malformed."""
    path = folder / f"{track}.yaml"
    return validated(TRACKS[track], read_yaml(path), path)


def draw_samples(track: str, count: int, seed: int, folder: Path = FOLDER) -> list[Sample]:
    """Draw what `count` prompts of a track are composed of, no two of the same elements; fewer are the first of more.

    Pools are dealt like shuffled cards: no element comes again before all others of its pool have come. So of 50 draws
    each of 25 styles has two, and each of 24 emotions has two, all in the first 48; the two emotions that come a third
    time, drawn by the seed, are those of the last two draws. A composition reads in order: the attributes of an object
    stand before it, its relation to the next object after it. ValueError for more draws than there are.
    """
    possible = pools(track, folder).possible()
    if not 0 <= count <= possible:
        raise ValueError(f"{track}: {count:,} draws are wanted, the pools allow 0 to {possible:,}")
    dealt = pools(track, folder).deal(default_rng([seed, *track.encode()]))
    found: dict[frozenset[tuple[str, str]], Elements] = {}
    while len(found) < count:
        elements = next(dealt)
        different = frozenset(elements)
        if len(different) == len(elements):
            found.setdefault(different, elements)
    return [Sample(track, number, elements) for number, elements in enumerate(found.values())]


def missing(draw: Sample, prompt: str) -> list[str]:
    """List the drawn elements that do not occur in a prompt composed of them.

    What is to be written has to stand in quotation marks of any kind, with nothing else between them, letter by letter
    as it was drawn; a comma or full stop that is not part of it belongs after the quotation mark. All other elements
    have to occur as whole words in their order, whatever the case; each word may have a plural -s or -es more, an
    article in front counts for nothing, a hyphen is a space. In both, any white space is one space and curly quotation
    marks and apostrophes are straight.
    """
    return [text for role, text in draw.elements if not _occurs(role, text, prompt)]


def _occurs(role: str, text: str, prompt: str) -> bool:
    text, prompt = " ".join(text.translate(STRAIGHT).split()), " ".join(prompt.translate(STRAIGHT).split())
    if role == CONTENT:
        return any(opening + text + closing in prompt for opening, closing in QUOTES)
    text = re.sub(r"^(an?|the) ", "", text, flags=re.IGNORECASE)
    words = " ".join(re.escape(word) + "(?:e?s)?" for word in text.translate(SPACED).split())
    return re.search(rf"(?<!\w){words}(?!\w)", " ".join(prompt.translate(SPACED).split()), re.IGNORECASE) is not None
