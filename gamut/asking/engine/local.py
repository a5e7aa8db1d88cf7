"""Asks about records from this process.

Slices are opened in order, and workers ask what has no reply in the store. A finished slice is parsed again from its
replies. Only open slices are in memory.
"""

from __future__ import annotations

import asyncio
import warnings
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gamut.asking.limits import Limits
from gamut.asking.outcomes import Outcome
from gamut.asking.replies import SliceReplies, StageReplies
from gamut.asking.requests import Model, Reply, Request
from gamut.asking.visiting import Visit, follow
from gamut.project.errors import UserError
from gamut.project.process import usable_cores
from gamut.tables.columns import ROWS_PER_SLICE, Row
from gamut.tables.reading import Slice
from gamut.tables.writing import TableWriter

GRACE_SECONDS = 60.0  # how long a run that has to stop waits for requests in flight
MOST_UNWRITTEN = 2  # finished slices that are being written or wait for it
WRITERS = 4  # threads that write tables and large replies
LARGE = 100_000  # bytes of a reply that are not written while the loop waits
RECORDS_AHEAD = 4  # records that may be open for each one in flight: how far workers get ahead of one slow answer

Returned = TypeVar("Returned")


@dataclass
class OpenSlice:
    """A slice in work: the rows of its records so far, its replies, and failures that are not stored yet."""

    shard: str
    number: int
    records: list[Row]
    replies: SliceReplies
    asking: dict[str, asyncio.Event] = field(default_factory=dict)
    failed: dict[str, Reply] = field(default_factory=dict)
    rows: dict[int, list[Row]] = field(default_factory=dict)

    def known(self, mark: str) -> Reply | None:
        return self.replies.replies.get(mark) or self.failed.get(mark)


Failures = dict[tuple[str, int], dict[str, Reply]]
"""Requests without an answer, by shard and slice number, and by fingerprint."""


