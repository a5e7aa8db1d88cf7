"""The released layout of GIR-Bench, `dataset/reference`: prompts in JSON, and pictures in folders by task and id.

`read` takes that folder, or the one it lies in; `reference.origin.json` beside it says where it comes from. An item's
id is `<Task>/<id>`, such as `Zoology/12`, so outputs made for the released scripts, `generation/t2i/<Model>/*` and
`generation/editing/<Model>/*`, are in one folder the answers of a contestant of kind `folder`, as they are:
`Zoology/12.png`, or `012.png`.

```
mkdir outputs/mine
cp -rl dataset/generation/t2i/MODEL/* dataset/generation/editing/MODEL/* outputs/mine/
```

A contestant whose entities were drawn by their descriptions alone is put to the sides `prompt`, `t2i` and `edit`
(`benchmarks: {gir: [prompt, t2i, edit]}` in its block), by their names alone to `category` in the place of `prompt`.
For both, the two lie in folders of these names, `prompt/Zoology/12.png` and `category/Zoology/12.png`, all else as
above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.asking.requests import Picture
from stages.evaluation.curating.entries import Entry, NoItemError, text
from stages.evaluation.curating.findings import Findings
from stages.evaluation.curating.layout import Imported, Layout, Reading
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.editions import ORIGIN, Origin, read_origin, write_origin
from stages.gir.published import edits, entities, t2i
from stages.gir.published.files import NAMES, Listed, Source, listed, wanted
from stages.gir.published.writing import write_files
from stages.gir.shared.items import SUBSETS, GirItem, Task
from stages.project.errors import UserError

NAME = "reference"
KEYS: Mapping[Task, set[str]] = {
    **{domain: {"id", *entities.DESCRIPTIONS, "name", "names", "distractors"} for domain in SUBSETS["ugc"]},
    "quantity": {"id", "prompt", "task"},
    "spatial": {"id", "prompt", "task"},
    "text": {"id", "prompt", "text"},
    "jigsaw": {"id", "prompt", "rows", "columns", "cols"},
    "sudoku": {"id", "prompt", "grid_size", *edits.PUZZLE, *edits.ANSWER},
    "perception": {"id", "prompt", "description", "text", "question"},
}
"""Keys of entries that are known; others are kept as they are."""
Made = Callable[[str, Entry, Findings], dict[str, Any]]
"""From an id and its entry to what its item has."""


class TaskReading(Reading[GirItem]):
    """What is read of all tasks."""

    def add_case(self, task: Task, id: str, entry: Entry, make: Made) -> None:
        """Read one item."""
        self.add(f"{NAMES[task]}/{id}", entry, lambda said: item_of(task, id, entry, make, said))

    def take(self, listed: Listed | None) -> Mapping[str, Entry]:
        """Return the entries of a task's prompts by plain id; those without an id of their own can be no item."""
        for id, entry, error in listed.wrong if listed else ():
            self.refuse(error, said := Findings(id), entry)
            self.findings += said
        return listed.entries if listed else {}


def read(path: Path, images: Path | None) -> Imported[GirItem]:
    """Read all tasks that are there, in order of their ids; UserError where there are none, and for files that are none
    or cannot be told apart.
    """
    if images is not None:
        raise UserError(f"--images {images}: pictures lie in the folder itself: leave it out")
    root = path / NAME if (path / NAME).is_dir() else path
    if not root.is_dir():
        raise UserError(f"{path}: is no folder: name dataset/{NAME} as it was published")
    found = TaskReading()
    source = Source(root, PictureFiles(root), found.findings)
    for task in SUBSETS["t2i"]:
        read_prompts(source, task, found)
    for task in SUBSETS["ugc"]:
        read_entities(source, task, found)
    for task in ("jigsaw", "perception"):
        read_edits(source, task, found)
    read_sudokus(source, found)
    if not found.items and not found.odd:
        names = ", ".join(NAMES.values())
        raise UserError(f"{root}: there are no prompts and no pictures of any task: wanted are {names}")
    order = {task: place for place, task in enumerate(NAMES)}
    items = sorted(found.items, key=lambda item: order[item.task])
    origin = read_origin(root.with_name(f"{root.name}{ORIGIN}"))
    return Imported(items, source.pictures, origin, found.findings, found.odd)


