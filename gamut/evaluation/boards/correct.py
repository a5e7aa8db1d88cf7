"""Boards of judges and panels, corrected by people's labels of some answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean

from gamut.evaluation.boards.score import ANSWERED, judgments_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Joint, Scale
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.drawing import LabelledPlace, labels_of_the_draw
from gamut.evaluation.labelling.labels import sample_of
from gamut.evaluation.labelling.questions import question_lines
from gamut.evaluation.scoring.agreement import EVERY, Rating
from gamut.evaluation.scoring.board import Layout, layout_of
from gamut.evaluation.scoring.conditions import (
    conditional_in,
    counted_rows,
    counted_values,
    depends_on_values,
    joint_scores,
    least_joint_value,
    off_task_scores,
)
from gamut.evaluation.scoring.corrected import CorrectedMetric, correct_metric, flat_corrected, rank_corrected
from gamut.evaluation.scoring.prediction_powered import blanks_at_both_ends, correct_scores
from gamut.evaluation.scoring.scores import OK, answer_reason, by_metric_and_judge, item_scores
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

Truth = float | Scale
"""A person's score of an answer: a value, or the lowest and highest possible value if some of it was left blank."""
Truths = Mapping[LabelledPlace, Truth]


def correct(benchmark: AnyBenchmark, params: Params, labels: Sequence[Rating]) -> None:
    contestants = benchmark.block(params).contestants if labels else []
    answers = {name: list(read_rows(benchmark.answers / name, ANSWERED)) for name in contestants}
    truths, left = truths_of(benchmark, params, labels, answers) if labels else ({}, 0)
    if left:
        print(f"{benchmark.name}.board: not used as corrections: {amount(left, 'label')} that name no single answer")
    keys = corrected_values(benchmark, params, truths, answers) if truths else {}
    path = benchmark.metrics_folder(params) / "corrected.json"
    write_json(path, keys)
    if keys:
        print(f"{benchmark.name}.board: values corrected by people's labels, and the gaps between contestants: {path}")


def corrected_values(
    benchmark: AnyBenchmark, params: Params, truths: Truths, answers: Mapping[str, Sequence[Row]]
) -> dict[str, float | str]:
    measured = measured_places(benchmark, params, answers)
    truths, blank, notes = labels_of_the_draw(benchmark, params, truths, measured)
    if in_part := sum(isinstance(one, Scale) for one in truths.values()):
        notes = [*notes, f"{amount(in_part, 'answer')} labelled only in part: the rest may have any score"]
    print(*(f"{benchmark.name}.board: {note}\n" for note in notes), sep="", end="")
    block, items, keys = benchmark.block(params), benchmark.items(params), dict[str, float | str]()
    off_task = {
        name: [*off_task_scores(benchmark, params, name, items, block.judged_by, {row["setting"] for row in rows})]
        for name, rows in answers.items()
    }
    for judge in block.judged_by:
        judged = [*judged_answers(benchmark, params, judge, truths, blank, answers)]
        scores = [correct_scores(rows, benchmark.measures) for rows in blanks_at_both_ends(judged)]
        for by_contestant in scores:
            for name, rows in by_contestant.items():
                rows += [row for row in off_task[name] if row["judge"] == judge]
        for layout, found in corrected_boards(benchmark, params, judge, scores):
            metric, by = layout.metric.name, layout.metric.by or judge
            if not any(value.labels for one in found.values() for value in one.values.values()):
                keys[f"{metric}.{by}.not_corrected"] = "no label that counts belongs to a value of this board"
                continue
            keys |= flat_corrected(f"{metric}.{by}.", found, rank_corrected(found, layout))
    return keys


