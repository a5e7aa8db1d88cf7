"""One record of a stage: what it was asked about, its rows of the stage's table, and the replies as they came; also of
a stage that failed, and so has no table, by what its run noted and the store kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from gamut.asking.failed_rows import Failure, failed_rows
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Reply
from gamut.command.show.lines import content_lines, folder_of, indented, row_lines, similar_names, text_lines
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.places import store_root
from gamut.project.plain_text import harmless
from gamut.tables.columns import ANSWERED_BY, Row, place
from gamut.tables.reading import manifest_path, open_parquet, read_columns, shard_names, shard_rows

HIDDEN = ("id", "replies")
"""Columns of a row that are not shown as the others are."""


def show_record(stage: str, record: str, out: Path) -> Iterator[str]:
    table, files = pipeline.table_of(stage), folder_of(out, stage, record)
    rows = rows_of(table, record)
    failed = [one for one in failed_rows(stage) if one["id"] == record]
    if not rows and not failed:
        raise UserError(unknown_record(stage, table, record))
    yield f"{stage} {harmless(record)}"
    for folder in input_tables(stage):
        found = rows_of(folder, record)
        for number, row in enumerate(found, start=1):
            yield f"from {folder}{place_of(number, found)}"
            below = files / (folder.name if len(found) == 1 else f"{folder.name}-{number}")
            yield from indented(row_lines(row, below, ("id", *ANSWERED_BY)))
    kept = stored_replies(stage, record)
    for number, row in enumerate(rows, start=1):
        yield f"{table}{place_of(number, rows)}"
        below = files if len(rows) == 1 else files / str(number)
        yield from indented(row_lines(row, below, HIDDEN))
        yield from indented(replies_of(row, below, kept))
    marks = {reply["fingerprint"] for row in rows for reply in row.get("replies", ())}
    for number, one in enumerate(failed, start=1):
        if not rows or not marks.issuperset(one["fingerprints"]):
            status = f"{one['status']}: {harmless(one['reason'] or '')}"
            yield f"failed in the last run{place_of(number, failed)}: {status}"
            yield from indented(failed_replies(one, files / f"failed-{number}", kept))


def place_of(number: int, rows: Sequence[object]) -> str:
    return f", {number} of {len(rows)}" if len(rows) > 1 else ""


def input_tables(stage: str) -> list[Path]:
    """Return the tables that a stage reads; of a step also those of the steps beside it."""
    maker = pipeline.maker_of(stage)
    folders = [*map(Path, pipeline.stages()[maker].get("deps", ()))]
    folders += [pipeline.table_of(stage).parent] if maker != stage else []
    tables = [table for folder in folders for table in (folder, *sorted(folder.glob("*/"))) if table.is_dir()]
    return [table for table in tables if manifest_path(table).exists() and table != pipeline.table_of(stage)]


def rows_of(table: Path, record: str) -> list[Row]:
    try:
        shard = place(record)[0]
    except ValueError:
        return []
    if not manifest_path(table).exists() or shard not in shard_names(table) or not has_ids(table, shard):
        return []
    return list(shard_rows(table, shard, None, {record}))


def has_ids(table: Path, shard: str) -> bool:
    with open_parquet(table / f"{shard}.parquet") as file:
        return "id" in file.schema_arrow.names


StoredReplies = Callable[[str], Reply | None]
"""Gives the reply that the store has to a request, by its fingerprint; None where it has none."""


def stored_replies(stage: str, record: str) -> StoredReplies:
    """Return what gives the replies about a record, read when one is asked for: a slice of pictures is large."""

    @cache
    def replies() -> Mapping[str, Reply]:
        return StageReplies(store_root(), stage).slice(*place(record)).replies

    return lambda fingerprint: replies().get(fingerprint)


def replies_of(row: Row, files: Path, kept: StoredReplies) -> Iterator[str]:
    own = row.get("image") is not None or row.get("parts") is not None
    for number, reply in enumerate(row.get("replies", ()), start=1):
        name, stem = (
            reply_heading(number, reply["finish"], reply["input_tokens"], reply["output_tokens"]),
            f"reply-{number}",
        )
        if reply["content"] is not None:
            yield from text_lines(name, reply["content"], files / stem)
        elif own:
            yield f"{name}: what is shown above"
        elif (found := kept(reply["fingerprint"])) is not None:
            yield from content_lines(name, found.content, files / stem)
        else:
            yield f"{name}: no text, and not in the reply store"


def failed_replies(failure: Failure, files: Path, kept: StoredReplies) -> Iterator[str]:
    for number, mark in enumerate(failure["fingerprints"], start=1):
        if (found := kept(mark)) is not None:
            name = reply_heading(number, found.finish, found.input_tokens, found.output_tokens)
            yield from content_lines(name, found.content, files / f"reply-{number}")
        else:
            yield f"reply {number}: none was kept: `dvc repro` asks again"


def reply_heading(number: int, finish: str, input_tokens: int, output_tokens: int) -> str:
    return f"reply {number} ({finish}, {input_tokens:,} tokens in, {output_tokens:,} out)"


def unknown_record(stage: str, table: Path, record: str) -> str:
    if not manifest_path(table).exists():
        noted = [one["id"] for one in failed_rows(stage)]
        said = f"its last run noted no failure of {record!r}{similar_names(record, noted)}"
        mend = f"`dvc repro {pipeline.address(pipeline.maker_of(stage))}` makes the table"
        return f"there is no finished table {table}, and {said}: {mend}"
    if there := [folder for folder in input_tables(stage) if rows_of(folder, record)]:
        before = f"`gamut show {pipeline.stage_of(there[-1])} {record}` shows what became of it there"
        return f"{table} has no record {record!r}, and {there[-1]} has one: {before}"
    shards = shard_names(table)
    shard = next(iter(get_close_matches(record.rpartition("-")[0], shards, n=1, cutoff=0)), None)
    if shard is None or not has_ids(table, shard):
        return f"{table} has no rows with ids: name a stage whose table has some"
    ids = read_columns(table, shard, ["id"])["id"].unique().to_pylist()
    return f"{table} has no record {record!r}{similar_names(record, ids)}"
