"""Right answers to many cases of GIR-Bench, and answers with one fault each, from pixels to scores.

    python bench/gir_answers.py              # 200 cases of each task, or as many as there may be: four minutes
    python bench/gir_answers.py --each 2 --tasks sudoku

Cases are drawn from the pools of the embedded world. Right answers are its own, without a fault, to what contestants
are given; the laptop's observers look at them as a stage has them look. The `mean` score is 1 but for what observers,
or the world as a contestant, fail in; `unanswered`: the world gave no answer, `unseen`: nothing could be found in it.
Answers under `fault` have just one: one thing too many or too few, a pair swapped, a letter of a word wrong, MOVED
tiles moved, WRONG digits wrong, a region GROWN pixels larger all round. `formula` is the mean that follows from the
measure, `alike` the share of answers whose score is just so. `jigsaw.edit.solution` are solutions as answers: tiles of
a sky in which nothing is cut through have no order, so the world cannot solve all jigsaws. The last line is JSON.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.asking.models import sandbox  # noqa: E402
from stages.asking.parts import unbundled  # noqa: E402
from stages.asking.requests import Create, Paint, Picture, seed_of  # noqa: E402
from stages.evaluation.curating.drawing import distinct  # noqa: E402
from stages.gir.construction import (  # noqa: E402
    cut_jigsaw,
    draw_quantity,
    draw_spatial,
    draw_sudoku,
    lettering,
    mask_scenes,
    quantity,
    spatial,
    sudoku,
    sudoku_picture,
)
from stages.gir.construction.entities import read_entities  # noqa: E402
from stages.gir.construction.jigsaw import cut  # noqa: E402
from stages.gir.construction.perceptions import Perception, mask_of  # noqa: E402
from stages.gir.construction.tables import case_of, drawn_row  # noqa: E402
from stages.gir.construction.words import WORLD_POOLS, Amount, joined, read_things, said  # noqa: E402
from stages.gir.shared.benchmark import GIR, SCORED  # noqa: E402
from stages.gir.shared.items import DISTRACTORS, SUBSETS, GirItem  # noqa: E402
from stages.gir.shared.measures.overlap import INSIDE  # noqa: E402
from stages.gir.shared.putting import GREEN, sides_of  # noqa: E402
from stages.sandbox.descriptions import describe  # noqa: E402
from stages.tables.columns import Row, make_id  # noqa: E402
from stages.tables.images import UnusableError, media_type, upright_rgb  # noqa: E402
from tests.gir.looked_at import named, values  # noqa: E402

SEED, SIDE = 1, 384
MOVED, WRONG, GROWN = 3, 2, 3
MOST = {"text": 42, "sudoku": 40}
"""Cases of a task at most: there are no more letterings, and a grid takes a reader longest."""
REFERENCES, TILES = 2, 3


class Case(NamedTuple):
    """An item with its pictures, and an answer with one fault with the score that is due to it."""

    item: GirItem
    pictures: Mapping[str, Picture]
    faulty: bytes = b""
    formula: float = 0.0


def item_of(row: Row) -> tuple[GirItem, dict[str, Picture]]:
    """Return a row of the construction as an item of an edition."""
    files = {(one["name"], one["role"]): one["image"]["bytes"] for one in row["images"] or ()}
    own = {key: value for key, value in case_of(row).items() if key != "proof"}
    images = tuple(named(name, role, data) for (name, role), data in files.items())
    pictures = {name: Picture(data, media_type(data)) for (name, _), data in files.items()}
    return GirItem(id=row["id"], task=row["task"], prompt=row["prompt"], images=images, **own), pictures


def painted(prompt: str, seed: int) -> bytes:
    """Return a picture of the world; ValueError where it has none."""
    made = sandbox.answer(Paint(prompt, SIDE, SIDE, seed), {}, "painter")
    if made.finish != "stop":
        raise ValueError(f"{prompt!r}: {made.content.decode()}")
    return made.content


def capital(words: str) -> str:
    """Return a sentence."""
    return f"{words[0].upper()}{words[1:]}."


def quantities(count: int) -> Iterator[Case]:
    """One thing more of a kind, or where there are most one fewer."""
    pools = quantity.read_pools(WORLD_POOLS)
    for number, one in enumerate(quantity.quantities(SEED, count, pools)):
        item, pictures = item_of(draw_quantity.row_of(number, one, pools.things, SEED))
        counts = list(item.numbers)
        place = random.Random(f"off {number}").randrange(len(counts))
        counts[place] += 1 if counts[place] < pools.counted.most else -1
        some = [said(Amount(n, name), "en", pools.things) for n, name in zip(counts, item.objects, strict=True) if n]
        yield Case(item, pictures, painted(capital(joined(some, "en")), number))


def places(count: int) -> Iterator[Case]:
    """The two things of a pair in each other's place."""
    for number, one in enumerate(spatial.spatials(SEED, count, spatial.read_pools(WORLD_POOLS))):
        item, pictures = item_of(draw_spatial.row_of(number, one))
        [relation] = item.relations
        words = {"left": "to the left of"}.get(relation.direction, relation.direction)
        [[first], [second]] = relation.object, relation.subject
        swapped = f"{mask_scenes.with_article(first)} {words} {mask_scenes.with_article(second)}"
        yield Case(item, pictures, painted(capital(swapped), number))


