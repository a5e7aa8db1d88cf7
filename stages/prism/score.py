"""One contestant's scores by item, and its metrics: every average with its interval, and what has no score and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from stages.asking.models.opening import identity
from stages.evaluation.running.spec import spec_hash
from stages.evaluation.running.stale_outputs import forget_removed
from stages.evaluation.scoring.estimates import estimates, flat, rounded, shared_weights
from stages.evaluation.scoring.scores import SCHEMA, by_side_and_judge, coverage, item_scores, left_out, score_matrix
from stages.prism.averages import COLUMNS, REPORTED
from stages.prism.judging import AESTHETIC_OF_ALL, ALIGNMENT_OF
from stages.prism.shared.items import (
    ANSWERS,
    OBSERVATIONS,
    SCORES,
    PrismItem,
    items_of,
    metrics_folder,
    strata_of,
)
from stages.prism.shared.parameters import Params
from stages.prism.shared.tracks import AXES
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows
from stages.tables.writing import TableWriter

ANSWERED = ["item", "side", "status"]
OBSERVED = ["item", "side", "question", "value", "status"]


def score(params: Params, contestant: str) -> None:
    """Write one contestant's scores and metrics."""
    items = items_of(params)
    folder = OBSERVATIONS / contestant
    scores = item_scores(
        read_rows(ANSWERS / contestant, ANSWERED),
        {judge: read_rows(folder / judge, OBSERVED) for judge in params.prism.judges},
        {item.id: item.track for item in items},
        AXES,
        params.prism.repeats,
    )
    specs = {key: spec_of(params, *key) for key in by_side_and_judge(scores)}
    rows = [row | {"spec": specs[row["side"], row["judge"]]} for row in scores]
    with TableWriter(SCORES / contestant, SCHEMA) as table:
        table.write("scores", rows)
    found = metrics(rows, items, params)
    write_json(metrics_folder(params) / f"{contestant}.json", found)
    for side, judge in by_side_and_judge(rows):
        overall = f"{side}.{judge}.overall"
        value = f"{found[overall]:.1f}" if overall in found else "no overall average"
        print(f"prism.score@{contestant}: {side}, {judge}: {value}, {found[f'{side}.{judge}.coverage']:.1%} scored")


def forget_judges(params: Params, contestant: str) -> None:
    """Delete what judges said that params.yaml no longer names."""
    forget_removed(OBSERVATIONS / contestant, params.prism.judges)


def metrics(rows: Sequence[Row], items: Sequence[PrismItem], params: Params) -> dict[str, float | str]:
    """Return the metrics of one contestant under flat keys `<side>.<judge>.<name>`; values 0..100."""
    strata = strata_of(items)
    weights = shared_weights(strata, params.seed)
    ids = [item.id for item in items]
    found: dict[str, float | str] = {}
    for (side, judge), own in by_side_and_judge(rows).items():
        matrix = score_matrix(own, ids, COLUMNS)
        found |= flat(f"{side}.{judge}.", estimates(matrix, strata, weights, REPORTED))
        found[f"{side}.{judge}.coverage"] = rounded(coverage(own))
        found |= {f"{side}.{judge}.{name}": count for name, count in left_out(own).items()}
        found[f"spec.{side}.{judge}"] = own[0]["spec"]
    return found


def spec_of(params: Params, side: str, judge: str) -> str:
    """Return what scores of a side by a judge depend on besides the contestant, as one hash."""
    items = [[item.id, item.prompt_in(side)] for item in items_of(params)]
    questions = [*ALIGNMENT_OF.values(), AESTHETIC_OF_ALL]
    asked = params.prism
    size = [asked.answer.width, asked.answer.height]
    settings = {"side": side, "repeats": asked.repeats, "seed": params.seed, "size": size}
    return spec_hash(items, questions, identity(params.models[judge], "judge"), settings)


if __name__ == "__main__":
    main("prism.score", score, Params, *sys.argv[1:], before=forget_judges)
