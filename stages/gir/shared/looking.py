"""What observers are to find in answers, and which measure makes a score of it, in its own and in its released form."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np
from PIL import Image

from gamut.asking.requests import Detect, Embed, Part, Picture, Read
from gamut.asking.seeing import Computing, Detecting, Embedding, Reading
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.pictures import of_role
from gamut.evaluation.defining.questions import Check, Judged, Pictures, Seen
from gamut.tables.images import MAX_PIXELS, as_png, scaled_size, upright_rgb
from stages.gir.shared import wordings
from stages.gir.shared.items import Frame, GirItem
from stages.gir.shared.measures import jigsaw, overlap, recognition, similarity, spatial, sudoku, text
from stages.gir.shared.prompts import options

SHARE = Scale(0, 1)
RELEASED = "_released"
"""What measures end with that are as published, with their flaws: the stage `released` reports them, no board."""
MEASURES = {
    "similarity": SHARE,
    "similarity_released": Scale(-1, 1),
    "named": SHARE,
    "chosen": SHARE,
    "counts": SHARE,
    "places": SHARE,
    "relations": SHARE,
    "words": SHARE,
    "words_released": SHARE,
    "tiles": SHARE,
    "likeness": SHARE,
    "features": Scale(-1, 1),
    "digits": SHARE,
    "digits_released": SHARE,
    "region": SHARE,
    "region_released": SHARE,
}
SQUASHED_SIZE, STRETCHED_SIZE = (224, 224), (512, 512)
"""Sizes in pixels to which released scripts scale pictures before they embed them, whatever their form."""
WHOLE_FRAME = Frame(0, 0, 1, 1)
PAD_COLOUR = (128, 128, 128)
LARGEST_SIDE = math.isqrt(MAX_PIXELS)
"""Side in pixels of the largest square that is made: of as many pixels as are decoded."""


def checks(item: GirItem, setting: str) -> Sequence[Check]:
    match item.task, setting:
        case _, "name" | "choice":
            return [name_check(item, setting)]
        case "quantity", _:
            return [count_check(item)]
        case "spatial", _:
            return [place_check(item)]
        case "text", _:
            return [text_check(item)]
        case "jigsaw", _:
            return [tile_check(item), feature_check(item)]
        case "sudoku", _:
            return [grid_check(item)]
        case "perception", _:
            return [region_check(item)]
    return [
        resemblance_check(item, "similarity", pad_to_square),
        resemblance_check(item, "similarity_released", partial(scale_picture, size=SQUASHED_SIZE)),
    ]


def count_check(item: GirItem) -> Check:
    """Look for all things whose number is told, and for others that nobody asked for."""
    wanted, labels = dict(zip(item.objects, item.numbers, strict=False)), (*item.objects, *item.absent)

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one] = answers
        counts = Counter(thing.label for thing in one.found)
        told = ", ".join(f"{counts[label]} {label}" for label in labels if counts[label])
        return [Judged(float(counts == Counter(wanted)), told or "nothing")]  # what is wanted 0 times is not there

    return Check(
        "count",
        "detector",
        lambda picture: Detecting(Detect(picture, labels)),
        ("counts",),
        values,
        wording=(wordings.count_wording(item),),
    )


def place_check(item: GirItem) -> Check:
    objects, relations = item.objects, [one.relation for one in item.relations]

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one] = answers
        return [
            Judged(spatial.score(objects, relations, one.found)),
            Judged(spatial.relation_share(relations, one.found)),
        ]

    return Check(
        "place",
        "detector",
        lambda picture: Detecting(Detect(picture, objects)),
        ("places", "relations"),
        values,
        wording=(wordings.place_wording(item), wordings.relation_wording(item)),
    )


def text_check(item: GirItem) -> Check:
    wanted = item.lettering

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one] = answers
        note = " / ".join(line.text for line in one.found) or "nothing"
        return [Judged(text.score(wanted, one.found), note), Judged(text.released_score(wanted, one.found))]

    return Check(
        "read",
        "reader",
        lambda picture: Reading(Read(picture)),
        ("words", "words_released"),
        values,
        wording=(wordings.text_wording(item), None),
    )


def grid_check(item: GirItem) -> Check:
    """Read the digits of a grid. Released scripts read those of question and solution too; here they are known."""
    puzzle, answer = ([int(digit) for digit in digits] for digits in (item.puzzle, item.answer))
    frame, width = item.frame or WHOLE_FRAME, math.isqrt(len(puzzle))
    drawn = {image.role: (image.width, image.height) for image in item.images}
    solution = sudoku.lines_as_read(answer, drawn.get("solution", (0, 0)), frame)
    question = sudoku.lines_as_read(puzzle, drawn.get("input", (0, 0)), frame)

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one] = answers
        own = sudoku.score(one.found, upright_rgb(one.part.data).size, frame, puzzle, answer)
        return [Judged(own), Judged(sudoku.released_score(one.found, solution, question, width))]

    return Check(
        "read_grid",
        "reader",
        lambda picture: Reading(Read(picture)),
        ("digits", "digits_released"),
        values,
        wording=(wordings.grid_wording(item), None),
    )


def tile_check(item: GirItem) -> Check:
    grid = item.rows, item.columns

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        ([one], [right]) = answers, references
        return [
            Judged(jigsaw.accuracy(one.found, right.found, *grid)),
            Judged(jigsaw.similarity(one.found, right.found, *grid)),
        ]

    return Check(
        "tiles",
        "rules",
        pixels,
        ("tiles", "likeness"),
        values,
        partial(pictures_of_roles, item, ("solution",)),
        wording=(wordings.tile_wording(item), None),
    )


def feature_check(item: GirItem) -> Check:
    """Embed an answer and its solution, of which the distance of all answers from all solutions is made."""

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one], [right] = answers, references
        return [Judged(similarity.released_score(one.found, right.found[None]))]

    return Check(
        "features",
        "image_embedder",
        lambda picture: Embedding(Embed(scale_picture(picture, STRETCHED_SIZE))),
        ("features",),
        values,
        partial(pictures_of_roles, item, ("solution",)),
    )


def region_check(item: GirItem) -> Check:
    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one], [shown, mask] = answers, references
        region = mask.found[..., 0]
        return [
            Judged(overlap.score(one.found, shown.found, region)),
            Judged(overlap.released_score(one.found, region)),
        ]

    return Check(
        "region",
        "rules",
        pixels,
        ("region", "region_released"),
        values,
        partial(pictures_of_roles, item, ("input", "mask")),
        wording=(wordings.REGION_WORDING, None),
    )


def resemblance_check(item: GirItem, measure: str, form: Callable[[Picture], Picture]) -> Check:
    """Hold an answer's embedding against those of the reference pictures, all brought into one form."""
    score = similarity.released_score if measure.endswith(RELEASED) else similarity.score

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        [one] = answers
        return [Judged(score(one.found, np.stack([other.found for other in references])))]

    return Check(
        measure,
        "image_embedder",
        lambda picture: Embedding(Embed(form(picture))),
        (measure,),
        values,
        partial(pictures_of_roles, item, ("reference",)),
    )


