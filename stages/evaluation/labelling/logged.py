"""What people said of answers on the page of `gamut label`: their logs, read as ratings on the scales of measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.labelling.asked import lines_by_place, read_key
from stages.evaluation.scoring.agreement import Rating
from stages.project import decisions


def task_of(benchmark: Benchmark[Any, Any], params: Params) -> str:
    """Return the task in which answers to the edition are labelled that params.yaml names."""
    return f"label.{benchmark.name}.{benchmark.block(params).edition}"


def ratings_in_logs(benchmark: Benchmark[Any, Any], params: Params) -> Iterator[Rating]:
    """Yield what people said, by person; UserError with a line for every decision that is about nothing that was drawn,
    or none that may be given.
    """
    task = task_of(benchmark, params)
    logs = decisions.decided(task)
    if not logs:
        return
    keys, line_of = read_key(benchmark, params), lines_by_place(benchmark, params)
    for person, said in logs.items():
        mistakes: dict[tuple[str, int], str] = {}
        for one in said.values():
            try:
                if one.id not in keys:
                    raise ValueError("it was not drawn: restore the key from git")
                row = keys[one.id]
                value = line_of(row).value(one.decision)
            except ValueError as mistake:
                mistakes[one.key] = f"{one.id!r}: {mistake}"
                continue
            answer = row["contestant"], row["item"], int(row["sample"]), int(row["question"])
            yield Rating(row["side"], row["measure"], person, answer, value, one.round)
        decisions.refuse_said(decisions.path_of(person, task), mistakes)
