"""Phase three of the filter, the decision: which candidates become part of the dataset, and why the others do not.

Every candidate has exactly one row here. Pictures that reviewers reject are left out too. Of several pictures of a
prompt at most one stays, and none that repeats an earlier picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import create_model

from gamut.dataset.shared.joins import pictures_named, row_by_id, table_of
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.reviewed import EXCLUDED, Reviews, read_reviews
from gamut.pipeline.asks import Asks
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Decides, Figure, StepParameters, start
from gamut.project.validation import Strict
from gamut.tables.columns import Row, prompt_id, table_schema
from gamut.tables.reading import cut_into_slices, read_shard, shard_names
from stages.dataset.choosing import SCORED, Choose, Choosing, leave_best, scores_by_id
from stages.dataset.filters import OWN_DECISIONS, SELECTING

DECIDED = " ".join(
    ["synthesize admit categorize", *SCORED, *(step.name for step in OWN_DECISIONS), "datasets/decisions"]
)
"""What `decisions` read."""
REPEATED = "same_picture"
"""The reason of a picture that repeats an earlier one."""
SCHEMA = table_schema("id kept:bool reason categories:[string]")
LOWEST: dict[str, Any] = {
    filter_.parameter.removeprefix("select."): (Score, ... if filter_.lowest is None else filter_.lowest)
    for step in SELECTING
    for filter_ in step.filters
}
Select = create_model("Select", __base__=Strict, __doc__="Lowest scores that pass, 0..10.", **LOWEST)


def by_shard(params: StepParameters) -> ByShard:
    reviews = read_reviews()

    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        leaving = {row["id"] for row in read_shard(table_of("same_pictures"), shard, ["id", "kept"]) if not row["kept"]}
        for rows in decisions(shard, params, reviews):
            yield [[row | {"kept": False, "reason": REPEATED} if row["id"] in leaving else row for row in rows]]

    return ByShard(shard_names(table_of("synthesize")), make)


def decisions(shard: str, params: StepParameters, reviews: Reviews) -> Iterator[list[Row]]:
    """Yield the decisions about a shard's candidates, slice by slice, before pictures are compared with each other."""
    admitted, categories = row_by_id(table_of("admit"), shard), row_by_id(table_of("categorize"), shard)
    judged = {step.name: judged_by(step, shard) for step in SELECTING}
    excluded = dict.fromkeys(reviews.excluded_ids(shard), EXCLUDED)
    excluded |= {
        row["id"]: row["reason"] for step in OWN_DECISIONS for row in read_shard(step.table, shard) if not row["kept"]
    }
    candidates = read_shard(table_of("synthesize"), shard, ["id", "status"])
    several = any(row["id"] != prompt_id(row["id"]) for row in candidates)
    scores = scores_by_id(shard, params.choose.by) if several else {}
    for _, _, rows in cut_into_slices(shard, candidates):
        decided = [decide(row, admitted, categories, judged, params.select, excluded) for row in rows]
        yield leave_best(decided, scores, params.choose.by) if several else decided


def say_reviews(params: StepParameters) -> None:
    reviews = read_reviews()
    for shard in shard_names(table_of("synthesize")):
        reviews.excluded_ids(shard)
    if summary := reviews.summary():
        print(f"select: {summary}")


def judged_by(step: Asks, shard: str) -> dict[str, Row]:
    """Return what a filter's judge says of a shard's pictures, or nothing if the filter is off. KeyError if a row that
    must exist is missing.
    """
    found = row_by_id(step.table, shard)
    return {row_id: found[row_id] for row_id in pictures_named(shard, step.where or "")} if found else {}


def decide(
    candidate: Row,
    admitted: Mapping[str, Row],
    categories: Mapping[str, Row],
    judged: Mapping[str, Mapping[str, Row]],
    lowest: Any,
    excluded: Mapping[str, str] = MappingProxyType({}),
) -> Row:
    """Decide about a candidate: the reason is the first phase that it did not pass. `excluded` has reasons by id, of
    own steps and of people.
    """
    row_id = candidate["id"]
    labels = categories.get(row_id, {"categories": []})["categories"]
    reason: str | None
    if candidate["status"] != "ok":
        reason = f"synthesize_{candidate['status']}"
    elif not admitted[row_id]["admitted"]:
        reason = admitted[row_id]["reason"]
    elif categories[row_id]["reason"]:
        reason = categories[row_id]["reason"]
    else:
        reason = next(faults(row_id, judged, lowest), excluded.get(row_id))
    return {"id": row_id, "kept": reason is None, "reason": reason, "categories": labels}


def faults(row_id: str, judged: Mapping[str, Mapping[str, Row]], lowest: Any) -> Iterator[str]:
    """Yield the faults of a picture by the filters that were asked about it."""
    for step in SELECTING:
        if (row := judged[step.name].get(row_id)) is None:
            continue
        if row["status"] != "ok":
            yield f"{step.name}_{row['status']}"
            continue
        for filter_ in step.filters:
            if row[filter_.column] < getattr(lowest, filter_.parameter.removeprefix("select.")):
                yield f"{step.fault}_{filter_.name}"


STEP = Decides(
    "select",
    by_shard=by_shard,
    run=say_reviews,
    reads=f"{DECIDED} same_pictures",
    schema=SCHEMA,
    base=Choosing,
    parameters={"select": Select, "choose": Choose},
    tracked=("select", "choose"),
    left="selected, lettering included",
    share={
        "kept": Figure(
            0.858, "of the clear pictures are kept by categories and typography", "5.89 M rows of 8 M, split evenly"
        )
    },
)

if __name__ == "__main__":
    start(STEP)
