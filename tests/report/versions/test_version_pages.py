"""Pages of two versions: the numbers of `gamut diff`, words side by side, parameters, metrics."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.project.revisions import Revision, Workspace
from stages.publish.differences import differences
from stages.publish.diffing import in_json
from stages.report.site.folder import MARK, Folder
from stages.report.versions.overview import Link, released, write_versions
from stages.report.versions.rows import word_differences
from tests.report.html import Read
from tests.report.versions import two_versions


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two_versions")
    two_versions.build(folder)
    return folder


def write(out: Path, there: str = "v1", comparisons: Sequence[Link] = ()) -> list[str]:
    folder = Folder(out)
    folder.write_assets()
    wrong = write_versions(folder, Workspace(), Revision(there), print, comparisons)
    folder.forget_others()
    return wrong


@pytest.fixture(scope="module")
def pages(built: Path) -> Path:
    """The pages, written once for the tests that only read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(built)
        assert write(built / "report", comparisons=[Link("all contestants", "comparisons/index.html")]) == []
    return built / "report"


def test_numbers_are_those_of_gamut_diff(pages: Path, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)
    theirs, ours = released(Revision("v1"), print), released(Workspace(), print)
    assert theirs is not None and ours is not None
    counted = in_json(differences(theirs, ours))
    assert [counted[kind]["count"] for kind in ("added", "removed", "changed")] == [1, 1, 60]
    assert counted["changed_cells"] == {"caption": 60, "image": 2, "score": 1}
    numbers = Read(pages / "index.html").numbers
    shown = {key.removeprefix("dataset."): value for (_, key), value in numbers.items() if key.startswith("dataset.")}
    expected = {f"rows.{side}": count for side, count in counted["rows"].items()}
    expected |= {kind: counted[kind]["count"] for kind in ("added", "removed", "changed")}
    expected |= {f"changed_cells.{name}": count for name, count in counted["changed_cells"].items()}
    expected |= {f"waves.{w}.{kind}": n for w, counts in counted["waves"].items() for kind, n in counts.items()}
    assert shown == expected


def test_the_first_changed_rows_with_their_words_in_both(pages: Path) -> None:
    page = Read(pages / "rows-dataset.html")
    # 50 of 60 that changed, one that is new, one that is gone.
    assert len(page.tags["article"]) == 50 + 1 + 1 and "The first 50 of 60, by id." in page.text
    assert page.tags["h3"][:4] == ["b-00000120", "b-00000000", "b-00000001", "b-00000002"]
    # The first of each says what is marked how; of row 3 the score too is another one.
    assert page.tags["del"][1:5] == ["red ", "red ", "red ", "3"]
    assert page.tags["ins"][1:5] == ["blue ", "blue ", "blue ", "7"]


def test_rows_of_one_version_alone(pages: Path) -> None:
    new, gone = Read(pages / "rows-dataset.html").tags["article"][:2]
    assert "a red fox sits" in gone and "<script>alert(1)</script> \\u202exxx" in new and "more characters" in new
    assert Read(pages / "rows-dataset.html").tags["script"] == [""]  # page.js alone
    assert (pages / "rows-dataset.html").stat().st_size < 40_000


def test_items_of_editions_by_whatever_name(pages: Path) -> None:
    numbers = Read(pages / "index.html").numbers
    counts = {key: value for (_, key), value in numbers.items() if key.startswith("prism.") and "waves" not in key}
    assert counts == {
        "prism.rows.first": 2, "prism.rows.second": 2, "prism.added": 1, "prism.removed": 1, "prism.changed": 1,
        "prism.changed_cells.prompt": 1, "prism.changed_cells.images": 1,
    }  # fmt: skip
    changed = Read(pages / "rows-prism.html")
    assert "v1 at v1 → v2 at workspace" in changed.text and changed.tags["h3"][2] == "style/0"
    assert changed.tags["del"][1] == "fox" and changed.tags["ins"][1] == "vixen"


def test_thresholds_stand_first_and_all_else_that_changed(pages: Path) -> None:
    index, all_of_them = Read(pages / "index.html"), Read(pages / "values.html")
    assert index.numbers["", "admit.clarity"] == 7 and "One other parameter is not the same" in index.text
    assert all_of_them.tags["tr"][1].split() == ["prism.edition", '"v1"', '"v2"', "–"]


