"""Which pictures are taken for copies of a reference, and which not: scenes of the embedded world, line drawings.

    python bench/gap_copies.py               # 100 of each: a minute
    python bench/gap_copies.py --scenes 5 --side 256

Each scene is painted as a reference and altered in known ways. `copies`: those that are to be found; `others`: what is
none, of which `repainted` is the same scene by another seed, and the rest differ in one place by a mark in red, as wide
as is said in thousandths of the picture. Names that begin with `tree` are of drawings of graphs in lines of 2 pixels,
of 1024 x 768, of which a node is marked in red or in a very pale yellow, or moved by 20 pixels. Of each the share that
is called a copy, and the median of `unlikeness` and its worst value. The last line is JSON.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.asking.models import sandbox  # noqa: E402
from stages.asking.requests import Paint  # noqa: E402
from stages.evaluation.running.copies import TOLERANCE, unlikeness  # noqa: E402
from stages.tables.images import as_jpeg, as_png  # noqa: E402

THINGS = ("car", "house", "cat", "bird", "apple", "chair", "tree", "owl", "umbrella", "star")
COLOURS = ("red", "blue", "black", "yellow", "green", "purple", "pink", "orange")
NUMBERS = ("two", "three", "four", "five")
Altered = Callable[[Image.Image], bytes]


def scene(number: int) -> str:
    """Return one of many scenes of one or two kinds of things."""
    first, second = THINGS[number % len(THINGS)], THINGS[(number * 3 + 1) % len(THINGS)]
    colour, other = COLOURS[number % len(COLOURS)], COLOURS[(number * 5 + 2) % len(COLOURS)]
    said = f"{NUMBERS[number % len(NUMBERS)]} {colour} {first}s"
    return said if number % 3 == 0 or first == second else f"{said} to the left of a {other} {second}"


def painted(prompt: str, seed: int, side: int) -> bytes:
    """Return a scene as the embedded world paints it."""
    reply = sandbox.answer(Paint(prompt, side, side, seed), {}, "painter")
    if reply.finish != "stop":
        raise ValueError(f"{prompt}: {reply.content.decode()}")
    return reply.content


def marked(image: Image.Image, thickness: float) -> bytes:
    """Return an image with a red ring around a place, a tenth of its width."""
    altered, side = image.copy(), image.size[0]
    place = [0.6 * side, 0.3 * side, 0.7 * side, 0.4 * side]
    ImageDraw.Draw(altered).ellipse(place, outline="red", width=max(1, round(thickness * side)))
    return as_png(altered)


def noisy(image: Image.Image) -> bytes:
    """Return an image with noise of 8 grey levels."""
    pixels = np.asarray(image, np.float64)
    return as_png(
        Image.fromarray((pixels + np.random.default_rng(0).normal(0, 8, pixels.shape)).clip(0, 255).astype(np.uint8))
    )


def tree(seed: int, marked: int | None = None, colour: str = "red", moved: int = 0) -> Image.Image:
    """Return a drawing of a tree of eight nodes, one of which may be marked, or the fourth moved to the right."""
    random = np.random.default_rng(seed)
    drawing = Image.new("RGB", (1024, 768), "white")
    pen = ImageDraw.Draw(drawing)
    nodes = random.integers(80, (944, 688), (8, 2)).tolist()
    for number in range(1, len(nodes)):
        pen.line((*nodes[number], *nodes[random.integers(number)]), fill="black", width=2)
    for number, (x, y) in enumerate(nodes):
        x += moved * (number == 3)
        fill = colour if number == marked else "white"
        pen.ellipse((x - 25, y - 25, x + 25, y + 25), fill=fill, outline="black", width=2)
        pen.text((x - 3, y - 6), chr(ord("A") + number), fill="black")
    return drawing


TREES: Mapping[str, Callable[[int], bytes]] = {
    "tree_jpeg_60": lambda seed: as_jpeg(tree(seed), 60),
    "tree_half": lambda seed: as_png(tree(seed).resize((512, 384))),
    "tree_squeezed": lambda seed: as_jpeg(tree(seed).resize((512, 512)), 80),
    "tree_another": lambda seed: as_png(tree(seed + 10_000)),
    "tree_marked": lambda seed: as_png(tree(seed, 2)),
    "tree_marked_palely": lambda seed: as_png(tree(seed, 2, "#fffadc")),
    "tree_moved": lambda seed: as_png(tree(seed, moved=20)),
}
COPIED_TREES = ("tree_jpeg_60", "tree_half", "tree_squeezed")
COPIES: Mapping[str, Altered] = {
    "jpeg_60": lambda image: as_jpeg(image, 60),
    "half": lambda image: as_png(image.resize((image.size[0] // 2, image.size[1] // 2))),
    "larger": lambda image: as_jpeg(image.resize((image.size[0] * 4 // 3, image.size[1] * 4 // 3)), 75),
    "noise_8": noisy,
    "squeezed": lambda image: as_png(image.resize((image.size[0] * 5 // 8, image.size[1]))),
}
OTHERS: Mapping[str, Altered] = {
    "ring_12": lambda image: marked(image, 0.012),
    "ring_6": lambda image: marked(image, 0.006),
    "ring_3": lambda image: marked(image, 0.003),
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--side", type=int, default=384, help="of pictures, in pixels")
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in (*COPIES, *OTHERS, "repainted", *TREES)}
    took = list[float]()

    def compared(name: str, made: bytes, original: bytes) -> None:
        start = time.perf_counter()
        found[name].append(unlikeness(made, original))
        took.append(time.perf_counter() - start)

    for number in range(arguments.scenes):
        prompt = scene(number)
        original = painted(prompt, number, arguments.side)
        image = Image.open(io.BytesIO(original)).convert("RGB")
        for name, alter in {**COPIES, **OTHERS}.items():
            compared(name, alter(image), original)
        compared("repainted", painted(prompt, 10_000 + number, arguments.side), original)
        for name, draw in TREES.items():
            compared(name, draw(number), as_png(tree(number)))
    figures = {}
    for name, values in found.items():
        called = float(np.mean(np.array(values) <= TOLERANCE))
        worst = max(values) if name in (*COPIES, *COPIED_TREES) else min(values)
        figures[name] = {"copy": called, "median": round(float(np.median(values)), 4), "worst": round(worst, 4)}
        print(f"{name:18} called a copy {called:6.1%}   unlikeness: median {np.median(values):.4f}, worst {worst:.4f}")
    shown = {"scenes": arguments.scenes, "side": arguments.side, "tolerance": TOLERANCE}
    print(json.dumps(shown | {"milliseconds": round(1000 * float(np.mean(took)), 1), "unlikeness": figures}))


if __name__ == "__main__":
    main()
