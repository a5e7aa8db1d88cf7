"""Patterns of squares: the mirror image of a pattern, and the fourth state of a sequence (2.2).

All rules of the pool that fit the first three states lead to the same fourth state; or the question states the rule.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise, product
from typing import NamedTuple

from gamut.tables.images import as_png
from stages.gapeval.construction.cases import GREY, PAPER, Case, Colour, empty_sheet

COLOURS: tuple[Colour, ...] = ((30, 90, 200), (190, 60, 40), (20, 130, 70), (130, 50, 160))
"""Colours of squares."""
ROWS_FORMAT = (
    "Say for each row, from the top, which of its squares are filled, counted from the left, such as: "
    "Row 1: 2, 4. Row 2: none."
)
"""The form of an answer in words about a pattern."""


def describe_rows(rows: Rows) -> str:
    """Return which squares (1: filled) of each row are filled: `Row 1: 2, 4. Row 2: none.`"""
    told = [", ".join(str(place) for place, filled in enumerate(row, 1) if filled) or "none" for row in rows]
    return " ".join(f"Row {number}: {places}." for number, places in enumerate(told, 1))


Rows = tuple[tuple[int, ...], ...]
"""Squares row by row from the top, 1 for a filled one."""
SQUARE, MARGIN = 48, 24
"""Pixels of a square, and around the pattern."""


def pattern_picture(rows: Rows, fill: Colour, mirror: bool = False) -> bytes:
    size = (len(rows[0]) * SQUARE + 2 * MARGIN, len(rows) * SQUARE + 2 * MARGIN)
    image, draw = empty_sheet(*size)
    for y, row in enumerate(rows):
        for x, filled in enumerate(row):
            left, top = MARGIN + x * SQUARE, MARGIN + y * SQUARE
            colour = fill if filled else PAPER
            draw.rectangle((left, top, left + SQUARE, top + SQUARE), fill=colour, outline=GREY, width=2)
    if mirror:
        middle = size[0] // 2
        draw.rectangle((middle - 4, 4, middle + 4, size[1] - 5), fill=(0, 0, 0))
    return as_png(image)


MIRROR = "The picture shows a pattern of squares left of a mirror, the black line, and empty squares right of it."
MIRROR_QUESTION = f"{MIRROR} Which of the squares on the right does the mirror image fill? {ROWS_FORMAT}"
MIRROR_PROMPT = f"{MIRROR} Return the same picture with the mirror image filled in on the right."
ROWS, COLUMNS = 5, 4


class Mirror(NamedTuple):
    """The pattern on the left, and the colour of its squares."""

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
    told, proof = describe_rows(mirror.right), "every row of the pattern from its end"
    return Case("mirror", MIRROR_QUESTION, MIRROR_PROMPT, (question,), told, reference, proof)


OPENING = (
    "The pictures show the first, the second and the third state of a pattern. The same rule leads from each state to "
    "the next. "
)
RULES_IN_WORDS = (
    "It is one of these: the filled squares become more from left to right and from top to bottom; or the pattern is "
    "turned, or mirrored, or neither; after that all filled squares may move equally, by two squares at most, and what "
    "leaves the pattern comes in on its other side; after that filled and empty squares may change places. "
)
LIFE_IN_WORDS = (
    "The rule: a filled square stays filled if two or three of its eight neighbours are filled; an empty square is "
    "filled if exactly three are; all others are empty. Beyond the edges all is empty. "
)
SEQUENCE_QUESTION = f"Which squares are filled in the fourth state? {ROWS_FORMAT}"
SEQUENCE_PROMPT = "Show the fourth state as a picture of the same kind."
SIDES = (4, 5)


class Sequence(NamedTuple):
    """Four states, their colour, the rules of the pool that fit, and whether the question states the rule."""

    states: tuple[Rows, ...]
    fill: Colour
    rules: tuple[str, ...]
    rule_given: bool


def draw_sequence(chance: random.Random) -> Sequence | None:
    """Draw a sequence. None if the fourth state equals an earlier one, perhaps turned or mirrored, since a copy is not
    an answer; if nothing is left; or if fitting rules lead to several states.
    """
    side = chance.choice(SIDES)
    kind = chance.choice(("turn by 0", "turn by", "mirror", "more", "life"))
    name = chance.choice([name for name in (*POOL, "life") if name.startswith(kind)])
    rule = RULES[name]
    share = chance.choice((0.2, 0.35, 0.5))
    squares = [int(chance.random() < share) for _ in range(side * side)]
    if kind == "more":
        squares = [int(place < sum(squares[: side * 2])) for place in range(side * side)]
    states = [tuple(tuple(squares[row * side : (row + 1) * side]) for row in range(side))]
    for _ in range(3):
        if (following := rule(states[-1])) is None or not any(map(any, following)):
            return None
        states.append(following)
    if any(states[3] in orientations(state) for state in states[:3]):
        return None
    fitting = (name,) if kind == "life" else tuple(fitting_rules(states[:3]))
    if len({RULES[one](states[2]) for one in fitting}) != 1:
        return None
    return Sequence(tuple(states), chance.choice(COLOURS), fitting, kind == "life")


def sequence_case(sequence: Sequence) -> Case:
    begun = OPENING + (LIFE_IN_WORDS if sequence.rule_given else RULES_IN_WORDS)
    pictures = tuple(pattern_picture(state, sequence.fill) for state in sequence.states[:3])
    *_, last = sequence.states
    proof = f"rules that fit, all with the same fourth state: {', '.join(sequence.rules)}"
    told, reference = describe_rows(last), pattern_picture(last, sequence.fill)
    return Case("sequence", begun + SEQUENCE_QUESTION, begun + SEQUENCE_PROMPT, pictures, told, reference, proof)


def fitting_rules(states: list[Rows]) -> list[str]:
    """Return the rules of the pool that lead from each state to the next."""
    pairs = list(pairwise(states))
    return [name for name in POOL if all(RULES[name](one) == other for one, other in pairs)]


def turn_and_move(turn: Callable[[Rows], Rows], down: int, right: int, rows: Rows) -> Rows:
    """Turn and move a pattern. Squares that leave it enter on the other side."""
    rows, side = turn(rows), len(rows)
    return tuple(tuple(rows[(y - down) % side][(x - right) % side] for x in range(side)) for y in range(side))


def turn_squares(quarters: int, rows: Rows) -> Rows:
    for _ in range(quarters):
        rows = tuple(zip(*rows[::-1], strict=True))
    return rows


def orientations(rows: Rows) -> set[Rows]:
    return {turn_squares(quarters, one) for quarters in range(4) for one in (rows, mirror_squares(True, rows))}


def mirror_squares(upright: bool, rows: Rows) -> Rows:
    """Mirror a pattern: exchange left and right, or top and bottom."""
    return tuple(row[::-1] for row in rows) if upright else rows[::-1]


def invert_squares(rule: Callable[[Rows], Rows], rows: Rows) -> Rows:
    return tuple(tuple(1 - square for square in row) for row in rule(rows))


def fill_more(by: int, rows: Rows) -> Rows | None:
    """Fill `by` more squares. None if the filled ones are not the first, or too few are left."""
    squares = [square for row in rows for square in row]
    count = sum(squares)
    if not all(squares[:count]) or not 0 < count <= len(squares) - by:
        return None
    side = len(rows)
    return tuple(tuple(int(y * side + x < count + by) for x in range(side)) for y in range(side))


def step_of_life(rows: Rows) -> Rows:
    side = range(len(rows))

    def neighbours(y: int, x: int) -> int:
        around = product((y - 1, y, y + 1), (x - 1, x, x + 1))
        return sum(rows[v][u] for v, u in around if v in side and u in side and (v, u) != (y, x))

    return tuple(tuple(int(neighbours(y, x) in ((2, 3) if rows[y][x] else (3,))) for x in side) for y in side)


TURNS: Mapping[str, Callable[[Rows], Rows]] = {
    **{f"turn by {90 * quarters} degrees": partial(turn_squares, quarters) for quarters in (0, 1, 2, 3)},
    "mirror left and right": partial(mirror_squares, True),
    "mirror top and bottom": partial(mirror_squares, False),
}
MOVES: Mapping[str, Callable[[Rows], Rows]] = {
    f"{turn}, move {down} down, {right} right": partial(turn_and_move, rule, down, right)
    for turn, rule in TURNS.items()
    for down, right in product((-2, -1, 0, 1, 2), repeat=2)
}
"""Rules that may be combined with an exchange of filled and empty squares."""
RULES: Mapping[str, Callable[[Rows], Rows | None]] = {
    **MOVES,
    **{f"{name}, change places": partial(invert_squares, rule) for name, rule in MOVES.items()},
    **{f"more by {by}": partial(fill_more, by) for by in (1, 2, 3, 4)},
    "life": step_of_life,
}
"""Rules that lead from a state to the next, by name."""
POOL = tuple(name for name in RULES if name != "life")
"""Rules that the question does not state."""
