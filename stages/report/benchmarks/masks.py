"""Masks of an item, and the pictures that pages lay them over: where an input is to be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stages.evaluation.defining.editions import EditionPicture, Item
from stages.report.site.thumbnails import Shown


class Mask(NamedTuple):
    """A mask that can be shown, and the inputs of its size: those in which it says what is meant."""

    name: str
    shown: Shown
    inputs: Sequence[tuple[str, Shown]]


def masks_of(item: Item, pictures: Mapping[str, Shown]) -> list[Mask]:
    """Return the masks of an item; of pictures that cannot be shown, none. `pictures`: its own, by their sha256."""

    def of_role(role: str) -> list[tuple[EditionPicture, Shown]]:
        shown = ((one, pictures[one.sha256]) for one in item.images if one.role == role)
        return [(one, found) for one, found in shown if found.path]

    inputs = of_role("input")
    return [
        Mask(one.name, mask, [(other.name, found) for other, found in inputs if full_size(found) == full_size(mask)])
        for one, mask in of_role("mask")
    ]


def full_size(shown: Shown) -> tuple[int, int]:
    """Return width and height of a picture in its own pixels."""
    return shown.full_width, shown.full_height
