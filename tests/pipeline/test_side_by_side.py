"""Shards that several processes make: in order, alike, with errors in one line; a process that dies is no hang."""

from __future__ import annotations

import os

import pytest

from gamut.dataset.shared.joins import table_of
from gamut.pipeline import shards
from gamut.pipeline.steps import parameters_of_step
from gamut.project.errors import UserError
from gamut.tables.reading import manifest, read_rows
from stages.dataset import release
from tests.dataset import small_build
from tests.fakes import contents
from tests.pipeline.far_step import SHARDS, STEP

pytestmark = pytest.mark.usefixtures("project")


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "usable_cores", lambda: 2)


def carry_out(far: str = "", refused: str = "") -> None:
    STEP.carry_out(parameters_of_step(STEP).model_validate({"seed": 7, "far": far, "refused": refused}))


def test_the_first_shard_is_made_here_and_much_that_is_left_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SECONDS_ALONE", 0.0)
    carry_out()
    assert [one["name"] for one in manifest(STEP.table)["shards"]] == [f"{shard}.parquet" for shard in SHARDS]
    first, *others = read_rows(STEP.table)
    assert first["process"] == os.getpid() and os.getpid() not in {row["process"] for row in others}
    assert len({row["process"] for row in others}) <= 2 and {row["seed"] for row in others} == {7}


def test_little_is_made_here() -> None:
    carry_out()
    assert {row["process"] for row in read_rows(STEP.table)} == {os.getpid()}


def test_a_process_that_dies_and_an_error_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SECONDS_ALONE", 0.0)
    with pytest.raises(UserError, match=r"a process that made shards died \(out of memory\?\): run it again to go on"):
        carry_out(far=SHARDS[2])
    with pytest.raises(UserError, match=r"^w-00003: no such thing$"):
        carry_out(refused=SHARDS[3])
    assert not STEP.table.exists()


def test_release_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    small_build.write()
    folders = [table_of(name) for name in release.STEP.tables]
    here = [contents(folder) for folder in folders]
    monkeypatch.setattr(shards, "SECONDS_ALONE", 0.0)
    release.STEP.carry_out(small_build.params())
    assert [contents(folder) for folder in folders] == here and len(here[0]) == 4  # three shards and the manifest
