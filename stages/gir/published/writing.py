"""Items written as they were published, so that the released scripts find them.

Pictures of edits are called `.png` whatever they are: the scripts look for that name, and by their bytes they are read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.asking.requests import Picture
from stages.gir.published.edits import GRIDS, RIGHT
from stages.gir.published.files import NAMES, PROMPTS, plain
from stages.gir.shared.items import GirItem
from stages.project.files import write_json, write_whole

INPUT = {"jigsaw": "question", "sudoku": "question", "perception": "image"}
LONGEST = 100
"""Characters of a folder's name."""


def write_files(items: Sequence[GirItem], pictures: Mapping[str, Picture], root: Path) -> None:
    """Write all files below a folder; ValueError for ids that cannot be files' names, or would be the same."""
    prompts: dict[str, list[dict[str, Any]]] = {}
    taken: dict[str, str | int] = {}
    for item in items:
        name = file_id(item)
        place = f"{NAMES[item.task]}/{name}"
        if (other := taken.setdefault(place, item.id)) != item.id:
            raise ValueError(f"items {other!r} and {item.id!r} would both be {place}")
        entry = {"id": int(name) if name.isdecimal() else name, "prompt": item.prompt} | entry_of(item)
        entry |= getattr(item, "released", None) or {}
        if item.task == "sudoku":
            write_json(root / NAMES[item.task] / GRIDS / f"{padded(name)}.json", entry)
        else:
            prompts.setdefault(NAMES[item.task], []).append(entry)
        for file, sha256 in files_of(item, name):
            write_whole(root / file, pictures[sha256].data)
    for task, entries in prompts.items():
        write_json(root / PROMPTS / f"{task}.json", entries)


def file_id(item: GirItem) -> str:
    """Return what an item's files are called: its id without its task; ValueError where that can be no file's name."""
    name = plain(str(item.id).removeprefix(f"{NAMES[item.task]}/"))
    if not re.fullmatch(r"[^/\0_.][^/\0_]*", name):
        raise ValueError(f"id {item.id!r} can be no file's name: '/' and '_' have a meaning there")
    return name


def padded(name: str) -> str:
    """Return a number as the released files have it, with three digits at least."""
    return name.zfill(3) if name.isdecimal() else name


def files_of(item: GirItem, name: str) -> list[tuple[str, str]]:
    """Return the files of an item's pictures below the root, and the sha256 of each."""
    folder = NAMES[item.task]
    if item.subset == "ugc":
        called = re.sub(r"[^\w-]+", "_", item.entity)[:LONGEST]
        shown = [picture for picture in item.images if picture.role == "reference"]
        ends = [picture.media_type.removeprefix("image/") for picture in shown]
        numbered = enumerate(zip(shown, ends, strict=True), start=1)
        return [(f"{folder}/{name}_{called}/{number:03d}.{end}", picture.sha256) for number, (picture, end) in numbered]
    places = {}
    if item.subset == "edit":
        role, folders = RIGHT[item.task]
        places = {"input": INPUT[item.task], role: folders[0]}
    return [
        (f"{folder}/{places[picture.role]}/{padded(name)}.png", picture.sha256)
        for picture in item.images
        if picture.role in places
    ]


def entry_of(item: GirItem) -> dict[str, Any]:
    """Return what an entry says of an item beside its id and its prompt."""
    match item.task:
        case "zoology" | "botany" | "geography":
            return {"name": item.entity, "names": list(item.names), "distractors": list(item.distractors)}
        case "quantity":
            return {"task": {"objects": list(item.objects), "number": list(item.numbers)}}
        case "spatial":
            relations = [
                {"subject": end(one.subject), "direction": one.direction, "object": end(one.object)}
                for one in item.relations
            ]
            return {"task": {"objects": list(item.objects), "relative_position": relations}}
        case "text":
            return {"text": item.lettering}
        case "jigsaw":
            return {"rows": item.rows, "columns": item.columns} if item.rows else {}
        case "sudoku":
            size = math.isqrt(len(item.puzzle))
            return {"grid_size": size, "puzzle": rows_of(item.puzzle, size), "solution": rows_of(item.answer, size)}
        case "perception":
            return {}


def end(labels: Sequence[str]) -> str | list[str]:
    """Return one end of a relation: a name, or the names of a group."""
    return labels[0] if len(labels) == 1 else list(labels)


def rows_of(grid: str, size: int) -> list[list[int]]:
    """Return a grid row by row."""
    return [[int(cell) for cell in grid[start : start + size]] for start in range(0, len(grid), size)]
