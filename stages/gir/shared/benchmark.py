"""What GIR-Bench is: pictures of riddles, edits of puzzles, entities by name and description, scored by programs.

An item's score is 0..1, what is reported in percent; a subset's is the mean over its tasks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from gamut.evaluation.defining.benchmark import Benchmark, Released
from gamut.evaluation.defining.measures import Column, Linear, View
from gamut.evaluation.defining.parameters import RULES
from stages.gir.shared.items import SUBSETS, TASKS, GirItem
from stages.gir.shared.looking import MEASURES, sightings
from stages.gir.shared.parameters import Gir, Params
from stages.gir.shared.putting import SIDES, put, reference, sides_of

DOMAINS = SUBSETS["ugc"]
SCORED: Mapping[str, Mapping[str, str]] = {
    "t2i": {"quantity": "counts", "spatial": "places", "text": "words"},
    "edit": {"jigsaw": "tiles", "sudoku": "digits", "perception": "region"},
    "category": dict.fromkeys(DOMAINS, "similarity"),
    "prompt": dict.fromkeys(DOMAINS, "similarity"),
    "name": dict.fromkeys(DOMAINS, "named"),
    "choice": dict.fromkeys(DOMAINS, "chosen"),
}
"""By side, the measure of every task that counts in the overall value."""
BESIDE: Mapping[str, Mapping[str, str]] = {"t2i": {"spatial": "relations"}, "edit": {"jigsaw": "likeness"}}
"""Measures that stand beside it."""
GAPS = {"transfer": ("category", "prompt"), "naming": ("name", "prompt"), "choosing": ("choice", "prompt")}
"""What is told of entities across two sides: by how much they do better on the first than on the second. `transfer`: by
their names than by descriptions (section 4.2); `naming`, `choosing`: recognised than painted.
"""


def of_side(side: str) -> View:
    scored, beside = SCORED[side], BESIDE.get(side, {})
    columns = [Column(task, side, measure) for table in (scored, beside) for task, measure in table.items()]
    each = np.eye(len(columns)) * 100
    reported = {"overall": Linear(each[: len(scored)].mean(axis=0))}
    reported |= {task: Linear(each[number]) for number, task in enumerate(scored)}
    reported |= {measure: Linear(each[len(scored) + number]) for number, measure in enumerate(beside.values())}
    return View(side, (side,), columns, reported, ("overall", *scored), tuple(beside.values()))


def gap(name: str) -> View:
    """Return the view of a gap between two sides, over the same entities: `both` is the mean of both, which ranks."""
    sides = GAPS[name]
    columns = [Column(domain, side, measure) for side in sides for domain, measure in SCORED[side].items()]
    signs = {sides[0]: 1.0, sides[1]: -1.0}

    def weighted(factors: Mapping[str, float], among: Collection[str]) -> Linear:
        weights = [factors[column.side] * (column.group in among) / len(among) for column in columns]
        return Linear(100 * np.array(weights))

    reported = {"both": weighted(dict.fromkeys(sides, 0.5), DOMAINS), "gap": weighted(signs, DOMAINS)}
    reported |= {f"gap.{domain}": weighted(signs, (domain,)) for domain in DOMAINS}
    return View(name, sides, columns, reported, tuple(reported), paired=True)


def views(block: Gir) -> Iterator[View]:
    yield from (of_side(side) for side in SIDES if side in block.sides)
    yield from (gap(name) for name, sides in GAPS.items() if {*sides} <= {*block.sides})


GIR: Benchmark[Gir, GirItem] = Benchmark(
    name="gir",
    title="GIR-Bench",
    params=Params,
    item=GirItem,
    sides=lambda block: block.sides,
    sides_of=lambda item, sides: sides_of(item),
    other_sides=SIDES,
    put=lambda block, item, side, pictures: put(item, side, pictures),
    strata=TASKS,
    stratum=lambda item: item.task,
    measures=MEASURES,
    sightings=sightings,
    observers=("detector", "reader", "image_embedder", RULES),
    views=lambda block: list(views(block)),
    reference=reference,
    keys={"sides": ("answer", "judge")},
    released=Released("stages.gir.released"),
)
