"""A benchmark in a clone, from its construction to its board: by the real `dvc`, and once more without it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.project import Project, clone, opened, review
from tests.fakes import contents
from tests.guard.declared import unseen_commands, with_tracing


@dataclass(frozen=True)
class Story:
    """The project at its end, what each step said, and the folder of what its stages read."""

    project: Project
    said: dict[str, str]
    reads: Path


def constructed_and_measured(name: str, configure: Callable[[Any], None], folders: pytest.TempPathFactory) -> Story:
    """Construct the edition v1, review and freeze it, and measure contestants."""
    folder = folders.mktemp(f"{name}_by_dvc")
    project = with_tracing(clone(folder / "project"), folder / "reads")
    project.edit(configure)
    said = {"proposed": project.run("dvc", "repro", f"stages/{name}/construction/dvc.yaml:propose@v1").stdout}
    project.run("gamut", "review", name, "v1", "--csv")
    review(project, reviewed_of(name), {})
    project.run("gamut", "freeze", name, "v1")
    said["measured"] = project.run("dvc", "repro", f"stages/{name}/dvc.yaml:board").stdout
    for command in unseen_commands(project.folder, folder / "reads", name):
        project.run(*command.split())
    return Story(opened(project.folder), said, folder / "reads")


def again_without_dvc(
    name: str, configure: Callable[[Any], None], story: Story, folders: pytest.TempPathFactory
) -> Project:
    """Do the same in another clone, stage by stage in one process, with what was decided of the same proposal."""
    project = clone(folders.mktemp(f"{name}_without") / "project")
    project.edit(configure)
    alone = (sys.executable, "-m", "tests.end_to_end.without_dvc")
    project.run(*alone, "dvc.yaml:world", f"stages/{name}/construction/dvc.yaml:propose")
    (project.folder / reviewed_of(name)).parent.mkdir()
    shutil.copy(story.project.folder / reviewed_of(name), project.folder / reviewed_of(name))
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
