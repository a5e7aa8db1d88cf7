"""Contestants' values as the released scripts compute them, with their faults. No model is asked.

The scripts leave missing answers out: a value is the mean over observed answers. The value of jigsaws is of all answers
together, from the distance of their features to those of their solutions. There is no value if the scripts ask
otherwise (quantity and places: their detector also states counts), or if there is no script (answers in words). So
there is an overall value of entities and of edits, but not of riddles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import NamedTuple

import numpy as np

from gamut.asking.requests import unpack_vector
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.scores import NOT_ASKED, answer_reason
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import read_rows
from stages.gir.shared.benchmark import GIR, SCORED, Params
from stages.gir.shared.checks import MEASURES, RELEASED
from stages.gir.shared.measures import jigsaw
from stages.gir.shared.measures.jigsaw import Features, fid, kid

ANSWER_COLUMNS = ["item", "setting", "status", "replies"]
JUDGMENT_COLUMNS = ["item", "setting", "question", "value", "status", "replies"]
FEATURES = "features"
"""The measure whose replies hold the vectors of an answer and of its solution."""
INCEPTION = "inception"
"""The kind of embedder whose features make a distance between sets the published FID."""


class Sets(NamedTuple):
    """Features of answers, and of the solutions of their items, each once."""

    answers: Features
    solutions: Features


def values_of(rows: Iterable[Row], tasks: Mapping[str, str]) -> Mapping[tuple[str, str, str], Sequence[float]]:
    """Return the observed values by setting, task and measure. `tasks`: by item."""
    return grouped(
        ((row["setting"], tasks[row["item"]], row["question"]), row["value"]) for row in rows if row["status"] == "ok"
    )


def sets_of(rows: Iterable[Row]) -> Sets:
    """Return the features in the replies of judgments. UserError if they are not two vectors of one length."""
    answers, solutions = list[Features](), dict[str, Features]()
    for row in rows:
        if row["status"] == "ok" and row["question"] == FEATURES:
            contents = [reply["content"] for reply in row["replies"]]
            if len(contents) != 2 or None in contents:
                raise UserError(f"item {row['item']!r}: it needs two vectors: run `dvc repro` to embed again")
            made, right = (unpack_vector(content.encode()).astype(np.float64) for content in contents)
            if answers and made.shape != answers[0].shape:
                sizes = f"{made.size} and {answers[0].size} features"
                raise UserError(f"item {row['item']!r}: one embedder gave {sizes}: run `dvc repro` to embed again")
            answers.append(made)
            solutions[row["item"]] = right
    return Sets(*(np.stack(one) if one else np.empty((0, 0)) for one in (answers, [*solutions.values()])))


def set_distances(sets: Sets, inception: bool) -> dict[str, float]:
    """Return `fid` and `kid` of all jigsaws by Inception, else two distances with other names; none below two."""
    if min(map(len, sets)) < 2:
        return {}
    names = ("fid", "kid") if inception else ("distance", "kernel_distance")
    return {name: round(far(*sets), 6) + 0.0 for name, far in zip(names, (fid, kid), strict=True)}


def released_metrics(
    rows: Sequence[Row], tasks: Mapping[str, str], answer_counts: Mapping[tuple[str, str], int], inception: bool
) -> dict[str, dict[str, float]]:
    """Return by setting the released scripts' values for the judgments of one panel, 0..100.

    There is a value for each task, and their mean `overall`, as printed, if all tasks have one. For each task, `_n` is
    the number of answers that count, and `_missing` of those that the scripts leave out. `answer_counts`: how many
    answers there should be, by setting and task.
    """
    values, reported = values_of(rows, tasks), dict[str, dict[str, float]]()
    means: dict[str, dict[str, float]] = {setting: {} for setting, _ in answer_counts}
    for (setting, task), answer_count in answer_counts.items():
        measure, task_values = SCORED[setting][task] + RELEASED, dict[str, float]()
        scores: Sequence[float] = values.get((setting, task, measure), ())
        count = len(scores)
        if task == "jigsaw":
            sets = sets_of(rows)
            count, task_values = len(sets.answers), set_distances(sets, inception)
            scores = [jigsaw.released_score(task_values["fid"])] if "fid" in task_values else []
        elif measure not in MEASURES:
            continue
        if scores:
            means[setting][task] = 100 * fmean(scores)
        task_values |= {"n": count, "missing": answer_count - count}
        reported.setdefault(setting, {}).update({f"{task}_{name}": value for name, value in task_values.items()})
    for setting, own_means in means.items():
        if own_means.keys() == SCORED[setting].keys():
            own_means["overall"] = fmean(own_means.values())
        reported.setdefault(setting, {}).update({task: round_value(value) for task, value in own_means.items()})
    return {setting: task_values for setting, task_values in reported.items() if task_values}


def released(params: Params) -> None:
    found = dict[str, float]()
    for contestant in params.gir.contestants:
        found |= contestant_values(params, contestant)
    write_json(GIR.metrics_folder(params) / "released.json", found)


def contestant_values(params: Params, contestant: str) -> dict[str, float]:
    block, values = GIR.block(params), dict[str, float]()
    tasks: dict[str, str] = {str(item.id): item.task for item in GIR.items(params)}
    prompt = (row for row in read_rows(GIR.answers / contestant, ANSWER_COLUMNS) if answer_reason(row) != NOT_ASKED)
    answer_counts = Counter((str(row["setting"]), tasks[row["item"]]) for row in prompt)
    for panel in block.judged_by:
        places = [GIR.answer_judgments(contestant, place) for place in GIR.seen_by(block, panel)]
        rows = list(chain.from_iterable(read_rows(place, JUDGMENT_COLUMNS) for place in places))
        embedder = block.observers_for(panel).get("image_embedder")
        of_panel = released_metrics(
            rows, tasks, answer_counts, embedder is not None and params.models[embedder].kind == INCEPTION
        )
        for setting, own in of_panel.items():
            values |= {f"{setting}.{panel}.{contestant}.{name}": value for name, value in own.items()}
            told = (f"{task} {own[task]:.1f} (of {own[f'{task}_n']:,})" for task in SCORED[setting] if task in own)
            print(f"gir.board: {contestant}, {setting}, {panel}: {', '.join(told) or 'nothing was observed'}")
    return values
