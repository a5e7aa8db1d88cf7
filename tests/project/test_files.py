"""Files are written whole or not at all, whoever else writes them, and whatever lies beside them."""

from __future__ import annotations

import csv
import errno
import os
import threading
from pathlib import Path

import pytest

from gamut.project import files
from gamut.project.files import write_csv, write_whole
from tests.paths import ROOT

OLD, NEW = b"old\n", b"new\n"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(mode)
    write_whole(path, NEW)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (NEW, mode)


@pytest.mark.parametrize("there", [True, False], ids=["a file", "no file yet"])
def test_a_link_stays_one(tmp_path: Path, there: bool) -> None:
    place, link, second = tmp_path / "elsewhere/file", tmp_path / "link", tmp_path / "second"
    place.parent.mkdir()
    link.symlink_to("elsewhere/file")
    second.symlink_to(link)
    if there:
        place.write_bytes(OLD)
    write_whole(second, NEW)
    assert second.is_symlink() and link.is_symlink() and place.read_bytes() == NEW
    assert (names(tmp_path), names(place.parent)) == (["elsewhere", "link", "second"], ["file"])


def test_what_killed_runs_left_goes_and_nothing_else(tmp_path: Path) -> None:
    others = ["file", ".file.new", ".other.0123abcd.new", "file.0123abcd.new", "file.new"]
    for name in [*others, ".file.0123abcd.new", ".file.89ef4567.new"]:
        (tmp_path / name).write_bytes(OLD)
    write_whole(tmp_path / "file", NEW)
    assert names(tmp_path) == sorted(others)
    assert {name: (tmp_path / name).read_bytes() for name in others} == dict.fromkeys(others, OLD) | {"file": NEW}


def test_when_another_run_takes_it_for_a_leftover_it_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clears, prompt = tmp_path / "file", iter([True, True, False]), os.replace

    def replace(source: Path, target: Path) -> None:
        if next(clears):
            source.unlink()
            target.write_bytes(OLD)
        prompt(source, target)

    monkeypatch.setattr(files.os, "replace", replace)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW and names(tmp_path) == ["file"] and next(clears, None) is None


def test_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    path, contents, seen = tmp_path / "file", [bytes([n]) * 100_000 for n in range(4)], set()
    writers = [threading.Thread(target=lambda c=c: [write_whole(path, c) for _ in range(5)]) for c in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        seen |= {path.read_bytes()} if path.exists() else set()
    assert seen | {path.read_bytes()} <= {*contents} and names(tmp_path) == ["file"]


def full(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_when_the_disk_is_full_the_old_file_stays_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_whole(path, NEW)
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(path))
    assert path.read_bytes() == OLD and names(tmp_path) == ["file"]


def test_what_may_not_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    monkeypatch.setattr(files.os, "access", lambda place, way: False)  # nothing is forbidden to root
    with pytest.raises(PermissionError) as error:
        write_whole(path, NEW)
    assert error.value.filename == str(path) and path.read_bytes() == OLD


def test_a_file_that_is_mounted_is_written_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)

    def busy(*_: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(files.os, "replace", busy)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW and names(tmp_path) == ["file"]


CELLS = ["", " a ", 'say "hi"', "a,b", "two\nlines", "two\rlines", "two\r\nlines", "狗", "\ufeff", "a\x00b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_every_cell_is_read_again(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "table.csv"
    write_csv(path, ("first", "second"), [(cell, 1) for cell in CELLS], encoding)
    with path.open(encoding=encoding, newline="") as file:
        assert list(csv.reader(file, strict=True)) == [["first", "second"], *([cell, "1"] for cell in CELLS)]
    plain = path.read_bytes().replace(b'"two\rlines"', b"").replace(b'"two\r\nlines"', b"")
    assert b"\r" not in plain and plain.startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")


@pytest.mark.parametrize("ignored_by", [".gitignore", ".dvcignore"])
def test_what_lies_beside_is_ignored(ignored_by: str) -> None:
    assert ".*.new" in (ROOT / ignored_by).read_text().splitlines()
