"""What rules find in one contestant's answers, its scores by item, and its metrics. Every value has an interval, and
missing scores are counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.asking.outcomes import Outcome
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.parameters import RULES, Params
from gamut.evaluation.running import judging
from gamut.evaluation.running.answers import answer_of, answer_records, identity_metrics
from gamut.evaluation.running.cells import (
    CONTROL_SCHEMA,
    control_reader,
    control_shards,
    control_visit,
    has_checks,
    observer_visit,
)
from gamut.evaluation.running.spec import OF_RULES
from gamut.evaluation.scoring import scores
from gamut.evaluation.scoring.board import layout_of, value_over_scored
from gamut.evaluation.scoring.conditions import conditional_in, counted_rows, joint_scores, off_task_scores
from gamut.evaluation.scoring.estimates import flat_estimates, round_value, rounded_share
from gamut.evaluation.scoring.scores import SCHEMA
from gamut.evaluation.scoring.specs import add_specs, digest_of_specs, write_metric_specs
from gamut.project.files import write_json
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows, shard_names
from gamut.tables.writing import TableWriter


def measure(benchmark: AnyBenchmark, params: Params, contestant: str) -> None:
    folder, concerned = benchmark.answers / contestant, has_checks(benchmark, params, RULES)
    records = {shard: filter(concerned, answer_records(benchmark, contestant, shard)) for shard in shard_names(folder)}
    visit = observer_visit(benchmark, params, RULES, OF_RULES, answer_of(folder))
    stage, at = f"{benchmark.name}.board", benchmark.answer_judgments(contestant, RULES)
    write_rule_judgments(f"{stage}: {contestant}", records, visit, judging.SCHEMA, at)
    if contestant in benchmark.block(params).controls_of:
        drawn = control_shards(benchmark, params, contestant)
        records = {shard: filter(concerned, rows) for shard, rows in drawn.items()}
        visit = control_visit(
            observer_visit(benchmark, params, RULES, OF_RULES, control_reader(benchmark, params, contestant))
        )
        at = benchmark.control_judgments(contestant, RULES)
        write_rule_judgments(f"{stage}: controls of {contestant}", records, visit, CONTROL_SCHEMA, at)


def write_rule_judgments(
    whose: str, records: Mapping[str, Iterable[Row]], visit: Visit, schema: pa.Schema, folder: Path
) -> None:
    statuses: Counter[str] = Counter()

    def rows_of(shard: str) -> Iterator[Row]:
        for record in records[shard]:
            rows = rule_rows(visit, record)
            statuses.update(row["status"] for row in rows)
            yield from rows

    with TableWriter(folder, schema) as table:
        for shard in records:
            table.write(shard, [*rows_of(shard)])
    counts = ", ".join(f"{count:,} {status}" for status, count in sorted(statuses.items()))
    print(f"{whose}, by rules: {counts or 'there is nothing for rules to decide'}")


def rule_rows(visit: Visit, record: Row) -> list[Row]:
    """Return the rows of a visit to an answer. ValueError if it asks a model."""
    rounds = visit(record)
    steps = [conversation.next([]) for conversation in next(rounds)]
    if any(not isinstance(step, Outcome) for step in steps):
        raise ValueError("a check of role rules asks a model: give the check the role of that model")
    try:
        rounds.send([Answer(step, RULES, ()) for step in steps if isinstance(step, Outcome)])
    except StopIteration as end:
        rows: list[Row] = end.value
        return rows
    raise ValueError("a visit to an answer must have one round")


ANSWERED = ["item", "setting", "sample", "status", "replies"]
OBSERVED = ["item", "setting", "sample", "part", "question", "repeat", "value", "status"]


def score(benchmark: AnyBenchmark, params: Params, contestant: str) -> None:
    block, items = benchmark.block(params), benchmark.items(params)
    answers = read_rows(benchmark.answers / contestant, ANSWERED)
    judgments = {judge: judgments_of(benchmark, params, contestant, judge) for judge in block.judged_by}
    scored = scores_of(benchmark, params, items, answers, judgments, benchmark.expected)
    rows, metrics = list(add_specs(benchmark, params, contestant, scored)), benchmark.metrics_in(params)
    settings = {row["setting"] for row in rows}
    rows += [*off_task_scores(benchmark, params, contestant, items, block.judged_by, settings)]
    with TableWriter(benchmark.scores / contestant, SCHEMA) as table:
        table.write("scores", rows)
    write_metric_specs(benchmark.scores / contestant, metrics)
    found = score_metrics(benchmark, params, rows, items)
    found |= identity_metrics(benchmark.answers / contestant) if found else {}
    write_json(benchmark.metrics_of(params, contestant), found)


def judgments_of(benchmark: AnyBenchmark, params: Params, contestant: str, judge: str) -> Iterator[Row]:
    for place in benchmark.seen_by(benchmark.block(params), judge):
        yield from read_rows(benchmark.answer_judgments(contestant, place), OBSERVED)


def scores_of(
    benchmark: AnyBenchmark,
    params: Params,
    items: Sequence[Item],
    answers: Iterable[Row],
    judgments: Mapping[str, Iterable[Row]],
    expected: Callable[[Any, Any, str, int], Mapping[str, int]],
) -> list[Row]:
    """Return the scores by item of one contestant or control, with joint scores last. `judgments`: by judge."""
    by_id, block = {str(item.id): item for item in items}, benchmark.block(params)
    places = {name: benchmark.place(item) for name, item in by_id.items()}
    conditional = conditional_in(benchmark, items)
    judgments = {judge: counted_rows(rows, conditional) for judge, rows in judgments.items()}

    def wanted(item: str, setting: str) -> Mapping[str, int]:
        return expected(block, by_id[item], setting, block.repeats)

    if not benchmark.joint:
        return scores.item_scores(answers, judgments, places, wanted, benchmark.measures)
    answers, judgments = list(answers), {judge: list(rows) for judge, rows in judgments.items()}
    both = joint_scores(answers, judgments, places, wanted, benchmark.measures, benchmark.joint)
    return [*scores.item_scores(answers, judgments, places, wanted, benchmark.observed), *both]


def score_metrics(
    benchmark: AnyBenchmark, params: Params, rows: Sequence[Row], items: Sequence[Item]
) -> dict[str, float | str]:
    metrics = {metric.name: metric for metric in benchmark.metrics_in(params)}
    found: dict[str, float | str] = {}
    for (name, judge), own in scores.by_metric_and_judge(rows, list(metrics.values()), benchmark.joint).items():
        metric, start = metrics[name], f"{name}.{judge}."
        layout = layout_of(benchmark, params, items, metric)
        found |= flat_estimates(start, layout.estimates(own))
        if (scored := value_over_scored(own, layout)) is not None:
            found[f"{start}{metric.shown[0]}_scored"] = round_value(scored)
        found[f"{start}coverage"] = rounded_share(scores.coverage(own))
        found[f"{start}judged_share"] = rounded_share(scores.judged_share(own))
        found |= {f"{start}{reason}": count for reason, count in scores.left_out_counts(own).items()}
    for (setting, judge), own in scores.by_setting_and_judge(rows).items():
        found[f"spec.{setting}.{judge}"] = digest_of_specs(own)
    return found
