"""Weights on a beam on two props, and how it comes to rest without them: which side has the larger moment."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from PIL import Image, ImageDraw

from gamut.tables.images import as_png
from stages.gapeval.construction.cases import GREY, INK, PALE, PAPER, WIDTH, Case, Colour, sheet, write

QUESTION = (
    "The picture shows weights on a beam that two props hold level. The numbers are masses in kilograms, the marks on "
    "the beam are equally far apart. The props are taken away. Which side goes down, the left or the right, or does "
    "the beam stay level?"
)
PROMPT = (
    "The picture shows weights on a beam that two props hold level. The numbers are masses in kilograms, the marks on "
    "the beam are equally far apart. Show the same picture after the props have been taken away and the beam has come "
    "to rest."
)
ARMS, LARGEST = 4, 9
"""Marks on each side; kilograms of a weight."""
HEIGHT, BEAM = 400, 220
"""Pixels of the picture, and from its top to the beam."""
STEP, BOX = 66, 48
"""Pixels from mark to mark, and of a weight."""
PROP: Colour = (196, 150, 96)
TILT = 12.0
"""Degrees by which a beam comes to rest that does not stay level."""
MOST_DRAWN = 500
Outcome = Literal["left", "right", "level"]
TOLD = {"left": "The left side goes down.", "right": "The right side goes down.", "level": "The beam stays level."}


class Lever(NamedTuple):
    """Weights, each with its mark (below 0: on the left) and its kilograms."""

    weights: tuple[tuple[int, int], ...]

    @property
    def moment(self) -> int:
        return sum(mark * kilograms for mark, kilograms in self.weights)

    @property
    def outcome(self) -> Outcome:
        return "level" if self.moment == 0 else "right" if self.moment > 0 else "left"


def drawn(chance: random.Random) -> Lever | None:
    wanted = chance.choice(list(TOLD))
    marks = [mark for mark in range(-ARMS, ARMS + 1) if mark]
    for _ in range(MOST_DRAWN):
        chosen = sorted(chance.sample(marks, chance.randint(2, 4)))
        lever = Lever(tuple((mark, chance.randint(1, LARGEST)) for mark in chosen))
        if chosen[0] < 0 < chosen[-1] and lever.outcome == wanted:
            return lever
    return None


def case_of(lever: Lever) -> Case:
    tilt = {"left": TILT, "right": -TILT, "level": 0.0}[lever.outcome]
    terms = [f"{kilograms} * {mark}" for mark, kilograms in lever.weights]
    proof = f"{' + '.join(terms)} = {lever.moment}"
    return Case("balance", QUESTION, PROMPT, (shown(lever, None),), TOLD[lever.outcome], shown(lever, tilt), proof)


def shown(lever: Lever, tilt: float | None) -> bytes:
    image, draw = sheet(WIDTH, HEIGHT)
    middle, half = WIDTH / 2, ARMS * STEP + 30
    draw.rectangle((middle - half, BEAM, middle + half, BEAM + 12), fill=GREY)
    for mark in range(-ARMS, ARMS + 1):
        draw.rectangle((middle + mark * STEP - 1, BEAM, middle + mark * STEP + 1, BEAM + 12), fill=INK)
    for mark, kilograms in lever.weights:
        x = middle + mark * STEP
        draw.rectangle((x - BOX / 2, BEAM - BOX, x + BOX / 2, BEAM - 1), fill=PALE, outline=INK, width=3)
        write(draw, (x, BEAM - BOX / 2), str(kilograms), 28)
    if tilt:
        image = image.rotate(tilt, Image.Resampling.BICUBIC, center=(middle, BEAM + 12), fillcolor=PAPER)
        draw = ImageDraw.Draw(image)
    ground = HEIGHT - 30
    for prop in () if tilt is not None else (middle - half + 16, middle + half - 16):
        draw.rectangle((prop - 9, BEAM + 13, prop + 9, ground), fill=PROP)
    draw.polygon([(middle, BEAM + 13), (middle - 46, ground), (middle + 46, ground)], fill=INK)
    draw.rectangle((40, ground, WIDTH - 40, ground + 4), fill=INK)
    return as_png(image)
