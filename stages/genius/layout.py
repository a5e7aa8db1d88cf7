"""The released layout of GENIUS: `dataset/<task>/test_data.json`, with the pictures of its texts in `images`.

What was published is for non-commercial research: it is not published again, unless `dataset.origin.json` states
another origin. An item's id is `<task>/<id>`, so a contestant of kind `folder` can use released outputs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gamut.asking.models.folder.paths import plain_key as as_asked
from gamut.evaluation.curating.entries import Entry, NoItemError, id_of, read_text
from gamut.evaluation.curating.findings import Finding, Findings, lost_names, picture_number
from gamut.evaluation.curating.folders import (
    PICTURES,
    FolderReading,
    comparable_name,
    origin_beside,
    take_id,
    unread_keys,
)
from gamut.evaluation.curating.layout import ImportedItems, Layout
from gamut.evaluation.defining.editions import EditionPicture, Origin, Role
from gamut.evaluation.running.placing import PICTURE_NAME
from gamut.project.errors import UserError, nearest_choice
from gamut.project.inputs import stays_within
from stages.genius.shared.items import TASKS, GeniusItem, Task

NAME, LIST, IMAGES = "dataset", "test_data.json", "images"
SOURCE, LICENCE = "https://github.com/arctanxarc/GENIUS", "cc-by-nc-4.0"
TEXTS = {"context": "context", "instruction": "prompt", "rc_hint": "rule_hint"}
"""The layout's texts of an item, and their names here."""
HINT_KEYS = ("vc_hint", "VC_hint")
"""Two spellings of the key for what has to stay. The first with content counts."""
AS_WRITTEN = (".png", ".jpg", ".jpeg")
"""Endings of names that the published scripts take as files. To others they add `.png`."""
MEANT_NAME = re.compile(r"<[\s/]*image\b[^<>]*>", re.IGNORECASE)
"""Text that was meant as a name, right or wrong."""
MENDABLE_NAME = re.compile(r"<\s*image\s*[:：]([^<>]+)>", re.IGNORECASE)
"""A name with wrong letters or spaces that can be fixed."""
AFTER_PICTURE = re.compile(r"\A[\s:：]+")
"""What separates the picture at the head of a hint from the hint."""


def read(path: Path, images: Path | None) -> ImportedItems[GeniusItem]:
    reading = FolderReading[GeniusItem](path, f"the one in which those of the tasks lie ({', '.join(TASKS)})", images)
    dataset = f"{NAME}/" if (path / NAME).is_dir() else ""
    for name in reading.folders(dataset):
        if name not in TASKS and (path / dataset / name / LIST).exists():
            reading.refuse_file(f"{dataset}{name}", "term", f"there is no such task{nearest_choice(name, TASKS)}")
        elif name not in TASKS:
            reading.findings.append(Finding(None, name, "key", "not the folder of a task"))
    for task in TASKS:
        read_task(reading, dataset, task)
    if not reading.items and not reading.odd and not reading.unread:
        raise UserError(f"{path} has no items: <task>/{LIST} is expected, for one of {', '.join(TASKS)}")
    return reading.imported(origin_of(path, dataset))


def read_task(reading: FolderReading[GeniusItem], dataset: str, task: Task) -> None:
    """Read the items of a task. A missing list and pictures that no item names are reported."""
    file, taken = f"{dataset}{task}/{LIST}", dict[str, str | int]()
    entries = reading.listed(file)
    if not entries and file not in {one.field for one in reading.findings}:
        why = "there is no such file" if entries is None else "there are no items in it"
        reading.findings.append(Finding(None, file, "count", why))
    shelf = TaskPictures(reading, f"{dataset}{task}/{IMAGES}")
    for entry in entries or ():
        id = id_of(entry)

        def make(findings: Findings, id: str | int | None = id, entry: Any = entry) -> GeniusItem:
            if id is None or not re.fullmatch(r"[^/.][^/]*", str(id)):
                value = entry.get("id") if isinstance(entry, dict) else entry
                raise NoItemError(f"{task}.id", "type", value, "it can be no file's name")
            take_id(taken, as_asked(str(id)), id)
            return item_of(task, str(id), entry, shelf, findings)

        reading.add(None if id is None else f"{task}/{id}", entry, make)
    reading.findings += [Finding(None, path, "count", "a picture that no item names") for path in shelf.unused]


class TaskPictures:
    """The pictures of a task: paths by their names in texts. `used`: those that were requested."""

    def __init__(self, reading: FolderReading[GeniusItem], place: str) -> None:
        self.reading, self.place = reading, place
        self.files = {path.removeprefix(f"{place}/"): path for path in reading.pictures(place)}
        self.used: set[str] = set()

    def find(self, name: str, findings: Findings) -> str | None:
        """Return the path of the picture that a text names, by default a `.png`. A missing one is reported."""
        with_ends = [f"{name}{end}" for end in PICTURES]
        wanted = [name, *with_ends] if name.lower().endswith(PICTURES) else [*with_ends, name]
        if exact := next((self.files[one] for one in wanted if one in self.files), None):
            self.used.add(exact)
            return exact
        meant = {comparable_name(one) for one in wanted}
        alike = [path for file, path in self.files.items() if comparable_name(file) in meant]
        if not alike:
            file = name if name.lower().endswith(AS_WRITTEN) else f"{name}.png"
            findings.say(IMAGES, "picture", f"there is no {file!r} in {self.place}")
            return None
        self.used.update(alike)
        findings.say(IMAGES, "assumed", f"{name}: {', '.join(alike)}", alike[0])
        return alike[0]

    @property
    def unused(self) -> list[str]:
        return sorted({*self.files.values()} - self.used)


