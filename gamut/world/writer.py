"""The embedded world as a writer: which question is answered by which rule."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from . import vocabulary as v
from .answering import Unsupported, Values
from .captions import unite
from .reading import read
from .scene import Group, Scene, complete_scene, random_scene
from .writing import write


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    match question:
        case "brainstorm":
            return brainstorm_prompts(fields, seed)
        case "imagine":
            return imagine_scene(fields, seed)
        case "prism_expand":
            return expand_captions(fields, seed)
    if question.startswith("prism_compose_"):
        return compose_prompt(question.removeprefix("prism_compose_"), fields, seed)
    raise Unsupported(f"the embedded world's writer does not know the question {question!r}")


_MOST_PROMPTS = 1000


def brainstorm_prompts(fields: Mapping[str, str], seed: int) -> Values:
    """`count` different prompts of scenes with something surreal, drawn by concept family and seed."""
    count = fields.get("count", "")
    if not (count.isdecimal() and 1 <= int(count) <= _MOST_PROMPTS):
        raise Unsupported(f"a count of 1 to {_MOST_PROMPTS} prompts can be asked for, not {count!r}")
    rng = random.Random(f"{seed} brainstorm {fields.get('family', '')}")
    found: dict[str, None] = {}
    while len(found) < int(count):
        found.setdefault(write(with_wonder(random_scene(rng), rng)))
    return {"prompts": list(found)}


def imagine_scene(fields: Mapping[str, str], seed: int) -> Values:
    """A new surreal scene that takes things of the examples (prompts, one a line) together with things of its own."""
    examples = [scene for scene in map(read, fields.get("examples", "").splitlines()) if scene]
    if not examples:
        raise Unsupported("none of the examples can be read")
    rng = random.Random(f"{seed} imagine {fields['examples']}")
    return {"caption": write(next(scene for scene in _combined(examples, rng) if scene not in examples))}


def _combined(examples: Sequence[Scene], rng: random.Random) -> Iterator[Scene]:
    """Scenes without end: each has things and looks of several examples; colours, numbers and places are its own."""
    kinds = sorted({group.kind for scene in examples for group in scene.groups})
    while True:
        own = random_scene(rng)
        names = rng.sample(kinds, min(1, len(kinds)))
        others = sorted({*kinds, *(group.kind for group in own.groups)} - {*names})
        names += rng.sample(others, len(own.groups) - len(names))
        lettering = rng.choice(examples).lettering
        looks = {part: getattr(rng.choice(examples), part) for part in ("style", "light", "mood")}
        scene = replace(
            own,
            groups=tuple(
                replace(group, kind=name) for group, name in zip(own.groups, rng.sample(names, len(names)), strict=True)
            ),
            lettering=lettering,
            sign=rng.choice(list(v.SIGNS)) if lettering else None,
            surreal=rng.choice((own, rng.choice(examples))).surreal,
            **looks,
        )
        yield with_wonder(scene, rng)


def with_wonder(scene: Scene, rng: random.Random) -> Scene:
    return scene if scene.surreal else replace(scene, surreal=rng.choice(list(v.SURREALS)))


_ALONE = 0.3  # share of the prompts with lettering and without an object drawn that get no object
_LIT = 0.5  # share of the prompts that say what time of day it is though nothing asks for it
_NUMBERS = (1, 1, 2, 3)  # of objects whose number is not drawn

Elements = Sequence[tuple[str, str]]


def compose_prompt(track: str, fields: Mapping[str, str], seed: int) -> Values:
    """A prompt with every element ("role: text" a line) word for word; one of imagination has something surreal too.

    An element of role `content` is what is to be written; an attribute belongs to the next object. What the elements
    leave open is drawn by the seed. Unsupported: they cannot be one scene of the world.
    """
    lines = fields.get("elements", "")
    elements = [(role, text) for role, _, text in (line.partition(": ") for line in lines.splitlines())]
    rng = random.Random(f"{seed} compose {track} {lines}")
    try:
        prompt = write(_scene(elements, track, rng))
    except ValueError as error:
        raise Unsupported(f"the elements cannot be one scene: {error}") from error
    for role, text in elements:
        if not (f'"{text}"' in prompt if role == "content" else _occurs(text, prompt)):
            raise Unsupported(f"the embedded world cannot write {text!r} word for word")
    return {"prompt": prompt}


def expand_captions(fields: Mapping[str, str], seed: int) -> Values:
    """One long text that says what the captions of a picture ("name: caption" a line) say together, but for `original`,
    the source's own, which was written for another picture. Unsupported: they disagree.
    """
    captions = [line.partition(": ") for line in fields.get("captions", "").splitlines()]
    scene = unite(caption for name, _, caption in captions if name != "original")
    if scene is None:
        raise Unsupported("the captions are none of the embedded world's, or disagree")
    return {"prompt": write(complete_scene(scene, random.Random(f"{seed} expand {scene!r}")), form="long")}


def _scene(elements: Elements, track: str, rng: random.Random) -> Scene:
    """Return a scene with all elements in it. ValueError: there is none, and why."""
    objects, parts = _sorted(elements)
    if not objects and not ("lettering" in parts and rng.random() < _ALONE):
        objects = [{"kind": rng.choice(list(v.KINDS))}]
    taken = {fields.get("colour") for fields in objects}
    for fields in objects:
        fields.setdefault("colour", rng.choice([colour for colour in v.COLOURS if colour not in taken]))
        taken.add(fields["colour"])
        kind = v.KINDS[fields["kind"]]
        fields.setdefault("count", rng.choice(_NUMBERS) if _occurs(kind.name, kind.plural) else 1)
    if len(objects) == 2:
        parts.setdefault("relation", rng.choice(list(v.RELATIONS)))
    if "lettering" in parts:
        parts.setdefault("sign", rng.choice(list(v.SIGNS)))
    if track == "imagination":
        parts.setdefault("surreal", rng.choice(list(v.SURREALS)))
    if rng.random() < _LIT:
        parts.setdefault("light", rng.choice(list(v.LIGHTS)))
    return Scene(tuple(Group(**fields) for fields in objects), **parts)


def _sorted(elements: Elements) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The objects' fields, each with the attributes before it, and the fields of the scene; ValueError as above."""
    objects: list[dict[str, Any]] = []
    parts: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for role, text in elements:
        part, value = ("lettering", text) if role == "content" else _meaning(text)
        into = attributes if part in ("colour", "count", "kind") else parts
        if part in into:
            raise ValueError(f"{part} is asked for twice, as {into[part]!r} and {value!r}")
        into[part] = value
        if part == "kind":
            objects.append(attributes)
            attributes = {}
    if attributes:
        raise ValueError(f"{' and '.join(attributes)} belongs to no object")
    return objects, parts


