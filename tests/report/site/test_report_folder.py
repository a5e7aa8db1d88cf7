"""Folders of pages: only the report's own are written to, and nothing outside of them is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gamut.project.errors import UserError
from gamut.report.site.folder import MARK, Folder, claim


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


@pytest.mark.parametrize("name", ["notes.txt", ".git/config"])
def test_a_folder_of_others_is_refused_and_stays_as_it_is(tmp_path: Path, name: str) -> None:
    other = tmp_path / "site" / name
    other.parent.mkdir(parents=True)
    other.write_text("mine")
    with pytest.raises(UserError) as error:
        Folder(tmp_path / "site")
    assert str(error.value) == (
        f"{tmp_path}/site holds other files ({name.partition('/')[0]}), and a report deletes what it did not write: "
        "name a new or empty folder"
    )
    assert files(tmp_path) == [f"site/{name}"]


def test_an_empty_folder_and_one_that_git_ignores_are_taken(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report/.gitignore").write_text("/prism\n")
    claim(tmp_path / "report")
    Folder(tmp_path / "report").forget_others()
    assert files(tmp_path) == ["report/.gamut-report", "report/.gitignore"]


def test_what_no_page_needs_any_more_goes_and_what_is_the_same_is_not_written(tmp_path: Path) -> None:
    first = Folder(tmp_path / "report")
    first.write("old/a.html", "a")
    first.write("same.html", "s")
    first.write("other.html", "1")
    os.utime(tmp_path / "report/same.html", (1, 1))
    (tmp_path / "report/.same.html.0123abcd.new").write_text("of a killed run")
    second = Folder(tmp_path / "report")
    second.write("same.html", "s")
    second.write("other.html", "2")
    second.forget_others()
    assert files(tmp_path / "report") == [MARK, "other.html", "same.html"]
    assert (tmp_path / "report/same.html").stat().st_mtime == 1
    assert (tmp_path / "report/other.html").read_text() == "2" and not (tmp_path / "report/old").exists()


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "below").mkdir(parents=True)
    (outside / "mine.html").write_text("mine")
    claim(tmp_path / "report")
    for name, target in {"items": outside, "index.html": outside / "mine.html", "empty": outside / "below"}.items():
        (tmp_path / "report" / name).symlink_to(target)
    folder = Folder(tmp_path / "report")
    folder.write("items/mine.html", "a page")
    folder.write("index.html", "a page")
    folder.write("empty/index.html", "a page")
    folder.forget_others()
    assert files(outside) == ["mine.html"] and (outside / "mine.html").read_text() == "mine"
    assert (outside / "below").is_dir()
    assert files(tmp_path / "report") == [MARK, "empty/index.html", "index.html", "items/mine.html"]
    assert not (tmp_path / "report/index.html").is_symlink()


def test_links_to_the_cache_of_dvc_are_read_and_replaced(tmp_path: Path) -> None:
    """As `cache.type symlink` has all files of an output, the mark too."""
    cache = tmp_path / "cache"
    cache.mkdir()
    first = Folder(tmp_path / "report/prism")
    first.write("same.html", "s")
    first.write("other.html", "1")
    for name in (MARK, "same.html", "other.html"):
        (tmp_path / "report/prism" / name).rename(cache / name)
        (tmp_path / "report/prism" / name).symlink_to(cache / name)
    Folder(tmp_path / "report/prism").write("other.html", "2")
    claim(tmp_path / "report/prism")
    assert (cache / "other.html").read_text() == "1", "what a link leads to is not written"
    assert {name: (tmp_path / "report/prism" / name).is_symlink() for name in (MARK, "same.html", "other.html")} == {
        MARK: True,
        "same.html": True,
        "other.html": False,
    }
