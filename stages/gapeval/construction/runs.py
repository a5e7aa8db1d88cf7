"""A ball above tilted ramps, and the bin in which it ends: it rolls off each ramp at its lower end and falls."""

from __future__ import annotations

import random
from typing import NamedTuple

from gamut.tables.images import as_png
from stages.gapeval.construction.cases import INK, MARK, WIDTH, Case, empty_sheet, write_text

RUN_QUESTION = (
    "The picture shows a ball above tilted ramps, with bins below them. The ball falls straight down, rolls slowly to "
    "the lower end of every ramp that it lands on, and falls straight down from there. In which bin does it end?"
)
RUN_PROMPT = (
    "The picture shows a ball above tilted ramps, with bins below them. The ball falls straight down, rolls slowly to "
    "the lower end of every ramp that it lands on, and falls straight down from there. Show the same picture with the "
    "ball in the bin in which it ends, and no longer where it was."
)
BINS = "ABCDE"
RUN_HEIGHT, FLOOR, WALL = 520, 470, 60
"""Pixels of the picture, from its top to the floor of the bins, and of their walls."""
LEFT, BIN = 45, 110
"""Pixels from the left to the first bin, and of a bin."""
BALL, START = 16, 34
"""Pixels of the ball's radius, and from the top to its middle."""
LAYERS, LAYER, RISE = 4, 84, 26
"""Ramps under each other; pixels from one to the next, and from a ramp's lower end to its upper one."""
RUN_CLEARANCE = 26
"""Pixels that the ball stays away from the ends of ramps that it lands on or passes, and from the walls of bins."""
REACH = BALL + 6
"""Pixels beyond a ramp's end at which the ball falls."""


class Ramp(NamedTuple):
    """A ramp, by its ends from the left of the picture; `lower`: at which of them it is lower, 0 or 1."""

    ends: tuple[int, int]
    lower: int


class Run(NamedTuple):
    """Where the ball begins, from the left, and the ramps from above."""

    start: int
    ramps: tuple[Ramp, ...]


def draw_run(chance: random.Random) -> Run | None:
    ramps = []
    for _ in range(LAYERS):
        wide = chance.randint(150, 300)
        left = chance.randint(LEFT, LEFT + BIN * len(BINS) - wide)
        ramps.append(Ramp((left, left + wide), chance.randrange(2)))
    run = Run(chance.randint(LEFT + RUN_CLEARANCE, LEFT + BIN * len(BINS) - RUN_CLEARANCE), tuple(ramps))
    way = way_of(run)
    return run if way and len(set(way)) > 2 else None


def way_of(run: Run) -> list[int] | None:
    """Return where the ball is at first and behind every ramp; None where it comes too near to an end or a wall."""
    way = [run.start]
    for (left, right), lower in run.ramps:
        x = way[-1]
        if min(abs(x - left), abs(x - right)) < RUN_CLEARANCE:
            return None
        way.append((left - REACH, right + REACH)[lower] if left < x < right else x)
    beyond = (way[-1] - LEFT) % BIN
    inside = LEFT < way[-1] < LEFT + BIN * len(BINS)
    return way if inside and RUN_CLEARANCE <= beyond <= BIN - RUN_CLEARANCE else None


def run_case(run: Run) -> Case:
    way = way_of(run)
    assert way is not None
    number = (way[-1] - LEFT) // BIN
    proof = f"the ball is at {', '.join(map(str, way))}: bin {number + 1} of {len(BINS)}"
    end = (way[-1], FLOOR - BALL - 3)
    before, after = run_picture(run, (run.start, START)), run_picture(run, end)
    return Case("ramp", RUN_QUESTION, RUN_PROMPT, (before,), f"The ball ends in bin {BINS[number]}.", after, proof)


def run_picture(run: Run, ball: tuple[int, int]) -> bytes:
    image, draw = empty_sheet(WIDTH, RUN_HEIGHT)
    for layer, ((left, right), lower) in enumerate(run.ramps):
        low = START + BALL + 40 + layer * LAYER + RISE
        heights = (low, low - RISE) if lower == 0 else (low - RISE, low)
        draw.line((left, heights[0], right, heights[1]), fill=INK, width=7)
    far = LEFT + BIN * len(BINS)
    draw.rectangle((LEFT - 3, FLOOR, far + 3, FLOOR + 5), fill=INK)
    for number in range(len(BINS) + 1):
        draw.rectangle((LEFT + number * BIN - 3, FLOOR - WALL, LEFT + number * BIN + 3, FLOOR), fill=INK)
    for number, name in enumerate(BINS):
        write_text(draw, (LEFT + (number + 0.5) * BIN, FLOOR + 28), name, 30)
    x, y = ball
    draw.ellipse((x - BALL, y - BALL, x + BALL, y + BALL), fill=MARK, outline=INK, width=2)
    return as_png(image)
