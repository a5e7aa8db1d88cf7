"""A clone of a colleague's clone, with DVC's remote between them: everything is there, and nothing to do."""

from __future__ import annotations

from pathlib import Path

import datasets
import duckdb
import pandas
import polars
import pytest

from tests.end_to_end.project import Project, copy_of


@pytest.fixture(scope="module")
def theirs(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A clone of a clone, after `dvc pull`. Not to be changed but in its reply store."""
    folder = tmp_path_factory.mktemp("shared")
    ours = copy_of(original, folder / "ours")
    ours.run("dvc", "remote", "add", "--default", "shared", str(folder / "remote"))
    ours.commit()
    ours.run("dvc", "push")
    ours.run("git", "clone", "--quiet", ".", str(folder / "clone"))
    ours.run("git", "clone", "--quiet", str(folder / "clone"), str(folder / "theirs"))
    project = Project(folder / "theirs", ours.environment | {"PYTHONPATH": str(folder / "theirs")})
    (project.folder / "run.toml").write_text("[models.world]\nconcurrency = 1\n")  # workers take long to start
    project.run("dvc", "pull")
    return project


def test_after_a_pull_there_is_nothing_to_do(theirs: Project) -> None:
    assert theirs.run("dvc", "status").stdout.strip() == "Data and pipelines are up to date."
    silent = theirs.run("dvc", "checkout")
    assert silent.stdout + silent.stderr == ""
    assert theirs.run("git", "status", "--porcelain").stdout == ""


def test_the_release_is_read_as_a_folder(theirs: Project, original: Project, tmp_path: Path) -> None:
    folder = str(theirs.folder / "datasets/release")
    ids = sorted(row["id"] for row in original.rows("release"))
    assert ids
    assert sorted(pandas.read_parquet(folder)["id"]) == ids
    assert sorted(polars.read_parquet(f"{folder}/*.parquet")["id"]) == ids
    assert sorted(row[0] for row in duckdb.sql(f"select id from '{folder}/*.parquet'").fetchall()) == ids
    loaded = datasets.load_dataset(folder, split="train", cache_dir=str(tmp_path))
    assert sorted(loaded["id"]) == ids and loaded[0]["image"].mode == "RGB"


def test_a_seeded_store_asks_nothing(theirs: Project) -> None:
    assert "replies brought back" in theirs.run("gamut", "store", "seed", "datasets/annotated").stdout
    theirs.run("python", "-m", "stages.dataset.annotate")
    assert theirs.asked() == {"annotate": 0}
