"""The page of two versions, of a small release in DVC's cache: pictures that came and went, what was not built."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from gamut.command import report as command
from gamut.dataset.reporting.outputs import METRICS
from gamut.dataset.shared.joins import table_of
from gamut.project.revisions import Revision
from gamut.project.staleness import changes
from gamut.report.site.folder import claim
from gamut.report.versions import write_versions
from gamut.tables.columns import IMAGE, Row, make_id
from gamut.tables.writing import TableWriter
from tests import fakes
from tests.browser import serious, sideways, visited
from tests.in_command import gamut_lines
from tests.publish.edition_project import commit_all, git
from tests.report.page_tree import Element, tree

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCHEMA = pa.schema([("id", pa.string()), ("image", IMAGE), ("caption", pa.string())])
PICTURES = {color: fakes.jpeg(color) for color in ("red", "green", "blue")}


def row(number: int, caption: str = "a fox", color: str = "red", wave: str = "b") -> Row:
    return {"id": make_id(wave, number), "image": {"bytes": PICTURES[color], "path": None}, "caption": caption}


def release(**waves: list[Row]) -> None:
    with TableWriter(table_of("release"), SCHEMA) as table:
        for wave, rows in waves.items():
            table.write(f"{wave}-00000", rows)


def params(entity: int, key: str) -> None:
    values = fakes.values()
    values["categorize"]["entity"], values["models"]["world"]["api_key"] = entity, key
    Path("params.yaml").write_text(json.dumps(values))


def record(entity: int) -> None:
    declared = {"release": {"cmd": "python"}}
    entry = {"cmd": "python", "params": {"params.yaml": {"categorize.entity": entity}}}
    Path("dvc.yaml").write_text(json.dumps({"stages": declared}))
    Path("dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": {"release": entry}}))


@pytest.fixture(scope="module")
def project_of_two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """At tag v1 entity is 7, and was built; here it is 9, and was not. Of wave b row 0 went, 3 came, 1 has another
    picture and 2 another caption; wave a is the same file.
    """
    from dvc.repo import Repo

    logging.disable(logging.INFO)  # DVC would write to the stream that was there when it was imported
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("two"))
        git("init", "-q", "-b", "main")
        Repo.init().close()
        with Path(".dvc/config").open("a") as config:
            config.write("[cache]\n    type = hardlink,copy\n")
        release(a=[row(0, wave="a")], b=[row(0), row(1), row(2)])
        params(7, "sk-of-then")
        record(7)
        METRICS.parent.mkdir()
        METRICS.write_text(json.dumps({"release": {"pictures": 4, "share": 0.5}, "gone": 1}))
        with Repo() as repo:
            repo.add(str(table_of("release")))
        commit_all()
        git("tag", "v1")
        release(a=[row(0, wave="a")], b=[row(1, color="green"), row(2, "a <b>vixen</b>"), row(3, color="blue")])
        params(9, "sk-of-now")
        METRICS.write_text(json.dumps({"release": {"pictures": 4, "share": 0.75}}))
        yield Path.cwd()
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def page(project_of_two: Path) -> Element:
    claim(Path("report"))
    write_versions(Path("report"), Revision("v1"))
    return tree(Path("report/versions/index.html"))


def strips(page: Element) -> dict[str, list[tuple[str, int]]]:
    """By heading the ids of a strip, each with how many pictures."""
    found = [
        [(one.one("figcaption").words, len([*one.all("img")])) for one in strip.all("figure")]
        for strip in page.all("div", class_="strip")
    ]
    return dict(zip((one.words for one in page.all("h3")), found, strict=True))


def test_pictures_that_came_and_went_are_seen(page: Element) -> None:
    one, two, three, zero = (make_id("b", n) for n in (1, 2, 3, 0))
    assert strips(page) == {"Came: 1": [(three, 1)], "Went: 1": [(zero, 1)], "Changed: 2": [(one, 2), (two, 1)]}
    assert "4 pictures before, 4 now. caption changed in 1, image changed in 1." in page.words
    shown = {one["src"] for one in page.all("img")}
    assert len(shown) == 3 and all(Path("report/versions", one).is_file() for one in shown)


def test_what_was_not_built_with_its_parameters_is_said_first(page: Element) -> None:
    said = [one.words for one in page.all("li")]
    assert said == [
        "release at workspace: not built with these parameters (categorize.entity changed since): `dvc repro release` "
        "builds it anew"
    ]
    assert page.words.index("Not all of this was built") < page.words.index("The release")


def test_what_is_the_same_is_not_listed_and_secrets_are_not_told(page: Element) -> None:
    rows = [[cell.words for cell in one.all() if cell.tag in ("th", "td")] for one in page.all("tr")]
    assert rows == [
        ["params.yaml", "v1", "here"],
        ["categorize.entity", "7", "9"],
        ["metrics/dataset.json", "v1", "here"],
        ["release.share", "0.5", "0.75"],
        ["gone", "1", "–"],
    ]
    assert "metrics/leaderboard.json: all the same." in page.words and "sk-of" not in page.words


def test_a_copy_is_whole_however_often_it_is_asked_for(page: Element) -> None:
    """DVC writes into a file that is there, which may be a hard link to its cache, and puts a folder into one."""
    there, table = Revision("v1"), table_of("release")
    sizes = [there.get(table / "b-00000.parquet").stat().st_size for _ in range(3)]
    assert sizes[0] and len({*sizes}) == 1
    copied = there.get(table)
    assert {one.name for one in copied.iterdir()} == {"_manifest.json", "a-00000.parquet", "b-00000.parquet"}
    assert all(one.stat().st_size for one in Path(".dvc/cache").rglob("*") if one.is_file())


def test_the_command_says_what_of_the_revision_was_not_built(
    project_of_two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "NAMES", ())
    record(8)
    commit_all()
    code, said = gamut_lines("report", "--against", "HEAD", "--out", "public")
    assert code == 0 and said[-1] == "versions: open public/versions/index.html"
    assert [line for line in said if line.startswith("versions: release at HEAD: not built with its own parameters (")]
    assert "Written from commit " in tree(Path("public/index.html")).words
    code, said = gamut_lines("report", "--against", "nothing", "--out", "public")
    assert code == 1 and "nothing" in said[-1] and len(said) == 1


def test_changes_are_by_key() -> None:
    before, after = {"a": {"x": 1, "y": [1]}, "b": 1, "c": None}, {"a": {"x": 1, "y": [2]}, "d.e": 0.5}
    assert [*changes(before, after)] == [("a.y", [1], [2]), ("b", 1, None), ("d.e", None, 0.5)]
    assert [*changes(before, before)] == []


def test_it_fits_every_window(page: Element, project_of_two: Path, browser: Browser) -> None:
    home = Path("report").resolve()
    with visited(browser, home / "versions/index.html", home=home, width=1366, height=768) as tab:
        for width in (1366, 1280, 400):
            tab.set_viewport_size({"width": width, "height": 768})
            assert sideways(tab) == 0
        assert serious(tab) == []


def test_what_is_not_in_the_cache_is_said_and_all_else_shown(page: Element) -> None:
    Path(".dvc/cache").rename("elsewhere")
    write_versions(Path("report"), Revision("v1"))
    said = tree(Path("report/versions/index.html")).words
    assert "Not compared: datasets/release" in said and "`dvc fetch" in said and "categorize.entity" in said
