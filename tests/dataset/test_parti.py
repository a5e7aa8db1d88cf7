"""Real input: PartiPrompts from the file to the last filter. What the world cannot draw is visibly `unsupported`."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import pytest

from gamut.project.parameters import load
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.dataset.pipeline import Params
from tests import in_one_process
from tests.paths import PARTI
from tests.shipped import profile

ROWS = 120


def shortened(params: Params) -> Params:
    """Smaller pictures, of the first prompts alone."""
    [source] = params.sources
    small = params.synthesize.model_copy(update={"width": 320, "height": 320})
    return params.model_copy(update={"sources": [source.model_copy(update={"limit": ROWS})], "synthesize": small})


@pytest.fixture(scope="module")
def parti(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the profile `parti` was built up to the last filter."""
    folder = tmp_path_factory.mktemp("parti")
    (folder / "datasets/sources").mkdir(parents=True)
    shutil.copy(PARTI, folder / "datasets/sources/PartiPrompts.tsv")
    (folder / "params.yaml").write_text(json.dumps(profile("parti")))
    (folder / "run.toml").write_text("[models.world]\nconcurrency = 1\n")
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as surroundings:
        for name in ("GAMUT_STORE", "GAMUT_RUN", "GAMUT_ENGINE"):
            surroundings.delenv(name, raising=False)
        in_one_process.run("select", shortened(load(Params)))
    return folder


def rows(folder: Path, table: str) -> list[Row]:
    return list(read_rows(folder / "datasets" / table))


def test_nothing_is_lost(parti: Path) -> None:
    """Every prompt that comes in is a duplicate, unsupported, rejected with a reason, or selected."""
    prompts, images, selected = rows(parti, "prompts"), rows(parti, "synthesize"), rows(parti, "select")
    assert len(rows(parti, "source_rows")) == len(prompts) == ROWS
    assert all(row["kept"] or row["reason"] for row in [*prompts, *selected])
    assert {row["status"] for row in images} == {"ok", "unsupported"}
    assert [row["id"] for row in prompts if row["kept"]] == [row["id"] for row in images]
    assert [row["id"] for row in selected] == [row["id"] for row in images]
    assert any(row["kept"] for row in selected)


def test_captions_are_the_files(parti: Path) -> None:
    lines = PARTI.read_text(encoding="utf-8").splitlines()[1:]
    assert [row["caption"] for row in rows(parti, "source_rows")] == [line.split("\t")[0] for line in lines[:ROWS]]


def test_unsupported_prompts_say_why_and_have_no_picture(parti: Path) -> None:
    unsupported = [row for row in rows(parti, "synthesize") if row["status"] == "unsupported"]
    assert all(row["reason"] and row["image"] is None for row in unsupported)
    assert "The Starry Night" in {row["prompt"] for row in unsupported}
