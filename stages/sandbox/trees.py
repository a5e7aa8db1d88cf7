"""Looks at drawings of binary trees, nodes with a letter each, and visits their nodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from .answering import Unsupported
from .characters import CAPITALS, character
from .exercises import squeezed

_PALE = (200, 240)
"""Grey levels of a node."""
_LEAST = 400
"""Pixels of a node at least."""
_DRAWN = 0.95
"""Share of the way between two nodes that is drawn where an edge leads from one to the other."""
_ASKED = re.compile(r"inwhichorderdoesan?(preorder|inorder|postorder|levelorder)traversalvisitthenodesofthetree\?")


class Spot(NamedTuple):
    """A node as it is seen: its letter, its middle and its radius in pixels."""

    name: str
    x: float
    y: float
    radius: float


def traversed(image: Image.Image, question: str, options: Sequence[str]) -> int | None:
    """Return the place of the option that is the traversal asked for of the tree in a picture, from 0; None where none
    is asked for, or no option is it. Unsupported: there is no such tree.
    """
    if not (asked := _ASKED.fullmatch(squeezed(question))):
        return None
    spots = nodes(image)
    below = children(image, spots)
    roots = [spot for spot in spots if not any(spot in found for found in below.values())]
    if len(roots) != 1:
        raise Unsupported("the picture shows no single tree")
    if asked[1] == "levelorder":
        order = sorted(spots, key=lambda spot: (round(spot.y / spot.radius), spot.x))
    else:
        order = _walked(roots[0], below, asked[1])
    told = "".join(spot.name for spot in order).lower()
    given = [re.sub(r"[^a-z]", "", squeezed(option)) for option in options]
    return given.index(told) if given.count(told) == 1 else None


def nodes(image: Image.Image) -> list[Spot]:
    """Return the nodes in a picture, RGB."""
    grey = np.asarray(image.convert("L"))
    pale = ((grey > _PALE[0]) & (grey < _PALE[1])).astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(pale, connectivity=4)
    found = []
    for left, top, width, height, area in boxes[1:].tolist():
        if area < _LEAST or not 0.8 < width / height < 1.25:
            continue
        inset = round(0.2 * width)
        inside = grey[top + inset : top + height - inset, left + inset : left + width - inset].astype(np.float32)
        name = character(inside, CAPITALS)
        found.append(Spot(name, left + width / 2, top + height / 2, width / 2))
    return found


def children(image: Image.Image, spots: Sequence[Spot]) -> dict[Spot, list[Spot]]:
    """Return which nodes hang below each, from the left. Unsupported: more than two below one."""
    drawn = np.asarray(image.convert("L")) < 200
    found: dict[Spot, list[Spot]] = {spot: [] for spot in spots}
    for upper in spots:
        for lower in sorted(spots, key=lambda spot: spot.x):
            if lower.y > upper.y + upper.radius and _joined(drawn, upper, lower):
                found[upper].append(lower)
        if len(found[upper]) > 2:
            raise Unsupported("the tree in the picture is no binary tree")
    return found


def _joined(drawn: np.ndarray, one: Spot, other: Spot) -> bool:
    away = 1.3 * one.radius / np.hypot(other.x - one.x, other.y - one.y)
    if away >= 0.5:
        return False
    steps = np.linspace(away, 1 - away, 60)
    xs = np.round(one.x + steps * (other.x - one.x)).astype(int)
    ys = np.round(one.y + steps * (other.y - one.y)).astype(int)
    return float(drawn[ys, xs].mean()) >= _DRAWN


def _walked(node: Spot, below: dict[Spot, list[Spot]], order: str) -> list[Spot]:
    before = [found for child in below[node] if child.x < node.x for found in _walked(child, below, order)]
    after = [found for child in below[node] if child.x >= node.x for found in _walked(child, below, order)]
    match order:
        case "preorder":
            return [node, *before, *after]
        case "inorder":
            return [*before, node, *after]
    return [*before, *after, node]
