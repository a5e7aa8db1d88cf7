"""The released layout of GIR-Bench, the folder `dataset/reference`: prompts in `prompt/<Task>.json`, pictures in
folders.

The number of a jigsaw's tiles, and the position of a Sudoku's grid, are found in the pictures. An item's id is
`<Task>/<id>`, so a contestant of kind `folder` can use outputs made for the released scripts.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.asking.requests import seed_of
from gamut.evaluation.curating.entries import Entry, NoItemError, id_of, read_text
from gamut.evaluation.curating.findings import Finding, Findings
from gamut.evaluation.curating.folders import FolderReading, unread_keys
from gamut.evaluation.curating.layout import ImportedItems, Layout
from gamut.evaluation.defining.editions import EditionPicture, Role
from gamut.project.errors import UserError
from gamut.tables.columns import grouped
from gamut.tables.images import upright_rgb
from stages.gir.grids import frame_of, tiling_of
from stages.gir.shared.items import DISTRACTORS, SUBSETS, Frame, GirItem, Task
from stages.gir.shared.measures.overlap import INSIDE_LEVEL
from stages.gir.shared.prompts import JIGSAW, REGION, SUDOKU

NAME, PROMPTS, GRIDS = "reference", "prompt", "sudoku"
NAMES: Mapping[Task, str] = {
    "zoology": "Zoology",
    "botany": "Botany",
    "geography": "Geography",
    "quantity": "NumericalReasoning",
    "spatial": "SpatialLayout",
    "text": "TextRendering",
    "jigsaw": "VisualPuzzle",
    "sudoku": "VisualLogic",
    "perception": "ReasoningPerception",
}
"""The layout's names of tasks: for folders of pictures, files of prompts, and folders of answers."""
EDIT_FOLDERS: Mapping[Task, Mapping[str, Role]] = {
    "jigsaw": {"question": "input", "solution": "solution"},
    "sudoku": {"question": "input", "answer": "solution"},
    "perception": {"image": "input", "mask": "mask"},
}
"""Folders of edits, and the role of the picture in each."""
KEYS: Mapping[Task, Sequence[str]] = {
    "quantity": ("task",),
    "spatial": ("task",),
    "text": ("text",),
    "jigsaw": ("rows", "columns"),
    "sudoku": ("grid_size", "puzzle", "solution"),
}
"""Keys of entries that are read, besides `id` and `prompt`."""
DIRECTIONS = {"left": "left", "right": "right", "up": "above", "above": "above", "down": "below", "below": "below"}


NamedFile = tuple[str, Role, str]
"""A picture's name and role, and its file."""


class Case(NamedTuple):
    """The content of one case: its entry, its files by folder, and the names of its domain's entities by id."""

    reading: FolderReading[GirItem]
    task: Task
    id: str
    entry: Entry
    files: Mapping[str, str]
    entities: Mapping[str, str]
    findings: Findings


def read(path: Path, images: Path | None) -> ImportedItems[GirItem]:
    root = path / NAME if (path / NAME).is_dir() else path
    reading = FolderReading[GirItem](root, f"dataset/{NAME} as it was published", images)
    for task in NAMES:
        read_task(reading, task)
    if not reading.items and not reading.odd and not reading.unread:
        names = ", ".join(NAMES.values())
        raise UserError(f"{root} has no prompts and no pictures of any task: {names} are expected")
    return reading.imported()


def read_task(reading: FolderReading[GirItem], task: Task) -> None:
    """Read the cases of a task: all that have a prompt or a file."""
    name, entries = NAMES[task], prompts_of(reading, task)
    files = dict(files_of(reading, task))
    ids = {id for of_folder in files.values() for id in of_folder}
    if entries is None and ids and task not in ("jigsaw", "sudoku"):
        form = 'a list of {"id", "prompt"} is expected'
        reading.refuse_file(f"{PROMPTS}/{name}.json", "type", f"there is no such file: {form}")
        return
    entities = {
        id: one_line(Path(path).name.partition("_")[2].replace("_", " ")) for id, path in files.get("", {}).items()
    }
    numbers_first = sorted(
        ids | (entries or {}).keys(), key=lambda id: (not id.isdecimal(), int(id) if id.isdecimal() else 0, id)
    )
    for id in numbers_first:
        files_of_case = {folder: of_folder[id] for folder, of_folder in files.items() if id in of_folder}
        entry = (entries or {}).get(id, {})

        def make(
            findings: Findings, id: str = id, entry: Entry = entry, files_of_case: Mapping[str, str] = files_of_case
        ) -> GirItem:
            if GRIDS in files_of_case:
                entry = entry | reading.entry(files_of_case[GRIDS], findings)
            return item_of(Case(reading, task, id, entry, files_of_case, entities, findings))

        reading.add(
            f"{name}/{id}", entry or (reading.content(files_of_case[GRIDS]) if GRIDS in files_of_case else {}), make
        )


