"""Published entries as items: what `prompt.json` says of an item, and its pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from stages.evaluation.curating import picture_names
from stages.evaluation.curating.entries import Entry, NoItemError, term
from stages.evaluation.curating.findings import Findings
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.editions import EditionPicture
from stages.evaluation.running.placing import NAMED
from stages.gapeval.published.folders import GIVEN, REFERENCE, entry_of, pictures_in
from stages.gapeval.shared.items import CATEGORIES, Category, GapItem
from stages.project.errors import in_one_line

CATEGORY_OF: Mapping[str, Category] = {
    "Multi Hop": "world_knowledge",
    "counting": "numerical",
    "rule_based": "instruction_following",
    "reasoning": "reasoning",
    "physics": "reasoning",
    **{category: category for category in CATEGORIES},
}
"""What categories are called there; our own names will do."""
NOTHING_GIVEN = "Multi Hop"
"""Whose pictures are references wherever they lie, and none is given."""
SYNONYMS = {"multi hop": "Multi Hop", "multi-hop": "Multi Hop", "rule based": "rule_based", "rule-based": "rule_based"}
MARKED = ("mmlu/mmmu", "puzzle")
"""Subcategories whose reference is the question's picture with an option marked."""
KEYS = {"category", "subcategory", "und_prompt", "gen_prompt", "reference", "drawn", "unusable"}
PATHS = {"img": "question", "expect_image": "reference"}
"""Keys that name a picture in the item's folder, where its place is empty."""


def item_of(root: Path, folder: Path, files: PictureFiles, said: Findings) -> GapItem:
    """Return the item of a folder below the root, mended where that is safe; NoItemError or pydantic's where it can be
    none.

    Unusable is one that lacks a picture that is to be given.
    """
    entry = entry_of(root, folder, said)
    called = term(entry, "category", CATEGORY_OF, said, SYNONYMS)
    category = CATEGORY_OF[called]
    given, why = question_pictures(root, folder, called, entry, files, said)
    texts = {"prompt": prompt(entry, ("gen_prompt",)), "question": prompt(entry, ("und_prompt", "problem"))}
    for key, text in texts.items():
        why += [f"{key} names {name}" for name in lost_names(key, text, given, said)]
    if isinstance(entry.get("unusable"), str):
        why = [entry["unusable"]]
    others = {key: entry[key] for key in sorted(entry.keys() - KEYS)}
    if called not in (name_of(category), category):
        others["category"] = called
    for key in sorted(others.keys() - {*PATHS, "problem", "category"}):
        said.say(key, "key", others[key])
    values = {
        "id": folder.name,
        "category": category,
        "subcategory": subcategory_of(entry, called, said),
        "reference_text": reference_text(entry, said),
        "images": [*given, *reference_pictures(root, folder, called, entry, files, said)],
        "drawn": drawn(entry),
    }
    values |= texts | ({"released": others} if others else {}) | ({"unusable": "; ".join(why)} if why else {})
    return GapItem.model_validate(values)


def name_of(category: str) -> str:
    """Return what a category is called there."""
    return next(name for name, ours in CATEGORY_OF.items() if ours == category)


def lost_names(key: str, text: str, given: Sequence[EditionPicture], said: Findings) -> list[str]:
    """Return names of pictures in a text that are of none that is given, and tell of these."""
    known = {picture.name for picture in given}
    found = NAMED.finditer(text)
    lost = [name[0] for name in found if name[1] not in known and not picture_names.number_of(name, len(given))]
    for name in lost:
        said.say(key, "placeholder", name)
    return lost


def prompt(entry: Entry, keys: Sequence[str]) -> str:
    """Return the first of some texts that is there; NoItemError where none is."""
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value is not None and not isinstance(value, str):
            raise NoItemError(key, "type", value)
    raise NoItemError(keys[0], "type", entry.get(keys[0]))


def subcategory_of(entry: Entry, called: str, said: Findings) -> str:
    """Return the subcategory; where there is none, what the category is called."""
    value = entry.get("subcategory")
    if value is None or value == "":
        said.say("subcategory", "assumed", "it has none", called)
        return called
    if not isinstance(value, str) or not value.strip():
        raise NoItemError("subcategory", "type", value)
    return value


