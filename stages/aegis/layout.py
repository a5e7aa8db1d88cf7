"""The released layout of AEGIS: `annotation.json`, a list of items, and pictures in files below a folder.

An item has `id`, `task`, `input_type`, `prompt`, `clear_prompt`, `input_image`, `keywords`, `reasoning_type`,
`category` (the topic), `ref_text`, `ref_image`, `refined_keywords` and `refined_question`: the checklist, with each
question after its tag. The released file has defects: they are reported, and fixed if that is safe
(`curating.findings`).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gamut.evaluation.curating.checklist_lint import lint
from gamut.evaluation.curating.entries import (
    Entry,
    NoItemError,
    entries_of,
    id_of,
    read_joined_text,
    read_term,
    read_text,
    read_texts,
)
from gamut.evaluation.curating.findings import Finding, Findings, names_in_plain_words, near_repeats, unknown_names
from gamut.evaluation.curating.layout import ImportedItems, Layout, PictureFiles, Reading, origin_of, picture_files
from gamut.evaluation.defining.editions import EditionPicture, Role
from gamut.evaluation.running.placing import PICTURE_NAME
from gamut.project.errors import in_one_line
from stages.aegis.shared.items import ABOUT, DOMAIN_OF, REASONING, TASKS, AegisItem, CheckQuestion

POSSIBLE = {task: tuple(about.capitalize() for about in abouts) for task, abouts in ABOUT.items()}
"""Tags by task."""
REASONING_TYPES = {f"{'no' if kind == 'none' else kind} reasoning": kind for kind in REASONING}
SYNONYMS = {"comparison reasoning": "comparative reasoning"}
ROLES: dict[str, Role] = {"input_image": "input", "ref_image": "reference"}
KEYS = {"id", "task", "input_type", "prompt", "clear_prompt", "keywords", "reasoning_type", "category", "ref_text"}
KEYS |= {"refined_keywords", "refined_question", *ROLES}
CHECKLIST = TypeAdapter(tuple[CheckQuestion, ...])
_REFERENCE = re.compile(r"<ref_?image[ _]?(\d{1,6})>", re.IGNORECASE)


def read_annotations(path: Path, images: Path | None) -> ImportedItems[AegisItem]:
    """Read all items. With missing pictures, or no `images`, they are unusable. UserError without a list."""
    files = None if images is None else picture_files(images, path)
    entries = entries_of(path)
    ids = Counter(str(id_of(entry)) for entry in entries)
    found = Reading[AegisItem]()
    for entry in entries:

        def make(findings: Findings, entry: Any = entry) -> AegisItem:
            if findings.of is None or ids[str(findings.of)] > 1:
                raise NoItemError("id", "type", entry.get("id") if isinstance(entry, dict) else entry)
            return item_of(entry, files, findings)

        found.add(id_of(entry), entry, make)
    findings = [*found.findings, *near_twins(found.items)]
    return ImportedItems(found.items, files or {}, origin_of(path), findings, found.odd)


def item_of(entry: Entry, files: PictureFiles | None, findings: Findings) -> AegisItem:
    """Return an entry as an item, fixed if that is safe. NoItemError if it cannot become one."""
    task = read_term(entry, "task", TASKS, findings)
    named = {key: read_texts(entry, key, findings) for key in ROLES}
    inputs, references = map(len, named.values())
    pictures, why = pictures_of(named, files, findings)
    prompts = {key: read_text(entry, key) for key in ("prompt", "clear_prompt")}
    for key, prompt in prompts.items():
        why += [f"{key} names {name}" for name in unknown_names(key, prompt, inputs, findings)]
        for name in _REFERENCE.finditer(prompt):  # contestants do not get it
            findings.say(key, "placeholder", name[0])
    if " ".join(prompts["prompt"].split()) == " ".join(prompts["clear_prompt"].split()):
        findings.say("clear_prompt", "same_prompts", prompts["clear_prompt"])
    reference = names_in_plain_words(
        "ref_text", read_joined_text(entry, "ref_text", "\n", findings), references, findings
    )
    keywords = keywords_in(read_joined_text(entry, "refined_keywords", ", ", findings))
    if not keywords:
        findings.say("refined_keywords", "blank", entry.get("refined_keywords"))
    if entry.get("input_type") != input_type(inputs):
        findings.say("input_type", "count", entry.get("input_type"), input_type(inputs))
    released = {key: entry[key] for key in ("keywords", *sorted(entry.keys() - KEYS)) if key in entry}
    for key in sorted(entry.keys() - KEYS):
        findings.say(key, "key", entry[key])
    return AegisItem.model_validate(
        {
            "id": entry["id"],
            "prompt": prompts["prompt"],
            "texts": [one for one in (prompts["clear_prompt"], reference) if one.strip()],
            "images": pictures,
            "task": task,
            "topic": read_term(entry, "category", DOMAIN_OF, findings),
            "reasoning": REASONING_TYPES[read_term(entry, "reasoning_type", REASONING_TYPES, findings, SYNONYMS)],
            "clear_prompt": prompts["clear_prompt"],
            "reference": reference,
            "keywords": keywords,
            "checklist": checklist_of(entry, POSSIBLE[task], references, findings),
        }
        | ({"released": kept} if (kept := released | (named if len(pictures) < inputs + references else {})) else {})
        | ({"unusable": "; ".join(why)} if why else {})
    )


def keywords_in(text: str) -> list[str]:
    """Return the texts between commas. Commas in brackets do not separate: `[3,3]-rearrangement` is one keyword."""
    parts, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character in "[(（") - (character in "])）"))
        if character in ",，" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    if depth:  # a bracket that is never closed encloses nothing
        parts = re.split("[,，]", text)
    return [one.strip() for one in parts if one.strip()]


def pictures_of(
    named: Mapping[str, Sequence[str]], files: PictureFiles | None, findings: Findings
) -> tuple[list[EditionPicture], list[str]]:
    """Return the existing pictures, and why the item cannot be used if others are missing."""
    found, lost = [], []
    for key, role in ROLES.items():
        for number, path in enumerate(named[key], start=1):
            try:
                if files is not None:
                    found.append(files.picture(path, f"{role}_{number}", role, path))
                    continue
            except (ValueError, OSError) as error:
                findings.say(f"{key}.{number - 1}", "picture", f"{path}: {error}")
            lost.append(in_one_line(path))
    return found, [f"pictures are missing: {', '.join(lost)}"] if lost else []


def checklist_of(
    entry: Entry, possible: Sequence[str], references: int, findings: Findings
) -> tuple[CheckQuestion, ...]:
    """Return the questions, with none lost. NoItemError for a value that is not a checklist."""
    key, value = "refined_question", entry.get("refined_question")
    whole = value if isinstance(value, list) else [] if value is None else [value]
    flat = [one for some in whole for one in (some if isinstance(some, list) else [some])]
    if not flat:
        raise NoItemError(key, "type", value)
    if flat != value:
        findings.say(key, "type", value, f"{len(flat)} questions")
    for number, one in enumerate(flat):
        if not isinstance(one, str) or not one.strip():
            raise NoItemError(f"{key}.{number}", "type", one)
    inverted = inverted_questions().get(str(findings.of), set())
    found = lint(key, flat, possible, inverted, findings)
    for number, one in enumerate(found):
        if not one.question:
            raise NoItemError(f"{key}.{number}", "type", one.question)
        for name in _REFERENCE.finditer(one.question):
            if not 1 <= int(name[1]) <= references:
                findings.say(f"{key}.{number}", "placeholder", name[0])
    return CHECKLIST.validate_python([one._asdict() for one in found])


@cache
def inverted_questions() -> Mapping[str, set[str]]:
    """Return by item id the released file's questions whose right answer is N, in people's form."""
    found: dict[str, set[str]] = {}
    with Path(__file__).with_name("inverted_questions.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["id"], set()).add(row["question"])
    return found


def input_type(inputs: int) -> str:
    return {0: "text", 1: "single_image"}.get(inputs, "interleaved")


def near_twins(items: Sequence[AegisItem]) -> Iterator[Finding]:
    """Yield which items nearly repeat an earlier one's clear prompt, checklist, or prompt without pictures."""
    alone = [item for item in items if PICTURE_NAME.search(item.prompt) is None]
    for key, among, said in (
        ("prompt", alone, [item.prompt for item in alone]),
        ("clear_prompt", items, [item.clear_prompt for item in items]),
        ("refined_question", items, [" ".join(one.question for one in item.checklist) for item in items]),
    ):
        for earlier, later in near_repeats(said):
            yield Finding(among[later].id, key, "twin", f"nearly that of {among[earlier].id!r}")


ANNOTATIONS: Layout[AegisItem] = Layout("annotation.json", read_annotations)
