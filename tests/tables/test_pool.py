"""Finished shards: taken as they are, found damaged, linked or copied."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from gamut.project.files import sha256_of
from gamut.project.pipeline import cache_folder
from gamut.tables import pool
from gamut.tables.columns import table_schema
from gamut.tables.pool import FinishedShard, Note, Notes
from gamut.tables.reading import MANIFEST
from gamut.tables.writing import TableWriter, begin_table, end_table, shards_in

SCHEMA = table_schema("id status")
TABLE = Path("datasets/step")


def notes(step: str = "step", **keys: str) -> Notes:
    return Notes(pool.pool_folder(), step, keys)


def written(name: str = "w-00000", word: str = "ok") -> FinishedShard:
    """A table of one row, written and kept."""
    with TableWriter(TABLE, SCHEMA) as table:
        table.write(name, [{"id": f"{name[:-6]}-00000000", "status": word}])
    return shards_in(TABLE)[0]


@pytest.fixture
def kept(project: Path) -> FinishedShard:
    made = written()
    notes(**{"w-00000": "k"}).keep("w-00000", Note([made]))
    return made


def test_what_was_kept_is_found_under_its_key_alone(kept: FinishedShard) -> None:
    found = notes(**{"w-00000": "k"}).find("w-00000")
    assert found is not None
    [made] = found.files
    assert (made.table, made.entry, made.statuses) == ("step", kept.entry, {"ok": 1})
    assert made.path.samefile(kept.path), "one file with two names"
    assert notes(**{"w-00000": "other"}).find("w-00000") is None
    assert notes("another", **{"w-00000": "k"}).find("w-00000") is None


def test_a_file_as_noted_is_not_hashed(kept: FinishedShard, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> str:
        raise AssertionError(f"{path} is hashed")

    monkeypatch.setattr(pool, "sha256_of", refuse)
    assert notes(**{"w-00000": "k"}).find("w-00000") is not None


def test_a_copied_file_is_hashed_once(kept: FinishedShard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another inode and another time, the same bytes: as after `cp -r` of a project."""
    place = pool.file_in(pool.pool_folder(), kept.entry)
    content = place.read_bytes()
    place.unlink()
    place.write_bytes(content)
    hashed: list[Path] = []

    def counting(path: Path) -> str:
        hashed.append(path)
        return sha256_of(path)

    monkeypatch.setattr(pool, "sha256_of", counting)
    for _ in range(2):
        assert notes(**{"w-00000": "k"}).find("w-00000") is not None
    assert hashed == [place]


def flip(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        byte = file.read(1)
        file.seek(100)
        file.write(bytes([byte[0] ^ 255]))


def test_a_flipped_byte_is_found(kept: FinishedShard, capsys: pytest.CaptureFixture[str]) -> None:
    """Also what DVC keeps goes where that is the same file: DVC would take it for whole."""
    place = pool.file_in(pool.pool_folder(), kept.entry)
    Path(".dvc").mkdir()
    Path(".dvc/config").touch()
    cached, another = (cache_folder() / "files" / "md5" / "ab" / name for name in ("same", "another"))
    cached.parent.mkdir(parents=True)
    os.link(kept.path, cached)
    another.write_text("another")
    flip(kept.path)
    assert notes(**{"w-00000": "k"}).find("w-00000") is None and not place.exists()
    assert capsys.readouterr().out == f"step: {place} has changed since w-00000.parquet was made: it is made again\n"
    assert not cached.exists() and another.exists()


def test_a_missing_file_is_made_anew_without_a_word(kept: FinishedShard, capsys: pytest.CaptureFixture[str]) -> None:
    pool.file_in(pool.pool_folder(), kept.entry).unlink()
    assert notes(**{"w-00000": "k"}).find("w-00000") is None and capsys.readouterr().out == ""


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EPERM, errno.ENOTSUP])
def test_another_file_system_gets_a_copy(project: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    made = written()

    def refuse(source: Any, target: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)
    notes(**{"w-00000": "k"}).keep("w-00000", Note([made]))
    found = notes(**{"w-00000": "k"}).find("w-00000")
    assert found is not None and not found.files[0].path.samefile(made.path)
    assert sha256_of(found.files[0].path) == made.entry["sha256"]


def test_a_full_disk_is_no_reason_to_copy(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = written()

    def refuse(source: Any, target: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(OSError, match="No space"):
        notes(**{"w-00000": "k"}).keep("w-00000", Note([made]))
    assert notes(**{"w-00000": "k"}).find("w-00000") is None


def test_a_table_of_kept_and_made_shards(kept: FinishedShard) -> None:
    found = notes(**{"w-00000": "k"}).find("w-00000")
    assert found is not None
    whole = Path("datasets/whole")
    begin_table(whole, found.files)
    part = Path("datasets/part")
    with TableWriter(part, SCHEMA) as table:
        table.write("a-00000", [{"id": "a-00000000", "status": "refused"}])
    end_table(whole, [*shards_in(part), *found.files])
    straight = Path("datasets/straight")
    with TableWriter(straight, SCHEMA) as table:
        table.write("a-00000", [{"id": "a-00000000", "status": "refused"}])
        table.write("w-00000", [{"id": "w-00000000", "status": "ok"}])
    assert {p.name: p.read_bytes() for p in whole.iterdir()} == {p.name: p.read_bytes() for p in straight.iterdir()}
    assert (whole / "w-00000.parquet").samefile(kept.path) and [path.name for path in part.iterdir()] == [MANIFEST]


def test_what_is_asked_again_is_kept_no_more(kept: FinishedShard) -> None:
    pool.ask_again("step", ["w-00000"])
    assert notes(**{"w-00000": "k"}).find("w-00000") is None
    mark = notes(**{"w-00000": "k"}).place("w-00000").parent / pool.ASK_AGAIN
    assert mark.exists()
    notes(**{"w-00000": "k"}).keep("w-00000", Note([kept]))
    assert not mark.exists() and notes(**{"w-00000": "k"}).find("w-00000") is not None


def test_prune_drops_what_no_table_has(kept: FinishedShard) -> None:
    """Another project's notes, by a step that this one does not have, keep their files."""
    other, foreign = written(word="refused"), written(word="unsupported")
    notes(**{"w-00000": "moved"}).keep("w-00000", Note([other]))
    notes("foreign", **{"w-00000": "k"}).keep("w-00000", Note([foreign]))
    size = pool.file_in(pool.pool_folder(), other.entry).stat().st_size
    assert [*pool.prune(["step"], {kept.entry["sha256"]})] == [
        f"finished shards: 1 that no table here has dropped, {size / 1e6:,.1f} MB freed"
    ]
    assert notes(**{"w-00000": "k"}).find("w-00000") and notes("foreign", **{"w-00000": "k"}).find("w-00000")
    assert notes(**{"w-00000": "moved"}).find("w-00000") is None
    assert [*pool.prune(["step"], {kept.entry["sha256"]})] == []