def name_check(item: GirItem, setting: str) -> Check:
    names, distractors, among, right = item.names, item.distractors, options(item), item.entity

    def values(answers: Sequence[Seen], references: Sequence[Seen]) -> Sequence[Judged]:
        said = "\n".join(one.part for one in answers)
        if setting == "name":
            return [Judged(recognition.name_score(said, names, distractors))]
        return [Judged(recognition.choice_score(said, among, among.index(right)))]

    return Check(
        setting,
        "rules",
        unchanged,
        ("named" if setting == "name" else "chosen",),
        values,
        of="text",
        wording=(wordings.name_wording(item) if setting == "name" else wordings.choice_wording(item),),
    )


def pictures_of_roles(item: GirItem, roles: Sequence[str], pictures: Pictures) -> Sequence[Picture]:
    return [one for role in roles for one in of_role(item, pictures, role).values()]  # type: ignore[arg-type]


def pixels(picture: Picture) -> Computing:
    return Computing(lambda: np.asarray(upright_rgb(picture.data)))


def unchanged(part: Part) -> Computing:
    return Computing(lambda: part)


def pad_to_square(picture: Picture) -> Picture:
    """Return a picture padded in grey to a square, so that embedders cut nothing off; ValueError for no picture."""
    image = upright_rgb(picture.data)
    if image.width == image.height:
        return picture
    if max(image.size) > LARGEST_SIDE:  # a line of 60,000 pixels would be a square of 3.6 thousand million
        image = image.resize(scaled_size(*image.size, LARGEST_SIDE), Image.Resampling.BICUBIC)
    setting = max(image.size)
    square = Image.new("RGB", (setting, setting), PAD_COLOUR)
    square.paste(image, ((setting - image.width) // 2, (setting - image.height) // 2))
    return png_picture(square)


@lru_cache(maxsize=64)  # a reference is looked at beside every answer
def scale_picture(picture: Picture, size: tuple[int, int]) -> Picture:
    """Return a picture of this size, whatever its form; ValueError for what is none."""
    image = upright_rgb(picture.data)
    return picture if image.size == size else png_picture(image.resize(size, Image.Resampling.BICUBIC))


def png_picture(image: Image.Image) -> Picture:
    return Picture(as_png(image), "image/png")
