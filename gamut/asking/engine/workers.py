"""What runs in a Ray worker: one asks about a few slices and keeps the replies, one writes a shard that is answered."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from gamut.asking.engine.local import AskingRun, Failures, ask_here
from gamut.asking.engine.unit_locks import locks_folder, unit_lock
from gamut.asking.job import Job
from gamut.asking.limits import Limits
from gamut.asking.models.opening import TORCH_KINDS
from gamut.asking.progress import COUNTED, Tally
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Reply, Request
from gamut.project import model_kinds
from gamut.project.budgets import Budget
from gamut.project.errors import RUN_AGAIN, ModelDied, UserError, system_refusal
from gamut.project.process import put_imports_aside
from gamut.project.settings import Endpoint, Settings
from gamut.tables.columns import Row
from gamut.tables.reading import Slice, cut_into_slices
from gamut.tables.writing import TableWriter

IN_WORKERS = (*TORCH_KINDS, model_kinds.VllmModel, model_kinds.PythonModel)
"""Kinds of model that live in the workers and would take a GPU."""
TRIES = 10  # how often a unit is begun, as workers die and others take over, before it is given up


@dataclass(frozen=True, kw_only=True)
class SharedJob(Job):
    """A job that workers share: how models run, and where the project and its store lie on the common file system."""

    settings: Settings
    project: Path
    store: Path

    @property
    def endpoint(self) -> Endpoint:
        return self.settings.endpoint_of(self.role_model)

    @property
    def parts(self) -> Path:
        return self.project / self.folder.with_name(f"{self.folder.name}.parts.new")

    def part(self, shard: str) -> TableWriter:
        return TableWriter(self.parts / shard, self.schema, self.finished)

    def limits(self) -> Limits:
        """Limits that only count failures: the run's own are kept by whoever started it. The build's cost all share."""
        without_end = Tally(self.stage, sys.maxsize)
        budget = Budget(self.store, self.settings.max_cost)
        return Limits(without_end, sys.maxsize, budget, self.endpoint, str(self.role_model), self.counted)


class Worker:
    """One process of the pool: opens the model once, then answers units. Its death costs what was in flight."""

    def __init__(self, job: SharedJob) -> None:
        put_imports_aside()
        os.chdir(job.project)
        computes = any(isinstance(player.model, IN_WORKERS) for player in job.role_model.players)
        if computes and not job.endpoint.gpus:  # Ray leaves a worker that wants none all cards of its node
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        self.job = job
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.model = job.open(job.role_model, job.settings)

    def __del__(self) -> None:
        """Close the model; Ray Data lets go of a worker so when it ends it."""
        self._wait(self.model.close())

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def __call__(self, unit: dict[str, Any]) -> dict[str, bytes]:
        """Ask about a unit's records; report counts and what failed, or the problem that every unit will have."""
        shard, first, last = unit["shard"], unit["first"], unit["last"]
        limits, failures = self.job.limits(), Failures()
        tries = locks_folder(self.job.store, self.job.stage) / f"{shard}-{first:02d}.tries"
        try:
            with unit_lock(self.job.store, self.job.stage, tries.stem):
                count_try(tries)
                asking = AskingRun(
                    self.model,
                    unit_slices(self.job.records, shard, first, last),
                    self.job.visit,
                    StageReplies(self.job.store, self.job.stage),
                    limits,
                    lambda shard, rows, last_of_shard: None,
                    failures,
                )
                self._wait(asking.run())
        except ModelDied as error:
            print(f"{self.job.stage}: {error}", file=sys.stderr, flush=True)
            os._exit(1)  # Ray starts another worker, which goes on from the journals
        except UserError as error:
            return report(problem=str(error))
        except OSError as error:
            return report(problem=refusal_message(error))
        return report(
            **{name: getattr(limits.tally, name) for name in COUNTED},
            first=limits.first,
            first_unusable=limits.first_unusable,
            noted=limits.failed,
            failures=[
                [shard, number, mark, cause, reply.finish, reply.input_tokens, reply.output_tokens]
                for (shard, number), replies in failures.items()
                for mark, reply in replies.items()
                for cause in [reply.content.decode(errors="replace")]
            ],
        )


class AnsweredModel:
    """A model that is never asked, because workers have asked it: it only lends its identity to the fingerprints."""

    concurrency = 1

    def __init__(self, job: SharedJob) -> None:
        asked = job.open(job.role_model, job.settings)
        self.identity, self.by_record = asked.identity, asked.by_record

    async def answer(self, request: Request) -> Reply:
        raise UserError("a worker left a request out: did inputs or settings change meanwhile? run `dvc repro` again")

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


def write_shard(unit: dict[str, bytes], job: SharedJob) -> dict[str, bytes]:
    os.chdir(job.project)
    shard, failed = orjson.loads(unit["shard"])
    failures = read_failures(failed)
    answered = AnsweredModel(job)
    slices, limits, store = every_slice(job, shard), job.limits(), StageReplies(job.store, job.stage)
    try:
        with unit_lock(job.store, job.stage, shard), job.part(shard) as table:
            asyncio.run(ask_here(answered, slices, job.visit, table, store, limits, failures))
    except UserError as error:
        return report(problem=str(error))
    except OSError as error:
        return report(problem=refusal_message(error))
    return report(statuses=limits.statuses, examples=limits.examples)


def report(problem: str = "", **fields: Any) -> dict[str, bytes]:
    return {"report": orjson.dumps({"problem": problem, **fields})}


def read_failures(failed: Iterable[Sequence[Any]]) -> Failures:
    failures = Failures()
    for shard, number, mark, cause, finish, input_tokens, output_tokens in failed:
        failures.setdefault((shard, number), {})[mark] = Reply(cause.encode(), finish, input_tokens, output_tokens)
    return failures


def refusal_message(error: OSError) -> str:
    """Return the problem that a refusal of the system is, such as a full disk; other errors are raised again."""
    if (line := system_refusal(error)) is None:
        raise error
    return line + RUN_AGAIN


def count_try(tries: Path) -> None:
    with tries.open("ab") as file:
        file.write(b".")
        if file.tell() > TRIES:
            raise UserError(
                f"{tries.stem}: {TRIES} workers died while they asked about these slices; Ray's logs say why"
            )


def every_slice(job: Job, shard: str) -> Iterator[Slice]:
    return cut_into_slices(shard, job.records(shard))


def unit_slices(records: Callable[[str], Iterator[Row]], shard: str, first: int, last: int) -> Iterator[Slice]:
    for work_slice in itertools.takewhile(
        lambda work_slice: work_slice[1] < last, cut_into_slices(shard, records(shard))
    ):
        if work_slice[1] >= first and work_slice[2]:
            yield work_slice
