"""One contestant's scores by item, and its metrics: every average with its interval, and what has no score and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from stages.asking.models.opening import identity
from stages.evaluation.defining.benchmark import Benchmark, benchmark_of
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import stand_ins
from stages.evaluation.running.spec import Asked, spec_hash
from stages.evaluation.running.stale_outputs import forget_removed
from stages.evaluation.scoring.estimates import estimates, flat, rounded, shared_weights
from stages.evaluation.scoring.scores import SCHEMA, by_side_and_judge, coverage, item_scores, left_out, score_matrix
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows
from stages.tables.writing import TableWriter

ANSWERED = ["item", "side", "status"]
OBSERVED = ["item", "side", "question", "value", "status"]


def score(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> None:
    """Write one contestant's scores and metrics."""
    block, items = benchmark.block(params), benchmark.items(params)
    folder = benchmark.observations / contestant
    scores = item_scores(
        read_rows(benchmark.answers / contestant, ANSWERED),
        {judge: read_rows(folder / judge, OBSERVED) for judge in block.judges},
        {str(item.id): benchmark.stratum(item) for item in items},
        list(benchmark.measures),
        block.repeats,
    )
    specs = {key: spec_of(benchmark, params, *key) for key in by_side_and_judge(scores)}
    rows = [row | {"spec": specs[row["side"], row["judge"]]} for row in scores]
    with TableWriter(benchmark.scores / contestant, SCHEMA) as table:
        table.write("scores", rows)
    found = metrics(benchmark, rows, items, params.seed)
    write_json(benchmark.metrics(params) / f"{contestant}.json", found)
    first = benchmark.shown[0]
    for side, judge in by_side_and_judge(rows):
        key = f"{side}.{judge}.{first}"
        value = f"{found[key]:.1f}" if key in found else f"no {first}"
        covered = f"{found[f'{side}.{judge}.coverage']:.1%} scored"
        print(f"{benchmark.name}.score@{contestant}: {side}, {judge}: {value}, {covered}")


def forget_judges(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> None:
    """Delete what judges said that params.yaml no longer names."""
    forget_removed(benchmark.observations / contestant, benchmark.block(params).judges)


def metrics(
    benchmark: Benchmark[Any, Any], rows: Sequence[Row], items: Sequence[Item], seed: int
) -> dict[str, float | str]:
    """Return the metrics of one contestant under flat keys `<side>.<judge>.<name>`."""
    strata = benchmark.strata_of(items)
    weights = shared_weights(strata, seed)
    ids = [str(item.id) for item in items]
    found: dict[str, float | str] = {}
    for (side, judge), own in by_side_and_judge(rows).items():
        matrix = score_matrix(own, ids, benchmark.columns)
        found |= flat(f"{side}.{judge}.", estimates(matrix, strata, weights, benchmark.reported))
        found[f"{side}.{judge}.coverage"] = rounded(coverage(own))
        found |= {f"{side}.{judge}.{name}": count for name, count in left_out(own).items()}
        found[f"spec.{side}.{judge}"] = own[0]["spec"]
    return found


def spec_of(benchmark: Benchmark[Any, Any], params: Params, side: str, judge: str) -> str:
    """Return what scores of a side by a judge depend on besides the contestant, as one hash."""
    block, items = benchmark.block(params), benchmark.items(params)
    put, inquiries = benchmark.put, benchmark.inquiries
    asked = [
        Asked(item, benchmark.stratum(item), put(item, side, stand_ins(item)), inquiries(item, side)) for item in items
    ]
    scales = {measure: [*scale] for measure, scale in benchmark.measures.items()}
    settings = {
        "side": side,
        "samples": block.answer.samples,
        "repeats": block.repeats,
        "seed": params.seed,
        "size": [block.answer.width, block.answer.height],
        "scales": scales,
    }
    return spec_hash(asked, identity(params.models[judge], "judge"), settings)


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    forget = partial(forget_judges, benchmark)
    main(f"{benchmark.name}.score", partial(score, benchmark), benchmark.params, *sys.argv[2:], before=forget)
