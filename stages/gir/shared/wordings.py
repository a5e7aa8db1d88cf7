"""What people are asked of an answer in the place of observers: the same, in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gamut.evaluation.defining.questions import Wording
from stages.gir.shared.items import GirItem
from stages.gir.shared.measures.recognition import LETTERS
from stages.gir.shared.prompts import options

DIRECTIONS = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"}
REGION_WORDING = Wording(
    "Beside the answer stands a mask. How large is what both the green that was painted and the mask's white cover, "
    "as a share of what either of them covers?",
    graded=True,
)


def count_wording(item: GirItem) -> Wording:
    told = [f"{label}: {number or 'none'}" for label, number in zip(item.objects, item.numbers, strict=False)]
    told += [f"{label}: none" for label in item.absent]
    return Wording(f"Does the picture show exactly so many? {', '.join(told)}")


def place_wording(item: GirItem) -> Wording:
    once, holds = ", ".join(item.objects), "; ".join(relation_texts(item))
    return Wording(f"Does the picture show each of these exactly once: {once}; and does all of this hold: {holds}?")


def relation_wording(item: GirItem) -> Wording:
    holds = "; ".join(relation_texts(item))
    return Wording(
        f"Which share of this holds: {holds}? What stands of something that is not there exactly once does not.",
        graded=True,
    )


def relation_texts(item: GirItem) -> list[str]:
    return [f"{together(one.subject)} {DIRECTIONS[one.direction]} {together(one.object)}" for one in item.relations]


def together(labels: Sequence[str]) -> str:
    return " and ".join(labels)


def text_wording(item: GirItem) -> Wording:
    return Wording(
        f"Which share of these words can be read in the picture, each as often as here: {item.lettering}? None where "
        "they are lost in a wall of other words.",
        graded=True,
    )


def tile_wording(item: GirItem) -> Wording:
    return Wording(
        f"Beside the answer stands the solution. Cut both into {item.rows} rows and {item.columns} columns: "
        "which share of the tiles shows what stands there in the solution?",
        graded=True,
    )


def grid_wording(item: GirItem) -> Wording:
    """Return what is asked about a Sudoku: the grid is told row by row, what was given as dots."""
    side = max(1, math.isqrt(len(item.puzzle)))
    wanted = "".join("." if given != "0" else right for given, right in zip(item.puzzle, item.answer, strict=False))
    grid = " / ".join(wanted[start : start + side] for start in range(0, len(wanted), side))
    return Wording(
        f"Row by row these digits were wanted, where no dot stands: {grid}. How many of them stand there, as a share "
        f"of {len(wanted) - wanted.count('.')} and of the other digits that were altered, together?",
        graded=True,
    )


def name_wording(item: GirItem) -> Wording:
    others = f", and none of these: {', '.join(item.distractors)}" if item.distractors else ""
    return Wording(f"Does the answer name this: {' / '.join(item.names)}{others}?")


def choice_wording(item: GirItem) -> Wording:
    among = options(item)
    listed = ", ".join(f"{letter}) {one}" for letter, one in zip(LETTERS, among, strict=False))
    right = among.index(item.entity)
    return Wording(f"Of {listed}: does the answer choose {LETTERS[right]}) {among[right]} alone?")
