"""Spatial layout: every object is there once, and every relation between objects, or groups of them, holds.

There is no `released_score`: see `released`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from gamut.asking.seeing import Detection

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
NEAR_SHARE = 0.25
"""Of the sum of two things' sizes: centres that are no further apart, across and down, are at one place."""
LEAST_COMPONENT = 0.5
"""Least component of the unit offset: the direction is at most 60 degrees off."""
LEAST_PIXELS = 1e-3
"""Pixels by which `NEAR_SHARE` must be exceeded."""


class Relation(NamedTuple):
    """The position of the `subject`, seen from the `object`. Each is one label, or the labels of a group."""

    subject: tuple[str, ...]
    direction: Literal["left", "right", "above", "below"]
    object: tuple[str, ...]


def score(objects: Sequence[str], relations: Sequence[Relation], found: Sequence[Detection]) -> float:
    """Return 1 if each object has one box and every relation holds, else 0."""
    counts, boxes = Counter(one.label for one in found), boxes_of(found)
    return float(all(counts[label] == 1 for label in objects) and all(holds(one, boxes) for one in relations))


def relation_share(relations: Sequence[Relation], found: Sequence[Detection]) -> float:
    """Return the share of relations that hold, 0..1; not with a missing or doubled thing. ValueError for none."""
    if not relations:
        raise ValueError("there are no relations, so no share of them")
    counts, boxes = Counter(one.label for one in found), boxes_of(found)
    clear = [all(counts[label] == 1 for label in (*one.subject, *one.object)) for one in relations]
    return sum(sure and holds(one, boxes) for one, sure in zip(relations, clear, strict=True)) / len(relations)


def boxes_of(found: Sequence[Detection]) -> dict[str, Box]:
    return {one.label: one.box for one in reversed(found)}


def holds(relation: Relation, boxes: dict[str, Box]) -> bool:
    """Whether the centres of the smallest box around each group are apart in this direction by over NEAR_SHARE."""
    subject, thing = box_around(relation.subject, boxes), box_around(relation.object, boxes)
    if subject is None or thing is None:
        return False
    offsets, beyond = [], []
    for low, high in ((0, 2), (1, 3)):
        offset = (subject[low] + subject[high]) / 2 - (thing[low] + thing[high]) / 2
        offsets.append(offset)
        beyond.append(abs(offset) - NEAR_SHARE * (subject[high] - subject[low] + thing[high] - thing[low]))
    if max(beyond) < LEAST_PIXELS:
        return False
    across, down = (offset / math.hypot(*offsets) for offset in offsets)
    return {"left": -across, "right": across, "above": -down, "below": down}[relation.direction] > LEAST_COMPONENT


def box_around(labels: Sequence[str], boxes: dict[str, Box]) -> Box | None:
    some = [boxes[label] for label in labels if label in boxes]
    if not some:
        return None
    left, top, right, bottom = zip(*some, strict=True)
    return min(left), min(top), max(right), max(bottom)
