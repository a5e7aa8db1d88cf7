"""What is right for the items of frozen editions: contestants of the world answer by it, and so does its judge.

An item holds that itself: its reference in words, what a right picture shows, its solution or its reference pictures.
Who is asked about an item is known by the words and the pictures of the request.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from . import vocabulary as v
from .answering import Parts, Unsupported, pictures_of, texts_of
from .captions import understand
from .looking import sight_of
from .scene import Scene

EDITIONS, PICTURES = Path("datasets/editions"), Path("datasets/edition_images")
"""Where they lie in a project, which stages run in."""
PROMPT_FIELDS = ("prompt", "clear_prompt", "question", "entity")
"""Fields of items with the words in which they are asked."""
WORD_FIELDS = ("reference_text", "reference", "entity", "expected")
"""Fields with a right answer in words."""
SCENE_FIELDS = ("rule_hint", "entity", "expected")
"""Fields that say what a right picture shows."""
OPTION = re.compile(r"^([A-Z])\) *(.+?)\s*$", re.MULTILINE)
PLACE = re.compile(r"<image:? ?\w+>")
SHORT_PROMPT = 30
"""Characters of a prompt that has to be all of a request's words: a shorter one may stand within another's."""
REGION_COLOUR = (0, 255, 0)
ROLES = ("input", "question", "reference", "solution", "mask")


class Key(NamedTuple):
    """What is right of one item. `group`: whose answers are of the same kind; `inputs`: pictures that it is asked with,
    `pictures`: all that it has, by sha256; `words`: the right answer; `shows`: what a right picture shows; `exact`:
    right pixel by pixel, and no other picture of the same; `inverted`: questions of its checklist whose answer is No of
    a right answer.
    """

    id: str
    group: str
    prompts: tuple[str, ...]
    inputs: frozenset[str]
    pictures: frozenset[str]
    words: str
    option: str
    shows: str
    solution: str
    exact: bool
    mask: str
    inverted: frozenset[str]


def right_picture(key: Key) -> bytes | None:
    if not key.solution:
        return None
    data = read_picture(key.id.partition("/")[0], key.solution)
    return paint_region(data, read_picture(key.id.partition("/")[0], key.mask)) if key.mask else data


def right_scene(key: Key) -> Scene | None:
    """Return what a right picture shows; None where that is no scene of the world but a diagram, say."""
    if key.shows:
        return understand(statement_of(key.shows.split("; ")[-1]))
    data = None if key.exact else right_picture(key)
    return sight_of(data).scene if data else None


def statement_of(rule: str) -> str:
    """Return what a rule says that a picture shows, without what it says must not be there."""
    return re.sub(r"^The picture shows |(?<=\.) There is no .*$", "", rule)


def right_words(key: Key, question: str) -> str:
    """Return the right answer in words: of options that are asked about, the letter of the right one."""
    options = {text: letter for letter, text in OPTION.findall(question)}
    letter = options.get(key.words, "") or (key.option if options else "")
    return letter or key.words or f"So what is wanted is {statement_of(key.shows)}"


def wrong_answers(key: Key, question: str, written: bool) -> Sequence[str | Key]:
    """What is given in the place of what is right: another letter where options are asked about, else items of the same
    kind in the same edition, or all of it, that are answered with something else.
    """
    right = right_words(key, question)
    if written and (letters := [letter for letter, _ in OPTION.findall(question) if letter != right]):
        return letters
    edition = key.group.rpartition("/")[0]
    others = [one for one in known_keys() if one.group.rpartition("/")[0] == edition and one.id != key.id]
    others = [one for one in others if (right_words(one, question) != right if written else paintable(one))]
    return [one for one in others if one.group == key.group] or others


def paintable(key: Key) -> bool:
    """Return whether an item says what a right picture shows."""
    return bool(key.shows or key.solution)


def key_for(parts: Parts) -> Key | None:
    """Return the item that a request is about: the one most of whose pictures and words stand in it; None for none."""
    pictures = {hashlib.sha256(data).hexdigest() for data in pictures_of(parts)}
    words = " ".join(" ".join(texts_of(parts)).split())
    found = [(score, key) for key in known_keys() if (score := likeness(key, words, pictures))]
    return max(found, key=lambda one: one[0])[1] if found else None


def likeness(key: Key, words: str, pictures: set[str]) -> tuple[int, int] | None:
    """Return how many of an item's pictures a request holds and how many characters of its prompt; None: not its."""
    shared = len(pictures & key.pictures)
    if pictures and not shared:
        return None
    lengths = [len(text) for text in key.prompts if stands_in(text, words)]
    return (shared, max(lengths, default=0)) if lengths or (pictures and pictures <= key.pictures) else None


