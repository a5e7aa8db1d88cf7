"""Scoring the answers to a whole GIR-Bench from what observers found, every measure in its forms; and chance in FID.

    python bench/gir_measures.py                         # 970 answers
    python bench/gir_measures.py --answers 12 --pixels 64 --features 16 --halves 5

Observations are as they are stored: boxes and lines as JSON, embeddings and features as packed floats, pictures as PNG.
They are made up, a few for all answers; each is read anew. The table tells what FID and KID say of two samples of one
set, on average over ten draws, in percent of the set's variance: features are normal, with variances that fall as 1/k.
The last line is JSON: seconds and peak memory of scoring, and the table.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import resource
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np
import orjson
from PIL import Image, ImageDraw

from stages.asking.requests import packed, unpacked
from stages.asking.seeing import LINES, Found, Line, found_in
from stages.gir.shared.measures import frechet, jigsaw, overlap, quantity, similarity, spatial, sudoku, text
from stages.gir.shared.measures.recognition import named
from stages.gir.shared.measures.spatial import Relation
from stages.tables.images import upright_rgb

REFERENCES, VECTOR, TILES = 5, 4096, 4
SHARES = {"ugc": 300, "quantity": 100, "spatial": 100, "text": 100, "jigsaw": 130, "sudoku": 100, "perception": 140}
"""Of 970 answers."""
WORDS = ["never", "put", "off", "until", "tomorrow", "what", "you", "can", "do", "today", "row", "row", "your", "boat"]
LABELS = ("duck", "dog", "red car", "bus")
DRAWS = 10


class Case(NamedTuple):
    """What was observed of one answer, and how it is scored."""

    stored: tuple[bytes, ...]
    scored: Callable[..., tuple[float, ...]]


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def pixels_of(data: bytes) -> np.ndarray:
    return np.asarray(upright_rgb(data))


def photo(side: int, chance: np.random.Generator) -> Image.Image:
    return Image.fromarray(chance.integers(0, 256, (24, 24, 3), np.uint8)).resize(
        (side, side), Image.Resampling.BICUBIC
    )


def ugc(answer: bytes, *references: bytes) -> tuple[float, ...]:
    one, others = unpacked(answer), np.stack([unpacked(each) for each in references])
    return (
        similarity.score(one, others),
        similarity.released(one, others),
        named("a red panda", ["red panda"], ["panda"]),
    )


def boxes(chance: random.Random) -> bytes:
    corners = [(chance.randrange(900), chance.randrange(900)) for _ in range(8)]
    return orjson.dumps([list(Found(chance.choice(LABELS), 1.0, (x, y, x + 80, y + 80))) for x, y in corners])


def counted(reply: bytes) -> tuple[float, ...]:
    return (quantity.score({"duck": 3, "dog": 1, "bus": 0}, found_in(reply)),)


def laid_out(reply: bytes) -> tuple[float, ...]:
    found, relations = found_in(reply), [Relation((LABELS[0], LABELS[1]), "left", (LABELS[2],))] * 3
    return spatial.score(LABELS, relations, found), spatial.share(relations, found)


def line(words: str, x: float, y: float) -> Line:
    return Line(words, 0.9, ((x - 9, y - 9), (x + 9, y - 9), (x + 9, y + 9), (x - 9, y + 9)))


def lettered(reply: bytes) -> tuple[float, ...]:
    wanted, read = " ".join(WORDS), LINES.validate_json(reply)
    return text.score(wanted, read), text.released(wanted, read)


def grid(digits: list[int], cell: int = 100) -> bytes:
    placed = [(str(one), cell * (n % 9 + 0.5), cell * (n // 9 + 0.5)) for n, one in enumerate(digits) if one]
    return orjson.dumps([list(line(*one)) for one in placed])


def filled(*replies: bytes) -> tuple[float, ...]:
    answer, solution, question = (LINES.validate_json(reply) for reply in replies)
    right = [(n // 9 * 3 + n // 27 + n) % 9 + 1 for n in range(81)]
    puzzle = [one if n % 3 else 0 for n, one in enumerate(right)]
    ours = sudoku.score(answer, (900, 900), (0, 0, 1, 1), puzzle, right)
    return ours, sudoku.released(answer, solution, question, 9)


def pieced(answer: bytes, solution: bytes) -> tuple[float, ...]:
    made, meant = pixels_of(answer), pixels_of(solution)
    return jigsaw.accuracy(made, meant, TILES, TILES), jigsaw.similarity(made, meant, TILES, TILES)


def painted(answer: bytes, shown: bytes, mask: bytes) -> tuple[float, ...]:
    made, meant = pixels_of(answer), pixels_of(mask)[..., 0]
    return overlap.score(made, pixels_of(shown), meant), overlap.released(made, meant)


def cases(task: str, side: int) -> Iterator[Case]:
    """A few cases of a task."""
    numbers, chance = np.random.default_rng(0), random.Random(0)
    for n in range(4):
        if task == "ugc":
            vectors = numbers.normal(size=(1 + REFERENCES, VECTOR)).astype(np.float32)
            yield Case(tuple(map(packed, vectors)), ugc)
        elif task in ("quantity", "spatial"):
            yield Case((boxes(chance),), counted if task == "quantity" else laid_out)
        elif task == "text":
            said = [line(" ".join(chance.choices(WORDS, k=4)), 50, 20 * row) for row in range(12)]
            yield Case((orjson.dumps([list(one) for one in said]),), lettered)
        elif task == "sudoku":
            right = [(n // 9 * 3 + n // 27 + n) % 9 + 1 for n in range(81)]
            yield Case(
                tuple(grid(one) for one in (right, right, [x if n % 3 else 0 for n, x in enumerate(right)])), filled
            )
        else:
            made = photo(side, numbers)
            if task == "jigsaw":
                yield Case((png(np.roll(np.asarray(made), n * side // TILES, axis=1)), png(np.asarray(made))), pieced)
            else:
                mask, box = Image.new("L", made.size), (side // 4, side // 4, side // 2, side // 2)
                shown = png(np.asarray(made))
                ImageDraw.Draw(made).rectangle(box, (0, 255, 0))
                ImageDraw.Draw(mask).rectangle(box, 255)
                yield Case((png(np.asarray(made)), shown, png(np.asarray(mask))), painted)


def falling(rows: int, features: int) -> np.ndarray:
    """A set of features of total variance 100."""
    variances = 1 / np.arange(1, features + 1)
    return np.random.default_rng(1).normal(size=(rows, features)) * np.sqrt(100 * variances / variances.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=970)
    parser.add_argument("--pixels", type=int, default=1024, help="sides of pictures")
    parser.add_argument("--features", type=int, default=2048)
    parser.add_argument("--halves", type=int, nargs="+", default=[50, 130, 500, 2000])
    options = parser.parse_args()
    made = {task: list(cases(task, options.pixels)) for task in SHARES}
    counts = {task: max(1, round(share * options.answers / 970)) for task, share in SHARES.items()}
    inception = [packed(row.astype(np.float32)) for row in falling(2 * max(2, counts["jigsaw"]), options.features)]
    figures: dict[str, object] = {"answers": sum(counts.values())}
    started = time.perf_counter()
    for task, count in counts.items():
        begun = time.perf_counter()
        scores = [case.scored(*case.stored) for case in islice(cycle(made[task]), count)]
        print(f"{task}: {count} in {time.perf_counter() - begun:.2f} s, mean {np.mean([one[0] for one in scores]):.3f}")
    features = np.stack([unpacked(one) for one in inception]).astype(np.float64)
    first, second = features[::2], features[1::2]
    released = jigsaw.released(frechet.fid(first, second))
    print(f"the jigsaw as released, of {len(first)} pictures: {released:.4f}; KID {frechet.kid(first, second):.4f}")
    figures["seconds"] = round(time.perf_counter() - started, 2)
    figures["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    whole, chance = falling(2 * max(options.halves), options.features), np.random.default_rng(2)
    for n in options.halves:
        drawn = np.array([frechet.halves(whole, n, chance) for _ in range(DRAWS)])
        figures[f"halves_of_{n}"] = {"fid": round(drawn[:, 0].mean(), 2), "kid": round(drawn[:, 1].mean(), 5)}
        print(f"two halves of {n}: FID {drawn[:, 0].mean():.2f}, KID {drawn[:, 1].mean():.5f}", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
