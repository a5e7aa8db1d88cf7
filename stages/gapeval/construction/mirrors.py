"""A pattern left of a mirror, and its mirror image right of it."""

from __future__ import annotations

import random
from typing import NamedTuple

from stages.gapeval.construction.cases import COLOURS, ROWS_FORMAT, Case, Colour, Rows, describe_rows, pattern_picture

MIRROR_QUESTION = (
    "The picture shows a pattern of squares left of a mirror, the black line, and empty squares right of it. Which of "
    f"the squares on the right does the mirror image fill? {ROWS_FORMAT}"
)
MIRROR_PROMPT = (
    "The picture shows a pattern of squares left of a mirror, the black line, and empty squares right of it. Return "
    "the same picture with the mirror image filled in on the right."
)
ROWS, COLUMNS = 5, 4


class Mirror(NamedTuple):
    """The pattern on the left, and what its squares are filled with."""

    left: Rows
    fill: Colour

    @property
    def right(self) -> Rows:
        return tuple(row[::-1] for row in self.left)


def draw_mirror(chance: random.Random) -> Mirror | None:
    rows = tuple(tuple(chance.randrange(2) for _ in range(COLUMNS)) for _ in range(ROWS))
    mirror = Mirror(rows, chance.choice(COLOURS))
    return mirror if rows != mirror.right and 5 <= sum(map(sum, rows)) <= 15 else None


def mirror_case(mirror: Mirror) -> Case:
    empty = ((0,) * COLUMNS,) * ROWS
    question, reference = (
        pattern_picture(
            tuple(left + right for left, right in zip(mirror.left, half, strict=True)), mirror.fill, mirror=True
        )
        for half in (empty, mirror.right)
    )
    told = describe_rows(mirror.right)
    return Case(
        "mirror", MIRROR_QUESTION, MIRROR_PROMPT, (question,), told, reference, "every row of the pattern from its end"
    )
