"""A small folder as GENIUS was published, drawn on the spot, and a small room that reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from stages.asking.questions import Question
from stages.evaluation.curating.room import Room
from stages.evaluation.defining import parameters
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.inquiries import Inquiry, Judged
from stages.evaluation.defining.measures import Column, Linear, Scale, View
from stages.genius.card import CARD, withheld
from stages.genius.layout import FOLDER
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.putting import put
from stages.project.parameters import check
from tests.evaluation.small_pictures import png

ROOT = Path("published")
DATASET = ROOT / "dataset"
SIDE = "interleaved"


def drawn(number: int) -> bytes:
    """A picture of its own for each number."""
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
    """Draw pictures for a task, each its own."""
    folder = DATASET / task / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        (folder / name).write_bytes(drawn(number + 100 * TASKS.index(task) if task in TASKS else number))  # type: ignore[arg-type]


def put_list(task: str, entries: Any) -> Path:
    """Write the list of a task; bytes as they are."""
    path = DATASET / task / "test_data.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(entries if isinstance(entries, bytes) else json.dumps(entries).encode())
    return path


def put_task(task: str, *entries: Any) -> None:
    """Write a task with the three pictures that its entries name."""
    put_pictures(task, "a.png", "b.png", "c.png")
    put_list(task, list(entries))


def put_all() -> None:
    """Write an entry or two of every task, in all forms that were published."""
    put_task("implicit_pattern", entry("002"), entry("010", vc_hint=None, VC_hint="<image:a.png> It stays."))
    put_task("symbolic_constraint", entry(7, vc_hint=["<image:a.png> It stays.", "The house of <image:c.png> stays."]))
    put_task("visual_constraint", entry("1", vc_hint=""), entry("2", vc_hint=[], VC_hint=""))
    put_task("prior_conflicting", entry("1", vc_hint=None))
    put_task("multi_semantic", entry("1", vc_hint=None))


class Reply(BaseModel):
    """What a judge would say."""

    value: float


class Params(parameters.Params):
    """Parameters with the block of the small benchmark."""

    genius: parameters.BenchmarkParameters


JUDGED = Inquiry(Question("fits", "opening", "instruction", Reply), {}, ("right",), lambda reply: [Judged(reply.value)])
ROOM: Room[parameters.BenchmarkParameters, GeniusItem] = Room(
    benchmark=Benchmark(
        name="genius",
        title="GENIUS",
        params=Params,
        item=GeniusItem,
        sides=lambda block: (SIDE,),
        put=put,
        strata=TASKS,
        stratum=lambda item: item.task,
        measures={"right": Scale(0, 2)},
        inquiries=lambda item, side: [JUDGED],
        views=lambda block: [
            View(SIDE, (SIDE,), [Column(TASKS[0], SIDE, "right")], {"right": Linear(np.ones(1))}, ("right",))
        ],
    ),
    card=CARD,
    released=FOLDER,
    withheld=withheld,
)
"""A room with one measure, in the place of that of the benchmark."""


def params(model: dict[str, Any], max_failures: int = 0) -> Params:
    """Parameters with one contestant."""
    roles = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
    values = {
        "seed": 3,
        "models": {"world": {"kind": "sandbox"}},
        "roles": dict.fromkeys(roles, "world"),
        "contestants": {"mine": {"class": "unified", "model": model, "benchmarks": {"genius": [SIDE]}}},
        "genius": {
            "edition": "v1",
            "judges": ["world"],
            "controls_of": [],
            "answer": {"width": 64, "height": 64, "samples": 1, "max_failures": max_failures},
            "judge": {"max_failures": 0, "max_unjudged": 0.05},
        },
    }
    return check(Params, values, Path("params.yaml"))
