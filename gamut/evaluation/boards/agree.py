"""Agreement of judges with each other, with themselves and with people, and where the variance of scores comes from.
Also how often observers that are not judges err in verdicts. People's scores also correct the judges' scores
(`correct`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from gamut.evaluation.boards.correct import correct, judgeable_answers, measured_places, sample_counts
from gamut.evaluation.boards.score import ANSWERED, OBSERVED
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.drawing import LabelledPlace, labels_of_the_draw
from gamut.evaluation.labelling.labels import (
    all_labels,
    changed_decisions,
    labels_of_scored_answers,
    labels_path,
    sample_of,
    task_of,
)
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.scoring.agreement import Rating, agreements, flat_agreement, ratings_of_judge
from gamut.evaluation.scoring.conditions import conditional_in, counted_rows
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.reliability import flat_reliability, purchases_in_words, reliabilities
from gamut.evaluation.scoring.scores import NOT_ASKED, answer_reason
from gamut.evaluation.scoring.statistics.coefficients import wilson_interval
from gamut.project.decisions import FOLDER
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import read_rows


def agree(benchmark: AnyBenchmark, params: Params) -> list[Rating]:
    """Write the agreement of raters, and the values corrected by people's labels. Return the people's scores."""
    changed = changed_decisions(benchmark, params)
    if changed:
        where = f"{FOLDER}/*/{task_of(benchmark, params)}.jsonl"
        said = f"{amount(len(changed), 'label')} of changed answers or questions"
        print(f"{benchmark.name}.board: {where}: not used: {said}")
    labels = all_labels(benchmark, params, changed)
    compare_raters(benchmark, params, labels)
    correct(benchmark, params, [one for one in labels if not one.repeat])
    return labels


def compare_raters(benchmark: AnyBenchmark, params: Params, labels: Sequence[Rating]) -> None:
    """Compare verdicts as they were given, and split the variance of the scores that count."""
    items, scores, counting = benchmark.items(params), list[Rating](), list[Rating]()
    conditional, block = conditional_in(benchmark, items), benchmark.block(params)
    raters = [*block.judges] or benchmark.raters(block)  # observers if there are no judges
    for contestant, judge in product(benchmark.contestants(params), raters):
        rows = list(read_rows(benchmark.answer_judgments(contestant, judge), OBSERVED))
        scores += ratings_of_judge(contestant, judge, rows)
        counting += ratings_of_judge(contestant, judge, counted_rows(rows, conditional))
    verdicts = [measure for measure, scale in benchmark.measures.items() if scale == VERDICTS]
    by = benchmark.agreement_by
    groups = {} if by is None else {str(item.id): by(item) for item in items}
    people, passed_over = labels_of_scored_answers(labels, scores)
    if passed_over:
        print(f"{benchmark.name}.board: {labels_path(benchmark, params)}: {passed_over}")
    found = agreements(scores, people, params.seed, verdicts, groups)
    strata = dict(zip((str(item.id) for item in items), benchmark.strata_of(items).tolist(), strict=True))
    reliable = [*reliabilities(counting, strata)]
    path = benchmark.metrics_folder(params) / "agreement.json"
    write_json(path, flat_agreement(found) | flat_reliability(reliable))
    if not found:
        wanted = "add a judge or an observer, ask for more repeats, or write people's scores into"
        print(f"{benchmark.name}.board: no answer was scored twice: {wanted} {labels_path(benchmark, params)}")
    for setting, measure, split in reliable:
        print(f"To halve the interval of {measure} ({setting}): {purchases_in_words(split)}")
    print(f"{benchmark.name}.board: {path} has the agreement between raters, and where variance comes from")


def observer_errors(benchmark: AnyBenchmark, params: Params, people: Iterable[Rating]) -> None:
    answers = {
        contestant: [
            row for row in read_rows(benchmark.answers / contestant, ANSWERED) if answer_reason(row) != NOT_ASKED
        ]
        for contestant in benchmark.contestants(params)
    }
    verdicts = verdict_measures(benchmark, params)
    measures = {one for own in verdicts.values() for one in own}
    there = {one for one in measured_places(benchmark, params, answers) if one[1] in verdicts.get((one[3], one[0]), ())}
    rated = labels_of_verdicts(people, measures, labels_path(benchmark, params))
    labels = labels_by_place(rated, sample_counts(answers))
    drawn, blank, notes = labels_of_the_draw(benchmark, params, labels, there) if labels else (labels, (), [])
    found: dict[str, float] = {}
    for panel in benchmark.block(params).judged_by:
        for (setting, measure), own in sorted(verdicts_of_panel(benchmark, params, panel, there, drawn, blank).items()):
            found |= {f"{setting}.{panel}.{measure}.{name}": value for name, value in observer_rates(own).items()}
    path = benchmark.metrics_folder(params) / "observer_errors.json"
    write_json(path, found)
    to_do = f"`gamut label {benchmark.name}` draws some for people to look at"
    none = f"no answer has a label in {labels_path(benchmark, params)}: {to_do}"
    errors = f"precision and recall of observers, from people's labels: {path}"
    for line in [*labels_passed_over(labels, answers), *notes, errors if found else none]:
        print(f"{benchmark.name}.board: {line}")


def verdict_measures(benchmark: AnyBenchmark, params: Params) -> Mapping[tuple[str, str], Collection[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for item, setting in benchmark.prompts(benchmark.items(params), benchmark.settings(benchmark.block(params))):
        for one in benchmark.checks(item, setting):
            asked = zip(one.measures, one.wording, strict=True) if one.wording else ()
            found.setdefault((str(item.id), setting), []).extend(
                measure for measure, wording in asked if wording is not None and not wording.graded
            )
    return found


def labels_of_verdicts(people: Iterable[Rating], measures: Collection[str], path: Path) -> list[Rating]:
    """Return people's scores in measures of verdicts. UserError for a score that is neither 0 nor 1."""
    labels = [label for label in people if label.measure in measures and not label.repeat]
    for label in labels:
        if label.value not in (0, 1):
            about = f"{label.measure} of {label.answer[1]!r} ({label.setting}, {label.answer[0]}) by {label.rater}"
            raise UserError(f"{path}: score {label.value:g} of {about}: 0 or 1 is expected")
    return labels