class AskingRun:
    """One run of a stage. Rows go into `table`, and then a shard's replies are compacted; without a table only replies
    are stored. Requests in `failures` are not asked again; the run adds those that got no answer.
    """

    def __init__(
        self,
        model: Model,
        slices: Iterator[Slice],
        visit: Visit,
        store: StageReplies,
        limits: Limits,
        table: TableWriter | None = None,
        failures: Failures | None = None,
    ) -> None:
        self.model, self.slices, self.visit = model, slices, visit
        self.store, self.limits, self.table, self.failures = store, limits, table, {} if failures is None else failures
        self.open: deque[OpenSlice] = deque()
        self.queue: deque[tuple[OpenSlice, int]] = deque()
        self.room = asyncio.Event()
        self.slots = asyncio.Semaphore(model.concurrency)
        self.concurrency = model.concurrency
        self.price_known = asyncio.Event()
        self.exhausted = self.begun = False
        self.stopped_by: UserError | None = None
        self.workers: list[asyncio.Task[None]] = []
        self.decoders = ThreadPoolExecutor(usable_cores())  # Pillow, Arrow and hashing leave Python's lock alone
        self.writers = ThreadPoolExecutor(WRITERS)
        self.in_turn = asyncio.Lock()  # first come, first served
        self.unwritten = 0

    async def run(self) -> None:
        """Visit all records. A UserError stops the run: it waits for the requests in flight, keeps their replies, and
        then raises the error.
        """
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", module=r"PIL\.")  # of all threads alike, see `causes_in_words`
                async with asyncio.TaskGroup() as self.group:
                    self.workers = [self.group.create_task(self._work()) for _ in range(self.concurrency)]
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
        finally:
            self.decoders.shutdown(cancel_futures=True)
            self.writers.shutdown()  # keeps what came, and ends before the table is closed
            for work_slice in self.open:
                work_slice.replies.close()
        if self.stopped_by:
            raise self.stopped_by

    def _stop(self, error: UserError) -> None:
        """Stop asking: wake all that wait, and give requests in flight some time to end."""
        if self.stopped_by is None:
            self.stopped_by = error
            self.price_known.set()
            self.room.set()
            asyncio.get_running_loop().call_later(GRACE_SECONDS, lambda: [task.cancel() for task in self.workers])

    @property
    def most_records(self) -> int:
        return RECORDS_AHEAD * self.concurrency + 2 * ROWS_PER_SLICE

    async def _begin(self, answering: Awaitable[Reply]) -> Awaitable[Reply]:
        """Begin the first request, which opens the model; then start as many workers as the model can serve."""
        self.begun = True
        answering = asyncio.ensure_future(answering)
        await asyncio.sleep(0)
        for _ in range(self.model.concurrency - self.concurrency):
            self.slots.release()
            self.workers.append(self.group.create_task(self._work()))
        self.concurrency = self.model.concurrency
        return answering

    async def _work(self) -> None:
        while (work := await self._next()) is not None:
            work_slice, position = work
            visiting = follow(self.visit, work_slice.records[position], self.model, work_slice.known)
            decoded: Request | Outcome | None = None
            while True:
                try:
                    missing = visiting.send(decoded)
                except StopIteration as end:
                    rows = end.value
                    break
                except UserError as error:  # a damaged table that the visit reads
                    self._stop(error)
                    return
                if self.stopped_by:
                    return
                decoded = None
                if callable(missing):
                    decoded = await aside(self.decoders, missing)
                elif len(missing) == 1:
                    await self._ask(work_slice, *missing.popitem())
                else:
                    async with asyncio.TaskGroup() as group:
                        for mark, request in missing.items():
                            group.create_task(self._ask(work_slice, mark, request))
            work_slice.rows[position] = rows
            try:
                self.limits.count_rows(rows)
            except UserError as error:
                self._stop(error)
            if len(work_slice.rows) == len(work_slice.records):
                self._write_finished()

    async def _next(self) -> tuple[OpenSlice, int] | None:
        while not self.queue and not self.stopped_by:
            if self.exhausted:
                return None
            idle = all(len(work_slice.rows) == len(work_slice.records) for work_slice in self.open)
            # one slice may be larger than most
            few = idle or sum(len(work_slice.records) for work_slice in self.open) < self.most_records
            if few and self.unwritten < MOST_UNWRITTEN:
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
            failed = self.failures.pop((shard, number), {})
            work_slice = OpenSlice(shard, number, records, self.store.slice(shard, number), failed=failed)
            self.open.append(work_slice)
            self.queue.extend((work_slice, position) for position in range(len(records)))
        self._write_finished()

    def _write_finished(self) -> None:
        while self.open and len(self.open[0].rows) == len(self.open[0].records):
            if len(self.open) == 1 and not self.exhausted:
                break  # the next slice tells whether this one ends its shard
            work_slice = self.open.popleft()
            last_of_shard = not self.open or self.open[0].shard != work_slice.shard
            work_slice.replies.close()
            rows = [row for position in sorted(work_slice.rows) for row in work_slice.rows[position]]
            if work_slice.failed:
                self.failures[work_slice.shard, work_slice.number] = work_slice.failed
            self.unwritten += 1
            self.group.create_task(self._write(work_slice.shard, rows, last_of_shard))
        self.room.set()

    async def _write(self, *of_slice: Any) -> None:
        async with self.in_turn:
            await aside(self.writers, self._write_rows, *of_slice)
        self.unwritten -= 1
        self.room.set()

    def _write_rows(self, shard: str, rows: list[Row], last_of_shard: bool) -> None:
        if self.table is not None:
            self.table.write(shard, rows)
            if last_of_shard:
                self.store.compact(shard)

    async def _ask(self, work_slice: OpenSlice, mark: str, request: Request) -> None:
        """Ask and keep the reply. If an equal request is in flight already, wait for that one instead."""
        if mark in work_slice.asking:
            await work_slice.asking[mark].wait()
            return
        work_slice.asking[mark] = asyncio.Event()
        try:
            async with self.slots:
                if self.limits.budget.max_cost is not None and self.limits.in_flight:
                    await self.price_known.wait()  # only the first reply tells what replies cost
                if self.stopped_by:
                    return
                with self.limits.admit(request):
                    answering: Awaitable[Reply] = self.model.answer(request)
                    if not self.begun:
                        answering = await self._begin(answering)
                    reply = await answering
                    self.limits.count_answer(request, reply)
            self.price_known.set()
            if reply.finish in ("transport_error", "invalid"):
                work_slice.failed[mark] = reply
            else:
                if len(reply.content) < LARGE:
                    work_slice.replies.add(mark, reply)
                else:
                    await aside(self.writers, work_slice.replies.add, mark, reply)
        except UserError as error:
            self._stop(error)
        finally:
            work_slice.asking.pop(mark).set()


async def aside(threads: Executor, call: Callable[..., Returned], *arguments: Any) -> Returned:
    """Make a call in a thread, while the loop sends and receives. It ends even if its caller stops waiting."""
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(threads, call, *arguments))


async def ask_and_close(asking: AskingRun) -> None:
    try:
        await asking.run()
    finally:
        await asking.model.close()


def keep_failures(failures: Failures, store: StageReplies) -> None:
    """Store the failures of a stage that ends well. A stopped run stores none, because the next run asks again."""
    for (shard, number), failed in failures.items():
        replies = store.slice(shard, number)
        for mark, reply in failed.items():
            replies.add(mark, reply)
        replies.close()


def first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return first_error(first) if isinstance(first, BaseExceptionGroup) else first