def prompts_of(reading: FolderReading[GirItem], task: Task) -> dict[str, Entry] | None:
    """Return the entries of a task by plain id; None if there is no list. Entries without an id are refused."""
    name = NAMES[task]
    listed, entries = reading.listed(f"{PROMPTS}/{name}.json"), dict[str, Entry]()
    for entry in listed or ():
        id = id_of(entry)
        if id is None or "/" in str(id):
            value = entry.get("id") if isinstance(entry, dict) else entry
            error, findings = NoItemError(f"{name}.id", "type", value), Findings(None)
        elif plain_id(id) in entries:
            error = NoItemError("id", "duplicate", id, f"it occurs twice in {reading.root}/{PROMPTS}/{name}.json")
            findings = Findings(f"{name}/{plain_id(id)}")
        else:
            entries[plain_id(id)] = entry
            continue
        reading.refuse(error, findings, entry)
        reading.findings += findings
    return None if listed is None else entries


def files_of(reading: FolderReading[GirItem], task: Task) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the files of a task by folder and plain id. An entity has a folder of files."""
    name = NAMES[task]
    if task in SUBSETS["ugc"]:
        folders = [f"{name}/{one}" for one in reading.folders(name) if "_" in one]
        yield "", by_id(reading, name, folders, lambda path: path.name.partition("_")[0])
    for folder in EDIT_FOLDERS.get(task, ()):
        yield folder, by_id(reading, f"{name}/{folder}", reading.pictures(f"{name}/{folder}"), lambda path: path.stem)
    if task == "sudoku":
        place = f"{name}/{GRIDS}"
        grids = [f"{place}/{one}" for one in reading.below(place) if one.lower().endswith(".json")]
        yield GRIDS, by_id(reading, place, grids, lambda path: path.stem)


def by_id(
    reading: FolderReading[GirItem], place: str, paths: Iterable[str], called: Callable[[Path], str]
) -> Mapping[str, str]:
    """Return paths by plain id. Two paths with one id are both left out and reported."""
    all_of = grouped((plain_id(called(Path(path))), path) for path in paths)
    for id, some in all_of.items():
        if len(some) > 1:
            names = ", ".join(Path(path).name for path in some)
            reading.findings.append(Finding(None, place, "duplicate", f"all are {id}: {names}"))
    return {id: some[0] for id, some in all_of.items() if len(some) == 1}


def plain_id(id: object) -> str:
    """Return an id in a form for comparison: a number without leading zeros, else its letters in one form (NFC)."""
    text = unicodedata.normalize("NFC", str(id))
    return str(int(text)) if text.isascii() and text.isdigit() else text


def one_line(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def item_of(case: Case) -> GirItem:
    """Return one item. NoItemError or pydantic's error if it cannot become one. Unknown keys are kept in `released`."""
    own = VALUES[case.task](case)
    released = unread_keys(case.entry, {"id", "prompt", *KEYS.get(case.task, ())}, case.findings)
    known = {key: value for key, value in own.items() if value is not None}
    kept = {"released": released} if released else {}
    return GirItem.model_validate({"id": f"{NAMES[case.task]}/{case.id}", "task": case.task} | known | kept)


def entity_values(case: Case) -> dict[str, Any]:
    if "" not in case.files:
        raise NoItemError("name", "type", None, f"there is no folder {NAMES[case.task]}/{case.id}_<name>")
    name, files = case.entities[case.id], sorted(case.reading.pictures(case.files[""]))
    if not files:
        case.findings.say("reference", "picture", "there is no reference picture")
    references: list[NamedFile] = [(f"reference_{n}", "reference", file) for n, file in enumerate(files, start=1)]
    pictures, why = read_pictures(case, references)
    return {
        "prompt": read_text(case.entry, "prompt"),
        "entity": name,
        "names": [name],
        "distractors": draw_distractors(case.id, case.entities),
        "texts": [name],
        "images": pictures,
        "unusable": why,
    }