def verdicts_of_panel(
    benchmark: AnyBenchmark,
    params: Params,
    panel: str,
    answers: Collection[LabelledPlace],
    labels: Mapping[LabelledPlace, Sequence[float]],
    blank: Collection[LabelledPlace],
) -> dict[tuple[str, str], list[Verdict]]:
    """Return the verdicts of a panel with those of people, by setting and measure."""
    strata = {str(item.id): benchmark.stratum(item) for item in benchmark.items(params)}
    values: dict[LabelledPlace, list[float]] = {}
    for contestant in benchmark.contestants(params):
        for place in benchmark.seen_by(benchmark.block(params), panel):
            for row in read_rows(benchmark.answer_judgments(contestant, place), OBSERVED):
                where = row["setting"], row["question"], contestant, row["item"], row["sample"]
                if row["status"] == "ok" and where in answers:
                    values.setdefault(where, []).append(row["value"])
    found: dict[tuple[str, str], list[Verdict]] = {}
    for where, own in values.items():
        setting, measure, _, item, _ = where
        truth = majority_verdict(labels.get(where, ()))
        is_open = where in blank or (where in labels and truth is None)
        found.setdefault((setting, measure), []).append(Verdict(strata[item], fmean(own), truth, is_open))
    return found


def labels_passed_over(
    labels: Mapping[LabelledPlace, Sequence[float]], answers: Mapping[str, Sequence[Row]]
) -> Iterator[str]:
    there, others = judgeable_answers(answers), Counter[str]()
    for (setting, _, *answer), values in labels.items():
        if (setting, *answer) not in there:
            others[f"{answer[0]} ({setting})"] += len(values)
    if others:
        of_whom = ", ".join(f"{count:,} of {whom}" for whom, count in sorted(others.items()))
        yield f"not used: {amount(others.total(), 'label')} of answers that do not exist: {of_whom}"


class Verdict(NamedTuple):
    """An observer's verdict, from 0 to 1, and the `truth` by people: None without a label, or if they are evenly
    divided. `blank`: the answer was drawn, but has no truth.
    """

    stratum: str
    value: float
    truth: float | None
    blank: bool = False


def labels_by_place(
    labels: Iterable[Rating], samples: Mapping[tuple[str, str, str], int]
) -> dict[LabelledPlace, list[float]]:
    """Group labels by answer. A label without a sample belongs to the only sample; if there are several, to none."""
    return grouped(
        ((label.setting, label.measure, *label.answer[:2], sample_of(label, samples)), label.value) for label in labels
    )


def majority_verdict(labels: Sequence[float]) -> float | None:
    """Return the verdict of most people; None in a tie, or without labels."""
    average = fmean(labels) if labels else 0.5
    return None if average == 0.5 else float(average > 0.5)


def observer_rates(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Return `precision`, `recall`, `labels` and `blank`. The intervals hold whatever the truth of blank answers is."""
    found, blank = precision_and_recall(verdicts), sum(one.blank for one in verdicts)
    if not found or not blank:
        return found
    ends = [{True: 0.0, False: 0.0}, {True: 1.0, False: 1.0}, {True: 1.0, False: 0.0}, {True: 0.0, False: 1.0}]
    for truth in ends:
        other = precision_and_recall(
            [one._replace(truth=truth[one.value == 1]) if one.blank else one for one in verdicts]
        )
        for key in found:
            if key.endswith("_lo"):
                found[key] = min(found[key], other.get(key, 0.0))
            elif key.endswith("_hi"):
                found[key] = max(found[key], other.get(key, 100.0))
    return found | {"blank": blank}


def precision_and_recall(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Estimate both from labels. All labels of a stratum count for an equal share of its answers."""
    labelled = [one for one in verdicts if one.truth is not None]
    if not labelled:
        return {}
    sizes, labels = Counter(one.stratum for one in verdicts), Counter(one.stratum for one in labelled)
    weighed = [(one, sizes[one.stratum] / labels[one.stratum]) for one in labelled]
    found: dict[str, float] = {"labels": len(labelled)}
    called_right = [(one.truth == 1, weight) for one, weight in weighed if one.value == 1]
    right = [(one.value == 1, weight) for one, weight in weighed if one.truth == 1]
    for name, hits in (("precision", called_right), ("recall", right)):
        if hits:
            found |= share_of_hits(name, hits)
    return found


def share_of_hits(name: str, hits: Sequence[tuple[bool, float]]) -> dict[str, float]:
    """Return a weighted share with Wilson's interval, for the effective number of hits (Kish 1965)."""
    total = sum(weight for _, weight in hits)
    value = min(sum(weight for hit, weight in hits if hit) / total, 1.0)
    worth = total**2 / sum(weight**2 for _, weight in hits)
    low, high = wilson_interval(value * worth, worth)
    return {key: round_value(100 * one) for key, one in {name: value, f"{name}_lo": low, f"{name}_hi": high}.items()}
