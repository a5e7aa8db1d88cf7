"""Editions of four benchmarks from their construction to their boards, in one clone by the real `dvc`."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from gamut.evaluation.curating.benchmarks import curation_of
from gamut.project import decisions
from gamut.project.pipeline import EDITIONS
from stages.gapeval.shared.items import CATEGORIES
from stages.gir.shared.items import TASKS
from tests.constructing import reviewed
from tests.end_to_end.project import Project, clone, opened, with_contestants
from tests.fakes import contents
from tests.guard.declared import unseen_commands, with_tracing
from tests.paths import ROOT

SMALL = {
    "aegis": {"topics": ["food"]},
    "gir": {"drafts": dict.fromkeys(TASKS[:-1], 1)},  # of perception a person lists pictures
    "gapeval": {"drafts": dict.fromkeys(CATEGORIES, 1)},
    "genius": {},
}
"""How few items each proposes for v1."""


CONTESTANTS = {
    "gir": {"right": {}, "thoughtless": {"wrong_reasoning": 1.0}},
    "gapeval": {"torn": {"wrong_picture": 1.0}, "writer": {}},
    "genius": {"editor": {}, "reader": {"wrong_reasoning": 1.0}},
}
"""Who is put to an edition, with faults. To GIR-Bench's: who gives what is right, and who gives what is right of other
cases. To GapEval's: whose pictures are wrong, and who only writes. To GENIUS': who gives what is right, but takes no
pictures between words, and who gives what is right of other items. To AEGIS': `careful` and `hasty`.
"""
REWRITERS = ("models.world", "contestants.hasty")


@dataclass(frozen=True)
class Story:
    """The project at its end, what dvc said of constructing and of measuring all, and what stages read of either."""

    project: Project
    constructed: str
    measured: str
    reads_constructing: Path
    reads: Path

    def ran(self, name: str) -> set[str]:
        """The cells of a benchmark that dvc ran to measure it."""
        return {one for one in re.findall(r"Running stage 'stages/(.*?)'", self.measured) if one.startswith(f"{name}/")}

    def metrics(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.project.folder / f"metrics/{path}.json").read_text())
        return found


def story_in(folder: Path) -> Story:
    said = ((folder / name).read_text() for name in ("constructed.txt", "measured.txt"))
    return Story(opened(folder / "project"), *said, folder / "constructing", folder / "measuring")


def make_story(folder: Path) -> None:
    """Construct v1 of each in a clone below a folder, review and freeze them, and measure contestants on all."""
    project = clone(folder / "project")
    project.edit(configure)
    project.edit(with_editions(*SMALL), EDITIONS)
    stages = [f"stages/editions/dvc.yaml:{name}_propose@v1" for name in SMALL]
    traced = with_tracing(project, folder / "constructing")
    (folder / "constructed.txt").write_text(traced.run("dvc", "repro", *stages).stdout)
    for command in unseen_commands(project.folder, folder / "constructing", EDITIONS.parent.name):
        traced.run(*command.split())
    for name in SMALL:
        with chdir(project.folder):
            reviewed(curation_of(name))
        project.run("gamut", "freeze", name, "v1")
    traced = with_tracing(project, folder / "measuring")
    boards = [f"stages/{name}/dvc.yaml:board" for name in SMALL]
    (folder / "measured.txt").write_text(traced.run("dvc", "repro", *boards).stdout)
    for name in SMALL:
        for command in unseen_commands(project.folder, folder / "measuring", name):
            traced.run(*command.split())


def configure(params: Any) -> None:
    """The laptop's blocks of those that are constructed, each for its v1, and its contestants."""
    shipped = YAML().load((ROOT / "params.yaml").read_text())
    params |= {name: shipped[name] | {"edition": "v1", "controls_of": []} for name in SMALL}
    params["models"] |= {"rapidocr": shipped["models"]["rapidocr"], "second": {"kind": "sandbox"}}
    with_contestants(params)
    params["aegis"] |= {"rewriters": [*REWRITERS], "controls_of": ["careful"]}
    for name, contestants in CONTESTANTS.items():
        params[name]["contestants"] = [*contestants]
        params["contestants"] |= {
            one: {"class": "unified", "model": {"kind": "sandbox", "faults": faults}}
            for one, faults in contestants.items()
        }
    params["contestants"]["writer"]["class"] = "understanding"
    params["contestants"]["editor"] |= {"class": "editing", "settings": {"genius": ["edit"]}}
    params["genius"]["settings"] = ["interleaved", "edit", "probe"]


def with_editions(*names: str) -> Callable[[Any], None]:
    def change(editions: Any) -> None:
        for name in names:
            editions[name] |= {"editions": ["v1"]} | SMALL[name]

    return change


def again_without_dvc(name: str, story: Story, folder: Path) -> Project:
    """Do the same in another clone, stage by stage in one process, with what was decided of the same proposal."""
    project = clone(folder)
    project.edit(configure)
    project.edit(with_editions(name), EDITIONS)
    alone = (sys.executable, "-m", "tests.end_to_end.without_dvc")
    project.run(*alone, "dvc.yaml:world", f"stages/editions/dvc.yaml:{name}_propose")
    shutil.copytree(story.project.folder / decisions.FOLDER, project.folder / decisions.FOLDER, dirs_exist_ok=True)
    project.run("gamut", "freeze", name, "v1")
    project.run(*alone, f"stages/{name}/dvc.yaml:board")
    return project


def made_of(name: str, project: Project) -> dict[str, bytes]:
    """All files of the edition, of tables and of metrics, by path."""
    places = (f"datasets/editions/{name}", f"datasets/edition_images/{name}", f"datasets/{name}", f"metrics/{name}")
    found: dict[str, bytes] = {}
    for place in map(Path, places):
        found |= {f"{place}/{path}": data for path, data in contents(project.folder / place).items()}
    return found
