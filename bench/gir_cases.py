"""Cases drawn by the thousands, each proved anew: Sudoku, puzzles of how many and of where, jigsaws.

    python bench/gir_cases.py        # 10,000 Sudoku, 10,000 quantity and 2,000 spatial cases, 200 jigsaws: minutes
    python bench/gir_cases.py --sudoku 9 --proved 9 --quantity 20 --spatial 20 --jigsaw 2

One line of JSON at the end. `seconds`: on one core, for jigsaws with the pictures that are cut; `cpu_seconds`: without
what other processes took. `different`: how many are unlike all others. `proved`: how many have one solution, theirs, by
another way than the generator's: Sudoku by exact cover; quantities by trying all numbers at once, to 99, or to 40 where
there are three things; arrangements by trying all of them; jigsaws by putting tiles back. `same_bytes`: whether another
process draws the first tenth of them just so.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.gir.construction import jigsaw, quantity, spatial, sudoku  # noqa: E402
from stages.gir.construction.words import POOLS, WORLD_POOLS  # noqa: E402
from stages.tables.images import as_png  # noqa: E402
from tests.gir.construction.exact_cover import covers  # noqa: E402

SEED, SIDE, SHORTER = 1, 512, 4
"""`SIDE`: pixels of a picture that is cut; `SHORTER`: tiles along it."""


def pictures(count: int) -> Iterator[bytes]:
    """Smooth pictures, in which no two tiles are alike."""
    for number in range(count):
        small = np.random.default_rng(number).integers(0, 256, (16, 16, 3), np.uint8)
        yield as_png(Image.fromarray(small).resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def one_number(case: quantity.Quantity) -> bool:
    largest = quantity.LARGEST if len(case.objects) < 3 else 40
    axes = np.ogrid[tuple(slice(largest + 1) for _ in case.objects)]
    fitting = np.ones([largest + 1] * len(case.objects), bool)
    for weights, total in case.equations:
        fitting &= sum(weight * axis for weight, axis in zip(weights, axes, strict=True)) == total
    return np.argwhere(fitting).tolist() == [list(case.number)]


def one_arrangement(case: spatial.Spatial) -> bool:
    places = permutations(case.layout.places)
    return [found for found in places if all(fact.holds(found) for fact in case.facts)] == [case.arrangement]


def one_cover(case: sudoku.Sudoku) -> bool:
    found = covers(case.puzzle, case.size, *sudoku.BOXES[case.size])
    return list(islice(found, 2)) == [case.solution]


def put_back(case: jigsaw.Jigsaw) -> bool:
    shuffled, whole = (Image.open(io.BytesIO(data)) for data in (case.shuffled, case.solution))
    restored = Image.new("RGB", whole.size)
    for place, tile in enumerate(case.order):
        restored.paste(shuffled.crop(case.boxes[place]), case.boxes[tile])
    moved = sum(place != tile for place, tile in enumerate(case.order))
    return restored.tobytes() == whole.tobytes() and 2 * moved >= len(case.order)


GENERATORS: dict[str, tuple[Callable[[int], Iterator[Any]], Callable[[Any], Any], Callable[[Any], bool]]] = {
    "sudoku": (lambda count: sudoku.sudokus(SEED, count), lambda case: case.puzzle, one_cover),
    "quantity": (
        lambda count: quantity.quantities(SEED, count, quantity.read_pools(POOLS)),
        quantity.sameness,
        one_number,
    ),
    "quantity_world": (
        lambda count: quantity.quantities(SEED, count, quantity.read_pools(WORLD_POOLS)),
        quantity.sameness,
        one_number,
    ),
    "spatial": (
        lambda count: spatial.spatials(SEED, count, spatial.read_pools(POOLS)),
        spatial.sameness,
        one_arrangement,
    ),
    "spatial_world": (
        lambda count: spatial.spatials(SEED, count, spatial.read_pools(WORLD_POOLS)),
        spatial.sameness,
        one_arrangement,
    ),
    "jigsaw": (lambda count: jigsaw.jigsaws(SEED, pictures(count), SHORTER), lambda case: case.shuffled, put_back),
}


def digest(cases: list[Any]) -> str:
    return hashlib.sha256(repr(cases).encode()).hexdigest()


def first_of(count: int) -> int:
    return max(1, count // 10)


def digests_elsewhere(counts: dict[str, int]) -> dict[str, str]:
    """Of the first cases of each kind, as another process draws them."""
    again = [sys.executable, sys.argv[0], "--digest", json.dumps(counts)]
    found: dict[str, str] = json.loads(subprocess.run(again, capture_output=True, text=True, check=True).stdout)
    return found


def measured(name: str, count: int, proved: int, elsewhere: str) -> dict[str, Any]:
    draw, sameness, proof = GENERATORS[name]
    started, used = time.perf_counter(), time.process_time()
    cases = list(draw(count))
    seconds, cpu = time.perf_counter() - started, time.process_time() - used
    sample = cases[:: max(1, len(cases) // proved)][:proved]
    figures = {
        "cases": len(cases),
        "different": len({sameness(case) for case in cases}),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "proved": sum(map(proof, sample)),
        "of": len(sample),
        "same_bytes": elsewhere == digest(cases[: first_of(count)]),
    }
    print(name, figures, flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sudoku", type=int, default=10_000)
    parser.add_argument("--proved", type=int, default=1_000, help="so many Sudoku are solved by exact cover")
    parser.add_argument("--quantity", type=int, default=10_000)
    parser.add_argument("--spatial", type=int, default=2_000)
    parser.add_argument("--jigsaw", type=int, default=200)
    parser.add_argument("--digest", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.digest:
        print(json.dumps({name: digest(list(GENERATORS[name][0](count))) for name, count in options.digest.items()}))
        return
    counts = {name: getattr(options, name.removesuffix("_world")) for name in GENERATORS}
    proved = counts | {"sudoku": options.proved}
    elsewhere = digests_elsewhere({name: first_of(count) for name, count in counts.items()})
    print(json.dumps({name: measured(name, count, proved[name], elsewhere[name]) for name, count in counts.items()}))


if __name__ == "__main__":
    main()
