"""Where things lie in the published folders, whose names differ in leading zeros and letter case: found by listing.

Prompts of a task stand in `prompt/<Task>.json`, a list of objects with `id` and `prompt`; such a file beside the folder
`prompt`, or in the task's own folder, will do.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stages.evaluation.curating.entries import Entry, NoItemError, entries_of, id_of
from stages.evaluation.curating.findings import Finding, Findings, unprintable
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.editions import EditionPicture, Role
from stages.gir.shared.items import Task
from stages.project.errors import UserError, in_one_line
from stages.project.inputs import is_visible

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
"""What tasks are called there: folders of pictures, files of prompts, folders of answers."""
PROMPTS = "prompt"
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")


class Source(NamedTuple):
    """The folder that is read, its pictures, and what is wrong with names in it."""

    root: Path
    pictures: PictureFiles
    findings: list[Finding]


class Listed(NamedTuple):
    """What the prompts of a task say: entries by plain id; and of entries that have none, or that of another, what they
    are called, themselves, and why.
    """

    entries: Mapping[str, Entry]
    wrong: list[tuple[str | None, Any, NoItemError]]


def plain(id: object) -> str:
    """Return an id as ids are compared: a number without leading zeros, else its letters in one form (NFC)."""
    text = unicodedata.normalize("NFC", str(id))
    return str(int(text)) if text.isascii() and text.isdigit() else text


def one_line(text: str) -> str:
    """Return a text with single blanks, its letters in one form (NFC)."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def below(source: Source, folder: str) -> list[Path]:
    """Return what lies in a folder below the root, in order of names, nothing where there is no folder. What has a name
    that cannot be printed is left aside and told.
    """
    place = source.root / folder
    found = sorted(path for path in place.iterdir() if is_visible(path.name)) if place.is_dir() else []
    odd = [said for path in found if not path.name.isprintable() and (said := unprintable(path)) not in source.findings]
    source.findings.extend(odd)
    return [path for path in found if path.name.isprintable()]


def by_id(source: Source, paths: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Return paths by plain id. Of two whose ids differ by leading zeros or not at all neither can be told to be meant:
    both are left aside and told.
    """
    found: dict[str, list[Path]] = {}
    for id, path in paths:
        found.setdefault(plain(id), []).append(path)
    for id, some in found.items():
        if len(some) > 1:
            place = some[0].relative_to(source.root).parent.as_posix()
            names = ", ".join(path.name for path in some)
            source.findings.append(Finding(None, place, "duplicate", f"all are {id}: {names}"))
    return {id: some[0] for id, some in found.items() if len(some) == 1}


def pictures_in(source: Source, folder: str) -> dict[str, str]:
    """Return the pictures of a folder below the root by plain id, as paths below the root."""
    paths = below(source, folder)
    found = by_id(source, ((path.stem, path) for path in paths if path.suffix.lower() in PICTURES))
    return {id: path.relative_to(source.root).as_posix() for id, path in found.items()}


def picture(source: Source, file: str | None, name: str, role: Role, what: str, said: Findings) -> EditionPicture | str:
    """Return a picture, or why there is none, which is told; `what`: the file that is wanted."""
    why = f"there is no {what}"
    try:
        if file is not None:
            return source.pictures.picture(file, name, role, file)
    except (ValueError, OSError) as error:
        why = in_one_line(error)
    said.say(name, "picture", why)
    return why


def prompts_of(source: Source, task: Task) -> Path | None:
    """Return the file with the prompts of a task; UserError where there are two."""
    name = NAMES[task]
    found = [
        path
        for folder in (PROMPTS, "", name)
        for path in below(source, folder)
        if path.suffix.lower() == ".json" and (folder == name or path.stem.casefold() == name.casefold())
    ]
    if len(found) > 1:
        raise UserError(f"{found[0]} and {found[1]} both have prompts of {name}: keep one of the two")
    return found[0] if found else None


def listed(source: Source, task: Task) -> Listed | None:
    """Return what the prompts of a task say; None where there is no such file."""
    path = prompts_of(source, task)
    if path is None:
        return None
    found: dict[str, Entry] = {}
    wrong: list[tuple[str | None, Any, NoItemError]] = []
    for entry in entries_of(path):
        id = id_of(entry)
        if id is None or "/" in str(id):
            value = entry.get("id") if isinstance(entry, dict) else entry
            wrong.append((None, entry, NoItemError(f"{NAMES[task]}.id", "type", value)))
        elif plain(id) in found:
            error = NoItemError("id", "duplicate", id, f"it stands twice in {path}")
            wrong.append((f"{NAMES[task]}/{plain(id)}", entry, error))
        else:
            found[plain(id)] = entry
    return Listed(found, wrong)


def wanted(source: Source, task: Task, keys: str) -> UserError:
    """Return the error that says which prompts are wanted."""
    name = NAMES[task]
    form = f'a list of {{"id", {keys}}}'
    return UserError(f"{source.root / name}: there are no prompts for it: put them into {PROMPTS}/{name}.json, {form}")


def first_text(entry: Entry, keys: Iterable[str]) -> tuple[str, str]:
    """Return the first of some keys that an entry has, with its text; NoItemError where it has none, or a blank one."""
    names = list(keys)
    key = next((key for key in names if key in entry), names[0])
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise NoItemError(key, "type", value)
    return key, value
