"""Three scenes whose outcome is computed: weights on a beam, blocks above a tank of water, a ball above ramps (2.2)."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from PIL import Image, ImageDraw

from gamut.tables.images import as_png
from stages.gapeval.construction.cases import GREY, INK, MARK, PALE, PAPER, WIDTH, Case, Colour, empty_sheet, write_text

LEVER = (
    "The picture shows weights on a beam that two props hold level. The numbers are masses in kilograms, the marks on "
    "the beam are equally far apart."
)
LEVER_QUESTION = (
    f"{LEVER} The props are taken away. Which side goes down, the left or the right, or does the beam stay level?"
)
LEVER_PROMPT = f"{LEVER} Show the same picture after the props have been taken away and the beam has come to rest."
ARMS, HEAVIEST = 4, 9
"""Marks on each side; largest weight in kilograms."""
LEVER_HEIGHT, BEAM_TOP = 400, 220
"""Height of the picture in pixels, and from its top to the beam."""
MARK_STEP, WEIGHT_SIDE = 66, 48
"""Pixels from mark to mark, and of a weight."""
PROP_COLOUR: Colour = (196, 150, 96)
TILT = 12.0
"""Degrees of a beam at rest that is not level."""
MOST_DRAWN = 500
Outcome = Literal["left", "right", "level"]
OUTCOMES = {"left": "The left side goes down.", "right": "The right side goes down.", "level": "The beam stays level."}


class Lever(NamedTuple):
    """Weights, each with its mark (below 0: on the left) and its kilograms."""

    weights: tuple[tuple[int, int], ...]

    @property
    def moment(self) -> int:
        return sum(mark * kilograms for mark, kilograms in self.weights)

    @property
    def outcome(self) -> Outcome:
        return "level" if self.moment == 0 else "right" if self.moment > 0 else "left"


def draw_lever(chance: random.Random) -> Lever | None:
    outcome = chance.choice(list(OUTCOMES))
    marks = [mark for mark in range(-ARMS, ARMS + 1) if mark]
    for _ in range(MOST_DRAWN):
        chosen = sorted(chance.sample(marks, chance.randint(2, 4)))
        lever = Lever(tuple((mark, chance.randint(1, HEAVIEST)) for mark in chosen))
        if chosen[0] < 0 < chosen[-1] and lever.outcome == outcome:
            return lever
    return None


def lever_case(lever: Lever) -> Case:
    tilt = {"left": TILT, "right": -TILT, "level": 0.0}[lever.outcome]
    terms = [f"{kilograms} * {mark}" for mark, kilograms in lever.weights]
    proof = f"{' + '.join(terms)} = {lever.moment}"
    before, after = lever_picture(lever, None), lever_picture(lever, tilt)
    return Case("balance", LEVER_QUESTION, LEVER_PROMPT, (before,), OUTCOMES[lever.outcome], after, proof)


def lever_picture(lever: Lever, tilt: float | None) -> bytes:
    image, draw = empty_sheet(WIDTH, LEVER_HEIGHT)
    middle, half = WIDTH / 2, ARMS * MARK_STEP + 30
    draw.rectangle((middle - half, BEAM_TOP, middle + half, BEAM_TOP + 12), fill=GREY)
    for mark in range(-ARMS, ARMS + 1):
        draw.rectangle(
            (middle + mark * MARK_STEP - 1, BEAM_TOP, middle + mark * MARK_STEP + 1, BEAM_TOP + 12), fill=INK
        )
    for mark, kilograms in lever.weights:
        x = middle + mark * MARK_STEP
        draw.rectangle(
            (x - WEIGHT_SIDE / 2, BEAM_TOP - WEIGHT_SIDE, x + WEIGHT_SIDE / 2, BEAM_TOP - 1),
            fill=PALE,
            outline=INK,
            width=3,
        )
        write_text(draw, (x, BEAM_TOP - WEIGHT_SIDE / 2), str(kilograms), 28)
    if tilt:
        image = image.rotate(tilt, Image.Resampling.BICUBIC, center=(middle, BEAM_TOP + 12), fillcolor=PAPER)
        draw = ImageDraw.Draw(image)
    ground = LEVER_HEIGHT - 30
    for prop in () if tilt is not None else (middle - half + 16, middle + half - 16):
        draw.rectangle((prop - 9, BEAM_TOP + 13, prop + 9, ground), fill=PROP_COLOUR)
    draw.polygon([(middle, BEAM_TOP + 13), (middle - 46, ground), (middle + 46, ground)], fill=INK)
    draw.rectangle((40, ground, WIDTH - 40, ground + 4), fill=INK)
    return as_png(image)


TANK = (
    "The picture shows three blocks above a tank of water, with the mass and the volume of each. Water has a mass of "
    "1 gram per millilitre."
)
TANK_QUESTION = f"{TANK} The blocks are put into the water. Say for each whether it floats or sinks."
TANK_PROMPT = f"{TANK} Show the same picture after the blocks have been put into the water and have come to rest."
BLOCKS = "ABC"
TANK_HEIGHT, SURFACE, BOTTOM = 480, 270, 450
"""Height of the picture in pixels, and from its top to the water's surface and bottom."""
BLOCK_SIDE, HELD_TOP = 72, 150
"""Pixels of a block, and from the top to its upper edge while it is held."""
WATER: Colour = (170, 205, 240)
WOOD: Colour = (196, 150, 96)
DENSITY_MARGIN = 0.15
"""Least difference of a block's density from that of water: so it clearly floats or sinks."""