def reference_text(entry: Entry, said: Findings) -> str:
    """Return what is right in words: a text, several a line each, or counts of things as JSON, as all are published."""
    value = entry.get("reference")
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, list) and value and all(isinstance(one, str) and one.strip() for one in value):
        return "\n".join(value)
    if not value or isinstance(value, str | bool):
        raise NoItemError("reference", "type", value)
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    if not isinstance(value, dict):
        said.say("reference", "type", value, text)
    return text


def drawn(entry: Entry) -> bool:
    """Return whether the reference was drawn from the question's picture. No published file says it: the subcategory
    does.
    """
    value = entry.get("drawn")
    if value is None:
        return entry.get("subcategory") in MARKED
    if not isinstance(value, bool):
        raise NoItemError("drawn", "type", value)
    return value


def question_pictures(
    root: Path, folder: Path, called: str, entry: Entry, files: PictureFiles, said: Findings
) -> tuple[list[EditionPicture], list[str]]:
    """Return the pictures that are given, and why the item cannot be used for want of some."""
    if called == NOTHING_GIVEN:
        return [], []
    paths = pictures_in(root, folder, GIVEN, said) or named_in(entry, "img", folder)
    if not paths and called in CATEGORIES:  # our own items may have none
        return [], []
    if not paths:
        said.say(GIVEN[0], "picture", "there is no picture to be given")
        return [], ["its picture is missing"]
    if len(paths) > 1:
        said.say(GIVEN[0], "count", f"{len(paths)} pictures", "all are given")
    found, lost = read_pictures(paths, "question", files, said)
    return found, [f"pictures cannot be used: {', '.join(lost)}"] if lost else []


def reference_pictures(
    root: Path, folder: Path, called: str, entry: Entry, files: PictureFiles, said: Findings
) -> list[EditionPicture]:
    """Return the reference, if it is there; that of `Multi Hop` may lie where others have what is given."""
    places = (REFERENCE, *GIVEN) if called == NOTHING_GIVEN else (REFERENCE,)
    paths = pictures_in(root, folder, places, said) or named_in(entry, "expect_image", folder)
    if len(paths) > 1:
        said.say(REFERENCE, "count", f"{len(paths)} pictures", "the first")
    if not paths and called not in CATEGORIES:
        said.say(REFERENCE, "picture", "there is no reference picture: answers are judged by its text")
    return read_pictures(paths[:1], "reference", files, said)[0]


def named_in(entry: Entry, key: str, folder: Path) -> list[str]:
    """Return the path of a picture that an entry names, below the folder that its own lies in."""
    value = entry.get(key)
    return [f"{folder.name}/{value}"] if isinstance(value, str) and value.strip() else []


def read_pictures(
    paths: Sequence[str], role: Literal["question", "reference"], files: PictureFiles, said: Findings
) -> tuple[list[EditionPicture], list[str]]:
    """Return pictures by their role and number, and the paths of those that are none, which are told."""
    found, lost = list[EditionPicture](), list[str]()
    for path in paths:
        try:
            found.append(files.picture(path, f"{role}_{len(found) + 1}", role, path))
        except (ValueError, OSError) as error:
            said.say(role, "picture", in_one_line(error))
            lost.append(in_one_line(path.partition("/")[2]))
    return found, lost


def fields_of(item: GapItem) -> Iterator[tuple[str, Any]]:
    """Yield the keys of an item's entry, as `item_of` reads them."""
    others = dict(getattr(item, "released", None) or {})
    ours = item.category == "world_knowledge" and bool(item.of_role("question"))
    bare = item.category != "world_knowledge" and not item.of_role("question") and item.unusable is None
    yield "category", others.pop("category", item.category if ours or bare else name_of(item.category))
    yield "subcategory", item.subcategory
    yield "und_prompt", item.question
    yield "gen_prompt", item.prompt
    yield "reference", item.reference_text
    yield "drawn", item.drawn
    if item.unusable is not None:
        yield "unusable", item.unusable
    yield from others.items()