def draw_distractors(id: str, called: Mapping[str, str]) -> list[str]:
    """Return up to `DISTRACTORS` other names of the domain, drawn by a hash: a longer list changes few of them."""
    drawn = sorted((other for other in called if other != id), key=lambda other: (seed_of(f"{id}/{other}", 0), other))
    own = called[id].casefold()
    return list(dict.fromkeys(called[other] for other in drawn if called[other].casefold() != own))[:DISTRACTORS]


def read_pictures(case: Case, files: Sequence[NamedFile]) -> tuple[list[EditionPicture], str | None]:
    """Return the pictures, and why the item cannot be used if some are missing, which is also reported."""
    pictures = [case.reading.picture(file, name, role, name, case.findings) for name, role, file in files]
    why = [str(one.found) for one in case.findings if one.defect == "picture"]
    return [one for one in pictures if one is not None], "; ".join(why) or None


def quantity_values(case: Case) -> dict[str, Any]:
    prompt, task = read_text(case.entry, "prompt"), task_of(case.entry)
    objects = [label_of("task.objects", one) for one in wanted_list(task, "objects")]
    numbers = wanted_list(task, "number")
    for place, one in enumerate(numbers):
        if not isinstance(one, int) or isinstance(one, bool) or one < 0:
            raise NoItemError(f"task.number.{place}", "type", one, "a whole number is expected")
    if len(objects) != len(numbers):
        raise NoItemError("task.number", "count", f"{len(numbers)} numbers for {len(objects)} objects")
    return {"prompt": prompt, "objects": objects, "numbers": numbers}


def spatial_values(case: Case) -> dict[str, Any]:
    """Return objects and relations, "red car" with colours. NoItemError for an unknown or ambiguous object."""
    prompt, task = read_text(case.entry, "prompt"), task_of(case.entry)
    names = [label_of("task.objects", one) for one in group_members(wanted_list(task, "objects"))]
    colours = group_members(wanted_list(task, "colors")) if task.get("colors") else [""] * len(names)
    if len(colours) != len(names):
        raise NoItemError("task.colors", "count", f"{len(colours)} colours for {len(names)} objects")
    if wrong := [one for one in colours if one is not None and not isinstance(one, str)]:
        raise NoItemError("task.colors", "type", wrong[0])
    labels = [one_line(f"{colour or ''} {name}") for colour, name in zip(colours, names, strict=True)]
    relations = []
    for number, one in enumerate(wanted_list(task, "relative_position")):
        where = f"task.relative_position.{number}"
        if not isinstance(one, dict):
            raise NoItemError(where, "type", one)
        ends = {key: labels_meant(f"{where}.{key}", one.get(key), names, labels) for key in ("subject", "object")}
        if (direction := one.get("direction")) not in [*DIRECTIONS]:
            raise NoItemError(f"{where}.direction", "term", direction, f"expected one of {', '.join(DIRECTIONS)}")
        relations.append(ends | {"direction": DIRECTIONS[direction]})
    return {"prompt": prompt, "objects": labels, "relations": relations}


