"""Runs a stage that asks: opens the model of its role, prints what it will ask, and sums up how it ended."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamut.asking.engine.local import AskingRun, ask_and_close, keep_failures
from gamut.asking.engine.unit_locks import wait_for_workers
from gamut.asking.failed_rows import Failure, note_failed
from gamut.asking.job import Job, job_slices
from gamut.asking.limits import FAILURES, Limits, failures_in
from gamut.asking.models.opening import Opening, open_when_asked
from gamut.asking.progress import Progress, Tally, duration
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Model, Request
from gamut.asking.visiting import follow, record_name
from gamut.project import places, settings
from gamut.project.budgets import Budget
from gamut.project.locks import writer_in_turn
from gamut.project.model_kinds import FolderModel
from gamut.project.plain_text import amount
from gamut.project.roles import Played
from gamut.tables.pool import FinishedShard, Note, Notes
from gamut.tables.reading import Slice, shard_rows
from gamut.tables.writing import TableWriter

PREVIEWED = 64  # records from which the requests of a stage are estimated


def ask(job: Job) -> None:
    """Ask about all records and write the table. Another tree that asks the same is waited for."""
    with writer_in_turn(job.stage):
        ask_in_turn(job)


def ask_in_turn(job: Job) -> None:
    stage, role_model = job.stage, job.role_model
    if not job.total:  # without records no model is needed
        with TableWriter(job.folder, job.schema, job.finished) as table:
            for shard in job.shards:
                table.write(shard, [])
        note_failed(stage, job.failed)
        if job.shards or not job.kept:
            print(f"{stage}: no records", flush=True)
        return
    run_settings = settings.load()
    store = places.store_root().absolute()
    wait_for_workers(store, stage)
    started = time.monotonic()
    tally = Tally(stage, job.total)
    budget = Budget(store, run_settings.max_cost)
    endpoint = run_settings.endpoint_of(role_model)
    limits = Limits(tally, job.max_failures, budget, endpoint, str(role_model), job.counted)
    limits.failed += job.failed
    if run_settings.engine == "ray":
        from gamut.asking.engine.cluster import ask_on_cluster  # long to import, and few have one
        from gamut.asking.engine.workers import SharedJob

        shared = SharedJob(**vars(job), settings=run_settings, project=Path.cwd(), store=store)
        print(f"{stage}: {amount(job.total, 'record')} for {endpoint.workers} Ray workers", flush=True)
        with Progress(tally):
            ask_on_cluster(shared, limits)
    else:
        ask_model(job.open(role_model, run_settings), job, limits)
    seconds = time.monotonic() - started
    statuses = ", ".join(f"{count:,} {status}" for status, count in sorted(limits.statuses.items()))
    print(f"{stage}: {statuses or 'no rows'}; {tally.asked:,} asked in {duration(seconds)}", flush=True)
    for status, example in sorted(limits.examples.items()):
        print(f"{stage}: the first {status} is {example}", flush=True)
    if folders := [player.model for player in role_model.players if isinstance(player.model, FolderModel)]:
        names = {record_name(row) for shard in (*job.shards, *job.kept) for row in job.records(shard)}
        for folder in folders:
            name_unmatched(stage, folder, names)
    log(
        stage=stage,
        model=role_model.slug,
        seconds=round(seconds, 3),
        records=job.total,
        asked=tally.asked,
        cost=tally.cost,
        tokens_read=tally.tokens_read,
        tokens_written=tally.tokens_written,
    )


def name_unmatched(stage: str, model: FolderModel, names: Iterable[str]) -> None:
    from gamut.asking.models.folder.answers import surplus_lines
    from gamut.asking.models.folder.contents import contents_of

    contents = contents_of("the folder", places.path_on_disk(model.path), model.of)
    for line in surplus_lines(model.path, contents, names):
        print(f"{stage}: {line}", flush=True)


def identity_for(role_model: Played, opening: Opening | None) -> Mapping[str, Any]:
    """Return the identity of the model that would be asked, without opening it."""
    return (opening or open_when_asked)(role_model, settings.load()).identity


def failures_of(shards: Iterable[FinishedShard]) -> list[Failure]:
    """Return the failures that shards record."""
    columns = ["id", "status", "reason", "replies"]
    some = [shard.path for shard in shards if not shard.statuses.keys().isdisjoint(FAILURES)]
    return [one for path in some for one in failures_in(shard_rows(path.parent, path.stem, columns))]


def note_shard(notes: Notes, shard: FinishedShard, failed: bool = False) -> None:
    """Note a finished shard. A shard with failed rows (`failed`) is noted only when its stage ends well: a run that
    stops asks about these rows again, and counts them.
    """
    if bool(failures_of([shard])) == failed:
        notes.keep(shard.path.stem, Note([shard]))


def ask_model(model: Model, job: Job, limits: Limits) -> None:
    """Ask a model from this process."""
    store = StageReplies(places.store_root().absolute(), job.stage)
    store.require_unpruned(job.shards)
    slices = job_slices(job)
    first: list[Slice] = []
    for work_slice in slices:
        first.append(work_slice)
        if work_slice[2]:
            break
    estimate = limits.estimate(*preview(first, job, model, store))
    print(f"{job.stage}: {amount(job.total, 'record')}, {estimate}", flush=True)
    try:
        with Progress(limits.tally), TableWriter(job.folder, job.schema, job.finished) as table:
            asking = AskingRun(model, itertools.chain(first, slices), job.visit, store, limits, table)
            asyncio.run(ask_and_close(asking))
            keep_failures(asking.failures, store)
    finally:
        note_failed(job.stage, limits.failed)


def preview(first: Sequence[Slice], job: Job, model: Model, store: StageReplies) -> tuple[Iterator[Request], float]:
    """Return the first requests about the first records that have no stored reply, without repeats, and their share."""

    def requests() -> Iterator[Request]:
        seen: set[str] = set()
        for shard, number, rows in first:
            known = store.slice(shard, number).replies.get
            for row in rows[:PREVIEWED]:
                unknown = next(follow(job.visit, row, model, known), None)
                if isinstance(unknown, dict):  # else it is answered, maybe with a picture
                    yield from (request for mark, request in unknown.items() if mark not in seen)
                    seen.update(unknown)

    records = sum(len(rows[:PREVIEWED]) for _, _, rows in first)
    return requests(), records / job.total if job.total else 0.0


def log(**entry: Any) -> None:
    """Append what a run took to the untracked log beside the reply store (tables hold no times)."""
    path = places.store_root() / "log.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **entry}) + "\n")
