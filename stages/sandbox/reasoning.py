"""Problems in drawn pictures, answered by looking, in words or as a picture: multiple choice, balances, tanks, mirrors,
and what comes next.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PIL import Image

from . import balances, ball_runs, patterns, printed, silhouettes, tanks, trees
from .answering import Unsupported
from .decoding import opened
from .exercises import worked_out
from .material import Parts, pictures_of, texts_of

_LIFE = re.compile(r"\bThe rule: a filled square stays filled if two or three of its eight neighbours are filled;")
Answer = tuple[str, Image.Image]
"""What is answered in words and as a picture."""


def reasoned(parts: Parts, modalities: Sequence[str], rate: float, rng: random.Random) -> list[str | bytes] | None:
    """Return the answer to a problem as a text, a picture (PNG), or both; at a rate of 0..1 another one than the right
    one. None where no problem is put that this module knows. Unsupported where one is that it cannot answer.
    """
    asked = " ".join(texts_of(parts))
    found = next((problem for pattern, problem in _PROBLEMS.items() if re.match(pattern, asked)), None)
    if found is None:
        return None
    wanted, solve = found
    pictures = [opened(picture) for picture in pictures_of(parts)]
    if len(pictures) != wanted:
        raise Unsupported(f"the problem has {wanted} pictures, not {len(pictures)}")
    words, picture = solve(pictures, asked, rng if rng.random() < rate else None)
    if "image" not in modalities:
        return [words]
    return [words, silhouettes.png(picture)] if "text" in modalities else [silhouettes.png(picture)]


def _chosen(images: Sequence[Image.Image], asked: str, mistake: random.Random | None) -> Answer:
    [image] = images
    page = printed.read_page(image)
    right = worked_out(page.question, page.options)
    if right is None and page.top:
        diagram = image.crop((0, 0, image.width, page.top))
        right = trees.traversed(diagram, page.question, page.options)
    if right is None:
        raise Unsupported(f"the embedded world cannot answer the question {page.question[:120]!r}")
    if mistake:
        right = mistake.choice([other for other in range(len(page.options)) if other != right])
    return f"{printed.LETTERS[right]}) {page.options[right]}", printed.marked(image, page, right)


def _let_go(images: Sequence[Image.Image], asked: str, mistake: random.Random | None) -> Answer:
    [image] = images
    seen = balances.look(image)
    side = seen.side
    if mistake:
        side = mistake.choice([other for other in balances.SIDES if other != side])
    words = "The beam stays level." if side == "level" else f"The {side} side goes down."
    return words, balances.at_rest(image, seen, side)


def _put_in(images: Sequence[Image.Image], asked: str, mistake: random.Random | None) -> Answer:
    [image] = images
    seen = tanks.look(image)
    afloat = [block.density < 1 for block in seen.blocks]
    if mistake:
        wrong = mistake.randrange(len(afloat))
        afloat[wrong] = not afloat[wrong]
    return tanks.in_words(afloat), tanks.at_rest(image, seen, afloat)


def _rolled(images: Sequence[Image.Image], asked: str, mistake: random.Random | None) -> Answer:
    [image] = images
    seen = ball_runs.look(image)
    number = seen.bin
    if mistake:
        number = mistake.choice([other for other in range(len(seen.edges) - 1) if other != number])
    return f"The ball ends in bin {ball_runs.BINS[number]}.", ball_runs.ended(image, seen, number)


def _mirrored(images: Sequence[Image.Image], asked: str, mistake: random.Random | None) -> Answer:
    [image] = images
    seen = patterns.look(image)
    if seen.fill is None:
        raise Unsupported("the pattern before the mirror is empty")
    whole = patterns.in_mirror(seen.squares)
    half = whole.shape[1] // 2
    if mistake:
        whole[:, half:] = _spoilt(whole[:, half:], mistake)
    return patterns.in_words(whole[:, half:]), patterns.filled_in(image, seen, whole, seen.fill)


def _next(images: Sequence[Image.Image], asked: str, mistake: random.Random | None) -> Answer:
    seen = [patterns.look(image) for image in images]
    state = patterns.following([one.squares for one in seen], bool(_LIFE.search(asked)))
    fill = next((one.fill for one in seen if one.fill), None)
    if fill is None:
        raise Unsupported("all states of the pattern are empty")
    if mistake:
        state = _spoilt(state, mistake)
    return patterns.in_words(state), patterns.filled_in(images[-1], seen[-1], state, fill)


def _spoilt(squares: patterns.Squares, mistake: random.Random) -> patterns.Squares:
    """Return a pattern with one or two squares other than they are."""
    made = squares.copy()
    for place in mistake.sample(range(made.size), mistake.randint(1, 2)):
        made.flat[place] = not made.flat[place]
    return np.asarray(made, np.bool_)


_PROBLEMS: Mapping[str, tuple[int, Callable[[Sequence[Image.Image], str, random.Random | None], Answer]]] = {
    r"The picture (asks a question|shows [^.]+, with a question about it) and .*options\.": (1, _chosen),
    r"The picture shows weights on a beam that two props hold level\.": (1, _let_go),
    r"The picture shows three blocks above a tank of water,": (1, _put_in),
    r"The picture shows a ball above tilted ramps,": (1, _rolled),
    r"The picture shows a pattern of squares left of a mirror,": (1, _mirrored),
    r"The pictures show the first, the second and the third state of a pattern\.": (3, _next),
}
"""How many pictures a problem has that begins so, and how it is solved; with a `mistake` it is solved wrongly."""
