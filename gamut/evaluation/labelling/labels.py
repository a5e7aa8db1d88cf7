"""People's labels of contestants' answers: from the logs of `gamut label`, and from a file of labels.

People write the file, `datasets/labels/<benchmark>/<edition>.csv`, and it is in git. It has a row for each contestant,
item, setting, measure and person, with optional `sample` and `question`; without them a label covers all. A row without
a score is not labelled yet.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.parameters import DESCRIBED, REWRITTEN, Params, nameable_settings
from gamut.evaluation.labelling.drawing import answers_of_key
from gamut.evaluation.labelling.questions import lines_by_place, read_key
from gamut.evaluation.labelling.shown import question_reader
from gamut.evaluation.scoring.agreement import EVERY, Answer, Rating, coarser_answers
from gamut.project import decisions
from gamut.project.csv_forms import form_rows, refuse_lines
from gamut.project.errors import UserError, nearest_choice
from gamut.project.plain_text import amount

COLUMNS = ("contestant", "item", "setting", "measure", "person", "score")
FINER = ("sample", "question")
"""Optional columns."""


class LabelChoices(NamedTuple):
    """The names that labels may use, and the scale of each measure. Any contestant may be named, also a removed one."""

    items: Collection[str]
    settings: Collection[str]
    measures: Mapping[str, Scale]


def read_labels(path: Path, known: LabelChoices) -> list[Rating]:
    """Read the file of labels. UserError with one line for each mistake."""
    labels: list[Rating] = []
    first: dict[tuple[str, ...], int] = {}
    mistakes: list[tuple[int, str]] = []
    for line, row in form_rows(path, COLUMNS, absent=""):
        try:
            label = label_of(row, known)
            earlier = first.setdefault(tuple(row.get(name, "") for name in (*COLUMNS[:-1], *FINER)), line)
            if earlier != line:
                raise ValueError(f"labels the same answer as line {earlier}: keep one of them")
        except ValueError as mistake:
            mistakes.append((line, str(mistake)))
            continue
        if label is not None:
            labels.append(label)
    refuse_lines(path, mistakes)
    return labels


def label_of(row: Mapping[str, str], known: LabelChoices) -> Rating | None:
    """Return a row's label, None if it has none yet. ValueError for a mistake in the row."""
    for name, choices in zip(("item", "setting", "measure"), known, strict=True):
        if row[name] not in choices:
            raise ValueError(f"there is no {name} {row[name]!r}{nearest_choice(row[name], choices)}")
    if not row["contestant"]:
        raise ValueError("contestant is empty: whose answer is it?")
    if not row["person"]:
        raise ValueError("person is empty: who gave the score?")
    if not row["score"]:
        return None
    try:
        score = float(row["score"])
    except ValueError:
        score = math.nan
    lowest, highest = known.measures[row["measure"]]
    if not lowest <= score <= highest:
        raise ValueError(f"score {row['score']!r}: a number from {lowest:g} to {highest:g} is expected")
    finer = tuple(read_count(row, name) for name in FINER)
    answer = (row["contestant"], row["item"], *(finer if {*finer} != {EVERY} else ()))
    return Rating(row["setting"], row["measure"], row["person"], answer, score)


def read_count(row: Mapping[str, str], name: str) -> int:
    """Return a row's sample or question, EVERY for an empty cell. ValueError unless it is a whole number from 0."""
    cell = row.get(name, "")
    if not cell:
        return EVERY
    if not (cell.isascii() and cell.isdigit()):
        raise ValueError(f"{name} {cell!r}: a whole number from 0 is expected")
    return int(cell)


def labels_of_scored_answers(labels: Sequence[Rating], scores: Iterable[Rating]) -> tuple[list[Rating], str | None]:
    """Return the labels of answers that a judge scored too, and a message that counts the others by contestant."""
    scored = {(score.setting, score.measure, answer) for score in scores for answer in coarser_answers(score.answer)}
    kept = [label for label in labels if scored_answer(label) in scored]
    others = Counter((label.answer[0], label.setting) for label in labels if scored_answer(label) not in scored)
    of_whom = ", ".join(
        f"{count:,} of {contestant} ({setting})" for (contestant, setting), count in sorted(others.items())
    )
    message = f"not used: {amount(others.total(), 'label')} of answers that no judge has scored: {of_whom}"
    return kept, message if others else None


