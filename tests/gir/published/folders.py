"""A small folder as GIR-Bench was published, with every task, and pictures that are painted for it."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from stages.gir.construction.draw_sudoku import grid_picture
from stages.gir.grids import Pixels

ROOT = Path("dataset/reference")
PUZZLE = [[1, 0, 3, 4], [3, 4, 0, 2], [2, 1, 4, 0], [0, 3, 2, 1]]
ANSWER = [[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]
ANIMALS = ("red fox", "grey owl", "brown bear", "white goose", "black cat")
TILES = (3, 1, 0, 2)
"""Where the tiles of the jigsaw were put."""


def put_json(file: str, content: Any) -> Path:
    path = ROOT / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def put_picture(file: str, content: bytes | Pixels) -> Path:
    path = ROOT / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else encoded(content))
    return path


def encoded(pixels: Pixels) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def scenery(seed: int, width: int = 96, height: int = 96) -> Pixels:
    small = np.random.default_rng(seed).integers(0, 256, (9, 9, 3), dtype=np.uint8)
    return np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))


def mixed(whole: Pixels, rows: int, columns: int, order: Sequence[int]) -> Pixels:
    high, wide = whole.shape[0] // rows, whole.shape[1] // columns
    made = whole.copy()
    for place, tile in enumerate(order):
        (down, across), (row, column) = divmod(place, columns), divmod(tile, columns)
        made[down * high : (down + 1) * high, across * wide : (across + 1) * wide] = whole[
            row * high : (row + 1) * high, column * wide : (column + 1) * wide
        ]
    return made


def marked(width: int = 96, height: int = 96) -> Pixels:
    mask = np.zeros((height, width, 3), np.uint8)
    mask[: height // 2, : width // 2] = 255
    return mask


def put_t2i() -> None:
    put_json(
        "prompt/NumericalReasoning.json",
        [
            {
                "id": 1,
                "prompt": "Ducks with ten legs, and no cat.",
                "task": {"objects": ["duck", "cat"], "number": [5, 0]},
            }
        ],
    )
    relation = {"subject": "car", "direction": "left", "object": ["tree", "dog"]}
    task = {"objects": ["car", "tree", "dog"], "colors": ["red", "", "black"], "relative_position": [relation]}
    put_json("prompt/SpatialLayout.json", [{"id": 1, "prompt": "A red car left of a tree.", "task": task}])
    put_json("prompt/TextRendering.json", [{"id": 7, "prompt": "A sign with the word for water.", "text": "WATER"}])


def put_entities() -> None:
    for number, name in enumerate(ANIMALS, start=1):
        for one in (1, 2):
            folder = f"Zoology/{number}_{name.replace(' ', '_')}"
            put_picture(f"{folder}/{one:03d}.png", scenery(10 * number + one, 64, 64))
    prompts = [{"id": number, "prompt": f"The animal of riddle {number}."} for number in range(1, len(ANIMALS) + 1)]
    put_json("prompt/Zoology.json", prompts)


def put_edits() -> None:
    whole = scenery(1)
    put_picture("VisualPuzzle/solution/007.png", whole)
    put_picture("VisualPuzzle/question/007.png", mixed(whole, 2, 2, TILES))
    put_picture("VisualLogic/question/001.png", grid_picture([cell for row in PUZZLE for cell in row], 4, 128))
    put_picture("VisualLogic/answer/001.png", grid_picture([cell for row in ANSWER for cell in row], 4, 128))
    put_json("VisualLogic/sudoku/001.json", {"grid_size": 4, "puzzle": PUZZLE, "solution": ANSWER})
    put_picture("ReasoningPerception/image/003.png", scenery(2))
    put_picture("ReasoningPerception/mask/003.png", marked())
    put_json("prompt/ReasoningPerception.json", [{"id": 3, "prompt": "Find the brightest corner"}])


def put_all() -> None:
    put_t2i()
    put_entities()
    put_edits()
