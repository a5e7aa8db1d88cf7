"""Blocks above a tank of water, and where they come to rest in it: afloat, or on its bottom, by mass and volume."""

from __future__ import annotations

import random
from typing import NamedTuple

from gamut.tables.images import as_png
from stages.gapeval.construction.cases import INK, WIDTH, Case, Colour, empty_sheet, write_text

TANK_QUESTION = (
    "The picture shows three blocks above a tank of water, with the mass and the volume of each. Water has a mass of "
    "1 gram per millilitre. The blocks are put into the water. Say for each whether it floats or sinks."
)
TANK_PROMPT = (
    "The picture shows three blocks above a tank of water, with the mass and the volume of each. Water has a mass of "
    "1 gram per millilitre. Show the same picture after the blocks have been put into the water and have come "
    "to rest."
)
BLOCKS = "ABC"
TANK_HEIGHT, SURFACE, BOTTOM = 480, 270, 450
"""Pixels of the picture, and from its top to the water's surface and bottom."""
BLOCK_SIDE, HELD_TOP = 72, 150
"""Pixels of a block, and from the top to its upper edge while it is held."""
WATER: Colour = (170, 205, 240)
WOOD: Colour = (196, 150, 96)
DENSITY_MARGIN = 0.15
"""By how much of the water's a block's density differs from it at least: so its block is clearly afloat."""


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
    return Case(
        "float", TANK_QUESTION, TANK_PROMPT, (tank_picture(tank, False),), tank.outcome, tank_picture(tank, True), proof
    )


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
