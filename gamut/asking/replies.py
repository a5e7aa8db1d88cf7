"""The reply store: what models answered, by fingerprint of the request, outside DVC's outputs.

A slice's replies are appended to its journal; the journals of a finished shard are compacted into one Parquet file.
Each file has one writer, and a torn tail (of a killed run) is cut off.

    <store>/replies/<stage>/<shard>/<slice>.journal
    <store>/replies/<stage>/<shard>.parquet
"""

from __future__ import annotations

import errno
import json
import os
import struct
import threading
import zlib
from collections.abc import Callable, Collection, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from gamut.asking.requests import Reply
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.tables.columns import table_schema

MAGIC = b"GRJ1"
FRAME = struct.Struct("<4sIII")  # magic, length of the JSON head, length of the content, crc32 of both
LARGE_JOURNAL = 1_000_000  # bytes. Compaction is there to spare the file system many small files

SCHEMA = table_schema("slice:int32 fingerprint finish content:large_binary input_tokens:int32 output_tokens:int32")


def encode_frame(fingerprint: str, reply: Reply) -> bytes:
    head = orjson.dumps([fingerprint, reply.finish, reply.input_tokens, reply.output_tokens])
    check = zlib.crc32(reply.content, zlib.crc32(head))
    return FRAME.pack(MAGIC, len(head), len(reply.content), check) + head + reply.content


def decode_frame(data: bytes, start: int) -> tuple[str, Reply, int] | None:
    if start + FRAME.size > len(data):
        return None
    magic, head_size, content_size, check = FRAME.unpack_from(data, start)
    middle = start + FRAME.size + head_size
    end = middle + content_size
    if magic != MAGIC or not head_size or end > len(data):
        return None
    head, content = data[start + FRAME.size : middle], data[middle:end]
    if zlib.crc32(content, zlib.crc32(head)) != check:
        return None
    fingerprint, finish, input_tokens, output_tokens = orjson.loads(head)
    return fingerprint, Reply(content, finish, input_tokens, output_tokens), end


def scan_journal(data: bytes) -> tuple[dict[str, Reply], int]:
    """Return the replies of all complete frames, and the end of the last one. Damaged bytes are skipped."""
    replies: dict[str, Reply] = {}
    position = end = 0
    while position >= 0:
        frame = decode_frame(data, position)
        if frame is None:
            position = data.find(MAGIC, position + 1)
        else:
            fingerprint, reply, position = frame
            replies[fingerprint], end = reply, position
    return replies, end


class SliceReplies:
    """The replies about the records of one slice: in memory while it is open, and written to its journal at once."""

    def __init__(self, path: Path, journal: bytes, compacted: dict[str, Reply]) -> None:
        self.path = path
        journaled, self.end = scan_journal(journal)
        self.replies = compacted | journaled
        self.file: BinaryIO | None = None
        self.lock = threading.Lock()

    def add(self, fingerprint: str, reply: Reply) -> None:
        """Keep a reply. The operating system has it before this returns, so a killed process loses nothing. Several
        threads may add at the same time.
        """
        frame = encode_frame(fingerprint, reply)
        with self.lock:
            self.replies[fingerprint] = reply
            if self.file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.file = self.path.open("ab", buffering=0)
                self.file.truncate(self.end)
            if self.file.write(frame) != len(frame):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            self.end += len(frame)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


