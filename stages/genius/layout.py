"""The released layout of GENIUS: `dataset/<task>/test_data.json`, with the pictures that its texts name beside it.

`read` takes `dataset`, or the folder that it lies in. What was published is for non-commercial research: unless
`dataset.origin.json` beside it says where else it comes from, the edition says so, and is not published again.

An item's id is `<task>/<id>`, so outputs made for the released scripts, `outputs/<model>/<task>/<id>.png`, are the
answers of a contestant of kind `folder` as they are: `path: outputs/<model>`, put to one side.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.asking.models.folder_paths import plain as as_asked
from stages.asking.requests import Picture
from stages.evaluation.curating.entries import Entry, NoItemError, entries_of, id_of, texts_in
from stages.evaluation.curating.findings import Finding, Findings, shown
from stages.evaluation.curating.layout import Imported, Layout, Reading
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.editions import ORIGIN, Origin, read_origin, write_origin
from stages.genius.published.entries import fields_of, item_of, name_of, role_of
from stages.genius.published.folders import (
    IMAGES,
    LIST,
    NAME,
    Shelf,
    Source,
    file_name,
    others_in,
    plain,
    shelf_of,
    source_of,
)
from stages.genius.published.tags import names_in, renamed
from stages.genius.shared.items import TASKS, GeniusItem, Task
from stages.project.errors import UserError, nearest
from stages.project.files import write_json, write_whole

SOURCE, LICENCE = "https://github.com/arctanxarc/GENIUS", "cc-by-nc-4.0"
LONGEST = 255
"""Bytes of a file's name."""


def read(path: Path, images: Path | None) -> Imported[GeniusItem]:
    """Read all tasks that are there, in order of their ids, and what is wrong with them; UserError where there are
    none.
    """
    if images is not None:
        raise UserError(f"--images {images}: pictures lie in the tasks' folders: leave it out")
    source = source_of(path)
    reading = TaskReading(source)
    with_items, others = others_in(source, reading.findings)
    for name in with_items:
        reading.refuse_file(Finding(None, name, "term", name), f"there is no such task{nearest(name, TASKS)}")
    reading.findings += [Finding(None, name, "key", "a folder that is no task's") for name in others]
    for task in TASKS:
        reading.read_task(task)
    if not reading.items and not reading.odd and not reading.unread:
        raise UserError(f"{path}: there are no items in it: <task>/{LIST} is wanted, of {', '.join(TASKS)}")
    found = reading.items, reading.files, origin_of(source), reading.findings
    return Imported(*found, odd=reading.odd, unread=reading.unread)


