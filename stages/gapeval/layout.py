"""The released layout of GapEval: a folder for each item, `data_<n>`, with `prompt.json`, pictures, and answers of
models.

Given pictures are in `image`, in some items misspelt `inage`, and the reference is in `ref`. Other folders of an item
are answers, each named after its model: `gamut add contestant` takes them as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from gamut.evaluation.curating.entries import Entry, NoItemError, read_term
from gamut.evaluation.curating.findings import Finding, Findings, lost_names, picture_number
from gamut.evaluation.curating.folders import FolderReading, comparable_name, take_id, unread_keys
from gamut.evaluation.curating.layout import ImportedItems, Layout
from gamut.evaluation.defining.editions import EditionPicture
from gamut.project.errors import UserError, in_one_line
from stages.gapeval.shared.items import Category, GapItem

NAME, PROMPT = "gapeval", "prompt.json"
GIVEN_FOLDERS, REFERENCE = ("image", "inage"), "ref"
"""Folders of pictures. Of the two spellings the first one with pictures counts."""
MULTI_HOP, REASONING = "Multi Hop", "reasoning"
"""The first has no given picture: it is the reference, in either folder. In the second a picture may be missing."""
CATEGORY_OF: Mapping[str, Category] = {
    MULTI_HOP: "world_knowledge",
    "counting": "numerical",
    "rule_based": "instruction_following",
    REASONING: "reasoning",
    "physics": "reasoning",
}
"""The layout's names of categories. Its `physics` is kept in `released`."""
DRAWN_SUBCATEGORIES = ("mmlu/mmmu", "puzzle")
"""Subcategories whose reference is the question's picture with an option marked."""
READ_KEYS = ("category", "subcategory", "und_prompt", "gen_prompt", "reference")
KEPT_KEYS = ("problem", "img", "expect_image")
"""Keys that are kept in `released` without a finding: another question, and the item's pictures if the fields for
pictures are empty."""


class ItemFolder(NamedTuple):
    """An item's folder, its entry, and the defects of both."""

    reading: FolderReading[GapItem]
    folder: str
    entry: Entry
    findings: Findings


def read(path: Path, images: Path | None) -> ImportedItems[GapItem]:
    """Read all items, in order of their folders, with their defects. UserError for another kind of folder."""
    reading = FolderReading[GapItem](path, "the one in which the items' folders lie (data_1, data_2, …)", images)
    folders, taken = items_in(reading), dict[str, str | int]()
    if not folders:
        raise UserError(f"{path} has no items: folders data_<n>, each with a {PROMPT}, are expected")
    reading.findings += [
        Finding(None, name, "key", "not the folder of an item") for name in reading.folders() if name not in folders
    ]
    for folder in folders:

        def make(findings: Findings, folder: str = folder) -> GapItem:
            name = re.sub(r"(?<![0-9])0+(?=[0-9])", "", comparable_name(folder))  # numbers without leading zeros
            take_id(taken, name, folder)
            return item_of(ItemFolder(reading, folder, reading.entry(f"{folder}/{PROMPT}", findings), findings))

        reading.add(folder, reading.content(f"{folder}/{PROMPT}"), make)
    return reading.imported()


def items_in(reading: FolderReading[GapItem]) -> list[str]:
    """Return the folders of items: `data_<n>`, or any with a `prompt.json`."""
    names = reading.folders()
    return [name for name in names if name.startswith("data_") or (reading.root / name / PROMPT).exists()]


def item_of(at: ItemFolder) -> GapItem:
    """Return the item. NoItemError or pydantic's error if the entry cannot become one. Without a picture that it needs,
    it is unusable.
    """
    entry, findings = at.entry, at.findings
    called = read_term(entry, "category", CATEGORY_OF, findings)
    question_pictures, why = given_pictures(at, called)
    texts = {"prompt": first_text(entry, "gen_prompt"), "question": first_text(entry, "und_prompt", "problem")}
    for key, text in texts.items():
        why += [f"{key} names {name}" for name in unknown_names(key, text, question_pictures, findings)]
    released = unread_keys(entry, READ_KEYS, findings, KEPT_KEYS)
    released |= {"category": called} if called == "physics" else {}
    values: dict[str, Any] = {
        "id": at.folder,
        "category": CATEGORY_OF[called],
        "subcategory": subcategory_of(entry, called, findings),
        "reference_text": reference_text(entry, findings),
        "images": [*question_pictures, *reference_pictures(at, called)],
        "drawn": entry.get("subcategory") in DRAWN_SUBCATEGORIES,
    }
    values |= texts | ({"released": released} if released else {}) | ({"unusable": "; ".join(why)} if why else {})
    return GapItem.model_validate(values)


