"""A small folder as GENIUS was published, drawn on the spot, and a contestant's parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gamut.project.validation import check_values
from stages.genius.shared.benchmark import Params
from stages.genius.shared.items import TASKS
from tests import fakes
from tests.evaluation.small_pictures import png
from tests.genius.small_genius import SETTING, VALUES

ROOT = Path("published")
DATASET = ROOT / "dataset"


def drawn(number: int) -> bytes:
    return png(number, 80)


def entry(id: str | int = "002", **changed: Any) -> dict[str, Any]:
    """An entry as it was published; what is None is left out."""
    values = {
        "id": id,
        "context": "I like the first <image:a.png> and not the second <image: b.png>.",
        "instruction": "Draw this as I like it. <image:c.png>",
        "rc_hint": "It is drawn as the first.",
        "vc_hint": "<image:c.png> The things in it stay.",
    }
    return {key: value for key, value in (values | changed).items() if value is not None}


def put_pictures(task: str, *names: str) -> None:
    folder = DATASET / task / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        (folder / name).write_bytes(drawn(number + 100 * TASKS.index(task) if task in TASKS else number))  # type: ignore[arg-type]


def put_list(task: str, entries: Any) -> Path:
    path = DATASET / task / "test_data.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(entries if isinstance(entries, bytes) else json.dumps(entries).encode())
    return path


def put_task(task: str, *entries: Any) -> None:
    put_pictures(task, "a.png", "b.png", "c.png")
    put_list(task, list(entries))


def put_all() -> None:
    put_task("implicit_pattern", entry("002"), entry("010", vc_hint=None, VC_hint="<image:a.png> It stays."))
    put_task("symbolic_constraint", entry(7, vc_hint=["<image:a.png> It stays.", "The house of <image:c.png> stays."]))
    put_task("visual_constraint", entry("1", vc_hint=""), entry("2", vc_hint=[], VC_hint=""))
    put_task("prior_conflicting", entry("1", vc_hint=None))
    put_task("multi_semantic", entry("1", vc_hint=None))


def params(model: dict[str, Any], max_failures: int = 0) -> Params:
    contestants = {"mine": {"class": "unified", "model": model, "settings": {"genius": [SETTING]}}}
    block = VALUES | {"answer": {"width": 64, "height": 64, "max_failures": max_failures}}
    return check_values(Params, fakes.values(genius=block, contestants=contestants), Path("params.yaml"))
