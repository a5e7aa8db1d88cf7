"""The boards of a benchmark, one for each metric and judge, with ranks, ties, controls, and what was not scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamut.evaluation.boards.score import OBSERVED, scores_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.measures import Metric, ends_of
from gamut.evaluation.defining.parameters import CONTROL, CORRELATION, VALIDATION, Params, members
from gamut.evaluation.defining.settings import samples_of
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.running.controls import CONTROLS
from gamut.evaluation.scoring.board import (
    Board,
    Layout,
    Standing,
    differences_over_base,
    flat_standings,
    layout_of,
    no_difference_notes,
    no_rank_notes,
    rank_contestants,
    standing,
    without_ranks,
)
from gamut.evaluation.scoring.estimates import Estimate, flat_estimates, round_value
from gamut.evaluation.scoring.scores import by_metric_and_judge, by_setting_and_judge
from gamut.evaluation.scoring.specs import require_alike, require_same_questions, require_whole
from gamut.evaluation.scoring.statistics.coefficients import Scores, fisher_interval, kendall, kendall_interval, pearson
from gamut.evaluation.scoring.tables import TIDY, is_control, tidy_rows, write_plots, write_tables
from gamut.evaluation.scoring.validation import Evidence, Validation, flat_validation, validate_judge, verdict_in_words
from gamut.project.files import read_metrics, write_csv, write_json
from gamut.project.model_kinds import OpenAIModel
from gamut.project.places import board_of
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

ByMetric = dict[tuple[str, str], list[Row]]
Scored = dict[str, ByMetric]


JUDGE_FAILED = "judge.failed"
"""A key next to contestants' names, none of which has a dot: the judge of the headline board failed its validation."""


class Control(NamedTuple):
    """A control made from one contestant: its kind, the scores of its degraded answers, and the scores of the same
    answers before.
    """

    kind: str
    contestant: str
    degraded: ByMetric
    answered: ByMetric


def rank(benchmark: AnyBenchmark, params: Params) -> list[Board]:
    block, stage = benchmark.block(params), f"{benchmark.name}.board"
    items, metrics = benchmark.items(params), benchmark.metrics_in(params)
    contestants = benchmark.contestants(params)
    variants = {name: one.variant_of for name, one in contestants.items() if one.variant_of is not None}
    independent = contestants.keys() - variants.keys()
    tables = {name: list(read_rows(benchmark.scores / name)) for name in contestants}
    by_setting = {name: by_setting_and_judge(rows) for name, rows in tables.items()}
    require_whole(benchmark, params, by_setting)
    require_alike(benchmark, by_setting)
    require_same_questions(benchmark, params, by_setting)
    scored = {name: by_metric_and_judge(rows, metrics, benchmark.joint) for name, rows in tables.items()}
    controls, agreed = control_scores(benchmark, params, items), benchmark.metrics_folder(params) / "agreement.json"
    agreement = read_metrics(agreed)
    degraded = {name: control.degraded for name, control in controls.items()}
    found: dict[str, float] = {}
    boards: list[Board] = []
    for metric in metrics:
        layout, seen_by = layout_of(benchmark, params, items, metric), block.words_before_judge(metric)
        for judge in metric.boards_by(block.judged_by):
            start, own = f"{metric.name}.{judge}.", scores_by_contestant(scored, metric.name, judge)
            verdict = validation_of(benchmark, params, controls, layout, judge, agreement)
            trusted = verdict.passed is not False
            rows = rank_contestants(own, layout) if trusted else without_ranks(rank_contestants(own, layout))
            rows += [
                standing(name, scores, layout)
                for name, scores in scores_by_contestant(degraded, metric.name, judge).items()
            ]
            who = "judge" if judge in block.judges else "rule" if metric.by else "panel"
            said = verdict_in_words(verdict, who) if rows else []
            for line in (*([] if verdict.passed else said), *no_rank_notes(rows)):
                print(f"{stage}: {metric.name}, {seen_by} {judge}: {line}")
            remarks = [
                *said,
                *instead_in_words(metric, {name: by_setting[name] for name in own}),
                *no_difference_notes(metric, rows),
                *fewer_samples_notes(benchmark, params, own),
                *benchmark.remarks(block),
            ]
            boards.append(Board(metric, judge, rows, trusted, remarks, seen_by))
            found |= flat_standings(start, rows, metric.shown)
            found |= flat_validation(f"{start}{VALIDATION}.", verdict)
            for variant, gains in differences_over_base(variants, own, layout).items():
                over = f"over_{variants[variant]}"
                gained = {over if one.name == metric.shown[0] else f"{over}.{one.name}": one.estimate for one in gains}
                found |= flat_estimates(f"{start}{variant}.", gained)
            together = correlations(metric, rows, independent if trusted else ())
            found |= flat_estimates(f"{start}{CORRELATION}.", {".".join(pair): r for pair, r in together.items()})
        ranking = [board for board in boards if board.metric is metric and board.trusted and board.rows]
        for first, second in combinations(ranking, 2):
            if order := order_correlation(metric, first.rows, second.rows, independent):
                for judge, by in permutations((first.judge, second.judge)):
                    name = f"{metric.shown[0]}.by_{by}"
                    found |= flat_estimates(f"{metric.name}.{judge}.{CORRELATION}.", {name: order})
    folder = benchmark.metrics_folder(params)
    write_json(folder / "board.json", found)
    ends = {metric.name: ends_of(metric, benchmark.measures) for metric in metrics}
    write_csv(folder / "board.csv", TIDY, tidy_rows(boards, ends))
    write_json(board_of(benchmark.name), {f"{benchmark.name}.{block.edition}.{key}": found[key] for key in found})
    write_json(folder.with_name(f"{folder.name}.json"), headline_values(boards, *benchmark.headline(params)))
    write_plots(folder / "plots", boards)
    write_tables(folder / "tables", f"{benchmark.title}, edition {block.edition}", boards)
    filled = {group for item in items for group in benchmark.place(item).groups}
    if empty := {column.group for metric in metrics for column in metric.columns} - filled:
        print(f"{stage}: the edition has no item in {', '.join(sorted(empty))}: averages over them have no value")
    if not contestants:
        print(f"{stage}: the board is empty: {benchmark.name}.contestants names no contestant")
    for slug in without_revision(benchmark, params):
        print(f"{stage}: {slug} is served without a revision: its answers may change unnoticed")
    print(f"{stage}: `gamut board {benchmark.name}` shows the board; {folder}/contestants lists what was not scored")
    return boards


