"""Drawings over pictures: shapes and lines that observers found in answers, and masks of items over inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gamut.evaluation.defining.editions import EditionPicture, Item
from gamut.report.site.thumbnails import Thumbnail

FARTHEST = 1e9
"""The largest distance from a picture's corner, in pixels, at which anything is drawn."""
MOST_CORNERS = 64
"""The most corners of one shape."""
MOST_SHAPES = 60
"""The most shapes that are drawn in a picture and listed next to it."""
COLOURS = 7
"""The number of colours that labels share; style.css defines them as `found-0` and so on."""


class Shape(NamedTuple):
    """A thing or a line of lettering: its label, the confidence, 0..1, and its corners in pixels."""

    label: str
    confidence: float
    corners: Sequence[tuple[float, float]]

    @property
    def points(self) -> str:
        return " ".join(f"{x:g},{y:g}" for x, y in self.corners)

    @property
    def ends(self) -> tuple[float, float, float, float]:
        xs, ys = zip(*self.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


class Findings(NamedTuple):
    """Findings in one picture: its MOST_SHAPES most confident shapes and how many are `left`; or undrawable text."""

    shapes: Sequence[Shape]
    text: str = ""
    left: int = 0


class Tag(NamedTuple):
    """A shape's number: the start or end of its baseline (`anchor`, as in SVG), and the colour."""

    x: float
    y: float
    anchor: str
    colour: int


class Drawing(NamedTuple):
    """Findings in one picture, the picture, the height of letters in its pixels, and a tag for each shape."""

    shapes: Sequence[Shape]
    text: str
    left: int
    picture: Thumbnail | None
    letters: float
    tags: Sequence[Tag]


def read_findings(text: str | None) -> list[Findings]:
    """Read a row's column `found` for each picture of the answer (`running.judging`): boxes of a detector, lines of a
    reader; anything else, such as the length of an embedding, as text.
    """
    if text is None:
        return []
    try:
        pictures = json.loads(text)
        return [findings_of_picture(one) for one in pictures] if isinstance(pictures, list) else [Findings((), text)]
    except (ValueError, RecursionError):
        return [Findings((), text)]


def findings_of_picture(entries: Any) -> Findings:
    shapes = [read_shape(one) for one in entries] if isinstance(entries, list) else [None]
    known = [one for one in shapes if one is not None]
    if len(known) < len(shapes):
        return Findings((), json.dumps(entries, ensure_ascii=False))
    return Findings(keep_surest(known), left=max(0, len(known) - MOST_SHAPES))


def keep_surest(shapes: Sequence[Shape]) -> list[Shape]:
    """Return the MOST_SHAPES shapes with the highest confidence, in their order; among equal ones the first."""
    kept = sorted(range(len(shapes)), key=lambda place: -shapes[place].confidence)[:MOST_SHAPES]
    return [shapes[place] for place in sorted(kept)]


def read_shape(entry: Any) -> Shape | None:
    """Return a thing (`asking.seeing.Detection`) or a line (`asking.seeing.Line`) as a shape, otherwise None."""
    match entry:
        case [str(label), int() | float() as sure, [int() | float(), *_] as box]:
            if len(box) == 4 and are_numbers([sure, *box]):
                left, top, right, bottom = box
                return Shape(label, sure, ((left, top), (right, top), (right, bottom), (left, bottom)))
        case [str(label), int() | float() as sure, [[_, _], *_] as corners] if len(corners) <= MOST_CORNERS:
            are_points = (isinstance(one, list) and len(one) == 2 and are_numbers(one) for one in corners)
            if are_numbers([sure]) and all(are_points):
                return Shape(label, sure, tuple((x, y) for x, y in corners))
    return None


def are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(one, int | float) and abs(one) < FARTHEST for one in values)


def draw_findings(findings: Findings, picture: Thumbnail | None) -> Drawing:
    """Return the drawing of what was found in a picture; without tags if the picture cannot be shown."""
    if picture is None or not picture.path:
        return Drawing(*findings, picture, 0, ())
    letters = max(picture.full_width / 20, picture.full_height / 32)  # to be read in a card, some 20 letters wide
    return Drawing(
        *findings, picture, letters, place_tags(findings.shapes, picture.full_width, picture.full_height, letters)
    )


def place_tags(shapes: Sequence[Shape], width: int, height: int, letters: float) -> list[Tag]:
    """Return the place of each shape's number in pixels: above the shape if there is room, otherwise inside."""
    colours: dict[str, int] = {}
    found: list[Tag] = []
    for one in shapes:
        left, top, right, _ = one.ends
        starts = left < width / 2
        x = min(max(left if starts else right, 0), width)
        y = min(top - letters / 4 if top >= 1.25 * letters else max(top, 0) + letters, height)
        colour = colours.setdefault(one.label, len(colours) % COLOURS)
        found.append(Tag(round(x, 1), round(y, 1), "start" if starts else "end", colour))
    return found


class Mask(NamedTuple):
    """A mask that can be shown, and the inputs of the same size, which it belongs to."""

    name: str
    picture: Thumbnail
    inputs: Sequence[tuple[str, Thumbnail]]


def masks_of(item: Item, pictures: Mapping[str, Thumbnail]) -> list[Mask]:
    """Return the masks of an item that can be shown. `pictures` are the item's own, by sha256."""

    def of_role(role: str) -> list[tuple[EditionPicture, Thumbnail]]:
        shown = ((one, pictures[one.sha256]) for one in item.of_role(role))
        return [(one, found) for one, found in shown if found.path]

    inputs = of_role("input")
    return [
        Mask(one.name, mask, [(other.name, found) for other, found in inputs if full_size(found) == full_size(mask)])
        for one, mask in of_role("mask")
    ]


def full_size(thumbnail: Thumbnail) -> tuple[int, int]:
    return thumbnail.full_width, thumbnail.full_height
