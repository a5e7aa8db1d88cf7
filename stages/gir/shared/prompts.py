"""How cases are asked of contestants, and a right answer, if a picture or a word is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from PIL import Image

from gamut.asking.requests import Part, Picture, seed_of
from gamut.evaluation.defining.pictures import pictures_of_role
from gamut.evaluation.defining.questions import Pictures, Prompt
from gamut.evaluation.running.recognition import LETTERS
from gamut.tables.images import as_png, upright_rgb
from stages.gir.shared.items import GirItem
from stages.gir.shared.measures.overlap import INSIDE_LEVEL

SUDOKU = (
    "Solve this Sudoku: write the missing digits into the empty cells, so that every row, every column and every box "
    "of the grid has each digit from 1 to {size} once. Leave the given digits and the grid as they are."
)
JIGSAW = (
    "This picture was cut into {rows} rows and {columns} columns of tiles, and the tiles were mixed up. Put every tile "
    "back into its place, so that the picture is whole again."
)
REGION = "Paint exactly that region in pure green (0, 255, 0), and leave everything else as it is."
"""Follows a description that ends with a full stop."""

Setting = Literal["t2i", "edit", "category", "prompt", "name", "choice"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
"""`t2i`: a picture of a riddle. `edit`: an edited picture of a puzzle. Of an entity: a picture by its name (`category`)
or description (`prompt`), and its name from reference pictures, in free words (`name`) or from four options (`choice`).
"""
ANSWERED_IN_WORDS = ("name", "choice")
MOST_REFERENCES = 4
"""The most reference pictures that a contestant gets."""
NAME_QUESTION = "What do all of these pictures show? Name it."
CHOICE_QUESTION = "Which of these do all of these pictures show?"
LETTER_REQUEST = "Answer with its letter."
GREEN = (0, 255, 0)


def settings_of(item: GirItem) -> Sequence[str]:
    if item.subset != "ugc":
        return (item.subset,)
    return ("category", "prompt", "name", "choice") if item.distractors else ("category", "prompt", "name")


def prompt(item: GirItem, setting: str, pictures: Pictures) -> Prompt:
    """Return what a contestant is given. An edit's picture comes before the words, and its answer has the same size."""
    if setting in ANSWERED_IN_WORDS:
        shown = [*pictures_of_role(item, pictures, "reference").values()][:MOST_REFERENCES]
        return Prompt((*shown, NAME_QUESTION if setting == "name" else choice_question(item)), ("text",))
    if setting != "edit":
        return Prompt((item.entity if setting == "category" else item.prompt,))
    [given] = item.of_role("input")
    return Prompt((pictures[given.name], item.prompt), ("image",), (given.width, given.height))


def choice_question(item: GirItem) -> str:
    return "\n".join([CHOICE_QUESTION, *lettered_options(item), LETTER_REQUEST])


def lettered_options(item: GirItem) -> list[str]:
    return [f"{letter}) {option}" for letter, option in zip(LETTERS, options(item), strict=False)]


def options(item: GirItem) -> list[str]:
    named = {name: seed_of(f"choice {item.id} {name}", 0) for name in (item.entity, *item.distractors)}
    return sorted(named, key=lambda name: (named[name], name))


def reference(item: GirItem, setting: str, pictures: Pictures) -> Sequence[Part]:
    """Return a right answer if there is one: a reference picture, a name, a letter, a puzzle's solution."""
    if setting == "name":
        return [item.entity]
    if setting == "choice":
        return [LETTERS[options(item).index(item.entity)]]
    if item.task == "perception":
        shown, mask = pictures_of_role(item, pictures, "input", "mask").values()
        return [paint_region(shown, mask)]
    return [*pictures_of_role(item, pictures, "reference", "solution").values()][:1]


def paint_region(picture: Picture, mask: Picture) -> Picture:
    """Return a picture with the region of a mask in green; the mask itself if one of them is a stand-in."""
    try:
        image, region = upright_rgb(picture.data), upright_rgb(mask.data)
    except ValueError:
        return mask
    pixels = np.array(image)
    pixels[np.asarray(region.resize(image.size, Image.Resampling.NEAREST))[..., 0] > INSIDE_LEVEL] = GREEN
    return Picture(as_png(Image.fromarray(pixels)), "image/png")
