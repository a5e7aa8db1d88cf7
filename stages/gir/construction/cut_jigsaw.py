"""Jigsaws as cases of an edition: of a person's own pictures, or of pictures that the author paints (section 3.3)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation
from gamut.evaluation.construction.drawing import distinct_cases
from gamut.evaluation.construction.own_pictures import OwnPictures
from gamut.evaluation.construction.slots import Slots, digest_of, pack_case
from gamut.project.errors import UserError
from gamut.tables.columns import Row, make_id
from gamut.tables.images import UnusableError, as_jpeg, as_png, upright_rgb
from stages.gir.construction.parameters import Params
from stages.gir.construction.words import Amount, Thing, in_words, phrase_of, read_things
from stages.gir.shared.prompts import JIGSAW

LEAST_SIDE = 8
"""Least number of pixels of a tile's shorter side."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels. Right and bottom are exclusive."""


class Jigsaw(NamedTuple):
    """`order`: the solution's tile at each place of the shuffled picture, row by row."""

    rows: int
    columns: int
    boxes: tuple[Box, ...]
    order: tuple[int, ...]
    shuffled: bytes
    solution: bytes


def cut_tiles(picture: bytes, shorter: int, chance: random.Random) -> Jigsaw:
    """UnusableError for a picture that cannot be read, is too small, or has two tiles that look alike."""
    image = upright_rgb(picture)
    rows, columns = grid_of(*image.size, shorter)
    wide, high = image.width // columns, image.height // rows
    if min(wide, high) < LEAST_SIDE:
        raise UnusableError(f"is too small for {rows} x {columns} tiles: {image.width}x{image.height} pixels")
    left, top = (image.width - wide * columns) // 2, (image.height - high * rows) // 2
    whole = image.crop((left, top, left + wide * columns, top + high * rows))
    boxes = boxes_of(*whole.size, rows, columns)
    tiles = [whole.crop(box) for box in boxes]
    if len({tile.tobytes() for tile in tiles}) < len(tiles):
        raise UnusableError(f"has tiles that look alike among its {rows} x {columns}, so more than one order is right")
    order = shuffled_order(len(tiles), chance)
    shuffled = Image.new("RGB", whole.size)
    for box, number in zip(boxes, order, strict=True):
        shuffled.paste(tiles[number], box)
    return Jigsaw(rows, columns, boxes, order, as_png(shuffled), as_png(whole))


def grid_of(width: int, height: int, shorter: int) -> tuple[int, int]:
    """Return rows and columns of tiles as nearly square as they can be."""
    longer = round(shorter * max(width, height) / min(width, height))
    return (shorter, longer) if width >= height else (longer, shorter)


def boxes_of(width: int, height: int, rows: int, columns: int) -> tuple[Box, ...]:
    wide, high = width // columns, height // rows
    return tuple((c * wide, r * high, (c + 1) * wide, (r + 1) * high) for r in range(rows) for c in range(columns))


def shuffled_order(tiles: int, chance: random.Random) -> tuple[int, ...]:
    while True:
        order = tuple(chance.sample(range(tiles), tiles))
        if 2 * sum(place != tile for place, tile in enumerate(order)) >= tiles:
            return order


MOST_OF_A_KIND = 4


def cut_jigsaw(slots: Slots[Params]) -> None:
    propose, pictures = slots.params.propose, slots.own_pictures("solution")
    painted_by = identity_of(slots.player("author"))["id"]
    require_different(pictures, Path(propose.pictures, slots.edition))
    things = read_things(Path(propose.pools))
    rows: list[Row] = [{"id": make_id("jigsaw", n), "task": "jigsaw"} for n in range(propose.drafts.jigsaw)]
    scenes = distinct_cases("jigsaw", slots.seed(), len(rows), partial(draw_scene, things), lambda words: words)
    scene_of = dict(zip((row["id"] for row in rows), scenes, strict=True))

    def conversation(row: Row) -> Conversation:
        return slots.picture_conversation(
            pictures, (row["id"], "solution_1"), scene_of[row["id"]], slots.seed(row["id"])
        )

    def reply_columns(row: Row, value: Any) -> Row:
        try:
            case = cut_tiles(value, propose.tiles, random.Random(slots.seed(f"{row['id']} order")))
        except ValueError as error:
            return {"status": "unusable", "reason": f"its picture {error}"}
        whole = pictures.image(row["id"], "solution_1", value, f"painted by {painted_by}: {scene_of[row['id']]}")
        return jigsaw_columns(case, whole)

    slots.ask("author", rows, conversation, reply_columns, pictures)


def draw_scene(things: Mapping[str, Thing], chance: random.Random) -> str:
    amounts = [Amount(chance.randint(1, MOST_OF_A_KIND), name) for name in chance.sample(list(things), 2)]
    words = phrase_of([in_words(amount, things) for amount in amounts])
    return f"{words[0].upper()}{words[1:]}."


def require_different(pictures: OwnPictures, folder: Path) -> None:
    """Raise UserError if two jigsaws have the same picture of a person's own."""
    first: dict[str, str] = {}
    for (slot, _), one in pictures.items():
        if (earlier := first.setdefault(digest_of(one.data), slot)) != slot:
            raise UserError(
                f"{folder / 'pictures.csv'}: {earlier} and {slot} have the same picture: change one of them"
            )


def jigsaw_columns(case: Jigsaw, whole: Row) -> Row:
    """Return the columns of a jigsaw. `whole`: its picture before the edges were trimmed."""
    shuffled, solution = (as_jpeg(upright_rgb(data)) for data in (case.shuffled, case.solution))
    values = {"rows": case.rows, "columns": case.columns, "proof": {"order": case.order, "input": digest_of(shuffled)}}
    images = [
        whole | {"name": f"{role}_1", "role": role, "image": {"bytes": data, "path": None}}
        for role, data in (("input", shuffled), ("solution", solution))
    ]
    return {"prompt": JIGSAW.format(rows=case.rows, columns=case.columns), "case": pack_case(values), "images": images}
