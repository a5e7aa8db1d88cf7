"""The released annotations of AEGIS, and defects that are put into its items."""

from __future__ import annotations

import json
import lzma
import random
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data/aegis"
SEED = 20261121
Entry = dict[str, Any]


@cache
def content() -> str:
    return lzma.decompress((DATA / "annotation.json.xz").read_bytes()).decode()


def entries() -> list[Entry]:
    found: list[Entry] = json.loads(content())
    return found


def misspelt(word: str, draw: random.Random) -> str:
    at = draw.choice([n for n in range(1, len(word) - 1) if word[n] != word[n + 1] and word[n : n + 2].isalpha()])
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def question_at(entry: Entry, draw: random.Random, make: Callable[[str], str]) -> str:
    number = draw.randrange(len(entry["refined_question"]))
    entry["refined_question"][number] = make(entry["refined_question"][number])
    return f"refined_question.{number}"


def without_tag(question: str) -> str:
    return question.partition("] ")[2]


def tag_of(question: str) -> str:
    return question.partition("] ")[0] + "]"


def term(entry: Entry, draw: random.Random, number: int) -> str:
    key = ("task", "category", "reasoning_type")[number % 3]
    key = key if len(entry[key]) > 6 else "reasoning_type"
    entry[key] = misspelt(entry[key], draw) if number % 4 else entry[key].upper()
    return key


def value_of_another_type(entry: Entry, draw: random.Random, number: int) -> str:
    key, make = (("ref_text", lambda text: [text]), ("input_image", lambda paths: None), ("refined_keywords", list))[
        number % 3
    ]
    entry[key] = make(entry[key]) if key != "refined_keywords" else entry[key].split(", ")
    return key


def misspelt_tag(entry: Entry, draw: random.Random, number: int) -> str:
    return question_at(entry, draw, lambda said: f"[{misspelt(tag_of(said)[1:-1], draw)}] {without_tag(said)}")


def missing_tag(entry: Entry, draw: random.Random, number: int) -> str:
    return question_at(entry, draw, without_tag)


def impossible_tag(entry: Entry, draw: random.Random, number: int) -> str:
    other = "[Image]" if entry["task"] == "understanding" else "[Text]"
    return question_at(entry, draw, lambda said: f"{other} {without_tag(said)}")


def shipped_reply(entry: Entry, draw: random.Random, number: int) -> str:
    listed = json.dumps(entry["refined_question"], indent=2, ensure_ascii=False)
    entry["refined_question"] = [("parsed error: ", "```json\n", "Here is the list:\n")[number % 3] + listed]
    return "refined_question.0"


def duplicate(entry: Entry, draw: random.Random, number: int) -> str:
    said = draw.choice(entry["refined_question"])
    same = (said, said.upper().replace(tag_of(said).upper(), tag_of(said)), said.replace("the ", "").replace("  ", " "))
    entry["refined_question"].append(same[number % 3] if same[number % 3] != said else f"{said} ")
    return f"refined_question.{len(entry['refined_question']) - 1}"


def lost_picture(entry: Entry, draw: random.Random, number: int) -> str:
    key = ("prompt", "clear_prompt", "ref_text")[number % 3]
    entry[key] = f"{entry[key] or 'It is'} as in <image{9 + number}>."
    return key


DEFECTS: dict[str, tuple[str, Callable[[Entry, random.Random, int], str]]] = {
    "term": ("term", term),
    "type": ("type", value_of_another_type),
    "misspelt tag": ("tag", misspelt_tag),
    "missing tag": ("tag", missing_tag),
    "impossible tag": ("tag", impossible_tag),
    "reply": ("reply", shipped_reply),
    "duplicate": ("duplicate", duplicate),
    "placeholder": ("placeholder", lost_picture),
}
"""Eight kinds: what each is called in findings, and what puts one into an item and returns its field."""


def with_defects(each: int) -> tuple[list[Entry], dict[tuple[str, int], tuple[int, str, str]]]:
    """So many defects of each kind, each in an item of its own: the items, and by kind and number where each is."""
    draw, chosen = random.Random(SEED), []
    sound = [one for one in entries() if len(one["refined_question"]) > 1 and one["refined_keywords"]]
    sound = [one for one in sound if one["task"] != "interleaved" and isinstance(one["ref_text"], str)]
    expected = {}
    for kind, entry in zip(
        (kind for kind in DEFECTS for _ in range(each)), draw.sample(sound, each * len(DEFECTS)), strict=True
    ):
        number = sum(earlier == kind for earlier, _ in expected)
        defect, spoil = DEFECTS[kind]
        expected[kind, number] = (entry["id"], spoil(entry, draw, number), defect)
        chosen.append(entry)
    return chosen, expected


def recall(expected: dict[tuple[str, int], tuple[int, str, str]], found: set[tuple[Any, str, str]]) -> dict[str, float]:
    hits: dict[str, list[bool]] = defaultdict(list)
    for (kind, _), where in expected.items():
        hits[kind].append(where in found)
    return {kind: sum(some) / len(some) for kind, some in hits.items()}


def write_entries(found: list[Any], name: str = "annotation.json") -> Path:
    path = Path(name)
    path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    return path
