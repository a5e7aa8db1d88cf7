"""Items that are put to others, and not to a contestant that does not do what they ask for: it has no value that counts
them, and no rank where the value that ranks does. So nobody gains by calling itself narrower than it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.sides import off_task
from stages.evaluation.scoring.scores import OFF_TASK
from stages.project.plain_text import amount
from stages.tables.columns import Row

NOTHING: Row = dict.fromkeys(("spec", "value", "low", "high")) | {"scored": 0, "off_task": True}


def off_task_scores(
    benchmark: Benchmark[Any, Any],
    params: Params,
    contestant: str,
    items: Sequence[Any],
    judges: Sequence[str],
    sides: Collection[str],
) -> Iterator[Row]:
    """Yield the scores, all null, of an edition's items that ask a contestant for what it does not do, on the sides on
    which it is put to something; on others it is not put to the test at all.
    """
    by_id, repeats = {str(item.id): item for item in items}, benchmark.block(params).repeats
    for judge, (name, side) in product(judges, sorted(off_task(benchmark, params, contestant, items))):
        if side not in sides:
            continue
        stratum, groups = benchmark.place(by_id[name])
        place = {"item": name, "stratum": stratum, "groups": list(groups), "judge": judge}
        for measure, count in benchmark.expected(by_id[name], side, repeats).items():
            yield place | {"side": side, "measure": measure, "left_out": [OFF_TASK] * count} | NOTHING
        for one in benchmark.joint:
            if side in one.sides:
                yield place | {"side": one.sides[-1], "measure": one.measure, "left_out": []} | NOTHING


def off_task_in_words(scores: Sequence[Row]) -> str | None:
    """Return in words that a contestant was not put to all items; None where it was."""
    without = {score["item"] for score in scores if score.get("off_task")}
    if not without:
        return None
    return f"{amount(len(without), 'item')} of {len({score['item'] for score in scores}):,} ask for what it does not do"
