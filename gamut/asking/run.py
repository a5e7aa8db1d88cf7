"""Runs a stage that asks: opens its role's model, says what will be asked, and sums up how it ended."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.asking.engine.local import Failures, ask_here, keep_failures
from gamut.asking.engine.unit_locks import wait_for_workers
from gamut.asking.failed_rows import Failure, note_failed
from gamut.asking.job import Job
from gamut.asking.limits import FAILURES, Limits, failures_in
from gamut.asking.models.opening import Opening, open_when_asked
from gamut.asking.progress import Progress, Tally, duration
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Model, Request
from gamut.asking.visiting import Visit, follow, record_name
from gamut.project import places, settings
from gamut.project.budgets import Budget
from gamut.project.locks import writer_in_turn
from gamut.project.model_kinds import FolderModel
from gamut.project.plain_text import amount
from gamut.project.roles import Played
from gamut.tables.pool import Made, Note, Notes
from gamut.tables.reading import Slice, cut_into_slices, manifest, shard_rows, statuses_in
from gamut.tables.writing import TableWriter

PREVIEWED = 64  # records by which it is told what a stage will ask


def ask(job: Job) -> None:
    """Ask about all records and write the table. Another tree that asks the same is waited for."""
    with writer_in_turn(job.stage):
        ask_in_turn(job)


def ask_in_turn(job: Job) -> None:
    stage, role_model = job.stage, job.role_model
    slices: Iterator[Slice] = itertools.chain.from_iterable(
        cut_into_slices(shard, job.records(shard)) for shard in job.shards
    )
    if not job.total:  # nobody has to be there to answer nothing
        return write_nothing(job, slices)
    run_settings = settings.load()
    store = places.store_root().absolute()
    wait_for_workers(store, stage)
    started = time.monotonic()
    names: set[str] = set()
    tally = Tally(stage, job.total)
    endpoint = run_settings.endpoint_of(role_model)
    budget = Budget(store, run_settings.max_cost)
    limits = Limits(tally, job.max_failures, budget, endpoint, str(role_model), job.counted)
    limits.failed += job.failed
    models = [player.model for player in role_model.players]
    folders = [model for model in models if isinstance(model, FolderModel)]
    if run_settings.engine == "ray":
        from gamut.asking.engine.cluster import ask_on_cluster  # long to import, and few have one
        from gamut.asking.engine.workers import SharedJob

        shared = SharedJob(**vars(job), settings=run_settings, project=Path.cwd(), store=store)
        print(f"{stage}: {amount(job.total, 'record')} for {shared.endpoint.workers} Ray workers", flush=True)
        with Progress(tally):
            ask_on_cluster(shared, limits)
    else:
        model = job.open(role_model, run_settings)
        slices = note_names(slices, names) if folders else slices
        replies = StageReplies(store, stage)
        ask_model(model, slices, job.visit, job.schema, job.folder, limits, replies, job.shards, job.finished)
    seconds = time.monotonic() - started
    statuses = ", ".join(f"{count:,} {status}" for status, count in sorted(limits.statuses.items()))
    print(f"{stage}: {statuses or 'no rows'}; {tally.asked:,} asked in {duration(seconds)}", flush=True)
    for status, example in sorted(limits.examples.items()):
        print(f"{stage}: the first {status} is {example}", flush=True)
    if folders and not names:  # a cluster's workers read the records
        names.update(record_name(row) for shard in job.shards for row in job.records(shard))
    if folders:
        names.update(record_name(row) for shard in job.kept for row in job.records(shard))
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


def note_names(slices: Iterable[Slice], names: set[str]) -> Iterator[Slice]:
    for work_slice in slices:
        names.update(map(record_name, work_slice[2]))
        yield work_slice


def name_unmatched(stage: str, model: FolderModel, names: Iterable[str]) -> None:
    from gamut.asking.models.folder.answers import surplus_lines
    from gamut.asking.models.folder.contents import contents_of

    contents = contents_of("the folder", places.path_on_disk(model.path), model.of)
    for line in surplus_lines(model.path, contents, names):
        print(f"{stage}: {line}", flush=True)


def write_nothing(job: Job, slices: Iterable[Slice]) -> None:
    with TableWriter(job.folder, job.schema, job.finished) as table:
        for shard, _, rows in slices:
            table.write(shard, rows)
    note_failed(job.stage, job.failed)
    if job.shards or not job.kept:
        print(f"{job.stage}: no records", flush=True)


def identity_for(role_model: Played, opening: Opening | None) -> Mapping[str, Any]:
    """Return the identity of who would be asked; nothing heavy is opened."""
    return (opening or open_when_asked)(role_model, settings.load()).identity


def failures_of(files: Iterable[Made]) -> list[Failure]:
    """Return what failed in shards, as they say themselves."""
    columns = ["id", "status", "reason", "replies"]
    some = [made.path for made in files if not made.statuses.keys().isdisjoint(FAILURES)]
    return [one for path in some for one in failures_in(shard_rows(path.parent, path.stem, columns))]


def note_shard(notes: Notes, table: str, made: Made) -> None:
    """Note a finished shard, unless rows of it failed: a run that stops asks about these again, and counts them."""
    if not failures_of([made]):
        notes.keep(made.path.stem, Note([made._replace(table=table)]))


def note_rest(notes: Notes, table: str, folder: Path) -> None:
    """Note the other shards of a run that ended well."""
    for entry in manifest(folder)["shards"]:
        made = Made(table, folder / entry["name"], entry, statuses_in(folder / entry["name"]))
        if failures_of([made]) or not notes.place(made.path.stem).exists():
            notes.keep(made.path.stem, Note([made]))


def ask_model(
    model: Model,
    slices: Iterable[Slice],
    visit: Visit,
    schema: pa.Schema,
    folder: Path,
    limits: Limits,
    store: StageReplies | None = None,
    shards: Collection[str] = (),
    finished: Callable[[Made], None] | None = None,
) -> None:
    """`store`: where replies are kept, if not in that of the project; `shards`: their names; `finished` is given each
    as soon as its file is whole.
    """
    tally = limits.tally
    store = store or StageReplies(places.store_root(), tally.name)
    store.require_unpruned(shards)
    slices = iter(slices)
    first: list[Slice] = []
    for work_slice in slices:
        first.append(work_slice)
        if work_slice[2]:
            break
    estimate = limits.estimate(*preview(first, tally.total, visit, model, store))
    print(f"{tally.name}: {amount(tally.total, 'record')}, {estimate}", flush=True)
    try:
        with Progress(tally), TableWriter(folder, schema, finished) as table:
            failures = Failures()
            asyncio.run(ask_here(model, itertools.chain(first, slices), visit, table, store, limits, failures))
            keep_failures(failures, store)
    finally:
        note_failed(tally.name, limits.failed)


def preview(
    first: Sequence[Slice], total: int, visit: Visit, model: Model, store: StageReplies
) -> tuple[Iterator[Request], float]:
    """Return requests that the first records open with and nobody answered, equal ones once, and their share."""

    def requests() -> Iterator[Request]:
        seen: set[str] = set()
        for shard, number, rows in first:
            known = store.slice(shard, number).replies.get
            for row in rows[:PREVIEWED]:
                unknown = next(follow(visit, row, model, known), None)
                if isinstance(unknown, dict):  # else it is answered, maybe with a picture
                    yield from (request for mark, request in unknown.items() if mark not in seen)
                    seen.update(unknown)

    records = sum(len(rows[:PREVIEWED]) for _, _, rows in first)
    return requests(), records / total if total else 0.0


def log(**entry: Any) -> None:
    """Append what a run took to the untracked log beside the reply store (times have no place in tables)."""
    path = places.store_root() / "log.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **entry}) + "\n")
