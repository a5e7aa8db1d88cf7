"""Editions of four benchmarks from their construction to their boards: constructed in one clone by the real `dvc`, each
measured in a copy of it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from stages.gapeval.shared.items import CATEGORIES
from stages.gir.shared.items import TASKS
from stages.project.pipeline import EDITIONS
from tests.end_to_end.project import Project, clone, copy_of, opened, review
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


@dataclass(frozen=True)
class Story:
    """The project at its end, what dvc said of constructing all and of measuring, and what stages read meanwhile."""

    project: Project
    constructed: str
    measured: str
    reads: Path


def construct(folder: Path) -> None:
    """Construct v1 of each in a clone below a folder, review and freeze them; what stages read stands in `reads`."""
    project = with_tracing(clone(folder / "project"), folder / "reads")
    project.edit(with_blocks)
    project.edit(with_editions(*SMALL), EDITIONS)
    stages = [f"stages/editions/dvc.yaml:{name}_propose@v1" for name in SMALL]
    (folder / "said.txt").write_text(project.run("dvc", "repro", *stages).stdout)
    for command in unseen_commands(project.folder, folder / "reads", EDITIONS.parent.name):
        project.run(*command.split())
    for name in SMALL:
        project.run("gamut", "review", name, "v1", "--csv")
        review(project, reviewed_of(name), {})
        project.run("gamut", "freeze", name, "v1")


def with_blocks(params: Any) -> None:
    """The laptop's blocks of those that are constructed, each for its v1."""
    shipped = YAML().load((ROOT / "params.yaml").read_text())
    params |= {name: shipped[name] | {"edition": "v1", "controls_of": []} for name in SMALL}
    params["models"]["rapidocr"] = shipped["models"]["rapidocr"]


def with_editions(*names: str) -> Callable[[Any], None]:
    def change(editions: Any) -> None:
        for name in names:
            editions[name] |= {"editions": ["v1"]} | SMALL[name]

    return change


def measure(constructed: Path, folder: Path, name: str, configure: Callable[[Any], None]) -> Story:
    """Measure contestants on an edition, in a copy of the clone where it was constructed."""
    reads = folder.with_name(f"{folder.name}_reads")
    project = with_tracing(copy_of(opened(constructed / "project"), folder), reads)
    project.edit(configure)
    said = project.run("dvc", "repro", f"stages/{name}/dvc.yaml:board").stdout
    for command in unseen_commands(project.folder, reads, name):
        project.run(*command.split())
    return Story(opened(project.folder), (constructed / "said.txt").read_text(), said, reads)


def again_without_dvc(name: str, configure: Callable[[Any], None], constructed: Path, folder: Path) -> Project:
    """Do the same in another clone, stage by stage in one process, with what was decided of the same proposal."""
    project = clone(folder)
    project.edit(with_blocks)
    project.edit(configure)
    project.edit(with_editions(name), EDITIONS)
    alone = (sys.executable, "-m", "tests.end_to_end.without_dvc")
    project.run(*alone, "dvc.yaml:world", f"stages/editions/dvc.yaml:{name}_propose")
    (project.folder / reviewed_of(name)).parent.mkdir()
    shutil.copy(constructed / "project" / reviewed_of(name), project.folder / reviewed_of(name))
    project.run("gamut", "freeze", name, "v1")
    project.run(*alone, f"stages/{name}/dvc.yaml:board")
    return project


def reviewed_of(name: str) -> str:
    return f"datasets/reviews/{name}/v1.csv"


def made_of(name: str, project: Project) -> dict[str, bytes]:
    """All files of the edition, of tables and of metrics, by path."""
    places = (f"datasets/editions/{name}", f"datasets/edition_images/{name}", f"datasets/{name}", f"metrics/{name}")
    found: dict[str, bytes] = {}
    for place in map(Path, places):
        found |= {f"{place}/{path}": data for path, data in contents(project.folder / place).items()}
    return found
