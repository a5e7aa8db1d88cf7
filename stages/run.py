"""Runs a stage that asks: visits records, keeps every reply, writes the table parsed afresh from the replies.

The data's way: slices of records are opened in order, several at a time; workers take their records and ask what the
reply store does not know; a finished slice becomes the next row group of the table. Only open slices are in memory.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages import settings
from stages.errors import UserError
from stages.limits import Limits
from stages.models import Model, open_model
from stages.params import Params
from stages.progress import Progress, Tally, duration
from stages.questions import Conversation, Outcome, Reply, Request, fingerprint
from stages.replies import SliceReplies, StageReplies
from stages.tables import ROWS_PER_SLICE, Row, Slice, TableWriter


@dataclass(frozen=True)
class Answer:
    """An outcome together with where it came from."""

    outcome: Outcome
    model: str
    trace: tuple[tuple[str, Reply], ...]

    @property
    def value(self) -> Any:
        """The parsed reply or the encoded image; None unless the status is `ok`."""
        return self.outcome.value

    def columns(self) -> Row:
        """The columns that every asked row has (`tables.ASKED`)."""
        replies = [
            {
                "fingerprint": mark,
                "finish": reply.finish,
                "content": text_of(reply),
                "input_tokens": reply.input_tokens,
                "output_tokens": reply.output_tokens,
            }
            for mark, reply in self.trace
        ]
        return {
            "status": self.outcome.status,
            "reason": self.outcome.reason,
            "model": self.model,
            "replies": replies,
        }


def text_of(reply: Reply) -> str | None:
    """A reply's text; None for an image, which stands in a column of its own."""
    try:
        return reply.content.decode("utf-8")
    except UnicodeDecodeError:
        return None


GRACE_SECONDS = 60.0
"""How long a run that has to stop waits for what is in flight."""
NOT_ANSWERED = ("transport_error", "invalid")
RECORDS_AHEAD = 4
"""Records that may be open for each one in flight: so far the workers get ahead of one slow answer. They are all that
is in memory."""
Visit = Callable[[Row], Generator[Sequence[Conversation], list[Answer], list[Row]]]
"""A visit to one record: yields conversations, is sent their answers, returns the record's rows of the table."""


def follow(
    visit: Visit, record: Row, model: Mapping[str, Any], known: Callable[[str], Reply | None]
) -> tuple[list[Row] | None, dict[str, Request]]:
    """Follow a visit as far as the known replies go: return its rows, or None and what must be asked next."""
    steps = visit(record)
    answers: list[Answer] = []
    missing: dict[str, Request] = {}
    try:
        conversations = next(steps)
        while True:
            for conversation in conversations:
                trace: list[tuple[str, Reply]] = []
                while not isinstance(step := conversation.next([reply for _, reply in trace]), Outcome):
                    mark = fingerprint(step, model)
                    reply = known(mark)
                    if reply is None:
                        missing[mark] = step
                        break
                    trace.append((mark, reply))
                else:
                    answers.append(Answer(step, model["id"], tuple(trace)))
            if missing:
                steps.close()
                return None, missing
            conversations, answers = steps.send(answers), []
    except StopIteration as end:
        if end.value is None:
            raise TypeError("a visit has to return its rows") from None
        return end.value, {}


@dataclass
class OpenSlice:
    """A slice that is being worked on: its records' rows so far, its replies, and failures that are not kept yet."""

    shard: str
    number: int
    records: list[Row]
    replies: SliceReplies
    asking: dict[str, asyncio.Event] = field(default_factory=dict)
    failed: dict[str, Reply] = field(default_factory=dict)
    rows: dict[int, list[Row]] = field(default_factory=dict)

    def known(self, mark: str) -> Reply | None:
        """The reply to a request, kept or failed in this run; None when it was not asked."""
        return self.replies.replies.get(mark) or self.failed.get(mark)


