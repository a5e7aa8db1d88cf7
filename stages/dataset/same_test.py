"""Whether a picture's text is the same test as an item's, in other words or another language: pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import pyarrow.compute as pc

from stages.asking.job import Job
from stages.asking.run import ask
from stages.dataset.leaks.question import SCHEMA, about_pairs
from stages.dataset.leaks.suspects import PAIR
from stages.dataset.shared.joins import SAME_TESTS, SUSPECTED
from stages.dataset.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_shard, shard_columns, shard_names


def same_test(params: Params) -> None:
    """Ask about every pair of texts that lie near each other."""
    job = Job(
        "same_test",
        params.role_model("judge"),
        shards=shard_names(SUSPECTED),
        records=with_pairs,
        total=sum(
            pc.count_distinct(table.filter(pc.field("found_by") == PAIR)["id"]).as_py()
            for _, table in shard_columns(SUSPECTED, ["id", "found_by"])
        ),
        visit=about_pairs(params.seed),
        schema=SCHEMA,
        folder=SAME_TESTS,
        max_failures=params.hold_out.max_failures,
    )
    ask(job)


def with_pairs(shard: str) -> Iterator[Row]:
    """Yield a shard's pictures that have pairs, with these."""
    asked = (row for row in read_shard(SUSPECTED, shard) if row["found_by"] == PAIR)
    for row_id, pairs in groupby(asked, key=lambda row: row["id"]):
        yield {"id": row_id, "pairs": list(pairs)}


if __name__ == "__main__":
    main("same_test", same_test, Params)
