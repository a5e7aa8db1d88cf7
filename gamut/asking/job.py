"""All that one stage asks, in one object: it is given to the local run, or to every worker of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.asking.failed_rows import Failure
from gamut.asking.limits import FAILURES
from gamut.asking.models.opening import Opening, open_when_asked
from gamut.asking.visiting import Visit
from gamut.project.roles import Played
from gamut.tables.columns import Row
from gamut.tables.pool import FinishedShard
from gamut.tables.reading import Slice, cut_into_slices


@dataclass(frozen=True)
class Job:
    """What a stage asks and the table that it writes. Workers of a cluster get it pickled."""

    stage: str  # its name, as in dvc.yaml; a cell of a matrix has its own: `BENCHMARK.judge@careful-world`
    role_model: Played  # the role, and the model or pair that plays it
    shards: Sequence[str]
    records: Callable[[str], Iterator[Row]]  # returns a shard's records in order of id
    total: int  # how many records there are in all shards
    visit: Visit  # asks about one record, and returns its rows
    schema: pa.Schema
    folder: Path  # where the table is written
    max_failures: int | float  # how many records may fail: a count, or a share of all
    counted: Collection[str] = FAILURES  # statuses that count as failed
    open: Opening = open_when_asked  # opens the model
    finished: Callable[[FinishedShard], None] | None = None  # called with each shard of the table when it is complete
    kept: Sequence[str] = ()  # shards that an earlier run finished: they are skipped
    failed: Sequence[Failure] = ()  # what failed in those shards


def job_slices(job: Job) -> Iterator[Slice]:
    for shard in job.shards:
        yield from cut_into_slices(shard, job.records(shard))


def job_of_rows(stage: str, role_model: Played, shards: Mapping[str, Sequence[Row]], *others: Any, **named: Any) -> Job:
    """Return a job for records in memory, by shard. `others` are the fields of Job from `visit` on."""
    total = sum(map(len, shards.values()))
    return Job(stage, role_model, list(shards), lambda shard: iter(shards[shard]), total, *others, **named)
