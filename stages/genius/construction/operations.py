"""Operations: what changes from one picture to another, and is to be done with a third."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stages.genius.construction.scenes import NUMBERS, Scene, Things

PLACES = {"left": ("on the left", "on the right"), "above": ("at the top", "at the bottom")}
"""Where the first and the second things of a scene stand, by their relation."""


class Operation(NamedTuple):
    """What is done with a scene of two groups: `place`, 0 or 1, gets another colour or number, where it has been a
    single thing; None: both change places.
    """

    place: int | None = None
    colour: str | None = None
    number: int | None = None


EXCHANGE = Operation()


def operations(colours: Sequence[str], most: int) -> list[Operation]:
    """Return all that bring one of these colours, or two to `most` things of a kind, to one of two places."""
    brought = [(colour, None) for colour in colours] + [(None, number) for number in range(2, most + 1)]
    return [Operation(place, *one) for place in (0, 1) for one in brought]


def done(scene: Scene, *performed: Operation) -> Scene:
    """Return what becomes of a scene of two groups by operations, one after the other."""
    for one in performed:
        first, second = (_changed(things, one, place) for place, things in enumerate(scene.groups))
        scene = scene._replace(groups=(second, first) if one.place is None else (first, second))
    return scene


def alike(scene: Scene, changes: Sequence[Operation]) -> list[Scene]:
    """Return four scenes of which nobody can tell which is meant: what each of the first changes that are needed for
    them makes of a scene, and what it would make of it in the other place.
    """
    both = (one for change in changes for one in (change, change._replace(place=1 - (change.place or 0))))
    return [done(scene, one) for one in [*dict.fromkeys(both)][:4]]


def _changed(things: Things, one: Operation, place: int) -> Things:
    if place != one.place:
        return things
    return things._replace(colour=one.colour or things.colour, number=one.number or things.number)


def operation_in_words(one: Operation, relation: str) -> str:
    """Return what an operation does where things stand so: `gives what stands on the left the colour green`."""
    if one.place is None:
        return "makes the things change places"
    what = f"what stands {PLACES[relation][one.place]}"
    return f"gives {what} the colour {one.colour}" if one.colour else f"makes {NUMBERS[one.number or 0]} of {what}"