class StageReplies:
    def __init__(self, root: Path, stage: str) -> None:
        self.folder = root / "replies" / stage

    def slice(self, shard: str, number: int) -> SliceReplies:
        """Open the replies of one slice. The journal is read first, because a compaction removes it once the Parquet
        file has its replies.
        """
        path = self.folder / shard / f"{number:02d}.journal"
        try:
            journal = path.read_bytes()
        except FileNotFoundError:
            journal = b""
        return SliceReplies(path, journal, self._compacted(shard, number))

    def _compacted(self, shard: str, number: int) -> dict[str, Reply]:
        path = self.folder / f"{shard}.parquet"
        if not path.exists():
            return {}
        with report_damage(path), pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                if file.metadata.row_group(group).column(0).statistics.min == number:
                    return dict(_replies(file.read_row_group(group)))
        return {}

    def compact(self, shard: str) -> None:
        """Move a shard's journals into its Parquet file. Large ones (of images) stay: copying gains nothing."""
        sizes = [path.stat().st_size for path in (self.folder / shard).glob("*.journal")]
        if sizes and sum(sizes) < LARGE_JOURNAL * len(sizes):
            self.rewrite(shard, lambda fingerprint: True)

    def rewrite(self, shard: str, keep: Callable[[str], bool]) -> tuple[int, int]:
        """Rewrite a shard's replies, keeping those whose fingerprint passes; return the numbers kept and dropped."""
        kept_count = dropped_count = 0
        target = self.folder / f"{shard}.parquet"
        temporary = target.with_suffix(".new")
        with pq.ParquetWriter(temporary, SCHEMA, compression="none", use_dictionary=False) as writer:
            for number in self._slice_numbers(shard):
                replies = self.slice(shard, number).replies
                rows = {f: r for f, r in replies.items() if keep(f)}
                kept_count += len(rows)
                dropped_count += len(replies) - len(rows)
                if rows:
                    writer.write_table(_table(number, rows), row_group_size=len(rows))
        if kept_count:
            os.replace(temporary, target)
        else:
            temporary.unlink()
            target.unlink(missing_ok=True)
        for journal in (self.folder / shard).glob("*.journal"):
            journal.unlink()
        if (self.folder / shard).exists():
            (self.folder / shard).rmdir()
        return kept_count, dropped_count

    def forget(self, marks: Set[str]) -> None:
        for shard in self.shards() if marks else []:
            self.rewrite(shard, lambda mark: mark not in marks)

    def mark_pruned(self, table: Path, shard: str) -> None:
        """Note that images of a shard were removed because `table` holds them (see `require_unpruned`)."""
        path = self.folder / "pruned.json"
        before = json.loads(path.read_text()).get("shards", []) if path.exists() else []
        write_json(path, {"table": str(table), "shards": sorted({*before, shard})})

    def unmark_pruned(self) -> None:
        (self.folder / "pruned.json").unlink(missing_ok=True)

    def require_unpruned(self, shards: Collection[str]) -> None:
        """Raise UserError for shards whose images were removed: all of them would be painted again."""
        path = self.folder / "pruned.json"
        if not path.exists():
            return
        found = json.loads(path.read_text())
        table = found["table"]
        if "shards" not in found or not set(shards).isdisjoint(found["shards"]):
            raise UserError(
                f"the images of {table} were pruned from the store: bring them back with `dvc checkout {table} && "
                f"gamut store seed {table}`, or remove {path} to have all of them made again"
            )

    def shards(self) -> list[str]:
        if not self.folder.exists():
            return []
        found = {path.stem for path in self.folder.glob("*.parquet")}
        return sorted(found | {path.name for path in self.folder.iterdir() if path.is_dir()})

    def _slice_numbers(self, shard: str) -> list[int]:
        numbers = {int(path.stem) for path in (self.folder / shard).glob("*.journal")}
        path = self.folder / f"{shard}.parquet"
        if path.exists():
            with report_damage(path), pq.ParquetFile(path) as file:
                groups = (file.metadata.row_group(i) for i in range(file.num_row_groups))
                numbers |= {int(group.column(0).statistics.min) for group in groups}
        return sorted(numbers)


@contextmanager
def report_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as error:
        raise UserError(
            f"{path} is damaged ({str(error).splitlines()[0]}): remove it; then `dvc checkout` and `gamut store seed "
            "TABLE` bring back what the stage's table holds, and the rest is asked again"
        ) from None


def _replies(table: pa.Table) -> Iterator[tuple[str, Reply]]:
    columns: list[list[Any]] = [table[name].to_pylist() for name in SCHEMA.names[1:]]
    for fingerprint, finish, content, input_tokens, output_tokens in zip(*columns, strict=True):
        yield fingerprint, Reply(content, finish, input_tokens, output_tokens)


def _table(number: int, replies: dict[str, Reply]) -> pa.Table:
    said = replies.values()
    columns = {name: [getattr(reply, name) for reply in said] for name in SCHEMA.names[2:]}
    return pa.table({"slice": [number] * len(said), "fingerprint": list(replies), **columns}, schema=SCHEMA)
