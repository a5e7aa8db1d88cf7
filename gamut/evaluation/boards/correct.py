"""Boards of judges and panels corrected by what people say of some answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, product
from statistics import fmean

from gamut.evaluation.boards.score import ANSWERED, OBSERVED
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Joint, Scale, ends_of
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.drawing import Place, of_the_draw
from gamut.evaluation.labelling.labels import sample_of
from gamut.evaluation.labelling.questions import lines_asked
from gamut.evaluation.scoring.agreement import EVERY, Rating
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.conditions import conditional_in, counted, counted_rows, off_task_scores
from gamut.evaluation.scoring.corrected import Righted, flat_corrected, ranked, righted
from gamut.evaluation.scoring.joining import hangs_on, joint_scores, least
from gamut.evaluation.scoring.labelled_scores import at_both_ends, scores_put_right
from gamut.evaluation.scoring.scores import OK, by_metric_and_judge, item_scores, reason
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

Said = float | Scale
"""What people say of an answer: its truth, or between what that lies where they left something blank."""
Truths = Mapping[Place, Said]
UNLABELLED = "no label that counts is of anything that is shown here"


def correct(benchmark: AnyBenchmark, params: Params, said: Sequence[Rating]) -> None:
    block, keys = benchmark.block(params), dict[str, float | str]()
    measured_there = block.contestants if said else []
    answers = {name: list(read_rows(benchmark.answers / name, ANSWERED)) for name in measured_there}
    truths, left = truths_of(benchmark, params, said, answers) if said else ({}, 0)
    if left:
        print(f"{benchmark.name}.board: {amount(left, 'label')} correct nothing: of no one answer")
    blank: Collection[Place] = ()
    if truths:
        truths, blank, lines = of_the_draw(benchmark, params, truths, measured(benchmark, params, answers))
        if in_part := sum(isinstance(one, Scale) for one in truths.values()):
            lines = [*lines, f"{amount(in_part, 'answer')} labelled in part: what is left may be worth anything"]
        print(*(f"{benchmark.name}.board: {line}\n" for line in lines), sep="", end="")
    items = benchmark.items(params) if truths else []
    off_task = {
        name: [*off_task_scores(benchmark, params, name, items, block.judged_by, {row["setting"] for row in rows})]
        for name, rows in answers.items()
    }
    for judge in block.judged_by if truths else ():
        looked = [*looked_at(benchmark, params, judge, truths, blank, answers)]
        scores = [scores_put_right(rows, benchmark.measures) for rows in at_both_ends(looked)]
        for by_contestant in scores:
            for name, rows in by_contestant.items():
                rows += [row for row in off_task[name] if row["judge"] == judge]
        for layout, found in boards(benchmark, params, judge, scores):
            metric, by = layout.metric.name, layout.metric.by or judge
            if not any(value.labels for one in found.values() for value in one.values.values()):
                keys[f"{metric}.{by}.not_corrected"] = UNLABELLED
                continue
            keys |= flat_corrected(f"{metric}.{by}.", found, ranked(found, layout))
    path = benchmark.metrics_folder(params) / "corrected.json"
    write_json(path, keys)
    if keys:
        print(f"{benchmark.name}.board: values as people would have them, and how far each two lie apart: {path}")


def boards(
    benchmark: AnyBenchmark, params: Params, judge: str, scores: Sequence[Mapping[str, Sequence[Row]]]
) -> Iterator[tuple[Layout, dict[str, Righted]]]:
    """Yield the corrected values of all contestants in each metric. `scores`: by labels, and where some were left blank
    with all of these at their worst, and at their best.
    """
    items, metrics, most = (
        benchmark.items(params),
        benchmark.metrics_in(params),
        benchmark.block(params).judge.max_unjudged,
    )
    ids, strata = [str(item.id) for item in items], benchmark.strata_of(items)
    by_metric = {
        name: [by_metric_and_judge(one[name], metrics, benchmark.joint) for one in scores] for name in scores[0]
    }
    unasked = never_asked(benchmark, params)
    for metric in metrics:
        if metric.by and judge != benchmark.block(params).judged_by[0]:
            continue
        layout = Layout(ids, strata, metric, ends_of(metric, benchmark.measures), params.seed, most, benchmark.joint)
        place = metric.name, metric.by or judge
        there = {name: [one[place] for one in own] for name, own in by_metric.items() if place in own[0]}
        if there:
            yield layout, {name: righted(rows, layout, unasked, ends) for name, (rows, *ends) in there.items()}


def never_asked(benchmark: AnyBenchmark, params: Params) -> set[str]:
    prompt = benchmark.prompts(benchmark.items(params), benchmark.settings(benchmark.block(params)))
    asked = {
        line.measure
        for item, setting in prompt
        for line in lines_asked(benchmark, benchmark.block(params), item, setting)
    }
    return {*benchmark.measures} - asked - {one.measure for one in benchmark.joint if {*one.of} <= asked}


def truths_of(
    benchmark: AnyBenchmark, params: Params, said: Sequence[Rating], answers: Mapping[str, Sequence[Row]]
) -> tuple[Truths, int]:
    """Return what people say of each answer that is there, and how many labels of such answers tell nothing.

    A label of all questions of a measure says it, or one of each; of several people the mean counts. Where nobody says
    all, it lies between what it is with the lowest and with the highest for the others.
    """
    items = {str(item.id): item for item in benchmark.items(params)}
    samples, there = samples_in(answers), answers_there(answers)
    by_person: dict[tuple[str, str, str, str, int, str], dict[int, float]] = {}
    for label in said:
        contestant, item, *finer = label.answer
        sample, question = sample_of(label, samples), finer[1] if finer else EVERY
        by_person.setdefault((label.setting, label.measure, contestant, item, sample, label.rater), {})[question] = (
            label.value
        )
    found, in_part, left = dict[Place, list[float]](), dict[Place, list[tuple[float, float]]](), 0
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
            hanging = benchmark.conditional(items[item]).get(measure, ())
            low, high = (
                sum(filter(None, counted({one: values.get(one, end) for one in asked}, hanging).values())) / len(asked)
                for end in benchmark.measures[measure]
            )
            if values.keys() >= {*asked}:
                found.setdefault(place, []).append(low)
            else:
                in_part.setdefault(place, []).append((low, high))
    parts = {place: Scale(*map(fmean, zip(*ends, strict=True))) for place, ends in in_part.items()}
    return parts | {place: fmean(values) for place, values in found.items()}, left


def samples_in(answers: Mapping[str, Sequence[Row]]) -> Counter[tuple[str, str, str]]:
    """Return how many samples there are by setting, contestant and item."""
    return Counter((row["setting"], name, row["item"]) for name, rows in answers.items() for row in rows)


def answers_there(answers: Mapping[str, Sequence[Row]]) -> set[tuple[str, str, str, int]]:
    """Return setting, contestant, item and sample of every answer that can be judged."""
    both = ((name, row) for name, rows in answers.items() for row in rows)
    return {(row["setting"], name, row["item"], row["sample"]) for name, row in both if reason(row) == OK}


def measured(benchmark: AnyBenchmark, params: Params, answers: Mapping[str, Sequence[Row]]) -> set[Place]:
    items, block = {str(item.id): item for item in benchmark.items(params)}, benchmark.block(params)
    return {
        (setting, measure, contestant, item, sample)
        for setting, contestant, item, sample in answers_there(answers)
        for measure in benchmark.expected(block, items[item], setting, 1)
    }


def looked_at(
    benchmark: AnyBenchmark,
    params: Params,
    judge: str,
    truths: Truths,
    blank: Collection[Place],
    answers: Mapping[str, Sequence[Row]],
) -> Iterator[Row]:
    """Yield every answer with its score on a judge's board, and what people say of it; what is `blank` may be worth
    anything.

    Samples of which one setting is missing are a pool of their own: fewer labels tell of their joint scores.
    """
    block = benchmark.block(params)
    items = {str(item.id): item for item in benchmark.items(params)}
    places = {name: benchmark.place(item) for name, item in items.items()}
    conditional = conditional_in(benchmark, [*items.values()])
    pool = benchmark.labelled_by or benchmark.stratum

    def expected(item: str, setting: str) -> Mapping[str, int]:
        return benchmark.expected(block, items[item], setting, block.repeats)

    def said_of(place: Place) -> Said | None:
        return benchmark.measures[place[1]] if place in blank else truths.get(place)

    for contestant, answered in answers.items():
        tables = [benchmark.said(contestant, place) for place in benchmark.seen_by(block, judge)]
        found = chain.from_iterable(read_rows(table, OBSERVED) for table in tables)
        seen = [*counted_rows(found, conditional)]
        for sample in sorted({row["sample"] for row in answered}):
            own, observed = ([row for row in rows if row["sample"] == sample] for rows in (answered, seen))
            for row in item_scores(own, {judge: observed}, places, expected, benchmark.observed):
                setting, measure, item = row["setting"], row["measure"], row["item"]
                yield row | {
                    "contestant": contestant,
                    "sample": sample,
                    "pool": pool(items[item]),
                    **told(said_of((setting, measure, contestant, item, sample))),
                }
            settings = {(row["setting"], row["item"]) for row in own if reason(row) == OK}
            for row in joint_scores(own, {judge: observed}, places, expected, benchmark.measures, benchmark.joint):
                joint, item = benchmark.joint_of(row["measure"]), row["item"]
                assert joint is not None
                there = [(setting, item) in settings for setting in joint.settings]
                said = [said_of((setting, of, contestant, item, sample)) for setting, of in joint.made_of]
                yield row | {
                    "contestant": contestant,
                    "sample": sample,
                    "pool": " ".join(
                        [pool(items[item]), *(setting for setting in joint.settings if (setting, item) in settings)]
                    ),
                    **of_both(joint, there, said, [benchmark.measures[of] for of in joint.of]),
                }


def told(said: Said | None) -> Row:
    """Return what people say of an answer as its row has it; nothing of what was not drawn."""
    return {"truth": None, "blank": said} if isinstance(said, Scale) else {"truth": said, "blank": None}


def of_both(joint: Joint, there: Sequence[bool], said: Sequence[Said | None], scales: Sequence[Scale]) -> Row:
    """Return whether people can say what a joint score is, and what they say by the settings that are there
    (`told`).
    """
    tellable, of_there = hangs_on(joint, there, scales), [one for own, one in zip(there, said, strict=True) if own]
    if not tellable or None in of_there:
        return {"tellable": tellable} | told(None)
    ends = (
        [None] if not own else one if isinstance(one, Scale) else [one] for own, one in zip(there, said, strict=True)
    )
    could_be = [least(joint, corner, scales) for corner in product(*ends)]
    blank = any(isinstance(one, Scale) for one in of_there)
    return {"tellable": True} | told(Scale(min(could_be), max(could_be)) if blank else could_be[0])
