"""Places of pictures in a text: how the writer of a pair says what is to be painted where."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST = 8
"""Pictures that are painted for one answer."""
ASKED = f"""
A painter makes the pictures of your answer. Write each one as <picture>…</picture> where it belongs in the answer, \
with a description in place of the dots. The painter is given the pictures of the task, if it has any, and that \
description: not the task, not your other words, no other description. So say in each all that is to be seen. Make as \
many pictures as the task asks for, {MOST} at most; one where it says no number. What stands outside of <picture> is \
your answer in words; descriptions are no part of it.
"""
"""What a writer is asked beside the task."""
PLACE = re.compile(r"<picture>(.*?)</picture>", re.DOTALL | re.IGNORECASE)


class Place(NamedTuple):
    """The place of a picture, with what is to be seen on it."""

    description: str


def places_in(text: str) -> list[str | Place]:
    """Return a text's words and places in order, as it is where it has none; a place without a description is none."""
    pieces = PLACE.split(text)
    if len(pieces) == 1:
        return pieces[:]
    of_places = (Place(piece.strip()) if number % 2 else piece.strip("\n") for number, piece in enumerate(pieces))
    return [piece for piece in of_places if (piece.description if isinstance(piece, Place) else piece.strip())]
