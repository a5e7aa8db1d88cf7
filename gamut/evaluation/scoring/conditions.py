"""Which values count: those that count only beside another one, such as being free of a fault where something that was
asked for is there; and items that a contestant is not put to, as it does not do what they ask for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.defining.settings import off_task
from gamut.evaluation.scoring.scores import OFF_TASK, score_key
from gamut.project.plain_text import amount
from gamut.tables.columns import Row

WHY = "counts only beside another one that is met"
"""The reason of a row whose value counts otherwise than it was given."""
Conditional = Mapping[str, Mapping[str, Collection[int]]]
"""By an item's id and a measure, which of its values count only beside another one."""


def conditional_in(benchmark: AnyBenchmark, items: Sequence[Item]) -> Conditional:
    return {str(item.id): found for item in items if (found := benchmark.conditional(item))}


def counted(values: Mapping[int, float | None], conditional: Collection[int]) -> dict[int, float | None]:
    """Return what the values of one measure in one judgement count, by part: of `conditional` ones 0 where none of the
    others is above 0, None where others have no value.
    """
    others = [value for part, value in values.items() if part not in conditional]
    if not conditional or any(others):
        return dict(values)
    beside = None if None in others else 0.0
    return {part: beside if part in conditional and value else value for part, value in values.items()}


def counted_rows(rows: Iterable[Row], conditional: Conditional) -> Iterable[Row]:
    """Return one rater's judgments with the values that they count, and WHY where these are others. A judgment without
    a value because others have none has the status of the first of these.
    """
    if not conditional:
        return rows
    listed, judgements = list(rows), dict[tuple[str, str, str, int, int], list[int]]()
    for place, row in enumerate(listed):
        if row["question"] in conditional.get(row["item"], ()):
            key = row["item"], row["question"], row["setting"], row["sample"], row["repeat"]
            judgements.setdefault(key, []).append(place)
    for (item, measure, *_), places in judgements.items():
        parts = conditional[item][measure]
        counts = counted({listed[place]["part"]: listed[place]["value"] for place in places}, parts)
        own = [listed[place] for place in places]
        failed = [row["status"] for row in own if row["value"] is None and row["part"] not in parts]
        for place, row in zip(places, own, strict=True):
            if (value := counts[row["part"]]) != row["value"]:
                status = failed[0] if value is None else row["status"]
                listed[place] = row | {"value": value, "status": status, "reason": WHY}
    return listed


NO_SCORE: Row = dict.fromkeys(("spec", "value", "low", "high")) | {"scored": 0, "off_task": True}


def off_task_scores(
    benchmark: AnyBenchmark,
    params: Params,
    contestant: str,
    items: Sequence[Any],
    judges: Sequence[str],
    settings: Collection[str],
) -> Iterator[Row]:
    """Yield the scores, all null, of items that ask a contestant for what it does not do."""
    by_id, block = {str(item.id): item for item in items}, benchmark.block(params)
    for judge, (name, setting) in product(judges, sorted(off_task(benchmark, params, contestant, items))):
        if setting not in settings:
            continue
        place = benchmark.place(by_id[name])
        for measure, count in benchmark.expected(block, by_id[name], setting, block.repeats).items():
            yield score_key(name, place, setting, judge, measure) | NO_SCORE | {"left_out": [OFF_TASK] * count}
        for one in benchmark.joint:
            if setting in one.settings:
                yield score_key(name, place, one.settings[-1], judge, one.measure) | NO_SCORE | {"left_out": []}


def off_task_in_words(scores: Sequence[Row]) -> str | None:
    """None for a contestant that all items were put to."""
    without = {score["item"] for score in scores if score.get("off_task")}
    if not without:
        return None
    return f"{amount(len(without), 'item')} of {len({score['item'] for score in scores}):,} ask for what it does not do"