def letterings(count: int) -> Iterator[Case]:
    """The last word with an X in its middle."""
    for number, one in enumerate(lettering.letterings(SEED, count, lettering.read_pools(WORLD_POOLS))):
        item, pictures = item_of(drawn_row("text", number, one.prompt, {"lettering": one.text}))
        *others, last = one.text.split()
        middle = len(last) // 2
        wrong = " ".join([*others, f"{last[:middle]}X{last[middle + 1 :]}"])
        board = Image.new("RGB", (SIDE, SIDE // 2), "white")
        ImageDraw.Draw(board).text((24, 70), wrong, fill="black", font=ImageFont.load_default(40))
        yield Case(item, pictures, png(np.asarray(board)), len(others) / (len(others) + 1))


def jigsaws(count: int) -> Iterator[Case]:
    """Some tiles of the solution, each in the next one's place. What cannot be cut is left out, as in an edition."""
    made = (jigsaw_of(number, shown) for number, shown in enumerate(scenes(2 * count)))
    return islice((case for case in made if case is not None), count)


def scenes(count: int) -> Iterator[str]:
    """Draw what is cut into tiles."""
    things = read_things(WORLD_POOLS)
    return distinct("jigsaw", SEED, count, lambda chance: cut_jigsaw.scene(things, chance), lambda words: words)


def jigsaw_of(number: int, shown: str) -> Case | None:
    """Return a jigsaw of a scene; None where two of its tiles look alike."""
    try:
        case = cut(painted(shown, number), TILES, random.Random(number))
    except UnusableError:
        return None
    row = {"id": make_id("jigsaw", number), "task": "jigsaw"} | cut_jigsaw.filled(case, {"origin": shown})
    item, pictures = item_of(row)
    chosen = random.Random(f"moved {number}").sample(case.boxes, MOVED)
    right = upright_rgb(pictures["solution_1"].data)
    spoilt = right.copy()
    for box, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        spoilt.paste(right.crop(other), box[:2])
    return Case(item, pictures, png(np.asarray(spoilt)), 1 - MOVED / len(case.boxes))


def sudokus(count: int) -> Iterator[Case]:
    """Some empty cells filled in with another digit."""
    for number, one in enumerate(sudoku.sudokus(SEED, count)):
        item, pictures = item_of(draw_sudoku.row_of(number, one, SIDE))
        empty = [cell for cell, given in enumerate(one.puzzle) if not given]
        grid = list(one.solution)
        for cell in random.Random(f"wrong {number}").sample(empty, WRONG):
            grid[cell] = grid[cell] % one.size + 1
        yield Case(item, pictures, sudoku_picture.drawn(grid, one.size, SIDE), 1 - WRONG / len(empty))


def perceptions(count: int) -> Iterator[Case]:
    """The region larger all round: its share of that is due."""
    for number, (kind, other) in enumerate(distinct("scene", SEED, count, mask_scenes.scene, lambda case: case)):
        shown = mask_scenes.scene_in_words(kind, other)
        picture, mask = sandbox.painted_with_mask(shown, kind, SIDE, SIDE, number)
        mask = mask_of(mask, (SIDE, SIDE))
        found = Perception(picture, mask, mask_scenes.to_be_found(describe(mask_scenes.with_article(kind))), shown)
        row = {"id": make_id("perception", number), "task": "perception"} | mask_scenes.filled(found, {})
        item, pictures = item_of(row)
        region = (np.asarray(upright_rgb(mask))[..., 0] > INSIDE).astype(np.uint8)
        grown = cv2.dilate(region, np.ones((2 * GROWN + 1, 2 * GROWN + 1), np.uint8))
        pixels = np.array(upright_rgb(picture))
        pixels[grown > 0] = GREEN
        yield Case(item, pictures, png(pixels), float(region.sum() / grown.sum()))


def entities(count: int) -> Iterator[Case]:
    """All entities of the pool: of each so many references, and others of its domain to choose among."""
    listed = read_entities(WORLD_POOLS)
    for domain in SUBSETS["ugc"]:
        own = getattr(listed, domain)
        for number, one in enumerate(own[:count]):
            others = [other.name for other in own if other is not one]
            distractors = random.Random(f"{domain} {number}").sample(others, DISTRACTORS)
            case = {"entity": one.name, "names": one.accepted, "distractors": distractors}
            shown = {
                f"reference_{n}": painted(one.name, seed_of(f"{domain} {number} {n}", SEED)) for n in range(REFERENCES)
            }
            yield Case(*item_of(drawn_row(domain, number, describe(one.name), case, shown)))


TASKS: Mapping[str, Callable[[int], Iterator[Case]]] = {
    "quantity": quantities,
    "spatial": places,
    "text": letterings,
    "jigsaw": jigsaws,
    "sudoku": sudokus,
    "perception": perceptions,
    "entities": entities,
}


def png(pixels: np.ndarray) -> bytes:
    """Encode a picture without any loss."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def answered(case: Case, side: str) -> bytes | str | None:
    """Return what the faultless world answers; None where it gives no answer."""
    put = GIR.put(case.item, side, case.pictures)
    width, height = put.size or (SIDE, SIDE)
    request = Create(put.parts, put.modalities, width, height, seed_of(f"{side}/{case.item.id}", SEED))
    reply = sandbox.answer(request, {}, "creator")
    if reply.finish != "stop":
        print(f"{case.item.id} ({side}): {reply.content.decode()}", flush=True)
        return None
    [made] = unbundled(reply.content).parts
    return made


def scored(case: Case, side: str, answer: bytes | str) -> float | None:
    """Return the value of an item's own measure; None where observers found nothing that could be measured."""
    return values(case.item, side, answer, case.pictures)[SCORED[side][case.item.task]]


def summed_up(found: Sequence[tuple[float | None, float]], unanswered: int = 0) -> dict[str, Any]:
    """Return how scores, each beside what is due, came out."""
    there = [(score, due) for score, due in found if score is not None]
    told: dict[str, Any] = {"n": len(found) + unanswered, "unanswered": unanswered, "unseen": len(found) - len(there)}
    if there:
        scores, due = np.array(there, float).T
        figures = {"mean": scores.mean(), "least": scores.min(), "formula": due.mean()}
        figures["alike"] = np.isclose(scores, due).mean()
        told |= {name: round(float(value), 4) for name, value in figures.items()}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=200, help="cases of each task, and at most of each kind of entity")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=[*TASKS])
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    for task in options.tasks:
        began = time.perf_counter()
        cases = list(TASKS[task](min(options.each, MOST.get(task, options.each))))
        for side in sides_of(cases[0].item):
            answers = [(case, answer) for case in cases if (answer := answered(case, side)) is not None]
            found = [(scored(case, side, answer), 1.0) for case, answer in answers]
            figures[f"{task}.{side}"] = summed_up(found, len(cases) - len(answers))
            if any(case.faulty for case in cases):
                figures[f"{task}.{side}.fault"] = summed_up(
                    [(scored(case, side, case.faulty), case.formula) for case in cases]
                )
        if task == "jigsaw":
            right = [(scored(case, "edit", case.pictures["solution_1"].data), 1.0) for case in cases]
            figures["jigsaw.edit.solution"] = summed_up(right)
        for name, told in figures.items():
            if name.startswith(task):
                print(f"{name}: {told}", flush=True)
        print(f"{task}: {time.perf_counter() - began:.1f} s", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