def labels_meant(where: str, value: Any, names: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that one end of a relation means."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(labels):
        return (labels[value],)
    meant = []
    for one in value if isinstance(value, list) and value else [value]:
        if not isinstance(one, str):
            raise NoItemError(where, "type", value, "a name, names, or a place among all names is expected")
        both = zip(names, labels, strict=True)
        known = [wanted for name, wanted in both if one_line(one) in (name, wanted)]
        if len(known) != 1:
            raise NoItemError(where, "term", f"{one!r}, of which there are {len(known)}")
        meant += known
    return tuple(meant)


def task_of(entry: Entry) -> dict[str, Any]:
    task = entry.get("task")
    if not isinstance(task, dict):
        raise NoItemError("task", "type", task)
    return task


def wanted_list(task: Mapping[str, Any], key: str) -> list[Any]:
    value = task.get(key)
    if not isinstance(value, list) or not value:
        raise NoItemError(f"task.{key}", "type", value, "a list is expected")
    return value


def group_members(groups: Sequence[Any]) -> list[Any]:
    """Return the members of all groups, in order. An entry that is not a list is a group of one."""
    return [one for group in groups for one in (group if isinstance(group, list) else [group])]


def label_of(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise NoItemError(where, "type", value)
    return one_line(value)


def lettering_values(case: Case) -> dict[str, Any]:
    prompt, words = read_text(case.entry, "prompt"), read_text(case.entry, "text")
    return {"prompt": prompt, "lettering": words, "texts": [words]}


def edit_pictures(case: Case) -> tuple[list[EditionPicture], str | None]:
    folders = EDIT_FOLDERS[case.task]
    for folder in (folder for folder in folders if folder not in case.files):
        missing = f"there is no {NAMES[case.task]}/{folder}/{case.id}.png"
        case.findings.say(f"{folders[folder]}_1", "picture", missing)
    return read_pictures(case, [(f"{role}_1", role, case.files[f]) for f, role in folders.items() if f in case.files])


def jigsaw_values(case: Case) -> dict[str, Any]:
    (pictures, why), entry = edit_pictures(case), case.entry
    rows, columns = entry.get("rows", 0), entry.get("columns", 0)
    if not all(isinstance(one, int) and 0 <= one <= 100 for one in (rows, columns)) or bool(rows) != bool(columns):
        raise NoItemError("rows", "type", [rows, columns], "whole numbers of rows and columns are expected")
    if not rows and why is None:
        found = tiling_of(*(pixels(case, one) for one in pictures))
        if found is None:
            raise NoItemError("rows", "type", None, "its tiles are not those of the solution: say rows and columns")
        rows, columns = found
    same = JIGSAW.format(rows=rows or "some", columns=columns or "some")  # the case cannot be asked
    prompt = read_text(entry, "prompt") if "prompt" in entry else same
    return {"prompt": prompt, "rows": rows, "columns": columns, "images": pictures, "unusable": why}


def sudoku_values(case: Case) -> dict[str, Any]:
    """Return the values of a Sudoku. If no frame is visible, it is the whole picture."""
    entry = case.entry
    puzzle, answer = (grid_digits(entry, key) for key in ("puzzle", "solution"))
    size = math.isqrt(len(puzzle))
    if entry.get("grid_size") != size:
        raise NoItemError("grid_size", "count", entry.get("grid_size"), f"the grid has {len(puzzle)} cells")
    pictures, why = edit_pictures(case)
    frame = None
    if why is None:
        frame = frame_of(pixels(case, pictures[0]), size)
        if frame is None:
            frame = Frame(0.0, 0.0, 1.0, 1.0)
            case.findings.say("frame", "assumed", "no grid is seen in the picture", "the whole picture")
    prompt = read_text(entry, "prompt") if "prompt" in entry else SUDOKU.format(size=size)
    own = {"prompt": prompt, "puzzle": puzzle, "answer": answer}
    return own | {"frame": frame, "images": pictures, "unusable": why}


def grid_digits(entry: Entry, key: str) -> str:
    """Return a grid as digits row by row, 0 for an empty cell."""
    rows = entry.get(key)
    wanted = isinstance(rows, list) and rows and all(isinstance(row, list) and len(row) == len(rows) for row in rows)
    cells = [cell for row in rows for cell in row] if wanted and isinstance(rows, list) else []
    if not cells or not all(type(cell) is int and 0 <= cell <= 9 for cell in cells):
        raise NoItemError(key, "type", rows, "as many rows as columns of digits are expected, 0 for an empty cell")
    return "".join(map(str, cells))


def region_values(case: Case) -> dict[str, Any]:
    """Return a region's values. NoItemError for a mask that is empty or of another size. Default colour: green."""
    pictures, why = edit_pictures(case)
    if why is None:
        image, mask = (pixels(case, one) for one in pictures)
        if image.shape != mask.shape:
            sizes = " and ".join(f"{one.shape[1]}x{one.shape[0]}" for one in (image, mask))
            raise NoItemError("mask_1", "count", sizes, "picture and mask are to have one size, in pixels")
        if not (mask > INSIDE_LEVEL).any():
            raise NoItemError("mask_1", "blank", pictures[1].origin, "nothing is marked in it, so this is no case")
    prompt = read_text(case.entry, "prompt")
    if "green" not in prompt.casefold():
        sentence = one_line(prompt)
        prompt = f"{sentence if sentence.endswith(('.', '!', '?')) else f'{sentence}.'} {REGION}"
        case.findings.say("prompt", "assumed", "it does not say in which colour", REGION)
    return {"prompt": prompt, "images": pictures, "unusable": why}


def pixels(case: Case, picture: EditionPicture) -> NDArray[np.uint8]:
    return np.asarray(upright_rgb(case.reading.files[picture.sha256]))


VALUES: Mapping[Task, Callable[[Case], dict[str, Any]]] = {
    **dict.fromkeys(SUBSETS["ugc"], entity_values),
    "quantity": quantity_values,
    "spatial": spatial_values,
    "text": lettering_values,
    "jigsaw": jigsaw_values,
    "sudoku": sudoku_values,
    "perception": region_values,
}
REFERENCE: Layout[GirItem] = Layout(NAME, read)