def stands_in(text: str, words: str) -> bool:
    """Return whether a prompt stands in the words of a request, whatever stands in the places of its pictures."""
    pieces = [" ".join(piece.split()) for piece in PLACE.split(text)]
    if len(text) < SHORT_PROMPT:
        return [piece for piece in pieces if piece] == [words]
    return all(piece in words for piece in pieces)


def knows_all(key: Key, parts: Parts) -> bool:
    """Return whether a request holds all pictures that its item is asked with."""
    return {hashlib.sha256(data).hexdigest() for data in pictures_of(parts)}.issuperset(key.inputs)


def known_keys() -> Sequence[Key]:
    """Of all frozen editions of the project here but PRISM's, whose prompts say to everybody what is to be seen."""
    paths = [path for path in sorted(EDITIONS.absolute().glob("*/*.jsonl")) if path.parent.name != "prism"]
    return keys_in(tuple((path, path.stat().st_mtime_ns) for path in paths))


@lru_cache(maxsize=4)
def keys_in(editions: tuple[tuple[Path, int], ...]) -> Sequence[Key]:
    found = (
        read_key(f"{path.parent.name}/{path.stem}", line)
        for path, _ in editions
        for line in path.read_bytes().splitlines()
    )
    return [key for key in found if key and (key.words or paintable(key))]


def read_key(edition: str, line: bytes) -> Key | None:
    """None for a line that is no item: whoever measures by that edition says what is wrong."""
    try:
        return key_of(edition, json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def key_of(edition: str, item: Mapping[str, Any]) -> Key:
    roles = {role: [one["sha256"] for one in item.get("images") or () if one["role"] == role] for role in ROLES}
    kind = next((str(item[name]) for name in ("category", "task", "kind") if item.get(name)), "")
    questions = [one for one in item.get("checklist") or () if isinstance(one, dict)]
    solution = roles["solution"] or (roles["input"] if roles["mask"] else roles["reference"])
    shows = next((str(item[name]) for name in SCENE_FIELDS if item.get(name)), "") or description_of(item)
    return Key(
        id=f"{edition}/{item['id']}",
        group=f"{edition}/{kind}",
        prompts=tuple(str(item[name]) for name in PROMPT_FIELDS if item.get(name)),
        inputs=frozenset(roles["input"] + roles["question"]),
        pictures=frozenset(one["sha256"] for one in item.get("images") or ()),
        words=next((str(item[name]) for name in WORD_FIELDS if item.get(name)), ""),
        option=(item.get("probe") or {}).get("right", ""),
        shows="" if solution and not item.get("entity") else shows,
        solution=next(iter(solution), ""),
        exact=bool(roles["solution"] or roles["mask"]),
        mask=next(iter(roles["mask"]), ""),
        inverted=frozenset(one["question"] for one in questions if one.get("inverted")),
    )


def description_of(item: Mapping[str, Any]) -> str:
    """What a right picture shows by an item's numbers of things, places or lettering; "" without words for it."""
    try:
        if item.get("lettering"):
            return f'A banner that reads "{item["lettering"]}".'
        if item.get("numbers"):
            things = [(thing, n) for thing, n in zip(item["objects"], item["numbers"], strict=True) if n]
            return " and ".join(f"{v.COUNTS[n].en} {thing if n == 1 else plural(thing)}" for thing, n in things) + "."
        relations: list[Any] = item.get("relations") or []
        [relation] = relations
        (one,), (other,) = relation["subject"], relation["object"]
        return f"A {one} {v.RELATIONS[relation['direction']].en} a {other}."
    except (KeyError, ValueError):
        return ""


def plural(thing: str) -> str:
    """Return the plural of a thing, with its colour if it has one."""
    *colour, kind = thing.split(" ", 1) if thing.split(" ")[0] in v.COLOURS else (thing,)
    return " ".join([*colour, v.KINDS[kind].plural])


@cache
def read_picture(benchmark: str, sha256: str) -> bytes:
    for path in sorted(PICTURES.glob(f"{benchmark}/*/*.parquet")):
        for row in pq.read_table(path, filters=[("sha256", "==", sha256)]).to_pylist():
            data: bytes = row["image"]["bytes"]
            return data
    raise Unsupported(f"no edition below {PICTURES / benchmark} has the picture {sha256}")


def paint_region(picture: bytes, mask: bytes) -> bytes:
    image, region = (Image.open(io.BytesIO(data)).convert("RGB") for data in (picture, mask))
    pixels = np.array(image)
    pixels[np.asarray(region.resize(image.size, Image.Resampling.NEAREST))[..., 0] > 127] = REGION_COLOUR
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
