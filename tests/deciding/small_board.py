"""A board of GIR-Bench's riddles of numbers, whose pictures the embedded world painted: so their truth is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from gamut.asking.models.world import sandbox
from gamut.asking.requests import Paint, seed_of
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.running import answers
from gamut.project.validation import check_values
from gamut.tables.columns import make_id
from gamut.tables.writing import TableWriter
from stages.gir.shared.benchmark import GIR, Params
from stages.gir.shared.items import GirItem
from tests import fakes
from tests.gir.construction.small_maker import BLOCK

SIDE = 128
FAULTS = {"wrong_count": 1.0}
NAMES = ("meticulous", "reckless")
"""Two contestants, of whom the second miscounts."""
WORDS = ("One", "Two", "Three", "Four")


def values() -> dict[str, object]:
    """Parameters as they stand in params.yaml."""
    block = BLOCK | {"answer": {"width": SIDE, "height": SIDE, "max_failures": 0}}
    models = [{"kind": "sandbox"}, {"kind": "sandbox", "faults": FAULTS}]
    contestants = {name: {"class": "unified", "model": model} for name, model in zip(NAMES, models, strict=True)}
    return fakes.values(gir=block, contestants=contestants)


def params_of() -> Params:
    return check_values(Params, values(), Path("params.yaml"))


def riddles(count: int) -> list[GirItem]:
    return [
        GirItem(
            id=f"riddle{n:02d}",
            prompt=f"{WORDS[n % 4]} duck{'s' if n % 4 else ''}.",
            task="quantity",
            objects=("duck",),
            numbers=(n % 4 + 1,),
            absent=("cat",),
        )
        for n in range(count)
    ]


@cache
def painted(item: str, prompt: str, seed: int, badly: bool) -> bytes:
    """What a contestant paints of a riddle: the same on every board."""
    asked = Paint(prompt, SIDE, SIDE, seed_of(f"t2i/{item}", seed), 0)
    return sandbox.answer(asked, FAULTS if badly else {}, "creator").content


def write_board(count: int, altered: Callable[[bytes], bytes] = lambda picture: picture) -> None:
    """Freeze `count` riddles and write what both contestants painted; and params.yaml."""
    items, params = riddles(count), params_of()
    freeze_edition("gir", "v1", items)
    Path("params.yaml").write_text(json.dumps(values()))
    for name in NAMES:
        rows = []
        for n, item in enumerate(items):
            picture = altered(painted(item.id, item.prompt, params.seed, name == NAMES[1]))
            where = {"id": make_id("t2i-0", n), "item": item.id, "setting": "t2i", "sample": 0, "status": "ok"}
            parts = [{"text": None, "image": {"bytes": picture, "path": None}}]
            rows.append(dict.fromkeys(answers.SCHEMA.names) | where | {"parts": parts, "replies": []})
        with TableWriter(GIR.answers / name, answers.SCHEMA) as table:
            table.write("t2i-0-00000", rows)