def corrected_boards(
    benchmark: AnyBenchmark, params: Params, judge: str, scores: Sequence[Mapping[str, Sequence[Row]]]
) -> Iterator[tuple[Layout, dict[str, CorrectedMetric]]]:
    """Yield the corrected values of all contestants in each metric. `scores`: with the labels; if some were left blank,
    also with all blanks at their lowest and at their highest.
    """
    items, metrics = benchmark.items(params), benchmark.metrics_in(params)
    by_metric = {
        name: [by_metric_and_judge(one[name], metrics, benchmark.joint) for one in scores] for name in scores[0]
    }
    unasked = unasked_measures(benchmark, params)
    for metric in metrics:
        if metric.by and judge != benchmark.block(params).judged_by[0]:
            continue
        layout = layout_of(benchmark, params, items, metric)
        place = metric.name, metric.by or judge
        there = {name: [one[place] for one in own] for name, own in by_metric.items() if place in own[0]}
        if there:
            yield layout, {name: correct_metric(rows, layout, unasked, ends) for name, (rows, *ends) in there.items()}


def unasked_measures(benchmark: AnyBenchmark, params: Params) -> set[str]:
    """Return the measures that people are not asked about."""
    block = benchmark.block(params)
    prompts = benchmark.prompts(benchmark.items(params), benchmark.settings(block))
    asked = {line.measure for item, setting in prompts for line in question_lines(benchmark, block, item, setting)}
    return {*benchmark.measures} - asked - {one.measure for one in benchmark.joint if {*one.of} <= asked}


def truths_of(
    benchmark: AnyBenchmark, params: Params, labels: Sequence[Rating], answers: Mapping[str, Sequence[Row]]
) -> tuple[Truths, int]:
    """Return the people's score of each answer that exists, and how many of its labels give no score of one answer.

    A truth is a label for all questions of a measure, or is computed from one label for each question. With several
    people it is their mean. If nobody labelled all questions, the truth lies between its values with the lowest and
    with the highest scores for the others.
    """
    items = {str(item.id): item for item in benchmark.items(params)}
    samples, there = sample_counts(answers), judgeable_answers(answers)
    by_person: dict[tuple[str, str, str, str, int, str], dict[int, float]] = {}
    for label in labels:
        contestant, item, *finer = label.answer
        sample, question = sample_of(label, samples), finer[1] if finer else EVERY
        whose = label.setting, label.measure, contestant, item, sample, label.rater
        by_person.setdefault(whose, {})[question] = label.value
    found, in_part, left = dict[LabelledPlace, list[float]](), dict[LabelledPlace, list[tuple[float, float]]](), 0
    for (setting, measure, contestant, item, sample, _), values in by_person.items():
        place = setting, measure, contestant, item, sample
        asked = range(benchmark.expected(benchmark.block(params), items[item], setting, 1).get(measure, 0))
        if (setting, contestant, item, sample) not in there:
            left += len(values) if sample == EVERY and samples[setting, contestant, item] else 0
        elif EVERY in values:
            found.setdefault(place, []).append(values[EVERY])
        elif not asked:
            left += len(values)
        else:
            conditional = benchmark.conditional(items[item]).get(measure, ())
            low, high = (
                sum(filter(None, counted_values({one: values.get(one, end) for one in asked}, conditional).values()))
                / len(asked)
                for end in benchmark.measures[measure]
            )
            if values.keys() >= {*asked}:
                found.setdefault(place, []).append(low)
            else:
                in_part.setdefault(place, []).append((low, high))
    parts = {place: Scale(*map(fmean, zip(*ends, strict=True))) for place, ends in in_part.items()}
    return parts | {place: fmean(values) for place, values in found.items()}, left


def sample_counts(answers: Mapping[str, Sequence[Row]]) -> Counter[tuple[str, str, str]]:
    """Return how many samples there are by setting, contestant and item."""
    return Counter((row["setting"], name, row["item"]) for name, rows in answers.items() for row in rows)


def judgeable_answers(answers: Mapping[str, Sequence[Row]]) -> set[tuple[str, str, str, int]]:
    """Return setting, contestant, item and sample of every answer that can be judged."""
    both = ((name, row) for name, rows in answers.items() for row in rows)
    return {(row["setting"], name, row["item"], row["sample"]) for name, row in both if answer_reason(row) == OK}


