"""A small folder as GapEval was published: every category, both spellings, and answers lying inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.gapeval.small_items import painted

ROOT = Path("published")
SCENES = ("two red cars", "three red cars", "a blue house", "a black cat", "five red apples")
PUBLISHED: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "data_1": ({"category": "Multi Hop", "subcategory": "animal"}, {"image/mouse.jpg": 0}),
    "data_2": ({"category": "counting", "subcategory": "Animals Counting"}, {"inage/in.jpg": 1, "ref/out.jpg": 2}),
    "data_3": ({"category": "rule_based", "subcategory": "explicit"}, {"image/1.jpg": 3, "ref/1.jpg": 4}),
    "data_4": ({"category": "reasoning", "subcategory": "puzzle"}, {"image/1.jpg": 0, "ref/1.jpg": 1}),
    "data_10": (
        {"category": "physics", "subcategory": "balance", "img": "before.jpg", "expect_image": "after.jpg"},
        {"before.jpg": 2, "after.jpg": 3},
    ),
}
"""By folder, its own keys and its pictures, each the number of a scene."""
TEXTS = {"und_prompt": "What is it?", "gen_prompt": "Draw it.", "reference": "this"}


def write_item(item: str, entry: Any = None, pictures: dict[str, bytes | int] | None = None) -> Path:
    folder = ROOT / item
    folder.mkdir(parents=True, exist_ok=True)
    if entry is not None:
        content = entry if isinstance(entry, bytes) else json.dumps(entry).encode()
        (folder / "prompt.json").write_bytes(content)
    for name, one in (pictures or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(one if isinstance(one, bytes) else painted(SCENES[one], one))
    return folder


def put_all() -> None:
    for number, (item, (own, pictures)) in enumerate(PUBLISHED.items()):
        entry = own | TEXTS | {"reference": f"answer {item}"}
        write_item(item, [entry] if number % 2 else entry, {**pictures})


def put_answers(model: str, samples: int = 2, texts: bool = True, pictures: bool = True) -> None:
    for item in PUBLISHED:
        folder = ROOT / item / model
        folder.mkdir(parents=True, exist_ok=True)
        if texts:
            said = [f"{model} on {item}, {sample}" for sample in range(samples)]
            (folder / "text.json").write_text(json.dumps({"output_text": said}))
        for sample in range(samples if pictures else 0):
            (folder / f"out_{sample}.jpg").write_bytes(painted(SCENES[sample], sample))
