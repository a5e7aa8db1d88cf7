"""How a benchmark's observers that are no judges err, by what people say of answers, and scores without these errors.

People's labels stand in datasets/labels/<benchmark>/<edition>.csv; nobody is asked anything here.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from stages.evaluation.bodies.agree import all_said, labels_path
from stages.evaluation.defining.benchmark import Benchmark, benchmark_of
from stages.evaluation.defining.parameters import Params
from stages.evaluation.labelling.chosen import of_the_draw
from stages.evaluation.labelling.logged import changed_since
from stages.evaluation.scoring.agreement import Rating
from stages.evaluation.scoring.observer_errors import (
    LEAST,
    Answer,
    Place,
    at_all_ends,
    graded_errors,
    labels_by_place,
    scores,
    truth_of,
    verdict_errors,
)
from stages.evaluation.scoring.scores import NOT_PUT, OK, reason
from stages.project.errors import UserError
from stages.project.files import write_json
from stages.project.plain_text import amount
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

ANSWERED = ["item", "side", "sample", "status", "replies"]
OBSERVED = ["item", "side", "sample", "question", "value", "status"]
Put = Sequence[tuple[str, Row]]
"""Contestants with rows of what they were put to, also where they gave no answer."""
Measures = Mapping[tuple[str, str], Mapping[str, bool]]
"""By item and side, what observers give a value in an answer, and whether that is graded: a verdict is 0 or 1."""


def observer_errors(benchmark: Benchmark[Any, Any], params: Params) -> None:
    """Write how every panel's observers err in each measure that people labelled, and print it."""
    measures, put, found = measures_of(benchmark, params), list(answers_of(benchmark, params)), dict[str, float]()
    graded = {name: one for own in measures.values() for name, one in own.items()}
    people = all_said(benchmark, params, changed_since(benchmark, params))
    labels = [label for label in people if label.measure in graded and not label.repeat]
    require_verdicts(labels, graded, labels_path(benchmark, params))
    said = labels_by_place(labels, Counter((row["side"], contestant, row["item"]) for contestant, row in put))
    there = {
        (row["side"], measure, contestant, row["item"], row["sample"])
        for contestant, row in put
        if reason(row) == OK
        for measure in measures.get((row["item"], row["side"]), {})
    }
    drawn, blank, lines = of_the_draw(benchmark, params, said, there) if said else (said, (), [])
    for panel in benchmark.block(params).judged_by:
        for (side, measure), answers in looked_at(benchmark, params, panel, put, measures, drawn, blank).items():
            own = at_all_ends(graded_errors if graded[measure] else verdict_errors, answers)
            found |= {f"{side}.{panel}.{measure}.{name}": value for name, value in own.items()}
            for place, values in scores(answers).items():
                found |= {f"{side}.{panel}.{place}.{measure}.{name}": value for name, value in values.items()}
    path = benchmark.metrics(params) / "observer_errors.json"
    write_json(path, found)
    for line in [*passed_over(said, put), *lines, *([] if found else [to_do(benchmark, params)])]:
        print(f"{benchmark.name}.observer_errors: {line}")
    if found:
        show(found)
        print(f"The same numbers stand in {path}")


def measures_of(benchmark: Benchmark[Any, Any], params: Params) -> Measures:
    """Return what observers give a value; what people have no words for is graded."""
    found: dict[tuple[str, str], dict[str, bool]] = {}
    for item, side in benchmark.puts(benchmark.items(params), benchmark.sides(benchmark.block(params))):
        own = found.setdefault((str(item.id), side), {})
        for one in benchmark.sightings(item, side):
            for measure, wording in zip(one.measures, one.wording or [None] * len(one.measures), strict=True):
                own[measure] = wording is None or wording.graded
    return found


def answers_of(benchmark: Benchmark[Any, Any], params: Params) -> Iterator[tuple[str, Row]]:
    """Yield what was put to contestants, with its row."""
    for contestant in params.contestants:
        for row in read_rows(benchmark.answers / contestant, ANSWERED):
            if reason(row) != NOT_PUT:
                yield contestant, row


def require_verdicts(labels: Sequence[Rating], graded: Mapping[str, bool], path: Path) -> None:
    """Raise UserError for a label of a verdict that is neither right nor wrong."""
    for label in labels:
        if not graded[label.measure] and label.value not in (0, 1):
            about = f"{label.measure} of {label.answer[1]!r} ({label.side}, {label.answer[0]}) by {label.rater}"
            raise UserError(f"{path}: score {label.value:g} of {about}: 0 or 1 is wanted")


