"""Real input: PartiPrompts from the file to the last filter. What the world cannot draw is visibly `unsupported`."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.end_to_end.project import SIZES, Project, clone
from tests.paths import PARTI

ROWS = 150


def shorten(params: Any) -> None:
    """Smaller pictures, of the first prompts alone."""
    params["synthesize"].update(width=320, height=320)
    params["sources"][0]["limit"] = ROWS


@pytest.fixture(scope="module")
def parti(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = clone(tmp_path_factory.mktemp("parti"))
    for size in SIZES:  # it has rows enough for shards of the usual size
        del project.environment[size]
    shutil.copy(PARTI, project.folder / "datasets/sources/PartiPrompts.tsv")
    project.run("git", "checkout", "--quiet", "params.yaml")
    shutil.copy(project.folder / "profiles/parti.yaml", project.folder / "params.yaml")
    project.edit(shorten)
    project.run("dvc", "repro", "select")
    return project


def test_nothing_is_lost(parti: Project) -> None:
    """Every prompt that comes in is a duplicate, unsupported, rejected with a reason, or selected."""
    prompts, images, selected = parti.rows("prompts"), parti.rows("synthesized"), parti.rows("selected")
    assert len(parti.rows("source_rows")) == len(prompts) == ROWS
    assert all(row["kept"] or row["reason"] for row in [*prompts, *selected])
    assert {row["status"] for row in images} == {"ok", "unsupported"}
    assert [row["id"] for row in prompts if row["kept"]] == [row["id"] for row in images]
    assert [row["id"] for row in selected] == [row["id"] for row in images]
    assert any(row["kept"] for row in selected)


def test_captions_are_the_files(parti: Project) -> None:
    lines = PARTI.read_text(encoding="utf-8").splitlines()[1:]
    assert [row["caption"] for row in parti.rows("source_rows")] == [line.split("\t")[0] for line in lines[:ROWS]]


def test_unsupported_prompts_say_why_and_have_no_picture(parti: Project) -> None:
    unsupported = [row for row in parti.rows("synthesized") if row["status"] == "unsupported"]
    assert all(row["reason"] and row["image"] is None for row in unsupported)
    assert "The Starry Night" in {row["prompt"] for row in unsupported}
