"""What runs in a Ray worker: one asks about a few slices and keeps the replies, one writes a shard that is answered."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
from filelock import FileLock, Timeout

from stages.engine.local import Asking, Failures, ask_here
from stages.errors import ModelDied, UserError
from stages.kinds import FolderModel
from stages.limits import Limits
from stages.models import Model, identity, open_model
from stages.params import Params
from stages.progress import Tally
from stages.replies import StageReplies
from stages.requests import Reply, Request
from stages.settings import Endpoint, Settings
from stages.tables import Row, Slice, TableWriter, sliced
from stages.visiting import Visit

TRIES = 10
"""How often a unit is begun, as workers die and others take over, before it is given up."""
LOCK_SECONDS = 120.0
"""A worker that outlives its killed run is ended by Ray within seconds; until then its unit is its own."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know: the stage's records and visit, and where the project and its store lie."""

    stage: str
    role: str
    params: Params
    settings: Settings
    records: Callable[[str], Iterator[Row]]
    visit: Visit
    schema: pa.Schema
    folder: Path
    project: Path
    store: Path

    @property
    def endpoint(self) -> Endpoint:
        """Where and how fast the role's model runs."""
        return self.settings.endpoint(self.params.roles.filled()[self.role])

    @property
    def parts(self) -> Path:
        """Where the table's shards wait until all are written."""
        return self.project / self.folder.with_name(f"{self.folder.name}.parts.new")

    def limits(self) -> Limits:
        """Limits that only count: the run's own are kept by whoever started it."""
        return Limits(Tally(self.stage, 0), sys.maxsize, None, self.endpoint)


class Worker:
    """One process of the pool: opens the model once, then answers units. Its death costs what was in flight."""

    def __init__(self, job: Job) -> None:
        os.chdir(job.project)
        self.job = job
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.model: Model | None = None
        self.problem = ""
        try:
            self.model = self._wait(self._open())
        except UserError as error:  # told by the first unit: an actor that cannot start would be started again
            self.problem = str(error)

    async def _open(self) -> Model:
        return open_model(self.job.role, self.job.params, self.job.settings)

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def __call__(self, unit: dict[str, Any]) -> dict[str, bytes]:
        """Ask about a unit's records; report counts and what failed, or the problem that every unit will have."""
        if self.model is None:
            return report(problem=self.problem)
        shard, first, last = unit["shard"], unit["first"], unit["last"]
        limits, failures = self.job.limits(), Failures()
        tries = begun_folder(self.job) / f"{shard}-{first:02d}.tries"
        try:
            with FileLock(tries.with_suffix(".lock"), timeout=LOCK_SECONDS):
                count_try(tries)
                asking = Asking(
                    self.model,
                    slices_of(self.job.records, shard, first, last),
                    self.job.visit,
                    StageReplies(self.job.store, self.job.stage),
                    limits,
                    lambda shard, rows, last_of_shard: None,
                    failures,
                )
                self._wait(asking.run())
        except Timeout:
            return report(problem=f"{tries.stem} is asked about by another process: does the stage run elsewhere?")
        except ModelDied as error:
            print(f"{self.job.stage}: {error}", file=sys.stderr, flush=True)
            os._exit(1)  # Ray starts another worker, which goes on from the journals
        except UserError as error:
            return report(problem=str(error))
        tally = limits.tally
        return report(
            done=tally.done,
            asked=tally.asked,
            failed=tally.failed,
            cost=tally.cost,
            first=limits.first,
            marks=limits.failed,
            failures=[
                [shard, number, mark, reply.finish, reply.content.decode(errors="replace")]
                for (shard, number), replies in failures.items()
                for mark, reply in replies.items()
            ],
        )


@dataclass
class Answered:
    """A model that is never asked, because workers have asked it: it only lends its identity to the fingerprints."""

    identity: Mapping[str, Any]
    by_record: bool
    concurrency: int = 1

    async def answer(self, request: Request) -> Reply:
        """Say that a worker has left something out."""
        raise UserError("a worker left a request out: did inputs or settings change meanwhile? run `dvc repro` again")

    async def close(self) -> None:
        """Nothing to give back."""


def write_shard(unit: dict[str, bytes], job: Job) -> dict[str, bytes]:
    """Write one shard of the table from the replies that workers have had; report what became of its records."""
    os.chdir(job.project)
    shard, failed = orjson.loads(unit["shard"])
    failures = Failures()
    for _, number, mark, finish, cause in failed:
        failures.setdefault((shard, number), {})[mark] = Reply(cause.encode(), finish)
    model = job.params.models[job.params.roles.filled()[job.role]]
    answered = Answered(identity(model), isinstance(model, FolderModel))
    slices, limits, store = sliced(shard, job.records(shard)), job.limits(), StageReplies(job.store, job.stage)
    try:
        with TableWriter(job.parts / shard, job.schema) as table:
            asyncio.run(ask_here(answered, slices, job.visit, table, store, limits, failures))
    except UserError as error:
        return report(problem=str(error))
    return report(statuses=limits.statuses, examples=limits.examples)


def report(problem: str = "", **found: Any) -> dict[str, bytes]:
    """A row as Ray carries it."""
    return {"report": orjson.dumps({"problem": problem, **found})}


def begun_folder(job: Job) -> Path:
    """Where a stage's workers note which units they have begun."""
    return job.store / "locks" / job.stage


def count_try(tries: Path) -> None:
    """Count that a unit is begun, one byte a time; UserError when its workers have died too often."""
    with tries.open("ab") as file:
        file.write(b".")
        if file.tell() > TRIES:
            raise UserError(
                f"{tries.stem}: {TRIES} workers died while they asked about these slices; Ray's logs say why"
            )


def slices_of(records: Callable[[str], Iterator[Row]], shard: str, first: int, last: int) -> Iterator[Slice]:
    """A shard's slices with numbers from `first` to before `last`."""
    for piece in itertools.takewhile(lambda piece: piece[1] < last, sliced(shard, records(shard))):
        if piece[1] >= first and piece[2]:
            yield piece