def headline_values(boards: Sequence[Board], metric: Metric, judge: str) -> dict[str, float]:
    """Return what DVC shows: each contestant's ranking value on the headline board, and whether the judge failed."""
    [board] = [board for board in boards if (board.metric.name, board.judge) == (metric.name, judge)]
    rows = (row for row in board.rows if not is_control(row) and metric.shown[0] in row.estimates)
    found = {row.name: round_value(row.estimates[metric.shown[0]].value) for row in rows}
    return found if board.trusted else found | {JUDGE_FAILED: 1}


def instead_in_words(metric: Metric, scored: Mapping[str, Collection[tuple[str, str]]]) -> Iterator[str]:
    """Yield which contestants a replacing setting scored. `scored`: settings and judges by contestant."""
    there = {name: metric.settings_counted({setting for setting, _ in keys}) for name, keys in scored.items()}
    for setting in metric.instead:
        if names := [name for name, counted in there.items() if counted and counted[0] == setting]:
            yield f"in setting {setting}, without {metric.settings[0]}: {', '.join(names)}"


def validation_of(
    benchmark: AnyBenchmark,
    params: Params,
    controls: Mapping[str, Control],
    layout: Layout,
    judge: str,
    agreement: Mapping[str, float],
) -> Validation:
    key = layout.metric.name, judge
    evidence = [
        Evidence(one.kind, name.removeprefix(CONTROL), one.contestant, one.degraded[key], one.answered[key])
        for name, one in controls.items()
        if key in one.degraded and key in one.answered
    ]
    verdicts = [measure for measure, scale in benchmark.measures.items() if scale == VERDICTS]
    return validate_judge(evidence, layout, benchmark.measures, judge, agreement, verdicts)


def without_revision(benchmark: AnyBenchmark, params: Params) -> list[str]:
    block = benchmark.block(params)
    slugs = [*block.judges, *chain.from_iterable(block.observers.values())]
    slugs += [slug for group, _, slug in (one.partition(".") for one in block.all_rewriters) if group != "contestants"]
    asked = {slug: params.models[slug] for slug in slugs}
    for name, contestant in benchmark.contestants(params).items():
        if contestant.settings_in(benchmark.name, benchmark.settings(block)):
            asked |= {member.slug: member.model for member in members(name, contestant)}
    return [slug for slug, model in asked.items() if isinstance(model, OpenAIModel) and not model.revision]


