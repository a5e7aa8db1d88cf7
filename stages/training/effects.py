"""The effect of a recipe: its held-out loss, and its contestants' values on every headline board, as means over
trainings and items; and the difference of every two recipes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.scoring.estimates import keys_of_interval
from gamut.evaluation.scoring.groups import OverTrainings, compare_groups, over_trainings
from gamut.evaluation.scoring.pairwise import Entrant
from gamut.project.files import write_json
from gamut.project.parameters import load
from gamut.project.places import BOARDS
from gamut.project.stage import main
from gamut.tables.columns import grouped
from gamut.training.recipes import contestants_by_recipe
from stages.training.parameters import Params
from stages.training.stages import EFFECT, EFFECTS, LOSSES, TRAINING

SAME_LOSS = {"model", "captions", "largest_picture", "width", "height"}


def effects(params: Params) -> None:
    """Write and print the results of every measure. A difference without an interval is not written."""
    values: dict[str, float] = {}
    for name, groups, measure in measures(params):
        for recipes in [*((one,) for one in groups), *combinations(groups, 2)]:
            key, found = f"{'.over.'.join(reversed(recipes))}.{name}", measure(*(groups[one] for one in recipes))
            print(f"training.effects: {key}: {found}")
            if found.value is not None:
                values |= keys_of_interval(key, found.value, found.low, found.high)
                values |= {f"{key}_trainings": min(found.trainings)}
    write_json(Path(EFFECTS), values)


def measures(params: Params) -> Iterator[tuple[str, Mapping[str, Any], Callable[..., OverTrainings]]]:
    """Yield the name of each measure, its input for each recipe, and the function that compares them."""
    recipes, seeds = params.training.recipes, params.training.seeds
    # losses of other models, captions or pictures are not the same loss
    alike = grouped((params.recipes[one].model_dump_json(include=SAME_LOSS), one) for one in recipes)
    for names in alike.values():
        losses = {one: np.array([[last_loss(f"{one}-{seed}")] for seed in seeds]) for one in names}
        yield "held_out", losses, over_trainings
    for name in sorted(path.stem for path in BOARDS.glob("*.json") if "." not in path.stem):
        benchmark = benchmark_of(name)
        own = load(benchmark.params)
        models = {slug: one.model.model_dump() for slug, one in benchmark.contestants(own).items() if one.model}
        by_recipe = contestants_by_recipe(models)
        groups = {recipe: [*map(Entrant, by_recipe[recipe])] for recipe in recipes if recipe in by_recipe}
        yield f"{name}.{benchmark.headline(own)[0].shown[0]}", groups, partial(compare_groups, benchmark, own)


def last_loss(cell: str) -> float:
    with Path(LOSSES, f"{cell}.csv").open(newline="") as file:
        return [float(row["held_out"]) for row in csv.DictReader(file) if row["held_out"]][-1]


if __name__ == "__main__":
    main("training.effects", effects, Params, record=TRAINING.record(EFFECT))