class Asking:
    """One run of one asking stage."""

    def __init__(
        self,
        model: Model,
        slices: Iterator[Slice],
        visit: Visit,
        table: TableWriter,
        store: StageReplies,
        limits: Limits,
    ) -> None:
        self.model, self.slices, self.visit = model, slices, visit
        self.table, self.store, self.limits = table, store, limits
        self.open: deque[OpenSlice] = deque()
        self.queue: deque[tuple[OpenSlice, int]] = deque()
        self.room = asyncio.Event()
        self.slots = asyncio.Semaphore(model.concurrency)
        self.price_known = asyncio.Event()
        self.most_records = RECORDS_AHEAD * model.concurrency + 2 * ROWS_PER_SLICE
        self.exhausted = False
        self.stopped_by: UserError | None = None
        self.workers: list[asyncio.Task[None]] = []
        self.not_kept: list[tuple[str, int, str, Reply]] = []

    async def run(self) -> None:
        """Visit all records. The table is complete when this returns.

        A UserError (a limit is passed, the key is wrong) stops the run: nothing more is asked, what is in flight is
        waited for and kept, then the error is raised.
        """
        try:
            async with asyncio.TaskGroup() as group:
                self.workers = [group.create_task(self._work()) for _ in range(self.model.concurrency)]
        except BaseExceptionGroup as errors:
            raise first_of(errors) from None
        finally:
            for piece in self.open:
                piece.replies.close()
            await self.model.close()
        if self.stopped_by:
            raise self.stopped_by
        self._keep_failures()

    def _stop(self, error: UserError) -> None:
        """Stop asking; whoever waits is woken, and what is in flight has some time to end."""
        if self.stopped_by is None:
            self.stopped_by = error
            self.price_known.set()
            self.room.set()
            asyncio.get_running_loop().call_later(GRACE_SECONDS, lambda: [task.cancel() for task in self.workers])

    async def _work(self) -> None:
        while (work := await self._next()) is not None:
            piece, position = work
            record = piece.records[position]
            while True:
                rows, missing = follow(self.visit, record, self.model.identity, piece.known)
                if rows is not None:
                    break
                if self.stopped_by:
                    return
                if len(missing) == 1:
                    await self._ask(piece, *missing.popitem())
                else:
                    async with asyncio.TaskGroup() as group:
                        for mark, request in missing.items():
                            group.create_task(self._ask(piece, mark, request))
            piece.rows[position] = rows
            try:
                self.limits.visited(rows)
            except UserError as error:
                self._stop(error)
            if len(piece.rows) == len(piece.records):
                self._write_finished()

    async def _next(self) -> tuple[OpenSlice, int] | None:
        while not self.queue and not self.stopped_by:
            if self.exhausted:
                return None
            if sum(len(piece.records) for piece in self.open) < self.most_records:
                try:
                    self._open_slice()
                except UserError as error:  # a damaged table or store file
                    self._stop(error)
                await asyncio.sleep(0)  # many slices may be empty, and replies are waiting to be read
            else:
                self.room.clear()
                await self.room.wait()
        return None if self.stopped_by else self.queue.popleft()

    def _open_slice(self) -> None:
        following = next(self.slices, None)
        if following is None:
            self.exhausted = True
        else:
            shard, number, records = following
            piece = OpenSlice(shard, number, records, self.store.slice(shard, number))
            self.open.append(piece)
            self.queue.extend((piece, position) for position in range(len(records)))
        self._write_finished()

    def _write_finished(self) -> None:
        """Write what is finished at the front, in order; compact a shard's replies when its last slice is written."""
        while self.open and len(self.open[0].rows) == len(self.open[0].records):
            if len(self.open) == 1 and not self.exhausted:
                break  # the next slice tells whether this one ends its shard
            piece = self.open.popleft()
            last_of_shard = not self.open or self.open[0].shard != piece.shard
            piece.replies.close()
            self.table.write(piece.shard, [row for position in sorted(piece.rows) for row in piece.rows[position]])
            self.not_kept += [(piece.shard, piece.number, mark, reply) for mark, reply in piece.failed.items()]
            if last_of_shard:
                self.store.compact(piece.shard)
        self.room.set()

    async def _ask(self, piece: OpenSlice, mark: str, request: Request) -> None:
        """Ask and keep the reply; an equal request that is in flight already is waited for instead."""
        if mark in piece.asking:
            await piece.asking[mark].wait()
            return
        piece.asking[mark] = asyncio.Event()
        try:
            async with self.slots:
                if self.limits.max_cost is not None and self.limits.in_flight:
                    await self.price_known.wait()  # only the first reply tells what replies cost
                if self.stopped_by:
                    return
                with self.limits.asking(request):
                    reply = await self.model.answer(request)
            self.price_known.set()
            self.limits.answered(request, reply)
            if reply.finish in NOT_ANSWERED:
                piece.failed[mark] = reply
            else:
                piece.replies.add(mark, reply)
        except UserError as error:
            self._stop(error)
        finally:
            piece.asking.pop(mark).set()

    def _keep_failures(self) -> None:
        """Keep what was not answered only now that the stage ends well: a stopped run asks it again by itself."""
        for shard, number, mark, reply in self.not_kept:
            replies = self.store.slice(shard, number)
            replies.add(mark, reply)
            replies.close()