def unknown_names(key: str, text: str, pictures: Sequence[EditionPicture], findings: Findings) -> list[str]:
    known = {picture.name for picture in pictures}
    return lost_names(key, text, lambda name: name[1] in known or picture_number(name, len(pictures)) > 0, findings)


def first_text(entry: Entry, *keys: str) -> str:
    """Return the first existing text of several. NoItemError if there is none."""
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value is not None and not isinstance(value, str):
            raise NoItemError(key, "type", value)
    raise NoItemError(keys[0], "type", entry.get(keys[0]))


def subcategory_of(entry: Entry, called: str, findings: Findings) -> str:
    """Return the subcategory, or else the layout's name of the category."""
    value = entry.get("subcategory")
    if value is None or value == "":
        findings.say("subcategory", "assumed", "it has none", called)
        return called
    if not isinstance(value, str) or not value.strip():
        raise NoItemError("subcategory", "type", value)
    return value


def reference_text(entry: Entry, findings: Findings) -> str:
    """Return the right answer: a text, several texts in lines, or counts of things as JSON, as published."""
    value = entry.get("reference")
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, list) and value and all(isinstance(one, str) and one.strip() for one in value):
        return "\n".join(value)
    if not value or isinstance(value, str | bool):
        raise NoItemError("reference", "type", value)
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    if not isinstance(value, dict):
        findings.say("reference", "type", value, text)
    return text


def given_pictures(at: ItemFolder, called: str) -> tuple[list[EditionPicture], list[str]]:
    """Return the given pictures, and why the item cannot be used if some are missing."""
    paths = [] if called == MULTI_HOP else pictures_in(at, GIVEN_FOLDERS, "img")
    if not paths and called in (MULTI_HOP, REASONING):
        return [], []
    if not paths:
        at.findings.say(GIVEN_FOLDERS[0], "picture", "there is no picture to be given")
        return [], ["its picture is missing"]
    if len(paths) > 1:
        at.findings.say(GIVEN_FOLDERS[0], "count", f"{len(paths)} pictures", "all are given")
    found, lost = read_pictures(at, paths, "question")
    return found, [f"pictures cannot be used: {', '.join(lost)}"] if lost else []


def reference_pictures(at: ItemFolder, called: str) -> list[EditionPicture]:
    paths = pictures_in(at, (REFERENCE, *GIVEN_FOLDERS) if called == MULTI_HOP else (REFERENCE,), "expect_image")
    if len(paths) > 1:
        at.findings.say(REFERENCE, "count", f"{len(paths)} pictures", "the first")
    if not paths and called != REASONING:
        at.findings.say(REFERENCE, "picture", "there is no reference picture: answers are judged by its text")
    return read_pictures(at, paths[:1], "reference")[0]


def pictures_in(at: ItemFolder, names: Sequence[str], key: str) -> list[str]:
    """Return the pictures of the first folder with any, or those that the key names. Pictures of further folders are
    reported.
    """
    pictures = {name: at.reading.pictures(f"{at.folder}/{name}") for name in names}
    folders = [name for name in names if pictures[name]]
    for name in folders[1:]:
        at.findings.say(name, "count", f"{len(pictures[name])} pictures beside those in {folders[0]}", "not used")
    value = at.entry.get(key)
    named = [f"{at.folder}/{value}"] if isinstance(value, str) and value.strip() else []
    return pictures[folders[0]] if folders else named


def read_pictures(
    at: ItemFolder, paths: Sequence[str], role: Literal["question", "reference"]
) -> tuple[list[EditionPicture], list[str]]:
    """Return pictures, named by role and number, and the paths of broken ones, which are reported."""
    pictures, lost = list[EditionPicture](), list[str]()
    for path in paths:
        picture = at.reading.picture(path, f"{role}_{len(pictures) + 1}", role, role, at.findings)
        if picture is None:
            lost.append(in_one_line(path.partition("/")[2]))
        else:
            pictures.append(picture)
    return pictures, lost


FOLDER: Layout[GapItem] = Layout(NAME, read)
