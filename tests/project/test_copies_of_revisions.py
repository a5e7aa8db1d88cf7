"""Files of a revision: tables from DVC's cache, whole however often they are asked for."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from gamut.dataset.shared.joins import table_of
from gamut.project.revisions import Revision
from gamut.tables.columns import make_id, table_schema
from gamut.tables.writing import TableWriter
from tests.publish.edition_project import commit_all, git


@pytest.fixture
def tagged(project: Path) -> Path:
    """A project whose release stands in DVC's cache, and in git at tag v1."""
    from dvc.repo import Repo

    logging.disable(logging.INFO)  # DVC would write to the stream that was there when it was imported
    git("init", "-q", "-b", "main")
    Repo.init().close()
    with Path(".dvc/config").open("a") as config:
        config.write("[cache]\n    type = hardlink,copy\n")
    with TableWriter(table_of("release"), table_schema("id caption")) as table:
        for wave in ("a", "b"):
            table.write(f"{wave}-00000", [{"id": make_id(wave, 0), "caption": "a fox"}])
    with Repo() as repo:
        repo.add(str(table_of("release")))
    commit_all()
    git("tag", "v1")
    return project


def test_a_copy_is_whole_however_often_it_is_asked_for(tagged: Path) -> None:
    """DVC writes into a file that is there, which may be a hard link to its cache, and puts a folder into one."""
    there, table = Revision("v1"), table_of("release")
    sizes = [there.get(table / "b-00000.parquet").stat().st_size for _ in range(3)]
    assert sizes[0] and len({*sizes}) == 1
    copied = there.get(table)
    assert {one.name for one in copied.iterdir()} == {"_manifest.json", "a-00000.parquet", "b-00000.parquet"}
    assert all(one.stat().st_size for one in Path(".dvc/cache").rglob("*") if one.is_file())