def first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first real error of a (nested) group."""
    first = errors.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first


def ask(
    stage: str,
    role: str,
    params: Params,
    slices: Iterable[Slice],
    total: int,
    visit: Visit,
    schema: pa.Schema,
    folder: Path,
    max_failures: int | float,
) -> None:
    """Ask the model of a role about all records and write the table `folder`.

    `total` is the number of records in `slices`. Raises UserError when the failure budget or the cost limit of this
    run is passed; replies had until then are kept.
    """
    if not total:  # nobody has to be there to answer nothing
        return write_nothing(stage, slices, schema, folder)
    run_settings = settings.load()
    slug = getattr(params.roles, role)
    endpoint = run_settings.endpoint(slug)
    tally = Tally(stage, total)
    limits = Limits(tally, max_failures, run_settings.max_cost, endpoint)
    ask_model(open_model(role, params, run_settings), slices, visit, schema, folder, limits)
    statuses = ", ".join(f"{count:,} {status}" for status, count in sorted(limits.statuses.items()))
    seconds = time.monotonic() - tally.started
    print(f"{stage}: {statuses or 'no rows'}; {tally.asked:,} asked in {duration(seconds)}", flush=True)
    for status, example in sorted(limits.examples.items()):
        print(f"{stage}: the first {status} is {example}", flush=True)
    log(stage=stage, model=slug, seconds=round(seconds, 3), records=total, asked=tally.asked, cost=tally.cost)


def write_nothing(stage: str, slices: Iterable[Slice], schema: pa.Schema, folder: Path) -> None:
    """Write a table whose shards are all empty."""
    with TableWriter(folder, schema) as table:
        for shard, _, rows in slices:
            table.write(shard, rows)
    StageReplies(settings.store_root(), stage).write_failed([])
    print(f"{stage}: no records", flush=True)


def ask_model(
    model: Model, slices: Iterable[Slice], visit: Visit, schema: pa.Schema, folder: Path, limits: Limits
) -> None:
    """Ask one model about all records within limits, with progress, and write the table `folder`."""
    tally = limits.tally
    store = StageReplies(settings.store_root(), tally.name)
    store.demand_unpruned()
    slices = iter(slices)
    first: list[Slice] = []
    for piece in slices:
        first.append(piece)
        if piece[2]:
            break
    estimate = limits.estimate(*preview(first, tally.total, visit, model, store))
    print(f"{tally.name}: {tally.total:,} records, {estimate}", flush=True)
    try:
        with Progress(tally), TableWriter(folder, schema) as table:
            asyncio.run(Asking(model, itertools.chain(first, slices), visit, table, store, limits).run())
    finally:
        store.write_failed(limits.failed)


def preview(
    first: Sequence[Slice], total: int, visit: Visit, model: Model, store: StageReplies
) -> tuple[list[Request], float]:
    """The requests that the first records open with and that are not answered yet, and their share of all records."""
    requests: list[Request] = []
    records = 0
    for shard, number, rows in first:
        known = store.slice(shard, number).replies.get
        records += len(rows)
        for row in rows:
            requests += follow(visit, row, model.identity, known)[1].values()
    return requests, records / total if total else 0.0


def log(**entry: Any) -> None:
    """Append what a run took to the untracked log beside the reply store (times have no place in tables)."""
    path = settings.store_root() / "log.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **entry}) + "\n")
