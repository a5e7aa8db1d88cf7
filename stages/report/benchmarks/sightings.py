"""What observers that are no judges found in the pictures of an answer, as shapes and lines to be shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

FARTHEST = 1e9
"""Pixels from a picture's corner, beyond which nothing can be drawn."""


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


class Looked(NamedTuple):
    """What was found in one picture: shapes, or what cannot be drawn as text."""

    shapes: Sequence[Shape]
    text: str = ""


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
    return Looked(known) if len(known) == len(shapes) else Looked((), json.dumps(found, ensure_ascii=False))


def shape(found: Any) -> Shape | None:
    """Return a thing (`asking.seeing.Found`) or a line (`asking.seeing.Line`) as a shape; None for what is neither."""
    match found:
        case [str(label), int() | float() as sure, [int() | float(), *_] as box]:
            if len(box) == 4 and numbers([sure, *box]):
                left, top, right, bottom = box
                return Shape(label, sure, ((left, top), (right, top), (right, bottom), (left, bottom)))
        case [str(label), int() | float() as sure, [[_, _], *_] as corners]:
            if numbers([sure]) and all(isinstance(one, list) and len(one) == 2 and numbers(one) for one in corners):
                return Shape(label, sure, tuple((x, y) for x, y in corners))
    return None


def numbers(values: Sequence[Any]) -> bool:
    """Return whether all are numbers that can be drawn."""
    return all(isinstance(one, int | float) and abs(one) < FARTHEST for one in values)
