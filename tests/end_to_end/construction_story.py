"""A benchmark in two clones, from its construction to its board: by the real `dvc`, and without it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.end_to_end.project import Project, clone, review
from tests.fakes import contents


@dataclass(frozen=True)
class Story:
    """The project at its end, what each step said, and what was made by `dvc` and without it, by path."""

    project: Project
    said: dict[str, str]
    made: list[dict[str, bytes]]


def constructed_and_measured(name: str, configure: Callable[[Any], None], folders: pytest.TempPathFactory) -> Story:
    """Construct the edition v1, review and freeze it, and measure contestants."""
    propose, board = f"stages/{name}/construction/dvc.yaml:propose", f"stages/{name}/dvc.yaml:board"
    by_dvc, without = (clone(folders.mktemp(f"{name}_{way}") / "project") for way in ("by_dvc", "without"))
    alone = f"{sys.executable} -m tests.end_to_end.without_dvc"
    said, made, reviewed = dict.fromkeys(("proposed", "measured"), ""), [], f"datasets/reviews/{name}/v1.csv"
    for project, proposing, measuring in (
        (by_dvc, f"dvc repro {propose}@v1", f"dvc repro {board}"),
        (without, f"{alone} dvc.yaml:world {propose}", f"{alone} {board}"),
    ):
        project.edit(configure)
        said["proposed"] += project.run(*proposing.split()).stdout
        if project is by_dvc:
            project.run("gamut", "review", name, "v1", "--csv")
            review(project, reviewed, {})
        else:  # what was decided of the same proposal
            (without.folder / reviewed).parent.mkdir()
            shutil.copy(by_dvc.folder / reviewed, without.folder / reviewed)
        project.run("gamut", "freeze", name, "v1")
        said["measured"] += project.run(*measuring.split()).stdout
        places = (f"datasets/editions/{name}", f"datasets/edition_images/{name}", f"datasets/{name}", f"metrics/{name}")
        made.append(
            {f"{place}/{path}": data for place in places for path, data in contents(project.folder / place).items()}
        )
    return Story(by_dvc, said, made)
