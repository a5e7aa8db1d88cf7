"""Makes the shards of a step, each by itself, and only those that are not finished yet.

A finished shard stays in the pool (gamut/tables/pool.py), under a key of all of its inputs (keys.py).
"""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from gamut.pipeline.adoption import Parameters, adopt
from gamut.pipeline.keys import digest, notes_here
from gamut.project.errors import UserError
from gamut.project.plain_text import amount
from gamut.project.process import follow_parent, usable_cores
from gamut.tables.columns import Row
from gamut.tables.pool import VALUES, FinishedShard, Note, Notes
from gamut.tables.writing import TableWriter, begin_table, end_table, new_folder, shards_in


class ByShard(NamedTuple):
    """How a step makes a shard. For each work slice of a shard, `make` yields the rows of each of the step's tables, in
    the order of the tables; rows with pictures come as a `pa.Table`, which stays whole. If not all parameters of the
    step count for a shard, `parameters` returns those that do, as JSON values.
    """

    shards: Sequence[str]
    make: Callable[[str], Iterator[Sequence[Sequence[Row] | pa.Table]]]
    parameters: Callable[[str], Any] | None = None


SECONDS_ALONE = 3.0
"""If the rest takes longer than this, several processes make it, each of which takes half a second to start."""


def make_shards(step: Any, work: ByShard, parameters_of: Callable[[Any], Parameters], params: Any) -> None:
    """Write a step's tables. `parameters_of` returns what counts for a shard under other values of parameters."""
    notes = notes_here(step, work.shards, work.parameters)
    kept = kept_notes(step, notes, parameters_of if work.parameters else lambda _: None)
    folders = [Path("datasets", table) for table in step.tables]
    for folder in folders:
        begin_table(folder, files_of(kept, kept, folder))
    todo = [shard for shard in work.shards if shard not in kept]
    for shard, files in zip(todo, make_each(step, work, todo, params), strict=True):
        kept[shard] = Note(files)
        if notes:
            notes.keep(shard, kept[shard])
    for folder in folders:
        end_table(folder, files_of(kept, work.shards, folder))


def make_shard(
    tables: Mapping[str, pa.Schema], make: Callable[[str], Iterator[Sequence[Sequence[Row] | pa.Table]]], shard: str
) -> list[FinishedShard]:
    """Write one shard of a step, the part of each table as a table of its own."""
    parts = [new_folder(Path("datasets", table)) / shard / table for table in tables]
    with ExitStack() as stack:
        writers = [stack.enter_context(TableWriter(*of)) for of in zip(parts, tables.values(), strict=True)]
        for groups in make(shard):
            for writer, rows in zip(writers, groups, strict=True):
                writer.write(shard, rows)
    return [one for part in parts for one in shards_in(part)]


def make_each(step: Any, work: ByShard, shards: Sequence[str], params: Any) -> Iterator[list[FinishedShard]]:
    """Make shards, in order: in this process, or in several if there is much to do."""
    began = time.monotonic()
    for number, shard in enumerate(shards, 1):
        yield make_shard(step.tables, work.make, shard)
        left = shards[number:]
        if usable_cores() > 1 and len(left) > 1 and len(left) * (time.monotonic() - began) / number > SECONDS_ALONE:
            return (yield from make_in_processes(left, *step.tell(params)))


def make_in_processes(shards: Sequence[str], module: str, values: Any) -> Iterator[list[FinishedShard]]:
    from concurrent.futures import ProcessPoolExecutor  # take a while to import
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    spawning = get_context("spawn")  # a fork would copy locks that Arrow's threads hold
    processes = ProcessPoolExecutor(min(usable_cores(), len(shards)), spawning, initializer=follow_parent)
    try:
        yield from processes.map(make_there, shards, repeat(module), repeat(values))
    except BrokenProcessPool:
        raise UserError("a process that made shards died (out of memory?): run it again to go on") from None
    except KeyboardInterrupt:
        for child in active_children():  # a part of a shard is useless
            child.terminate()
        raise
    finally:
        processes.shutdown(cancel_futures=True)


def make_there(shard: str, module: str, values: Any) -> list[FinishedShard]:
    """Make a shard in another process, which imports the step by itself."""
    step = importlib.import_module(module).STEP
    return make_shard(step.tables, step.work_of(values).make, shard)


def kept_notes(
    step: Any, notes: Notes | None, parameters_of: Callable[[Any], Parameters] | None, model: Any = None
) -> dict[str, Note]:
    """Return the finished shards of a step, and print their number. Without `parameters_of`, DVC is not searched."""
    if notes is None or is_forced():
        return {}
    kept = find_notes(notes, notes.keys)
    if parameters_of and len(kept) < len(notes.keys):
        adopt(step, notes, parameters_of, model)
        kept |= find_notes(notes, notes.keys.keys() - kept)
    if kept:
        rows = sum(note.files[0].entry["rows"] for note in kept.values())
        print(f"{step.name}: {amount(rows, 'row')} in {amount(len(kept), 'shard')} kept", flush=True)
    return kept


def find_notes(notes: Notes, shards: Any) -> dict[str, Note]:
    return {shard: note for shard in shards if (note := notes.find(shard)) is not None}


def files_of(kept: Mapping[str, Note], shards: Iterable[str], folder: Path) -> list[FinishedShard]:
    """Return the files of one table."""
    return [one for shard in shards for one in kept[shard].files if one.table == folder.name]


def values_of_shards(
    step: Any,
    shards: Sequence[str],
    value: Callable[[str], Any],
    of: str = "",
    parameters: Callable[[str], Any] | None = None,
) -> list[Any]:
    """Return a JSON value for each shard. `of` names the value, if a step has several. `parameters` returns those that
    count for a shard, if not all do.
    """
    notes = notes_here(step, shards, parameters)
    if notes is None:
        return [value(shard) for shard in shards]
    keys = {shard: digest([key, of]) for shard, key in notes.keys.items()}
    notes = notes._replace(step=f"{step.name}{VALUES}", keys=keys)
    from multiprocessing import parent_process  # takes a while to import

    kept = {} if is_forced() and parent_process() is None else find_notes(notes, shards)
    for shard in shards:
        if shard not in kept:
            kept[shard] = Note([], value(shard))
            notes.keep(shard, kept[shard])
    return [kept[shard].value for shard in shards]


FORCE = re.compile(r"--force|-[fsipPRqv]*f[fsipPRqv]*")


@cache
def is_forced() -> bool:
    """Return whether the dvc that runs this process was called with --force, which dvc does not pass on. The force of
    `gamut retry` does not count: it names the shards to make again.
    """
    import psutil  # takes a while to import

    return is_forcing([above.cmdline() for above in psutil.Process().parents()])


def is_forcing(commands: Sequence[Sequence[str]]) -> bool:
    """Return whether one of these command lines forces; each is followed by its caller's."""
    of_dvc = [command for command in commands if "dvc" in {Path(word).name for word in command[:3]}]
    retried = any(
        Path(command[1]).name in ("gamut", "cli.py") and "retry" in command for command in commands if command[1:]
    )
    return not retried and any(any(map(FORCE.fullmatch, command)) for command in of_dvc)
