"""What people said of answers on the page of `gamut label`: their logs, read as ratings on the scales of measures."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.labelling.questions import lines_by_place, read_key
from stages.evaluation.labelling.sheets import given, reader
from stages.evaluation.scoring.agreement import Rating
from stages.project import decisions


def task_of(benchmark: Benchmark[Any, Any], params: Params) -> str:
    """Return the task in which answers to the edition are labelled that params.yaml names."""
    return f"label.{benchmark.name}.{benchmark.block(params).edition}"


def ratings_in_logs(
    benchmark: Benchmark[Any, Any], params: Params, without: Collection[tuple[str, str, int]] = ()
) -> Iterator[Rating]:
    """Yield what people said, by person, `without` what does not count (person, code, round); UserError with a line for
    every decision that is about nothing that was drawn, or none that may be given.
    """
    task = task_of(benchmark, params)
    logs = decisions.decided(task)
    if not logs:
        return
    keys, line_of = read_key(benchmark, params), lines_by_place(benchmark, params)
    for person, said in logs.items():
        mistakes: dict[tuple[str, int], str] = {}
        for one in said.values():
            if (person, one.id, one.round) in without:
                continue
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


def changed_since(benchmark: Benchmark[Any, Any], params: Params) -> set[tuple[str, str, int]]:
    """Return person, code and round of what was said of answers that look otherwise by now, or of another question: it
    does not count, and the page puts it again. What does not say what was shown, as an export, counts.
    """
    logs = decisions.decided(task_of(benchmark, params))
    wanted = {one.id for said in logs.values() for one in said.values() if one.about}
    if not wanted:
        return set()
    key = read_key(benchmark, params)
    places = {(row["contestant"], row["item"], row["side"], row["sample"]): code for code, row in key.items()}
    items = {str(item.id) for item in benchmark.items(params)}
    there = {
        places[where].rpartition("-")[0]: one
        for one in given(benchmark, params, items)
        if (where := (one.contestant, one.item, one.side, str(one.sample))) in places
    }
    about = {put.code: put.about for put in reader(benchmark, params, there)(wanted)}
    return {
        (person, one.id, one.round)
        for person, said in logs.items()
        for one in said.values()
        if one.about and about.get(one.id, one.about) != one.about
    }
