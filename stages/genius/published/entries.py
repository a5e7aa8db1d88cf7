"""Published entries as items: what `test_data.json` says of an item, and the pictures that its texts name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from stages.evaluation.curating import picture_names
from stages.evaluation.curating.entries import Entry, NoItemError, text, texts_in
from stages.evaluation.curating.findings import Findings
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.editions import EditionPicture, Role
from stages.evaluation.running.placing import NAMED
from stages.genius.published.folders import Shelf
from stages.genius.published.tags import hint_of, mended, names_in, written
from stages.genius.shared.items import SUB_TASKS, GeniusItem, Task
from stages.project.errors import in_one_line

TEXTS = {"context": "context", "instruction": "prompt", "rc_hint": "rule_hint"}
"""What of an item each text there becomes."""
HINTS = ("vc_hint", "VC_hint")
"""Both spellings of what has to stay; the first that says something counts."""
KINDS = ("sub_task", "subtask", "category")
"""Keys in which a sub-task may stand."""
OWN = GeniusItem.model_fields.keys() - {"id", "task", "sub_task", "images", "consistency_hints", *TEXTS.values()}
"""What else an item may have: it is written and read under its own name."""


class Hints(NamedTuple):
    """Consistency hints, each with its picture, and those that name none and are asked of nobody."""

    taken: Sequence[tuple[str, str]]
    left: Sequence[str]


def item_of(task: Task, id: str, entry: Entry, shelf: Shelf, files: PictureFiles, said: Findings) -> GeniusItem:
    """Return the item of an entry, mended where that is safe; NoItemError or pydantic's where it can be none.

    Unusable is one that lacks a picture that its context, its instruction or a consistency hint names. A consistency
    hint without a picture is kept in `released`, as is every key that nobody knows.
    """
    texts = {ours: mended(key, text(entry, key), said) for key, ours in TEXTS.items()}
    hints, own = hints_of(entry, said), {key: entry[key] for key in sorted(OWN & entry.keys())}
    given = names_in(texts["context"], texts["prompt"])
    needed = [*given, *(name for _, name in hints.taken)]
    aside = names_in(texts["rule_hint"], *texts_in(own))
    pictures, lost = read_pictures(given, [*needed, *aside], shelf, files, said)
    why = [name or "one without a name" for name in dict.fromkeys(needed) if name in lost]
    for key in ("context", "instruction"):
        why += numbers_beyond(key, texts[TEXTS[key]], len(given) - len(lost.intersection(given)), said)
    held = [{"hint": hint, "reference": name} for hint, name in hints.taken if name not in lost]
    kind, told = kind_of(task, entry, said)
    read = {"id", *TEXTS, *own, *told, hint_key(entry), *(key for key in HINTS if is_empty(entry.get(key)))}
    others = {key: entry[key] for key in sorted(entry.keys() - read)}
    for key, value in others.items():
        said.say(key, "key", value)
    if hints.left or len(held) < len(hints.taken):
        others["vc_hint"] = entry[hint_key(entry)]  # it could not be written again from what is held
    values = {"id": f"{task}/{id}", "task": task, "sub_task": kind, "consistency_hints": held, "images": pictures}
    values |= texts | ({"unusable": f"pictures cannot be used: {', '.join(why)}"} if why else {}) | own
    known = {key: value for key, value in values.items() if value is not None and value != []}
    return GeniusItem.model_validate(known | ({"released": others} if others else {}))


def hint_key(entry: Entry) -> str:
    """Return the spelling under which consistency hints stand."""
    return next((key for key in HINTS if not is_empty(entry.get(key))), HINTS[0])


def is_empty(value: Any) -> bool:
    """Return whether a value has no consistency hint in it: nothing, a blank text, or a list of such texts."""
    if isinstance(value, list):
        return all(isinstance(one, str) and not one.strip() for one in value)
    return value is None or (isinstance(value, str) and not value.strip())


def hints_of(entry: Entry, said: Findings) -> Hints:
    """Return the consistency hints: none where the key is missing or empty, one, or a list; NoItemError for what is
    none of these.
    """
    key = hint_key(entry)
    value = entry.get(key)
    whole = value if isinstance(value, list) else [] if value is None else [value]
    taken, left = list[tuple[str, str]](), list[str]()
    for one in whole:
        if not isinstance(one, str):
            raise NoItemError(key, "type", value, "a text is wanted, or a list of texts")
        hint, name = hint_of(mended(key, one, said))
        if hint and name:
            taken.append((hint, name))
        elif one.strip():
            said.say(key, "placeholder", one)  # of which picture, or what has to stay, is not said
            left.append(one)
        elif isinstance(value, list):
            said.say(key, "blank", value)
    return Hints(taken, left)


def kind_of(task: Task, entry: Entry, said: Findings) -> tuple[str | None, list[str]]:
    """Return the sub-task where an entry says one of the task's, and the key that does."""
    for key in KINDS:
        value = entry.get(key)
        kind = re.sub(r"[\s_-]+", "_", value.strip().casefold()) if isinstance(value, str) else ""
        if kind in SUB_TASKS[task]:
            if (key, kind) != (KINDS[0], value):
                said.say(key, "assumed", value, kind)
            return kind, [key]
    return None, []


def read_pictures(
    given: Sequence[str], names: Sequence[str], shelf: Shelf, files: PictureFiles, said: Findings
) -> tuple[list[EditionPicture], set[str]]:
    """Return the pictures of these names, each once, `input` where it is given and else `reference`; and the names of
    which there is none, which are told.
    """
    pictures, lost = list[EditionPicture](), set[str]()
    for name in dict.fromkeys(names):
        try:
            path = shelf.find(name, said)
            pictures.append(files.picture(path, name, role_of(name, given), path))
        except (ValueError, OSError) as error:
            said.say("images", "picture", in_one_line(error))
            lost.add(name)
    return pictures, lost


def role_of(name: str, given: Sequence[str]) -> Role:
    """Return what a picture is for: what neither context nor instruction names is not given to contestants."""
    return "input" if name in given else "reference"


def numbers_beyond(key: str, text: str, count: int, said: Findings) -> list[str]:
    """Return what a text calls by a number beyond that of the pictures that are given, and tell of it."""
    wrong = [one[0] for one in NAMED.finditer(text) if one[2] and not picture_names.number_of(one, count)]
    for name in wrong:
        said.say(key, "placeholder", name)
    return wrong


def fields_of(item: GeniusItem) -> Entry:
    """Return an item's entry, as `item_of` reads it."""
    hints = [written(one.hint, one.reference) for one in item.consistency_hints]
    entry: Entry = {"id": name_of(item)} | {key: getattr(item, ours) for key, ours in TEXTS.items()}
    if item.sub_task is not None:
        entry[KINDS[0]] = item.sub_task
    if hints:
        entry[HINTS[0]] = hints if len(hints) > 1 else hints[0]
    own = item.model_dump(mode="json", exclude_unset=True, include=set(OWN))
    return entry | own | (getattr(item, "released", None) or {})


def name_of(item: GeniusItem) -> str:
    """Return what an item is called within its task."""
    return str(item.id).removeprefix(f"{item.task}/")