def looked_at(
    benchmark: Benchmark[Any, Any],
    params: Params,
    panel: str,
    put: Put,
    measures: Measures,
    said: Mapping[Place, Sequence[float]],
    blank: Collection[Place],
) -> dict[tuple[str, str], list[Answer]]:
    """Return all answers, by side and measure, with what a panel and people say of them; those that were left `blank`,
    or of which people are undecided, may be worth anything.
    """
    strata = {str(item.id): benchmark.stratum(item) for item in benchmark.items(params)}
    values: dict[Place, list[float]] = {}
    for contestant in params.contestants:
        for place in benchmark.seen_by(benchmark.block(params), panel):
            for row in read_rows(benchmark.observations / contestant / place, OBSERVED):
                if row["status"] == "ok":
                    where = row["side"], row["question"], contestant, row["item"], row["sample"]
                    values.setdefault(where, []).append(row["value"])
    found: dict[tuple[str, str], list[Answer]] = {}
    for contestant, row in put:
        side, item, there = row["side"], row["item"], reason(row) == OK
        for measure, graded in measures.get((item, side), {}).items():
            lowest, highest = benchmark.measures[measure]
            where = side, measure, contestant, item, row["sample"]
            seen, truth = (
                None if one is None else (one - lowest) / (highest - lowest)
                for one in (fmean(values[where]) if where in values else None, truth_of(said.get(where, ()), graded))
            )
            is_open = where in blank or (where in said and truth is None)
            answer = Answer(contestant, item, strata[item], seen, truth if there else None, there, is_open)
            found.setdefault((side, measure), []).append(answer)
    return found


def passed_over(said: Mapping[Place, Sequence[float]], put: Put) -> Iterator[str]:
    """Yield how many labels are of no answer that is there, and of whom."""
    there = {(row["side"], contestant, row["item"], row["sample"]) for contestant, row in put if reason(row) == OK}
    others = Counter[str]()
    for (side, _, *answer), labels in said.items():
        if (side, *answer) not in there:
            others[f"{answer[0]} ({side})"] += len(labels)
    if others:
        of_whom = ", ".join(f"{count:,} of {whom}" for whom, count in sorted(others.items()))
        yield f"{amount(others.total(), 'label')} passed over, which are of no answer that is there: {of_whom}"


def to_do(benchmark: Benchmark[Any, Any], params: Params) -> str:
    """Return how there come to be labels."""
    path = labels_path(benchmark, params)
    return f"no answer has a label in {path}: `gamut label {benchmark.name}` draws some for people to look at"


def show(found: Mapping[str, float]) -> None:
    """Print errors of observers, then scores without them, panel by panel, for a person."""
    for panel in dict.fromkeys(key.split(".")[1] for key in found):
        errors = Table(title=f"{panel}: observers against people, in %", title_justify="left")
        caption = f"-: fewer than {LEAST} labels of its own, else: labels that were not drawn at random"
        told = Table(title=f"{panel}: scores without the errors of observers, in %", title_justify="left")
        told.caption, told.caption_justify = caption, "left"
        for table, names in ((errors, ("side", "of", "")), (told, ("side", "contestant", "task", "of"))):
            for heading in names:
                table.add_column(heading)
            for heading in ("value", "interval", "labels") if table is errors else ("raw", "corrected", "labels"):
                table.add_column(heading, justify="right")
        for key, labels in found.items():
            start, _, name = key.rpartition(".")
            side, of, *place = start.split(".")
            if (of, name) != (panel, "labels"):
                continue
            count = f"{labels:,}, {found[blank]:,} blank" if (blank := f"{start}.blank") in found else f"{labels:,}"
            if f"{start}.raw" in found:
                value = " ".join(in_words(found, f"{start}.corrected"))
                told.add_row(side, *place, f"{found[f'{start}.raw']:.1f}", value, count)
            for one in ("precision", "recall", "error", "absolute_error"):
                if f"{start}.{one}" in found:
                    row = one.replace("_", " "), *in_words(found, f"{start}.{one}")
                    errors.add_row(side, *place, *row, count)
        for table in (errors, told):
            Console(soft_wrap=False).print(table)


def in_words(found: Mapping[str, float], key: str) -> tuple[str, str]:
    """Return a value and its interval; a dash where there is none."""
    if key not in found:
        return "-", ""
    return f"{found[key]:.1f}", f"{found[f'{key}_lo']:.1f} to {found[f'{key}_hi']:.1f}"


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    stage = f"{benchmark.name}.observer_errors"
    main(stage, partial(observer_errors, benchmark), benchmark.params, *sys.argv[2:])
