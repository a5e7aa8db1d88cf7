"""Weights on a beam on two props, and how it comes to rest without them: which side has the larger moment."""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from PIL import Image, ImageDraw

from gamut.tables.images import as_png
from stages.gapeval.construction.cases import GREY, INK, PALE, PAPER, WIDTH, Case, Colour, empty_sheet, write_text

LEVER_QUESTION = (
    "The picture shows weights on a beam that two props hold level. The numbers are masses in kilograms, the marks on "
    "the beam are equally far apart. The props are taken away. Which side goes down, the left or the right, or does "
    "the beam stay level?"
)
LEVER_PROMPT = (
    "The picture shows weights on a beam that two props hold level. The numbers are masses in kilograms, the marks on "
    "the beam are equally far apart. Show the same picture after the props have been taken away and the beam has come "
    "to rest."
)
ARMS, HEAVIEST = 4, 9
"""Marks on each side; kilograms of a weight."""
LEVER_HEIGHT, BEAM_TOP = 400, 220
"""Pixels of the picture, and from its top to the beam."""
MARK_STEP, WEIGHT_SIDE = 66, 48
"""Pixels from mark to mark, and of a weight."""
PROP_COLOUR: Colour = (196, 150, 96)
TILT = 12.0
"""Degrees by which a beam comes to rest that does not stay level."""
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
    return Case(
        "balance",
        LEVER_QUESTION,
        LEVER_PROMPT,
        (lever_picture(lever, None),),
        OUTCOMES[lever.outcome],
        lever_picture(lever, tilt),
        proof,
    )


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