def scored_answer(label: Rating) -> tuple[str, str, Answer]:
    return label.setting, label.measure, label.answer


def sample_of(label: Rating, samples: Mapping[tuple[str, str, str], int]) -> int:
    """Return a label's sample. If it names none: the only sample, or EVERY if there are several."""
    contestant, item, *finer = label.answer
    sample: int = finer[0] if finer else EVERY
    return 0 if sample == EVERY and samples.get((label.setting, contestant, item)) == 1 else sample


def task_of(benchmark: AnyBenchmark, params: Params) -> str:
    return f"label.{benchmark.name}.{benchmark.block(params).edition}"


def labels_in_logs(
    benchmark: AnyBenchmark, params: Params, without: Collection[tuple[str, str, int]] = ()
) -> Iterator[Rating]:
    """Yield people's labels from logs, except `without`: person, code and round. UserError for an invalid reply."""
    task = task_of(benchmark, params)
    logs = decisions.read_decisions(task)
    if not logs:
        return
    keys, line_of = read_key(benchmark, params), lines_by_place(benchmark, params)
    for person, of_person in logs.items():
        mistakes: dict[tuple[str, int], str] = {}
        for one in of_person.values():
            if (person, one.id, one.round) in without:
                continue
            try:
                if one.id not in keys:
                    raise ValueError("this code was not drawn: restore the key from git")
                row = keys[one.id]
                value = line_of(row).value(one.decision)
            except ValueError as mistake:
                mistakes[one.key] = f"{one.id!r}: {mistake}"
                continue
            answer = row["contestant"], row["item"], int(row["sample"]), int(row["question"])
            yield Rating(row["setting"], row["measure"], person, answer, value, one.round)
        decisions.refuse_decisions(decisions.path_of(person, task), mistakes)


def changed_decisions(benchmark: AnyBenchmark, params: Params) -> set[tuple[str, str, int]]:
    """Return person, code and round of decisions whose answers or questions have changed since."""
    logs = decisions.read_decisions(task_of(benchmark, params))
    decided = [(person, one) for person, of_person in logs.items() for one in of_person.values() if one.about]
    if not decided:
        return set()
    there = {code: one for code, one in answers_of_key(benchmark, params).items() if one is not None}
    wanted = {one.id for _, one in decided}
    about = {question.code: question.about for question in question_reader(benchmark, params, there)(wanted)}
    return {(who, one.id, one.round) for who, one in decided if about.get(one.id, one.about) != one.about}


def labels_path(benchmark: AnyBenchmark, params: Params) -> Path:
    return Path("datasets/labels", benchmark.name, f"{benchmark.block(params).edition}.csv")


def labels_of_people(benchmark: AnyBenchmark, params: Params) -> list[Rating]:
    return [one for one in all_labels(benchmark, params) if not one.repeat]


def all_labels(benchmark: AnyBenchmark, params: Params, without: Collection[tuple[str, str, int]] = ()) -> list[Rating]:
    """Return people's labels from the file, then from their logs except `without`."""
    path = labels_path(benchmark, params)
    in_file = labels_in_file(benchmark, params, path) if path.exists() else []
    in_logs = list(labels_in_logs(benchmark, params, without))
    both = {label_key(one) for one in in_file} & {label_key(one) for one in in_logs}
    if both:
        raise UserError(
            f"{path}: {amount(len(both), 'label')}, such as one of {min(both)[0]!r}, both here and in "
            f"{decisions.FOLDER}/*/{task_of(benchmark, params)}.jsonl: remove them from one of the two"
        )
    return in_file + in_logs


def label_key(label: Rating) -> tuple[str, str, str, str]:
    return label.rater, label.setting, label.measure, str(label.answer)


def labels_in_file(benchmark: AnyBenchmark, params: Params, path: Path) -> list[Rating]:
    items = {str(item.id) for item in benchmark.items(params)}
    settings = nameable_settings(benchmark.settings(benchmark.block(params)), benchmark.other_settings)
    if benchmark.rewriting is not None:  # also settings of removed rewriters
        settings += [
            row["setting"]
            for _, row in form_rows(path, COLUMNS, absent="")
            if row["setting"].startswith((REWRITTEN, DESCRIBED))
        ]
    return read_labels(path, LabelChoices(items, settings, benchmark.observed))
