"""What one stage asks, as one thing that is handed on: to whoever runs it here, and to every worker of a cluster."""

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
    """What a stage asks, and the table that it writes; a cluster's workers get it pickled."""

    stage: str  # its name, as in dvc.yaml; a cell of a matrix has its own: `BENCHMARK.judge@careful-world`
    role_model: Played  # the role that is asked, and the model, or the pair, that plays it
    shards: Sequence[str]
    records: Callable[[str], Iterator[Row]]  # gives a shard's records in order of id
    total: int  # how many records there are in all shards
    visit: Visit  # what each record is asked, and the rows that the answers make
    schema: pa.Schema
    folder: Path  # where the table is written
    max_failures: int | float  # how many records may fail: a count, or a share of all
    counted: Collection[str] = FAILURES  # the statuses of a record that has failed
    open: Opening = open_when_asked  # opens who is asked
    finished: Callable[[FinishedShard], None] | None = None  # is given each shard of the table as soon as it is whole
    kept: Sequence[str] = ()  # shards that were finished before: they are not asked about
    failed: Sequence[Failure] = ()  # what had failed in those


def job_slices(job: Job) -> Iterator[Slice]:
    for shard in job.shards:
        yield from cut_into_slices(shard, job.records(shard))


def job_of_rows(stage: str, role_model: Played, shards: Mapping[str, Sequence[Row]], *others: Any, **named: Any) -> Job:
    """Return the job of records that are in memory, by shard; others: from `visit` on."""
    total = sum(map(len, shards.values()))
    return Job(stage, role_model, list(shards), lambda shard: iter(shards[shard]), total, *others, **named)