def measured_places(
    benchmark: AnyBenchmark, params: Params, answers: Mapping[str, Sequence[Row]]
) -> set[LabelledPlace]:
    items, block = {str(item.id): item for item in benchmark.items(params)}, benchmark.block(params)
    return {
        (setting, measure, contestant, item, sample)
        for setting, contestant, item, sample in judgeable_answers(answers)
        for measure in benchmark.expected(block, items[item], setting, 1)
    }


def judged_answers(
    benchmark: AnyBenchmark,
    params: Params,
    judge: str,
    truths: Truths,
    blank: Collection[LabelledPlace],
    answers: Mapping[str, Sequence[Row]],
) -> Iterator[Row]:
    """Yield every answer with its score on a judge's board and its truth. A `blank` answer may have any score.

    Samples without an answer in one of the settings form a separate pool: fewer labels give information about their
    joint scores.
    """
    block = benchmark.block(params)
    items = {str(item.id): item for item in benchmark.items(params)}
    places = {name: benchmark.place(item) for name, item in items.items()}
    conditional = conditional_in(benchmark, [*items.values()])
    pool = benchmark.labelled_by or benchmark.stratum

    def expected(item: str, setting: str) -> Mapping[str, int]:
        return benchmark.expected(block, items[item], setting, block.repeats)

    def truth_of(place: LabelledPlace) -> Truth | None:
        return benchmark.measures[place[1]] if place in blank else truths.get(place)

    for contestant, answered in answers.items():
        seen = [*counted_rows(judgments_of(benchmark, params, contestant, judge), conditional)]
        for sample in sorted({row["sample"] for row in answered}):
            own, observed = ([row for row in rows if row["sample"] == sample] for rows in (answered, seen))
            for row in item_scores(own, {judge: observed}, places, expected, benchmark.observed):
                item = row["item"]
                truth = truth_of((row["setting"], row["measure"], contestant, item, sample))
                whose = {"contestant": contestant, "sample": sample, "pool": pool(items[item])}
                yield row | whose | truth_columns(truth)
            settings = {(row["setting"], row["item"]) for row in own if answer_reason(row) == OK}
            for row in joint_scores(own, {judge: observed}, places, expected, benchmark.measures, benchmark.joint):
                joint, item = benchmark.joint_of(row["measure"]), row["item"]
                assert joint is not None
                there = [(setting, item) in settings for setting in joint.settings]
                truths_of_both = [truth_of((setting, of, contestant, item, sample)) for setting, of in joint.made_of]
                pools = [pool(items[item]), *(setting for setting in joint.settings if (setting, item) in settings)]
                whose = {"contestant": contestant, "sample": sample, "pool": " ".join(pools)}
                scales = [benchmark.measures[of] for of in joint.of]
                yield row | whose | joint_truth(joint, there, truths_of_both, scales)


def truth_columns(truth: Truth | None) -> Row:
    return {"truth": None, "blank": truth} if isinstance(truth, Scale) else {"truth": truth, "blank": None}


def joint_truth(joint: Joint, known: Sequence[bool], truths: Sequence[Truth | None], scales: Sequence[Scale]) -> Row:
    """Return the `truth_columns` of a joint score, and `tellable`: whether people can give it from the settings that
    exist.
    """
    both = [*zip(known, truths, strict=True)]
    tellable = depends_on_values(joint, known, scales)
    if not tellable or any(own and truth is None for own, truth in both):
        return {"tellable": tellable} | truth_columns(None)
    ends = ([None] if not own else truth if isinstance(truth, Scale) else [truth] for own, truth in both)
    could_be = [least_joint_value(joint, corner, scales) for corner in product(*ends)]
    blank = any(own and isinstance(truth, Scale) for own, truth in both)
    return {"tellable": True} | truth_columns(Scale(min(could_be), max(could_be)) if blank else could_be[0])