class TaskReading(Reading[GeniusItem]):
    """What is read of all tasks: also their pictures, and the lists of items that cannot be read."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source, self.files = source, PictureFiles(source.base)
        self.unread: list[str] = []

    def refuse_file(self, finding: Finding, why: str) -> None:
        """Tell of what can be no list of items."""
        self.findings.append(finding)
        self.unread.append(f"{finding.field}: {why}")

    def read_task(self, task: Task) -> None:
        """Read the items of a task; told are a list that is missing, and pictures that no item names."""
        shelf, taken = shelf_of(self.source, task, self.findings), dict[str, str | int]()
        for entry in self.entries(task):
            self.read_item(task, entry, shelf, taken)
        self.findings += [Finding(None, path, "count", "a picture that no item names") for path in shelf.unused]

    def entries(self, task: Task) -> list[Any]:
        """Return the list of a task, in order of ids; empty where there is none, which is told."""
        path, where = self.source.list_of(task), f"{task}/{LIST}"
        if not path.exists():
            self.findings.append(Finding(None, where, "count", "there is no such file"))
            return []
        if not self.source.within(path):
            self.refuse_file(Finding(None, where, "type", None), "it leads out of the folder: copy the file there")
            return []
        try:
            found = entries_of(path)
        except UserError as error:
            said = str(error).removeprefix(f"{path}: ")
            self.refuse_file(Finding(None, where, "type", shown(said)), said)
            return []
        if not found:
            self.findings.append(Finding(None, where, "count", "there are no items in it"))
        return found

    def read_item(self, task: Task, entry: Any, shelf: Shelf, taken: dict[str, str | int]) -> None:
        """Read one item; `taken` has ids by how files of answers tell them apart."""
        id = id_of(entry)

        def make(said: Findings) -> GeniusItem:
            if id is None or not re.fullmatch(r"[^/.][^/]*", str(id)):
                value = entry.get("id") if isinstance(entry, dict) else entry
                raise NoItemError(f"{task}.id", "type", value, "it can be no file's name")
            if (twin := taken.get(key := as_asked(str(id)))) is not None:
                raise NoItemError("id", "duplicate", id, f"it cannot be told from {twin!r}: rename one and its outputs")
            taken[key] = id
            return item_of(task, str(id), entry, shelf, self.files, said)

        self.add(None if id is None else f"{task}/{id}", entry, make)


def origin_of(source: Source) -> Origin:
    """Return where the files come from: as is said beside `dataset`, else what was published, by the digest of the
    lists; that may not be published again.
    """
    dataset = Path(os.path.abspath(source.dataset))  # what `.` is called; a link stays what it is
    said = read_origin(dataset.with_name(f"{dataset.name}{ORIGIN}"))
    if said is not None:
        return said
    lists = [path.read_bytes() for path in map(source.list_of, TASKS) if path.is_file() and source.within(path)]
    revision = hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in lists)).hexdigest()
    return Origin(source=SOURCE, revision=f"sha256-{revision}", licence=LICENCE, redistributable=False)


def write(items: Sequence[GeniusItem], pictures: Mapping[str, Picture], origin: Origin | None, path: Path) -> None:
    """Write items as they were released, and where they come from beside the folder; ValueError for a picture that no
    text of its item names, as it would be lost, and for names that cannot be those of files.

    Where two items of a task mean different pictures by one name, both are called `<id>_<name>`.
    """
    for task in TASKS:
        entries, there = list[Entry](), dict[str, str]()
        for item, names in told_apart([item for item in items if item.task == task]):
            entries.append(renamed(entry_of(item), {old: new for old, new in names.items() if old != new}))
            for picture in item.images:
                file = file_of(item, names[picture.name])
                if there.setdefault(plain(file), picture.sha256) != picture.sha256:
                    raise ValueError(f"item {item.id!r}: its picture {picture.name!r} would be another's file {file!r}")
                write_whole(path / task / IMAGES / file, pictures[picture.sha256].data)
        if entries:
            write_json(path / task / LIST, entries)
    if origin is not None:
        write_origin(origin, path.with_name(f"{NAME}{ORIGIN}"))


def told_apart(items: Sequence[GeniusItem]) -> Iterator[tuple[GeniusItem, Mapping[str, str]]]:
    """Yield the items of a task with what each of their pictures is called in files."""
    meant = dict[str, set[str]]()
    for item in items:
        for picture in item.images:
            meant.setdefault(plain(file_name(picture.name)), set()).add(picture.sha256)
    for item in items:
        names = [picture.name for picture in item.images]
        yield (
            item,
            {name: f"{name_of(item)}_{name}" if len(meant[plain(file_name(name))]) > 1 else name for name in names},
        )


def entry_of(item: GeniusItem) -> Entry:
    """Return an item's entry; ValueError for a picture that would not come in again as what it is."""
    entry = fields_of(item)
    given, named = names_in(item.context, item.prompt), names_in(*texts_in(entry))
    for picture in item.images:
        if picture.name not in named:
            raise ValueError(
                f"item {item.id!r}: none of its texts names its picture {picture.name!r}: it would be lost"
            )
        if picture.role != (role := role_of(picture.name, given)):
            raise ValueError(f"item {item.id!r}: its picture {picture.name!r}, {picture.role}, would come in as {role}")
    return entry


def file_of(item: GeniusItem, name: str) -> str:
    """Return the file of a picture below the folder of pictures; ValueError for a name that can be no file's there."""
    file = file_name(name)
    if any(part.startswith(".") or not 0 < len(part.encode()) <= LONGEST for part in file.split("/")):
        raise ValueError(f"item {item.id!r}: its picture {name!r} can be no file's name")
    return file


FOLDER: Layout[GeniusItem] = Layout(NAME, read, write)
