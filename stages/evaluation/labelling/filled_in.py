"""What a person filled into a sheet, taken over into the labels of the edition, on the scales of its measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from stages.evaluation.bodies.agree import labels_path, people_said
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.labelling.questions import Line, lines_by_place, read_key
from stages.evaluation.labelling.sheets import cell
from stages.evaluation.scoring.labels import COLUMNS, write_labels
from stages.project.csv_forms import form_rows, refuse
from stages.project.errors import UserError
from stages.project.plain_text import amount


def take_over(benchmark: Benchmark[Any, Any], params: Params, sheet: Path, person: str) -> Iterator[str]:
    """Write what a person says in a sheet into the labels, in the place of what it said there before; yield what to
    tell.

    UserError with a line for every mistake in the sheet, or in the labels as they are; nothing is written then.
    """
    person = " ".join(person.split())
    if not person:
        raise UserError("--person is empty: who filled it in?")
    path = labels_path(benchmark, params)
    keys = read_key(benchmark, params)
    scores = scores_in(sheet, keys, lines_by_place(benchmark, params))
    people_said(benchmark, params)  # as they are: nothing is added to labels that cannot be read
    before = [row for _, row in form_rows(path, COLUMNS, "")] if path.exists() else []
    if scores:
        write_labels(path, before, [keys[code] | {"person": person, "score": one} for code, one in scores.items()])
    yield f"{path}: {amount(len(scores), 'label')} of {person}; {amount(len(keys), 'question')} were drawn"
    yield "`git add` it; `dvc repro leaderboard` holds judges and observers against it"


def scores_in(
    sheet: Path, keys: Mapping[str, Mapping[str, str]], line_of: Callable[[Mapping[str, str]], Line]
) -> dict[str, str]:
    """Return the scores that stand in a sheet, by code; UserError with a line for every mistake."""
    scores: dict[str, str] = {}
    first: dict[str, int] = {}
    mistakes: list[tuple[int, str]] = []
    for number, row in form_rows(sheet, ("code", "asked", "verdict"), ""):
        code = row["code"]
        try:
            if (earlier := first.setdefault(code, number)) != number:
                raise ValueError(f"code {code!r} stands in line {earlier} too: keep one of them")
            if code not in keys:
                raise ValueError(f"no code {code!r} was drawn: restore it from the sheet as it was handed over")
            line = line_of(keys[code])
            asked = {" ".join(cell(words).split()) for words in (line.words, line.of_judge)}
            if " ".join(row["asked"].split()) not in asked:
                raise ValueError("asked: this is not the question that was drawn: restore it, or draw anew")
            if row["verdict"]:
                scores[code] = f"{line.value(row['verdict']):.12g}"
        except ValueError as mistake:
            mistakes.append((number, str(mistake)))
    refuse(sheet, mistakes)
    return scores
