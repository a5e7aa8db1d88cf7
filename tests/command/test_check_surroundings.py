"""`gamut check`: room for this build, not for another; folders that params.yaml names are there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from gamut.command import check
from gamut.project.pipeline import EDITIONS
from gamut.project.settings import Settings
from gamut.publish.parameters import load_everything
from tests import fakes
from tests.knowledge.small_study import BLOCK, TOY
from tests.paths import ROOT


def usage(free: float) -> Any:
    return lambda path: shutil._ntuple_diskusage(10**15, 0, int(free))  # type: ignore[attr-defined]


def test_the_disk_that_this_build_takes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little for 6 million pictures of 1024 × 1024 is a warning, too little for any build a lack."""
    few, many = (
        fakes.everything(
            sources=[{"kind": "sandbox", "wave": "a", "route": "as_is", "count": count}],
            synthesize={"width": 1024, "height": 1024, "max_failures": 0},
        )
        for count in (10, 6_000_000)
    )
    found = {}
    for free in (1e9, 5e9):
        monkeypatch.setattr(shutil, "disk_usage", usage(free))
        found[free] = [check.check_disk(params) for params in (few, many)]
    assert [(of.found, of.warning) for of in found[1e9]] == [(False, False), (False, False)]
    assert [(of.found, of.warning) for of in found[5e9]] == [(True, False), (True, True)]
    assert found[5e9][0].remark == "5.0 GB free; this build needs about 2.0 GB from its beginning (`gamut estimate`)"
    assert float(found[5e9][1].remark.split("about ")[1].split(" ")[0].replace(",", "")) > 100


def test_rows_that_nobody_knows(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", usage(5e9))
    hub = {"kind": "hub", "wave": "a", "repo": "org/name", "revision": "0" * 40, "split": "train"}
    found = check.check_disk(fakes.everything(sources=[hub | {"columns": {"caption": "c"}}]))
    assert (found.found, found.warning, found.remark) == (
        True,
        False,
        "5.0 GB free; `gamut estimate` says what a build needs",
    )


def test_a_folder_of_own_pictures_that_is_not_there(project: Path) -> None:
    EDITIONS.parent.mkdir(parents=True)
    EDITIONS.write_bytes((ROOT / EDITIONS).read_bytes())
    everything = load_everything(ROOT / "params.yaml")
    named = sorted({finding.what for finding in check.check_proposing_pictures(everything)})
    assert named == [f"datasets/{name}/pictures" for name in ("aegis", "gapeval", "genius", "gir")]
    for name in named:
        Path(name).mkdir(parents=True)
    assert list(check.check_proposing_pictures(everything)) == []


def test_links_to_folders_behind_which_dvc_does_not_look(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere/deep").mkdir(parents=True)
    (tmp_path / "elsewhere/a.jsonl").touch()
    own = Path("datasets/sources/own")
    own.mkdir(parents=True)
    (own / "linked").symlink_to(tmp_path / "elsewhere")
    (own / "a.jsonl").symlink_to(tmp_path / "elsewhere/a.jsonl")
    Path("datasets/sources/all").symlink_to(tmp_path / "elsewhere")
    assert check.linked_folders(own) == [own / "linked"]
    assert check.linked_folders(Path("datasets/sources/all/deep")) == [Path("datasets/sources/all")]
    assert check.linked_folders(own / "a.jsonl") == check.linked_folders(own / "not there") == []
    source = {"kind": "file", "wave": "a", "route": "as_is", "path": str(own), "columns": {"caption": "c"}}
    of_path, of_link = check.check_sources(fakes.everything(sources=[source]))
    assert (of_link.what, of_link.warning, of_path.warning) == (str(own / "linked"), True, False)
    assert of_link.remark.startswith("a link to a folder: DVC does not notice changes behind it")


def test_what_no_stage_builds_is_named(project: Path) -> None:
    """Of contestants, and of who is studied: a folder that an earlier build left is nobody's."""
    Path("models/bases/toy").mkdir(parents=True)
    tuned = TOY | {"adapter": {"path": "models/trained/release-0/step-9", "revision": "built"}}
    everything = fakes.everything(
        models=fakes.values()["models"] | {"toy": TOY},
        knowledge=BLOCK | {"studies": ["edit"]},
        training={"bases": ["toys"], "recipes": [], "seeds": []},
        contestants={"tuned": {"class": "generation", "model": tuned}},
        prism=fakes.values()["prism"] | {"contestants": ["tuned"], "controls_of": []},
    )
    remarks = {one.what: one.remark for one in check.check_models(everything, Settings()) if not one.found}
    lacking = "no stage builds models/bases/toy; did you mean 'models/bases/toys'?"
    assert remarks["creator: toy"] == lacking
    assert remarks["painter: tuned"].startswith(f"{lacking}; no stage builds models/trained/release-0/step-9;")
