"""Where things lie in the published folders: `<task>/test_data.json`, and the pictures that its texts name.

A picture is looked for in `<task>/images`, where the published scripts look, then in `<task>`, then in `images/<task>`,
inside `dataset` or beside it; a name without an ending is that of a `.png`, or of another picture where there is none.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stages.evaluation.curating.findings import Finding, Findings, unprintable
from stages.genius.shared.items import TASKS, Task
from stages.project.errors import UserError
from stages.project.inputs import is_visible, stays_within

NAME = "dataset"
LIST = "test_data.json"
IMAGES = "images"
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
AS_WRITTEN = (".png", ".jpg", ".jpeg")
"""Endings with which the published scripts take a name for that of a file; to any other they add `.png`."""


class Source(NamedTuple):
    """What is read: the folder `dataset`, and the one that nothing read may lie outside of, which may be the same."""

    base: Path
    dataset: Path

    def list_of(self, task: str) -> Path:
        """Return where the items of a task stand."""
        return self.dataset / task / LIST

    def within(self, path: Path) -> bool:
        """Return whether a path does not lead out of the folder, as a link might."""
        return stays_within(self.base, path)


class Shelf:
    """The pictures of a task: paths below the base, by what texts may call them, the first place first.

    `used`: those that were asked for.
    """

    def __init__(self, places: Sequence[str]) -> None:
        self.places = places
        self.files: dict[str, list[str]] = {}
        self.alike: dict[str, list[str]] = {}
        self.used: set[str] = set()

    def add(self, name: str, path: str) -> None:
        """Add what lies in one of the places under this name."""
        self.files.setdefault(name, []).append(path)
        self.alike.setdefault(plain(name), []).append(path)

    def find(self, name: str, said: Findings) -> str:
        """Return the path of the picture that a text calls so; told is what had to be chosen. ValueError where there is
        none, with the places where it was looked for.
        """
        with_ends = [f"{name}{end}" for end in PICTURES]
        wanted = [name, *with_ends] if name.lower().endswith(PICTURES) else [*with_ends, name]
        exact = next((self.files[one] for one in wanted if one in self.files), [])
        paths = exact or next((self.alike[plain(one)] for one in wanted if plain(one) in self.alike), [])
        if not paths:
            raise ValueError(f"there is no {file_name(name)!r} in {', '.join(self.places)}")
        self.used.update(paths)
        if not exact or len(paths) > 1:
            said.say(IMAGES, "assumed", f"{name}: {', '.join(paths)}", paths[0])
        return paths[0]

    @property
    def unused(self) -> list[str]:
        """Return the paths that nobody asked for, in order."""
        return sorted({path for paths in self.files.values() for path in paths} - self.used)


def source_of(path: Path) -> Source:
    """Return what is read where somebody names `dataset`, or the folder that it lies in; UserError for no such."""
    dataset = path / NAME if (path / NAME).is_dir() else path
    if not dataset.is_dir():
        raise UserError(f"{path}: is no folder: name the one in which those of the tasks lie ({', '.join(TASKS)})")
    return Source(path, dataset)


def others_in(source: Source, findings: list[Finding]) -> tuple[list[str], list[str]]:
    """Return the folders that are no task's: those with items all the same, and the rest."""
    folders = [path for path in sorted(source.dataset.iterdir()) if path.is_dir() and is_visible(path.name)]
    others = [path.name for path in printable(folders, findings) if path.name not in (*TASKS, IMAGES)]
    with_items = [name for name in others if source.list_of(name).exists()]
    return with_items, [name for name in others if name not in with_items]


def shelf_of(source: Source, task: Task, findings: list[Finding]) -> Shelf:
    """Return the pictures of a task."""
    own = source.dataset / task
    places = list(dict.fromkeys([own / IMAGES, own, source.dataset / IMAGES / task, source.base / IMAGES / task]))
    shelf = Shelf([place.relative_to(source.base).as_posix() for place in places])
    for place in places:
        for file in printable(pictures_below(place), findings) if source.within(place) else ():
            shelf.add(file.relative_to(place).as_posix(), file.relative_to(source.base).as_posix())
    return shelf


def pictures_below(place: Path) -> Iterator[Path]:
    """Yield the pictures in a folder and its folders, in order; links to folders are not followed."""
    for folder, folders, files in os.walk(place):
        folders[:] = sorted(filter(is_visible, folders))
        for name in sorted(filter(is_visible, files)):
            if name.lower().endswith(PICTURES):
                yield Path(folder, name)


def printable(paths: Iterable[Path], findings: list[Finding]) -> Iterator[Path]:
    """Yield the paths whose names can be printed, and tell of others."""
    for path in paths:
        if path.name.isprintable():
            yield path
        elif (said := unprintable(path)) not in findings:  # a folder of pictures is read as two places
            findings.append(said)


def plain(name: str) -> str:
    """Return a file's name as such names are told apart: letters in one case and form (NFC)."""
    return unicodedata.normalize("NFC", name).casefold()


def file_name(name: str) -> str:
    """Return what the published scripts take for the file of a picture of this name."""
    return name if name.lower().endswith(AS_WRITTEN) else f"{name}.png"