def test_metrics_before_and_after(pages: Path) -> None:
    index = Read(pages / "index.html")
    counts = [index.numbers["", f"values.dataset.{kind}"] for kind in ("added", "removed", "changed", "same")]
    assert counts == [1, 1, 1, 2]  # new; gone; release.share; release.pictures and same
    values = Read(pages / "values.html")
    assert values.numbers == {
        ("before:dataset", "release.share"): 0.5, ("dataset", "release.share"): 0.75, ("dataset", "new"): 3,
    }  # fmt: skip
    assert [w for row in values.tags["tr"] if (w := " ".join(row.split()))[:4] == "gone"] == ['gone "yes" not there –']
    assert "+0.2500" in values.text


def test_the_same_versions_give_the_same_bytes(pages: Path, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)
    again = built / "again"
    write(again, comparisons=[Link("all contestants", "comparisons/index.html")])
    files = [path.relative_to(again) for path in sorted(again.rglob("*")) if path.is_file()]
    assert Path(MARK) in files and len(files) == len([path for path in pages.rglob("*") if path.is_file()])
    assert all((again / path).read_bytes() == (pages / path).read_bytes() for path in files)
    assert str(built) not in "".join((again / path).read_text() for path in files if path.suffix == ".html")


def test_what_is_not_in_the_cache_is_told_and_the_rest_is_written(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(built, clone)
    monkeypatch.chdir(clone)
    shutil.rmtree(clone / ".dvc/cache")
    [wrong] = write(clone / "pages")
    assert wrong.startswith("dataset: datasets/release: its content at v1 is not in DVC's local cache: `dvc fetch ")
    index = Read(clone / "pages/index.html")
    assert wrong.removeprefix("dataset: ") in index.text and not any(key[1] == "dataset.added" for key in index.numbers)
    assert index.numbers["", "prism.changed"] == 1 and index.numbers["", "admit.clarity"] == 7


def test_a_version_without_release_or_edition(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(built, clone)
    monkeypatch.chdir(clone)
    shutil.rmtree(clone / "datasets/release")
    (clone / "datasets/editions/prism/v2.jsonl").unlink()
    assert write(clone / "pages") == []
    words = Read(clone / "pages/index.html").text
    assert "Not compared: there is no release at workspace ." in words
    assert "Not compared: there is no edition v2 at workspace ." in words


def test_nothing_changed(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(built, clone)
    monkeypatch.chdir(clone)
    two_versions.git("add", "-A", "--", "params.yaml", "metrics", "datasets/editions", "datasets/edition_images")
    two_versions.git("commit", "-qm", "two")
    two_versions.git("reset", "-q", "--hard", "v1")
    from dvc.repo import Repo

    with Repo() as repo:
        repo.checkout(force=True)
    assert write(clone / "pages") == []
    index = Read(clone / "pages/index.html")
    assert index.text.count("Nothing changed") == 2 and "Every threshold is the same." in index.text
    assert sorted(path.name for path in (clone / "pages").iterdir()) == [MARK, "assets", "index.html", "values.html"]


def marked(before: str, after: str) -> tuple[str, str]:
    sides = word_differences(before, after)
    first, second = ("".join(f"[{s.text}]" if s.changed else s.text for s in side) for side in sides)
    return first, second


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a red fox sits", "a blue fox sits", ("a [red ]fox sits", "a [blue ]fox sits")),
        ("a fox.", "a fox sits!", ("a fox[.]", "a fox [sits!]")),  # the blank behind fox makes no other word of it
        ("画面里有狐狸", "图像里有狐狸", ("[画面]里有狐狸", "[图像]里有狐狸")),
        ("", "new", ("", "[new]")),
        ("a fox", "a  fox", ("[a fox]", "[a  fox]")),
        ("same", "same", ("same", "same")),
    ],
)
def test_what_is_gone_and_what_is_new(before: str, after: str, said: tuple[str, str]) -> None:
    assert marked(before, after) == said


@given(st.text("ab 画.\n_é\u202e\U0001f600", max_size=40), st.text("ab 画.\n_é\u202e", max_size=40))
def test_no_word_is_lost_and_what_is_common_is_the_same(before: str, after: str) -> None:
    sides = word_differences(before, after)
    assert tuple("".join(s.text for s in side) for side in sides) == (before, after)
    ours, theirs = ("".join("".join(s.text for s in side if not s.changed).split()) for side in sides)
    assert ours == theirs
    assert any(s.changed for side in sides for s in side) == (before != after)
