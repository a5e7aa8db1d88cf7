"""What observers that are no judges found in the pictures of an answer, as shapes and lines to be shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from stages.project.plain_text import one_line
from stages.report.site.thumbnails import Shown

FARTHEST = 1e9
"""Pixels from a picture's corner, beyond which nothing can be drawn."""
MOST_CORNERS = 64
"""Of one shape."""
MOST = 60
"""Shapes that are drawn in a picture and listed beside it."""
LABEL = 20
"""Characters of a label on a picture."""
BREADTH = 0.65
"""Of a letter, of its height."""
COLOURS = 7
"""That labels take turns in; style.css has them, `found-0` and on."""


class Shape(NamedTuple):
    """A thing or a line of lettering that was found: what it is, how sure that is, 0..1, and its corners as x, y in
    pixels of the picture.
    """

    label: str
    confidence: float
    corners: Sequence[tuple[float, float]]

    @property
    def points(self) -> str:
        """Return the corners as SVG has them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.corners)

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of what is around it."""
        xs, ys = zip(*self.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


class Looked(NamedTuple):
    """What was found in one picture: the surest MOST shapes in the order in which they were found, and how many are
    `left`; or what cannot be drawn, as text.
    """

    shapes: Sequence[Shape]
    text: str = ""
    left: int = 0


class Tag(NamedTuple):
    """What is written at a shape: the text, where its baseline begins, or ends (`anchor`, of SVG), and the colour."""

    text: str
    x: float
    y: float
    anchor: str
    colour: int

    def ends(self, letters: float) -> tuple[float, float]:
        """Return from where to where it goes, about, if letters are so high."""
        long = BREADTH * letters * len(self.text)
        return (self.x, self.x + long) if self.anchor == "start" else (self.x - long, self.x)


class Drawn(NamedTuple):
    """What was `Looked` in one picture, the picture, the height of letters in its pixels, and a tag for each shape."""

    shapes: Sequence[Shape]
    text: str
    left: int
    shown: Shown | None
    letters: float
    tags: Sequence[Tag]


def looked(found: str | None) -> list[Looked]:
    """Return what a row of observations says was found, picture by picture of the answer (`running.observing`): boxes
    of a detector, lines of a reader; whatever else it is, such as the length of an embedding, as text.
    """
    if found is None:
        return []
    try:
        pictures = json.loads(found)
        return [of_picture(one) for one in pictures] if isinstance(pictures, list) else [Looked((), found)]
    except (ValueError, RecursionError):
        return [Looked((), found)]


def of_picture(found: Any) -> Looked:
    """Return what was found in one picture."""
    shapes = [shape(one) for one in found] if isinstance(found, list) else [None]
    known = [one for one in shapes if one is not None]
    if len(known) < len(shapes):
        return Looked((), json.dumps(found, ensure_ascii=False))
    return Looked(surest(known), left=max(0, len(known) - MOST))


def surest(shapes: Sequence[Shape]) -> list[Shape]:
    """Return the MOST shapes that are surest, in their order; of those that are as sure the first."""
    kept = sorted(range(len(shapes)), key=lambda place: -shapes[place].confidence)[:MOST]
    return [shapes[place] for place in sorted(kept)]


def shape(found: Any) -> Shape | None:
    """Return a thing (`asking.seeing.Found`) or a line (`asking.seeing.Line`) as a shape; None for what is neither."""
    match found:
        case [str(label), int() | float() as sure, [int() | float(), *_] as box]:
            if len(box) == 4 and numbers([sure, *box]):
                left, top, right, bottom = box
                return Shape(label, sure, ((left, top), (right, top), (right, bottom), (left, bottom)))
        case [str(label), int() | float() as sure, [[_, _], *_] as corners] if len(corners) <= MOST_CORNERS:
            if numbers([sure]) and all(isinstance(one, list) and len(one) == 2 and numbers(one) for one in corners):
                return Shape(label, sure, tuple((x, y) for x, y in corners))
    return None


def numbers(values: Sequence[Any]) -> bool:
    """Return whether all are numbers that can be drawn."""
    return all(isinstance(one, int | float) and abs(one) < FARTHEST for one in values)


def drawn(found: Looked, shown: Shown | None) -> Drawn:
    """Return what was found in a picture as it is drawn on it; without tags where there is none that can be shown."""
    if shown is None or not shown.path:
        return Drawn(*found, shown, 0, ())
    letters = max(shown.full_width / 20, shown.full_height / 32)  # to be read in a card, some 20 letters wide
    return Drawn(*found, shown, letters, tags(found.shapes, shown.full_width, shown.full_height, letters))


def tags(shapes: Sequence[Shape], width: int, height: int, letters: float) -> list[Tag]:
    """Return what is written at each shape: its number in the list beside the picture, with its label and how sure that
    is where that covers nothing else. It stands above the shape, or else within, and begins or ends where it goes
    towards the middle. All in pixels of the picture, `letters` the height of one.
    """
    colours: dict[str, int] = {}
    found: list[Tag] = []
    for number, one in enumerate(shapes, 1):
        left, top, right, _ = one.ends
        starts = left < width / 2
        x = min(max(left if starts else right, 0), width)
        y = min(top - letters / 4 if top >= 1.25 * letters else max(top, 0) + letters, height)
        colour = colours.setdefault(one.label, len(colours) % COLOURS)
        found.append(Tag(str(number), round(x, 1), round(y, 1), "start" if starts else "end", colour))
    for place, one in enumerate(shapes):
        tag = found[place]
        whole = tag._replace(text=f"{tag.text} {one_line(one.label, LABEL)} {one.confidence:.2g}")
        begin, end = whole.ends(letters)
        others = (other for other in found if other is not tag and abs(other.y - tag.y) < letters)
        if (
            begin >= 0
            and end <= width
            and not any(begin <= b and a <= end for a, b in (o.ends(letters) for o in others))
        ):
            found[place] = whole
    return found