def read_prompts(source: Source, task: Task, found: TaskReading) -> None:
    """Read a task that has prompts alone."""
    prompts = listed(source, task)
    if prompts is None:
        return
    make = {"quantity": t2i.quantity_of, "spatial": t2i.spatial_of, "text": t2i.text_of}[task]
    for id, entry in found.take(prompts).items():
        found.add_case(task, id, entry, lambda id, entry, said: {"prompt": text(entry, "prompt")} | make(entry, said))


def read_entities(source: Source, task: Task, found: TaskReading) -> None:
    """Read the entities of a domain."""
    folders, prompts = entities.entities_in(source, task), listed(source, task)
    if prompts is None:
        if folders:
            raise wanted(source, task, '"prompt"')
        return
    entries = found.take(prompts)
    called = entities.names_by_id(folders, entries)
    for id in in_order({*folders, *entries}):
        found.add_case(
            task,
            id,
            entries.get(id, {}),
            lambda id, entry, said: entities.entity_of(source, id, folders.get(id), entry, called, said),
        )


def read_edits(source: Source, task: Task, found: TaskReading) -> None:
    """Read jigsaws, whose prompts may be missing, or regions."""
    pairs, prompts = edits.pairs_of(source, task), listed(source, task)
    if prompts is None and pairs and task == "perception":
        raise wanted(source, task, '"description"')
    entries = found.take(prompts)
    make = edits.jigsaw_of if task == "jigsaw" else edits.region_of
    for id in in_order({*pairs, *entries}):
        found.add_case(
            task,
            id,
            entries.get(id, {}),
            lambda id, entry, said: make(source, id, pairs.get(id, (None, None)), entry, said),
        )


def read_sudokus(source: Source, found: TaskReading) -> None:
    """Read Sudokus, each of which has a file of its own; prompts may stand apart."""
    pairs, grids = edits.pairs_of(source, "sudoku"), edits.grids_in(source)
    entries = found.take(listed(source, "sudoku"))
    for id in in_order({*pairs, *grids, *entries}):
        entry = entries.get(id, {})
        try:
            entry = {**entry, **(edits.grid_entry(grids[id]) if id in grids else {})}
        except NoItemError as error:
            found.refuse(error, said := Findings(f"{NAMES['sudoku']}/{id}"), entry)
            found.findings += said
            continue
        found.add_case(
            "sudoku",
            id,
            entry,
            lambda id, entry, said: edits.sudoku_of(source, id, pairs.get(id, (None, None)), entry, said),
        )


def in_order(ids: set[str]) -> list[str]:
    """Return ids in order: numbers first."""
    return sorted(ids, key=lambda id: (not id.isdecimal(), int(id) if id.isdecimal() else 0, id))


def item_of(task: Task, id: str, entry: Entry, make: Made, said: Findings) -> GirItem:
    """Return one item; NoItemError or pydantic's where it can be none. Keys that nobody knows stand in `released`."""
    own = make(id, entry, said)
    others = {key: entry[key] for key in sorted(entry.keys() - KEYS[task])}
    for key, value in others.items():
        said.say(key, "key", value)
    kept = {"released": others} if others else {}
    known = {key: value for key, value in own.items() if value is not None}
    return GirItem.model_validate({"id": f"{NAMES[task]}/{id}", "task": task} | known | kept)


def write(items: Sequence[GirItem], pictures: Mapping[str, Picture], origin: Origin | None, path: Path) -> None:
    """Write items as they were released, and where they come from beside the folder."""
    write_files(items, pictures, path)
    if origin is not None:
        write_origin(origin, path.with_name(f"{NAME}{ORIGIN}"))


REFERENCE: Layout[GirItem] = Layout(NAME, read, write)
