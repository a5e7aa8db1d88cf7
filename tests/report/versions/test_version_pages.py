"""Pages of two versions: the numbers of `gamut diff`, words and pictures side by side, parameters, metrics."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from stages.project.revisions import Revision, Workspace
from stages.publish.differences import differences
from stages.publish.differences_shown import as_json
from stages.report.site.folder import MARK, Folder
from stages.report.versions.overview import Link, write_versions
from stages.report.versions.rows import around
from stages.report.versions.sources import OneAtATime, released
from tests.report.versions import two_versions


class Read(HTMLParser):
    """What a test wants to know of a page: numbers by key, texts by tag, addresses, ids."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.numbers: dict[tuple[str, str], float] = {}
        self.addresses: list[str] = []
        self.tags: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.words = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert not any(name.startswith("on") for name in found)
        if tag == "data" and found.get("data-key"):
            self.numbers[found.get("data-file") or "", str(found["data-key"])] = float(str(found["value"]))
        self.addresses += [str(found[name]) for name in ("href", "src") if name in found]
        self.tags.setdefault(tag, []).append("")
        if tag not in ("meta", "link", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data
        for tag in set(self.open):
            self.tags[tag][-1] += data


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
    counted = as_json(differences(theirs, ours))
    assert [counted[kind]["count"] for kind in ("added", "removed", "changed")] == [1, 1, 60]
    assert counted["changed_cells"] == {"caption": 60, "image": 2, "score": 1}
    numbers = Read(pages / "index.html").numbers
    shown = {key.removeprefix("dataset."): value for (_, key), value in numbers.items() if key.startswith("dataset.")}
    expected = {f"rows.{side}": count for side, count in counted["rows"].items()}
    expected |= {kind: counted[kind]["count"] for kind in ("added", "removed", "changed")}
    expected |= {f"changed_cells.{name}": count for name, count in counted["changed_cells"].items()}
    expected |= {f"waves.{w}.{kind}": n for w, counts in counted["waves"].items() for kind, n in counts.items()}
    assert shown == expected


def test_changed_rows_stand_in_chunks_with_words_and_pictures_of_both(pages: Path) -> None:
    first, second = (Read(pages / f"rows-dataset/changed-{n}.html") for n in (1, 2))
    assert not (pages / "rows-dataset/changed-3.html").exists()
    assert len(first.tags["article"]) == 50 and len(second.tags["article"]) == 10
    # The first of each says what is marked how; of row 3 the score too is another one.
    assert first.tags["del"][1:5] == ["red ", "red ", "red ", "3"]
    assert first.tags["ins"][1:5] == ["blue ", "blue ", "blue ", "7"]
    assert first.tags["h2"][:3] == ["b-00000001", "b-00000002", "b-00000003"]
    pictures = [address for address in first.addresses if "pictures/" in address]
    # Two rows with two pictures each, 48 with the one that stayed; three files of which the release shows two.
    assert len(pictures) == 2 * 2 + 48 and len(set(pictures)) == 2
    own = [address for address in first.addresses if address not in ("data:,", "#main", "../../index.html")]
    assert all((pages / "rows-dataset" / address).is_file() for address in own)
    assert "changed-2.html" in first.addresses and "changed-1.html" in second.addresses


def test_rows_of_one_version_alone(pages: Path) -> None:
    gone, new = (Read(pages / f"rows-dataset/{kind}-1.html") for kind in ("removed", "added"))
    assert gone.tags["h2"] == ["b-00000000"] and "a red fox sits" in gone.words
    assert new.tags["h2"] == ["b-00000120"] and "ins" not in new.tags
    assert "<script>alert(1)</script> \\u202exxx" in new.words and "script" in new.tags  # page.js alone
    assert new.tags["script"] == [""] and "996,027 more characters" in new.words
    assert (pages / "rows-dataset/added-1.html").stat().st_size < 20_000


def test_items_of_editions_by_whatever_name(pages: Path) -> None:
    numbers = Read(pages / "index.html").numbers
    counts = {key: value for (_, key), value in numbers.items() if key.startswith("prism.") and "waves" not in key}
    assert counts == {
        "prism.rows.first": 2, "prism.rows.second": 2, "prism.added": 1, "prism.removed": 1, "prism.changed": 1,
        "prism.changed_cells.prompt": 1, "prism.changed_cells.images": 1,
    }  # fmt: skip
    changed = Read(pages / "rows-prism/changed-1.html")
    assert "v1 at v1 → v2 at workspace" in changed.words and changed.tags["h2"] == ["style/0"]
    assert changed.tags["del"][1] == "fox" and changed.tags["ins"][1] == "vixen"
    assert len({address for address in changed.addresses if "pictures/" in address}) == 2  # red before, blue after


def test_thresholds_stand_first_and_all_else_that_changed(pages: Path) -> None:
    index, all_of_them = Read(pages / "index.html"), Read(pages / "parameters.html")
    assert index.numbers["", "admit.clarity"] == 7 and "One other parameter is not the same" in index.words
    assert [words.split() for words in all_of_them.tags["tr"] if "v1workspace" not in words] == [
        ["admit.clarity", "6", "7", "+1"],
        ["prism.edition", "v1", "v2", "–"],
    ]


def test_metrics_before_and_after(pages: Path) -> None:
    index = Read(pages / "index.html")
    counts = [index.numbers["", f"values.dataset.{kind}"] for kind in ("added", "removed", "changed", "same")]
    assert counts == [1, 1, 1, 2]  # new; gone; release.share; release.pictures and same
    values = Read(pages / "values-dataset/1.html")
    assert values.numbers == {
        ("before:dataset", "release.share"): 0.5, ("dataset", "release.share"): 0.75, ("dataset", "new"): 3,
    }  # fmt: skip
    assert [w for row in values.tags["tr"] if (w := " ".join(row.split()))[:4] == "gone"] == ["gone yes not there –"]
    assert "+0.2500" in values.words


def test_comparisons_of_contestants_are_linked(pages: Path) -> None:
    index = Read(pages / "index.html")
    assert "comparisons/index.html" in index.addresses and "all contestants" in index.tags["a"]


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
    shutil.rmtree(clone / "datasets/edition_images/prism/v2")
    [wrong] = write(clone / "pages")
    assert wrong.startswith("dataset: datasets/release: its content at v1 is not in DVC's local cache: `dvc fetch ")
    index = Read(clone / "pages/index.html")
    assert wrong.removeprefix("dataset: ") in index.words and not any(
        key[1] == "dataset.added" for key in index.numbers
    )
    assert index.numbers["", "prism.changed"] == 1 and index.numbers["", "admit.clarity"] == 7
    items = Read(clone / "pages/rows-prism/changed-1.html")
    assert items.words.count("a picture that cannot be shown: it is not here: ") == 1


def test_a_version_without_release_or_edition(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(built, clone)
    monkeypatch.chdir(clone)
    shutil.rmtree(clone / "datasets/release")
    (clone / "datasets/editions/prism/v2.jsonl").unlink()
    assert write(clone / "pages") == []
    words = Read(clone / "pages/index.html").words
    assert "Not compared: there is no release at workspace." in words
    assert "Not compared: there is no edition v2 at workspace." in words


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
    assert index.words.count("Nothing changed") == 2 and "Every threshold is the same." in index.words
    assert sorted(path.name for path in (clone / "pages").iterdir()) == [
        MARK,
        "assets",
        "index.html",
        "parameters.html",
    ]


def test_one_shard_of_a_revision_lies_here_at_a_time(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)
    bring = OneAtATime(Revision("v1"))
    first = bring(Path("datasets/release/a-00000.parquet"))
    assert first.is_file() and bring(Path("datasets/release/a-00000.parquet")).is_file()
    second = bring(Path("datasets/release/b-00000.parquet"))
    assert second.is_file() and not first.exists()
    here = OneAtATime(Workspace())
    assert (
        here(Path("params.yaml")) == Path("params.yaml") and here(Path(".gitignore")) and Path("params.yaml").exists()
    )


def test_pages_lead_to_few_others() -> None:
    assert around(1, 1) == {} and around(1, 2) == {2: "next"} and around(2, 3) == {1: "prev", 3: "next"}
    assert around(50, 120) == {1: "first", 40: "10 back", 49: "prev", 51: "next", 60: "10 on", 120: "last"}