def item_of(task: Task, id: str, entry: Entry, shelf: TaskPictures, findings: Findings) -> GeniusItem:
    """Return the item of an entry, fixed if that is safe. NoItemError or pydantic's error if it cannot become one.

    It is unusable if a picture is missing that its context, instruction or a consistency hint names. A consistency hint
    without a picture is kept in `released`, as is every unknown key.
    """
    texts = {ours: mend_names(key, read_text(entry, key), findings) for key, ours in TEXTS.items()}
    hint_key = next((key for key in HINT_KEYS if not is_empty(entry.get(key))), HINT_KEYS[0])
    hints, left = hints_of(hint_key, entry.get(hint_key), findings)
    given_names = names_in(texts["context"], texts["prompt"])
    needed = [*given_names, *(name for _, name in hints)]
    pictures, lost = read_pictures(given_names, [*needed, *names_in(texts["rule_hint"])], shelf, findings)
    why = [name or "one without a name" for name in dict.fromkeys(needed) if name in lost]
    for key in ("context", "instruction"):
        why += numbers_beyond(key, texts[TEXTS[key]], len(given_names) - len(lost.intersection(given_names)), findings)
    usable_hints = [{"hint": hint, "reference": name} for hint, name in hints if name not in lost]
    empty = (key for key in HINT_KEYS if is_empty(entry.get(key)))
    released = unread_keys(entry, {"id", *TEXTS, hint_key, *empty}, findings)
    if left or len(usable_hints) < len(hints):
        released["vc_hint"] = entry[hint_key]  # not all of it is used
    values: dict[str, Any] = {"id": f"{task}/{id}", "task": task, "consistency_hints": usable_hints, "images": pictures}
    values |= texts | ({"unusable": f"pictures cannot be used: {', '.join(why)}"} if why else {})
    known = {key: value for key, value in values.items() if value != []}
    return GeniusItem.model_validate(known | ({"released": released} if released else {}))


def is_empty(value: Any) -> bool:
    """Return whether a value has no consistency hint: nothing, a blank text, or a list of blank texts."""
    if isinstance(value, list):
        return all(isinstance(one, str) and not one.strip() for one in value)
    return value is None or (isinstance(value, str) and not value.strip())


def hints_of(key: str, value: Any, findings: Findings) -> tuple[list[tuple[str, str]], bool]:
    """Return the hints with their pictures, and whether some name none. NoItemError if they are not texts."""
    whole = value if isinstance(value, list) else [] if value is None else [value]
    taken, left = list[tuple[str, str]](), False
    for hint_text in whole:
        if not isinstance(hint_text, str):
            raise NoItemError(key, "type", value, "a text is expected, or a list of texts")
        hint, name = hint_of(mend_names(key, hint_text, findings))
        if hint and name:
            taken.append((hint, name))
        elif hint_text.strip():
            findings.say(key, "placeholder", hint_text)  # it does not say which picture, or what has to stay
            left = True
        elif isinstance(value, list):
            findings.say(key, "blank", value)
    return taken, left


def read_pictures(
    given_names: Sequence[str], names: Sequence[str], shelf: TaskPictures, findings: Findings
) -> tuple[list[EditionPicture], set[str]]:
    """Return the named pictures, of role `input` if given and else `reference`, and the names without one, which are
    reported.
    """
    pictures, lost = list[EditionPicture](), set[str]()
    for name in dict.fromkeys(names):
        path = shelf.find(name, findings)
        role: Role = "input" if name in given_names else "reference"
        picture = None if path is None else shelf.reading.picture(path, name, role, IMAGES, findings)
        if picture is None:
            lost.add(name)
        else:
            pictures.append(picture)
    return pictures, lost


def numbers_beyond(key: str, text: str, count: int, findings: Findings) -> list[str]:
    return lost_names(key, text, lambda name: not name[2] or picture_number(name, count) > 0, findings)


def mend_names(key: str, text: str, findings: Findings) -> str:
    """Return a text with its pictures' names spelt correctly. Each wrong one is reported, fixed or not."""

    def name(match: re.Match[str]) -> str:
        if PICTURE_NAME.fullmatch(match[0]):
            return match[0]
        meant = MENDABLE_NAME.fullmatch(match[0])
        fixed = f"<image:{meant[1].strip()}>" if meant and meant[1].strip() else None
        findings.say(key, "placeholder", match[0], fixed)
        return fixed or match[0]

    return MEANT_NAME.sub(name, text)


def names_in(*texts: str) -> list[str]:
    """Return the names in some texts, each once, in their first order. One may be blank."""
    return list(dict.fromkeys(found[1].strip() for text in texts for found in PICTURE_NAME.finditer(text) if found[1]))


def hint_of(text: str) -> tuple[str, str | None]:
    """Return the text of a hint, without a name at its head, and the first picture that it names, or None."""
    first = next((found for found in PICTURE_NAME.finditer(text) if (found[1] or "").strip()), None)
    if first is None:
        return text.strip(), None
    name = first[1].strip()
    if text[: first.start()].strip():
        return text.strip(), name
    return AFTER_PICTURE.sub("", text[first.end() :]).rstrip(), name


def origin_of(path: Path, dataset: str) -> Origin:
    """Return the origin next to `dataset`, else that of the published items, which may not be published again."""
    if (said := origin_beside(path / dataset)) is not None:
        return said
    lists = [file for task in TASKS if (file := path / dataset / task / LIST).is_file() and stays_within(path, file)]
    digests = b"".join(hashlib.sha256(file.read_bytes()).digest() for file in lists)
    revision = f"sha256-{hashlib.sha256(digests).hexdigest()}"
    return Origin(source=SOURCE, revision=revision, licence=LICENCE, redistributable=False)


FOLDER: Layout[GeniusItem] = Layout(NAME, read)