class Tank(NamedTuple):
    """Blocks with their grams and millilitres, from left to right."""

    blocks: tuple[tuple[int, int], ...]

    @property
    def afloat(self) -> tuple[bool, ...]:
        return tuple(grams < volume for grams, volume in self.blocks)

    @property
    def outcome(self) -> str:
        """Return what the blocks do: `A floats. B sinks. C floats.`"""
        pairs = zip(BLOCKS, self.afloat, strict=True)
        return " ".join(f"{name} {'floats' if floats else 'sinks'}." for name, floats in pairs)


def draw_tank(chance: random.Random) -> Tank | None:
    blocks = tuple((chance.randrange(40, 400, 10), chance.randrange(50, 400, 10)) for _ in BLOCKS)
    clear = all(
        abs(grams / volume - 1) >= DENSITY_MARGIN and grams / volume >= DENSITY_MARGIN for grams, volume in blocks
    )
    return Tank(blocks) if clear else None


def tank_case(tank: Tank) -> Case:
    proof = ", ".join(f"{grams} / {volume} = {grams / volume:.2f}" for grams, volume in tank.blocks)
    before, after = tank_picture(tank, False), tank_picture(tank, True)
    return Case("float", TANK_QUESTION, TANK_PROMPT, (before,), tank.outcome, after, proof)


def tank_picture(tank: Tank, rested: bool) -> bytes:
    image, draw = empty_sheet(WIDTH, TANK_HEIGHT)
    draw.rectangle((40, SURFACE, WIDTH - 40, BOTTOM), fill=WATER)
    for number, ((grams, volume), floats) in enumerate(zip(tank.blocks, tank.afloat, strict=True)):
        x, top = WIDTH * (number + 1) / 4, HELD_TOP
        if rested:
            top = round(SURFACE - BLOCK_SIDE * (1 - grams / volume)) if floats else BOTTOM - BLOCK_SIDE
        write_text(draw, (x, 36), BLOCKS[number], 30)
        write_text(draw, (x, 76), f"{grams} g", 26)
        write_text(draw, (x, 112), f"{volume} ml", 26)
        draw.rectangle((x - BLOCK_SIDE / 2, top, x + BLOCK_SIDE / 2, top + BLOCK_SIDE), fill=WOOD, outline=INK, width=3)
        write_text(draw, (x, top + BLOCK_SIDE / 2), BLOCKS[number], 30)
    draw.line((40, SURFACE - 60, 40, BOTTOM, WIDTH - 40, BOTTOM, WIDTH - 40, SURFACE - 60), fill=INK, width=6)
    return as_png(image)


RUN = (
    "The picture shows a ball above tilted ramps, with bins below them. The ball falls straight down, rolls slowly to "
    "the lower end of every ramp that it lands on, and falls straight down from there."
)
RUN_QUESTION = f"{RUN} In which bin does it end?"
RUN_PROMPT = f"{RUN} Show the same picture with the ball in the bin in which it ends, and no longer where it was."
BINS = "ABCDE"
RUN_HEIGHT, FLOOR, WALL = 520, 470, 60
"""Height of the picture in pixels, from its top to the floor of the bins, and height of their walls."""
LEFT, BIN = 45, 110
"""Pixels from the left to the first bin, and of a bin."""
BALL, START = 16, 34
"""Pixels of the ball's radius, and from the top to its middle."""
LAYERS, LAYER, RISE = 4, 84, 26
"""Number of ramps below each other; pixels from one to the next, and from a ramp's lower end to its upper one."""
RUN_CLEARANCE = 26
"""Least distance in pixels of the ball from the ends of ramps that it meets, and from the walls of bins."""
REACH = BALL + 6
"""Pixels beyond a ramp's end at which the ball falls."""


class Ramp(NamedTuple):
    """A ramp, by its ends from the left of the picture. `lower`: the lower end, 0 or 1."""

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
    """Return where the ball is at first and after every ramp. None if it comes too near to an end or a wall."""
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
