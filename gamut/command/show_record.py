"""One record of a stage: its input, its rows in the stage's table, and the replies as they came. A stage that failed
has no table; then what its run noted and the reply store kept is shown.

Values become lines that are harmless in a terminal. Pictures and long texts go into files, which are named; `stem` is
the path of such a file without its extension.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gamut.asking.failed_rows import Failure, failed_rows
from gamut.asking.parts import unbundle
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Reply
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.places import store_root
from gamut.project.plain_text import harmless_text
from gamut.tables.columns import ANSWERED_BY, Row, place, prompt_id
from gamut.tables.images import file_ending, picture_size
from gamut.tables.reading import manifest_path, open_parquet, read_columns, shard_names, shard_rows

HIDDEN = ("id", "replies")
"""Columns of a row that are shown in another way."""
LONGEST = 2_000
"""Characters of a text that are shown; a longer text goes into a file."""
OF_PROMPTS = ("source_rows", "prompts")
"""Tables that stages about pictures read, with one row for all pictures of a prompt."""
BRIEF = 200
"""Characters up to which a list or an object is shown in one line."""
PLAIN = re.compile(r"\w[\w.@-]{0,99}", re.ASCII)
MOST_ROWS, MOST_PARTS = 3, 10
"""Rows of a table that the stage read, and parts of a list, that are shown; `--json` has all."""
MOST_NAMED = 3
"""How many names are shown if none is like the one that was asked for."""


def show_record(stage: str, record: str, out: Path) -> Iterator[str]:
    table, files = pipeline.table_of(stage), folder_of(out, stage, record)
    rows = rows_of(table, record)
    failed = [one for one in failed_rows(stage) if one["id"] == record]
    if not rows and not failed:
        raise UserError(unknown_record(stage, table, record))
    yield f"{stage} {harmless_text(record)}"
    for folder in input_tables(stage):
        found = rows_of(folder, prompt_id(record) if folder.name in OF_PROMPTS else record)
        for number, row in enumerate(found[:MOST_ROWS], start=1):
            yield f"from {folder}{place_of(number, found)}"
            below = files / (folder.name if len(found) == 1 else f"{folder.name}-{number}")
            yield from indented(row_lines(row, below, ("id", *ANSWERED_BY)))
        if more := len(found[MOST_ROWS:]):
            yield f"from {folder}: {more:,} more, `gamut show {stage} {record} --json` has all"
    kept = stored_replies(stage, record)
    for number, row in enumerate(rows, start=1):
        yield f"{table}{place_of(number, rows)}"
        below = files if len(rows) == 1 else files / str(number)
        yield from indented(row_lines(row, below, HIDDEN))
        yield from indented(replies_of(row, below, kept))
    marks = {reply["fingerprint"] for row in rows for reply in row.get("replies", ())}
    for number, one in enumerate(failed, start=1):
        if not rows or not marks.issuperset(one["fingerprints"]):
            status = f"{one['status']}: {harmless_text(one['reason'] or '')}"
            yield f"failed in the last run{place_of(number, failed)}: {status}"
            yield from indented(failed_replies(one, files / f"failed-{number}", kept))


def place_of(number: int, rows: Sequence[object]) -> str:
    return f", {number} of {len(rows)}" if len(rows) > 1 else ""


def input_tables(stage: str) -> list[Path]:
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
"""Returns the reply that the store has to a request, by its fingerprint; None if it has none."""


def stored_replies(stage: str, record: str) -> StoredReplies:
    """Return how to get the replies about a record. They are read only when needed: a slice of pictures is large."""

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
            yield f"{name}: shown above"
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
            yield f"reply {number}: it was not kept; `dvc repro` asks again"


def reply_heading(number: int, finish: str, input_tokens: int, output_tokens: int) -> str:
    return f"reply {number} ({finish}, {input_tokens:,} tokens in, {output_tokens:,} out)"


def unknown_record(stage: str, table: Path, record: str) -> str:
    if not manifest_path(table).exists():
        noted = [one["id"] for one in failed_rows(stage)]
        said = f"the stage's last run noted no failure of {record!r}{similar_names(record, noted)}"
        fix = f"`dvc repro {pipeline.address(pipeline.maker_of(stage))}` makes the table"
        return f"the table {table} is not finished, and {said}: {fix}"
    if there := [folder for folder in input_tables(stage) if rows_of(folder, record)]:
        before = f"`gamut show {pipeline.stage_of(there[-1])} {record}` shows it"
        return f"{table} has no record {record!r}, but {there[-1]} has one: {before}"
    shards = shard_names(table)
    shard = next(iter(difflib.get_close_matches(record.rpartition("-")[0], shards, n=1, cutoff=0)), None)
    if shard is None or not has_ids(table, shard):
        return f"{table} has no rows with ids: name another stage"
    ids = read_columns(table, shard, ["id"])["id"].unique().to_pylist()
    return f"{table} has no record {record!r}{similar_names(record, ids)}"


def indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def text_lines(name: str, words: str, stem: Path) -> Iterator[str]:
    """Yield a text with its line breaks; of a long one only the beginning, and the file that has all of it."""
    lines = [harmless_text(line) for line in words.splitlines()]
    whole = "\n".join(lines)
    shown = whole[:LONGEST].splitlines()
    if len(shown) > 1:
        yield f"{name}:"
        yield from indented(shown)
    else:
        yield f"{name}: {''.join(shown)}"
    if len(whole) > LONGEST:
        path = stem.with_name(f"{stem.name}.txt")
        write_whole(path, f"{whole}\n".encode())
        yield f"  … {len(whole) - LONGEST:,} of {len(whole):,} characters are left out here: {path} has all"


def picture_line(name: str, data: bytes, stem: Path) -> str:
    path, said = picture_file(data, stem)
    return f"{name}: {path} ({said})"


def picture_file(data: bytes, stem: Path) -> tuple[Path, str]:
    """Write a picture, and return its file and its size in words."""
    try:
        ending, (width, height) = file_ending(data), picture_size(data)
        path, said = stem.with_name(f"{stem.name}.{ending}"), f"{width}x{height}"
    except ValueError as error:
        path, said = stem.with_name(f"{stem.name}.bin"), f"{len(data):,} bytes: {harmless_text(str(error))}"
    write_whole(path, data)
    return path, said


def value_lines(name: str, value: Any, stem: Path) -> Iterator[str]:
    if isinstance(value, bytes):
        yield picture_line(name, value, stem)
    elif isinstance(value, str):
        if value.strip():
            yield from text_lines(name, value, stem)
    elif isinstance(value, dict) and isinstance(value.get("bytes"), bytes):
        yield picture_line(name, value["bytes"], stem)
    elif isinstance(value, dict | list):
        if (brief := brief_line(value)) is not None:
            yield from value_lines(name, brief, stem)
        elif isinstance(value, list) and not any(isinstance(one, str | dict | list) for one in value):
            yield f"{name}: {len(value):,} values, `--json` has all"
        else:
            for key, one in value.items() if isinstance(value, dict) else enumerate(value[:MOST_PARTS], start=1):
                yield from value_lines(
                    f"{name} {harmless_text(str(key))}", one, stem.with_name(f"{stem.name}-{file_name(str(key))}")
                )
            if isinstance(value, list) and (more := len(value[MOST_PARTS:])):
                yield f"{name}: {more:,} more, `--json` has all"
    elif value is not None:
        yield f"{name}: {value}"


def brief_line(value: dict[str, Any] | list[Any]) -> str | None:
    """Return one line for a short list or object of plain values; None for a longer or nested one."""
    pairs = list(value.items()) if isinstance(value, dict) else [("", one) for one in value]
    if any(isinstance(one, dict | list | bytes) for _, one in pairs):
        return None
    words = [f"{key}: {one}" if key else str(one) for key, one in pairs if one is not None]
    line = "; ".join(words)
    return line if len(line) <= BRIEF and "\n" not in line else None


def row_lines(row: Row, files: Path, hidden: Sequence[str] = ()) -> Iterator[str]:
    for name, found in row.items():
        if name not in hidden:
            yield from value_lines(harmless_text(name), found, files / file_name(name))


def content_lines(name: str, data: bytes, stem: Path) -> Iterator[str]:
    try:
        created = unbundle(data)
    except ValueError:
        yield picture_line(name, data, stem)
        return
    if created.thinking:
        yield from text_lines(f"{name}, thinking", created.thinking, stem.with_name(f"{stem.name}-thinking"))
    for number, part in enumerate(created.parts, start=1):
        several = len(created.parts) > 1
        label = f"{name}, part {number}" if several else name
        yield from value_lines(label, part, stem.with_name(f"{stem.name}-{number}") if several else stem)


def file_name(name: str) -> str:
    """Return a safe file name; if characters had to be replaced, a digest of the name is added."""
    if PLAIN.fullmatch(name):
        return name
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:40].strip("-")
    return f"{cleaned or 'name'}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def folder_of(out: Path, *names: str) -> Path:
    return out.joinpath(*(file_name(part) for name in names for part in (name.split("/") if "/" in name else [name])))


def similar_names(name: str, names: Sequence[str]) -> str:
    """Return `"; did you mean 'x'?"` for the most similar name; if none is similar, the first few names."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    few = ", ".join(map(repr, names[:MOST_NAMED]))
    return f"; there are {few}{', …' if len(names) > MOST_NAMED else ''}" if names else ""
