"""The reply store under torn, damaged and half-finished files: nothing lost, nothing doubled."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking import replies
from gamut.asking.failed_rows import Failure, failed_rows, note_failed
from gamut.asking.replies import MAGIC, SliceReplies, StageReplies, encode_frame, scan_journal
from gamut.asking.requests import Reply

SHARD = "w-part01-00000"
A, B, C = Reply(b"first", "stop", 10, 2), Reply(b"\x00\xffGRJ1 second", "length", 0, 7), Reply(b"", "refused")


def store(root: Path) -> StageReplies:
    return StageReplies(root, "stage")


def keep(to: StageReplies, number: int, **added: Reply) -> None:
    work_slice = to.slice(SHARD, number)
    for mark, reply in added.items():
        work_slice.add(mark, reply)
    work_slice.close()


def known(of: StageReplies, number: int = 0) -> dict[str, Reply]:
    return of.slice(SHARD, number).replies


def test_replies_come_back(tmp_path: Path) -> None:
    keep(store(tmp_path), 0, a=A, b=B, c=C)
    keep(store(tmp_path), 7, a=B)
    assert known(store(tmp_path)) == {"a": A, "b": B, "c": C}
    assert known(store(tmp_path), 7) == {"a": B}
    assert known(store(tmp_path), 8) == {}


def test_a_journal_frame_is_pinned() -> None:
    # magic, 18 bytes of head, 5 of content, crc32 of both
    head = b'["mark","stop",10,2]'
    data = encode_frame("mark", A)
    assert data[:4] == b"GRJ1" and data[4:12] == len(head).to_bytes(4, "little") + (5).to_bytes(4, "little")
    assert data[16:] == head + b"first"
    assert data[12:16].hex() == "6621087b"


def test_the_last_of_two_replies_counts(tmp_path: Path) -> None:
    keep(store(tmp_path), 0, a=A)
    keep(store(tmp_path), 0, a=B)
    assert known(store(tmp_path)) == {"a": B}
    store(tmp_path).compact(SHARD)
    assert known(store(tmp_path)) == {"a": B}
    keep(store(tmp_path), 0, a=C)
    assert known(store(tmp_path)) == {"a": C}


def test_a_reply_is_on_disk_when_add_returns(tmp_path: Path) -> None:
    work_slice = store(tmp_path).slice(SHARD, 0)
    for count, mark in enumerate("abc", start=1):
        work_slice.add(mark, A)
        assert len(known(store(tmp_path))) == count
    work_slice.close()


def test_a_tail_torn_at_every_byte(tmp_path: Path) -> None:
    whole = encode_frame("a", A) + encode_frame("b", B)
    last = encode_frame("c", Reply(b"third"))
    journal = tmp_path / "replies" / "stage" / SHARD / "00.journal"
    journal.parent.mkdir(parents=True)
    for length in range(len(last)):
        journal.write_bytes(whole + last[:length])
        assert known(store(tmp_path)) == {"a": A, "b": B}
        keep(store(tmp_path), 0, d=C)
        assert journal.read_bytes() == whole + encode_frame("d", C)
        assert known(store(tmp_path)) == {"a": A, "b": B, "d": C}


@pytest.mark.parametrize("at", range(0, len(encode_frame("b", Reply(b"second"))), 3))
def test_damage_in_the_middle_costs_one_reply_at_most(at: int) -> None:
    middle = bytearray(encode_frame("b", Reply(b"second")))
    middle[at] ^= 0xFF
    data = encode_frame("a", A) + bytes(middle) + encode_frame("c", C)
    assert scan_journal(data) == ({"a": A, "c": C}, len(data))


def test_damage_in_the_middle_does_not_hinder_adding(tmp_path: Path) -> None:
    journal = tmp_path / "00.journal"
    journal.write_bytes(encode_frame("a", A) + b"rubbish GRJ1 more" + encode_frame("c", C) + b"GRJ1")
    work_slice = SliceReplies(journal, journal.read_bytes(), {})
    assert work_slice.replies == {"a": A, "c": C}
    work_slice.add("d", B)
    work_slice.close()
    assert SliceReplies(journal, journal.read_bytes(), {}).replies == {"a": A, "c": C, "d": B}


@given(st.binary(max_size=60), st.lists(st.sampled_from([MAGIC, MAGIC[:3], b"\1" * 16, b"\xff" * 16]), max_size=4))
def test_any_bytes_can_be_scanned(data: bytes, parts: list[bytes]) -> None:
    noise = data.join(parts) if parts else data
    found, end = scan_journal(noise + encode_frame("a", A))
    assert found == {"a": A} and end == len(noise) + len(encode_frame("a", A))


@pytest.mark.parametrize("tail", [MAGIC + bytes(12), MAGIC + bytes(500)])
def test_a_tail_of_zeros(tail: bytes) -> None:
    # what a file system may leave of the last write after the power went
    assert scan_journal(encode_frame("a", A) + tail) == ({"a": A}, len(encode_frame("a", A)))


def test_a_short_write_is_a_full_disk(tmp_path: Path) -> None:
    class Full:
        def write(self, data: bytes) -> int:
            return len(data) - 1

        def close(self) -> None:
            pass

    work_slice: Any = store(tmp_path).slice(SHARD, 0)
    work_slice.add("a", A)
    work_slice.file = Full()
    with pytest.raises(OSError) as error:
        work_slice.add("b", B)
    assert error.value.errno == errno.ENOSPC and str(error.value.filename).endswith("00.journal")
    assert known(store(tmp_path)) == {"a": A}


# Compaction


def test_compacted_replies_are_the_same(tmp_path: Path) -> None:
    keep(store(tmp_path), 0, a=A, b=B, c=C)
    keep(store(tmp_path), 49, d=B)
    store(tmp_path).compact(SHARD)
    assert [path.name for path in (tmp_path / "replies" / "stage").iterdir()] == [f"{SHARD}.parquet"]
    assert known(store(tmp_path)) == {"a": A, "b": B, "c": C}
    assert known(store(tmp_path), 49) == {"d": B}
    assert known(store(tmp_path), 1) == {}
    assert store(tmp_path).shards() == [SHARD]


def test_large_journals_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "LARGE_JOURNAL", 100)
    keep(store(tmp_path), 0, a=Reply(bytes(200)))
    store(tmp_path).compact(SHARD)
    assert [path.name for path in (tmp_path / "replies" / "stage").iterdir()] == [SHARD]
    assert known(store(tmp_path)) == {"a": Reply(bytes(200))}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("moment", ["before the rename", "after the rename"])
@pytest.mark.parametrize("compacted_before", [False, True])
def test_a_crash_while_compacting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, compacted_before: bool
) -> None:
    keep(store(tmp_path), 0, a=A)
    if compacted_before:
        store(tmp_path).compact(SHARD)
    keep(store(tmp_path), 0, b=B)
    keep(store(tmp_path), 3, c=C)
    replace = os.replace

    def crash(source: Path, target: Path) -> None:
        if moment == "after the rename":
            replace(source, target)
        raise Killed

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(Killed):
        store(tmp_path).compact(SHARD)
    monkeypatch.undo()
    assert (known(store(tmp_path), 0), known(store(tmp_path), 3)) == ({"a": A, "b": B}, {"c": C})
    keep(store(tmp_path), 0, d=A)
    store(tmp_path).compact(SHARD)
    assert (known(store(tmp_path), 0), known(store(tmp_path), 3)) == ({"a": A, "b": B, "d": A}, {"c": C})
    assert store(tmp_path).rewrite(SHARD, lambda mark: True) == (4, 0)
    assert [path.name for path in (tmp_path / "replies" / "stage").iterdir()] == [f"{SHARD}.parquet"]


def test_a_crash_between_two_journals_being_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(store(tmp_path), 0, a=A)
    keep(store(tmp_path), 1, b=B)
    unlink, removed = Path.unlink, []

    def crash(path: Path, missing_ok: bool = False) -> None:
        if removed:
            raise Killed
        removed.append(path)
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", crash)
    with pytest.raises(Killed):
        store(tmp_path).compact(SHARD)
    monkeypatch.undo()
    assert (known(store(tmp_path), 0), known(store(tmp_path), 1)) == ({"a": A}, {"b": B})


# Rewriting and forgetting


def test_rewrite_keeps_what_passes(tmp_path: Path) -> None:
    keep(store(tmp_path), 0, a=A, b=B)
    store(tmp_path).compact(SHARD)
    keep(store(tmp_path), 0, c=C)
    keep(store(tmp_path), 1, a=B, d=A)
    assert store(tmp_path).rewrite(SHARD, {"a", "c"}.__contains__) == (3, 2)
    assert (known(store(tmp_path), 0), known(store(tmp_path), 1)) == ({"a": A, "c": C}, {"a": B})


def failed(record: str, *fingerprints: str) -> Failure:
    return {"id": record, "status": "parse_error", "reason": "no JSON", "fingerprints": [*fingerprints]}


@pytest.mark.usefixtures("project")
def test_failed_rows_are_noted_by_id_until_the_next_run() -> None:
    assert failed_rows("stage") == []
    failures = [failed("w-00000100", "d"), failed("w-00000000", "b", "never kept"), failed("w-00000001", "b")]
    note_failed("stage", failures)
    assert failed_rows("stage") == [failures[1], failures[2], failures[0]]
    note_failed("stage", [])
    assert failed_rows("stage") == []


def test_forget(tmp_path: Path) -> None:
    keep(store(tmp_path), 0, a=A, b=B)
    store(tmp_path).compact(SHARD)
    keep(store(tmp_path), 1, c=C, d=A)
    for _ in range(2):
        store(tmp_path).forget({"b", "d", "never kept"})
        assert (known(store(tmp_path), 0), known(store(tmp_path), 1)) == ({"a": A}, {"c": C})


def test_a_crash_while_forgetting_can_be_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(store(tmp_path), 0, a=A, b=B)
    replace = os.replace

    def crash(source: Path, target: Path) -> None:
        replace(source, target)
        raise Killed

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(Killed):
        store(tmp_path).forget({"b"})
    monkeypatch.undo()
    store(tmp_path).forget({"b"})
    assert known(store(tmp_path)) == {"a": A}