def _meaning(text: str) -> tuple[str, Any]:
    """Return which part of a scene an element names, and its value; ValueError for none."""
    if (found := _names().get(_bare(text).casefold())) is None:
        raise ValueError(f"{text!r} is not in the world's vocabulary")
    return found


@cache
def _names() -> dict[str, tuple[str, Any]]:
    """Everything by its English name, lower case and without article → part of a scene and value."""
    tables: dict[str, Mapping[Any, v.Word]] = {
        "colour": v.COLOURS,
        "count": v.COUNTS,
        "relation": v.RELATIONS,
        **v.LOOKS,
    }
    found: dict[str, tuple[str, Any]] = {kind.lower(): ("kind", kind) for kind in v.KINDS}
    for part, table in tables.items():
        found |= {_bare(word.en): (part, key) for key, word in table.items()}
    return found


def _bare(text: str) -> str:
    return re.sub("^(an?|the) ", "", text, flags=re.IGNORECASE)


def _occurs(text: str, prompt: str) -> bool:
    """Return whether a text stands in a prompt, apart from its article, case, and a plural -s or -es of each word."""
    words = " ".join(re.escape(word) + "(?:e?s)?" for word in _bare(text).split())
    return re.search(rf"(?<!\w){words}(?!\w)", prompt, re.IGNORECASE) is not None