def scores_by_contestant(scored: Scored, metric: str, judge: str) -> dict[str, list[Row]]:
    return {name: scores[metric, judge] for name, scores in scored.items() if (metric, judge) in scores}


def control_scores(benchmark: AnyBenchmark, params: Params, items: Sequence[Item]) -> dict[str, Control]:
    """Return every control by its name. The name includes the contestant if several contestants have controls."""
    block, metrics = benchmark.block(params), benchmark.metrics_in(params)
    judged = benchmark.judged if block.judges else benchmark.expected
    found: dict[str, Control] = {}

    def rows_of(
        table: Callable[[str, str], Path], contestant: str, judge: str, columns: Sequence[str]
    ) -> Iterator[Row]:
        for place in benchmark.control_places(block, judge):
            yield from read_rows(table(contestant, place), columns)

    for contestant in block.controls_of:
        degraded, answered = (
            {judge: [*rows_of(table, contestant, judge, columns)] for judge in block.judged_by}
            for table, columns in (
                (benchmark.control_judgments, ["control", *OBSERVED]),
                (benchmark.answer_judgments, OBSERVED),
            )
        )
        several = f"_{contestant}" if len(block.controls_of) > 1 else ""
        for kind in CONTROLS:
            of_kind = {judge: [row for row in rows if row["control"] == kind] for judge, rows in degraded.items()}
            shown = {sample_key(row) for rows in of_kind.values() for row in rows}
            answers = [
                {"setting": setting, "item": item, "sample": n, "status": "ok"} for setting, item, n in sorted(shown)
            ]
            of_same = {judge: [row for row in rows if sample_key(row) in shown] for judge, rows in answered.items()}
            both = (
                by_metric_and_judge(
                    scores_of(benchmark, params, items, answers, rows, judged), metrics, benchmark.joint
                )
                for rows in (of_kind, of_same)
            )
            found[f"{CONTROL}{kind}{several}"] = Control(kind, contestant, *both)
    return found


def fewer_samples_notes(benchmark: AnyBenchmark, params: Params, names: Iterable[str]) -> Iterator[str]:
    asked = benchmark.block(params).answer.samples
    for name in names:
        if (own := samples_of(benchmark, params, name)) < asked:
            yield f"{name}: {amount(own, 'answer')} to each item, while others are asked for {asked}"


def sample_key(row: Row) -> tuple[str, str, int]:
    return row["setting"], row["item"], row["sample"]


Statistic = Callable[[Scores, Scores], float]
Interval = Callable[[float, int], tuple[float, float]]


def correlations(
    metric: Metric, rows: Sequence[Standing], independent: Collection[str]
) -> dict[tuple[str, str], Estimate]:
    """Return Pearson's r of each pair of values that a metric names, over the contestants that have both. Only
    `independent` ones count: no variants, no controls, none with too few judged answers.
    """
    counting = [row.estimates for row in rows if row.name in independent and row.too_little is None]
    found: dict[tuple[str, str], Estimate] = {}
    for one, other in metric.correlated:
        both = [(own[one].value, own[other].value) for own in counting if one in own and other in own]
        if (r := pair_estimate(both, pearson, fisher_interval)) is not None:
            found[one, other] = r
    return found


def pair_estimate(both: Sequence[tuple[float, float]], statistic: Statistic, interval: Interval) -> Estimate | None:
    """Return a statistic of pairs, with its interval if it has one. None if the statistic is undefined."""
    try:
        r = statistic(*np.array(both, np.float64).reshape(-1, 2).T)
    except ValueError:
        return None
    try:
        low, high = interval(r, len(both))
    except ValueError:
        return Estimate(r, None, None, len(both))
    return Estimate(r, low, high, len(both))


def order_correlation(
    metric: Metric, rows: Sequence[Standing], others: Sequence[Standing], independent: Collection[str]
) -> Estimate | None:
    """Return Kendall's tau-b of the ranking values by one judge and by another. None if it is undefined."""
    name = metric.shown[0]
    ours, theirs = (
        {row.name: row.estimates[name].value for row in each if name in row.estimates and row.too_little is None}
        for each in (rows, others)
    )
    both = [(ours[one], theirs[one]) for one in ours if one in theirs and one in independent]
    return pair_estimate(both, kendall, kendall_interval)
