"""The code of Ray workers: one asks about a few slices and keeps the replies, one writes an answered shard."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from gamut.asking.engine.local import AskingRun, Failures
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
from gamut.tables.reading import cut_into_slices
from gamut.tables.writing import TableWriter

IN_WORKERS = (*TORCH_KINDS, model_kinds.VllmModel, model_kinds.PythonModel)
"""Kinds of model that run in the workers and use a GPU."""
TRIES = 10  # how often a unit is begun, each time after its worker died, before the run fails


@dataclass(frozen=True, kw_only=True)
class SharedJob(Job):
    """A job that workers share, with the settings of models and the places of project and store on the shared disk."""

    settings: Settings
    project: Path
    store: Path

    @property
    def endpoint(self) -> Endpoint:
        return self.settings.endpoint_of(self.role_model)

    @property
    def parts(self) -> Path:
        return self.project / self.folder.with_name(f"{self.folder.name}.parts.new")

    def part(self, shard: str) -> Path:
        return self.parts / shard / self.folder.name

    def limits(self) -> Limits:
        """Limits that only count failures, because the run's driver checks its limits. All share the build's cost."""
        without_end = Tally(self.stage, sys.maxsize)
        budget = Budget(self.store, self.settings.max_cost)
        return Limits(without_end, sys.maxsize, budget, self.endpoint, str(self.role_model), self.counted)


class Worker:
    """One process of the pool: it opens the model once, then answers units. If it dies, requests in flight are lost."""

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
        """Close the model: Ray Data deletes a worker object when it ends the worker."""
        self._wait(self.model.close())

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def __call__(self, unit: dict[str, Any]) -> dict[str, bytes]:
        return report(partial(self.ask, **unit))

    def ask(self, shard: str, first: int, last: int) -> dict[str, Any]:
        """Ask about a unit's records; return counts and what failed."""
        job, limits = self.job, self.job.limits()
        store = StageReplies(job.store, job.stage)
        tries = locks_folder(job.store, job.stage) / f"{shard}-{first:02d}.tries"
        until_last = itertools.takewhile(lambda one: one[1] < last, cut_into_slices(shard, job.records(shard)))
        slices = (one for one in until_last if one[1] >= first and one[2])
        try:
            with unit_lock(job.store, job.stage, tries.stem):
                count_try(tries)
                asking = AskingRun(self.model, slices, job.visit, store, limits)
                self._wait(asking.run())
        except ModelDied as error:
            print(f"{job.stage}: {error}", file=sys.stderr, flush=True)
            os._exit(1)  # Ray starts another worker, which goes on from the journals
        return {
            **{name: getattr(limits.tally, name) for name in COUNTED},
            "first": limits.first,
            "first_unusable": limits.first_unusable,
            "noted": limits.failed,
            "failures": [
                [shard, number, mark, cause, reply.finish, reply.input_tokens, reply.output_tokens]
                for (shard, number), replies in asking.failures.items()
                for mark, reply in replies.items()
                for cause in [reply.content.decode(errors="replace")]
            ],
        }


class AnsweredModel:
    """A model that is never asked, because workers have asked it: only its identity is used, for fingerprints."""

    concurrency = 1

    def __init__(self, job: SharedJob) -> None:
        asked = job.open(job.role_model, job.settings)
        self.identity, self.by_record = asked.identity, asked.by_record

    async def answer(self, request: Request) -> Reply:
        raise UserError(
            "workers left a request out, perhaps because inputs changed during the run: run `dvc repro` again"
        )

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


def write_shard(unit: dict[str, bytes], job: SharedJob) -> dict[str, bytes]:
    os.chdir(job.project)
    return report(partial(write_answered, job, *orjson.loads(unit["shard"])))


def write_answered(job: SharedJob, shard: str, failed: Sequence[Sequence[Any]]) -> dict[str, Any]:
    slices, limits, store = cut_into_slices(shard, job.records(shard)), job.limits(), StageReplies(job.store, job.stage)
    answered, failures = AnsweredModel(job), read_failures(failed)
    with unit_lock(job.store, job.stage, shard), TableWriter(job.part(shard), job.schema, job.finished) as table:
        asyncio.run(AskingRun(answered, slices, job.visit, store, limits, table, failures).run())
    return {"statuses": limits.statuses, "examples": limits.examples}


def report(work: Callable[[], dict[str, Any]]) -> dict[str, bytes]:
    """Return the result of `work`, or a problem that every unit would have, such as a full disk."""
    try:
        found = {"problem": ""} | work()
    except UserError as error:
        found = {"problem": str(error)}
    except OSError as error:
        if (line := system_refusal(error)) is None:
            raise
        found = {"problem": line + RUN_AGAIN}
    return {"report": orjson.dumps(found)}


def read_failures(failed: Iterable[Sequence[Any]]) -> Failures:
    failures = Failures()
    for shard, number, mark, cause, finish, input_tokens, output_tokens in failed:
        failures.setdefault((shard, number), {})[mark] = Reply(cause.encode(), finish, input_tokens, output_tokens)
    return failures


def count_try(tries: Path) -> None:
    with tries.open("ab") as file:
        file.write(b".")
        if file.tell() > TRIES:
            raise UserError(
                f"{tries.stem}: {TRIES} workers died while they asked about these slices; Ray's logs say why"
            )
