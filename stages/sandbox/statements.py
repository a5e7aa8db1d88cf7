"""Statements that answer a question: into words, and back from words whoever wrote them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from . import vocabulary as v
from .agreement import disagreements
from .answering import Unsupported
from .captions import understand
from .material import LONGEST, tellings
from .naming import MOST_PICTURES, NUMBERS, ORDINALS, colours, measures, named, plain, pointed
from .scene import Scene
from .writing import write

Value = int | str | bool | tuple[int, ...] | Scene


@dataclass(frozen=True)
class Statement:
    """What is said. `value`: a number of things; a colour; whether something holds; which pictures, from 1; lettering;
    a scene. `about`: kind and colour of the things that a number is of, where that is said.
    """

    sort: Literal["number", "colour", "truth", "which", "lettering", "scene"]
    value: Value
    about: tuple[str, str | None] | None = None


_COUNT = (
    r"(?:there (?:is|are)|i (?:see|count)|it shows|#1 shows|有|共有|一共有)?\s*(?:only |exactly )?"
    r"(?P<n>{}\b|[一二两三四五六七八九十零]|\d+)(?P<x>.*)"
)
_YES, _NO = (
    re.compile(r"yes(?:, .*)?|true|correct|是的?|有|对"),
    re.compile(r"no(?:, .*)?|false|not|否|没有|不是|不|无"),
)
_WHICH = re.compile(r"(?:it is |that is |in )?(#\d(?:(?:,| and|, and) ?#\d)*)")
_NOISE = re.compile(r"<[^<>\n]*>|\{[^{}]*\}|\[[^\[\]]*\]")


def in_words(statement: Statement, language: str = "en") -> str:
    """Return a statement as a short sentence; "Three.", "Red.", "Yes.", "The second.", a caption."""
    chinese, value = language == "zh", statement.value
    match statement.sort:
        case "number":
            word = "零一二三四五六七八九十"[int(str(value))] if chinese else list(NUMBERS)[int(str(value))]
            text = "none" if word == "zero" else word
        case "colour":
            text = v.COLOURS[str(value)].zh if chinese else v.COLOURS[str(value)].en
        case "truth":
            text = ("是" if value else "否") if chinese else ("yes" if value else "no")
        case "which":
            assert isinstance(value, tuple)
            text = " and ".join(f"the {ORDINALS[n - 1]}" for n in value) or "none"
            text = "和".join(f"图{n}" for n in value) or "无" if chinese else text
        case "lettering":
            text = f"“{value}”" if chinese else f'"{value}"'
        case "scene":
            assert isinstance(value, Scene)
            return write(value, language)
    return text[0].upper() + text[1:] + ("。" if chinese else ".")


def without_noise(text: str) -> str:
    """Return a text without what looks like a tag, or like JSON: that is no statement.

    Nothing is left of a text that is far longer than any answer.
    """
    return _NOISE.sub("\n", text) if len(text) <= LONGEST else ""


def said_in(text: str, pictures: int = MOST_PICTURES) -> list[Statement]:
    """Return all that the sentences of a text may be meant to state; other words state nothing."""
    lines = re.split(r"(?<=[.!?。！？])\s*|[\n;；]+", without_noise(text))
    return [one for line in lines if line.strip() for one in _meanings(line, pictures)]


def states(text: str, truth: Statement) -> tuple[bool | None, str]:
    """Return whether a text states what is true, and nothing of the same sort that is not, and why in words; None: it
    states nothing of that sort.
    """
    wanted = f"right is {in_words(truth)!r}"
    if isinstance(truth.value, Scene):
        return _tells(without_noise(text), truth.value, wanted)
    found = [one for one in said_in(text) if one.sort == truth.sort]
    if not found:
        return None, f"the text gives no such answer as can be read; {wanted}"
    if wrong := [one for one in found if not _same(one, truth)]:
        return False, f"the text says {in_words(wrong[0])!r}; {wanted}"
    return True, f"the text says {in_words(truth)!r}, which is right"


def _tells(text: str, truth: Scene, wanted: str) -> tuple[bool | None, str]:
    """Every scene that is told has to be true, and one to tell all; of what the truth leaves open, anything is."""
    told = tellings(text)
    if not told:
        return None, f"the text tells no scene that can be read; {wanted}"
    for scene in told:
        if wrong := [name for name in disagreements(scene, truth, truth.lettering) if name not in _open(truth)]:
            return False, f"the text is wrong about: {', '.join(dict.fromkeys(wrong))}; {wanted}"
    missing = min((disagreements(truth, scene, scene.lettering) for scene in told), key=len)
    if missing:
        return False, f"the text does not say all: {', '.join(dict.fromkeys(missing))}; {wanted}"
    return True, "the text tells the scene"


def _open(truth: Scene) -> set[str]:
    """Return which parts a truth says nothing of. A scene that is seen is whole: what it lacks is not there."""
    if None not in (truth.light, truth.style, truth.mood):
        return set()
    parts = ("relation", "lettering", "sign", "style", "light", "mood", "surreal")
    colour = {"colour"} if any(group.colour is None for group in truth.groups) else set()
    return colour | {part for part in parts if getattr(truth, part) is None}


def _same(one: Statement, truth: Statement) -> bool:
    if one.value != truth.value:
        return False
    about, wanted = one.about, truth.about
    if about is None or wanted is None:
        return True
    return about[0] == wanted[0] and (None in (about[1], wanted[1]) or about[1] == wanted[1])


def _meanings(line: str, pictures: int) -> list[Statement]:
    """Return what one sentence may state, each sort once."""
    text = pointed_quietly(plain(line), pictures)
    found = [*_number(text), *_which(text), *_colour(text)]
    if _YES.fullmatch(text) or _NO.fullmatch(text):
        found.append(Statement("truth", bool(_YES.fullmatch(text))))
    if quoted := re.fullmatch(r'(?:it|the (?:sign|banner|board)|the lettering)? ?(?:says|reads|is)? ?"([^"]+)"', text):
        found.append(Statement("lettering", quoted[1].upper()))
    scene = understand(line)
    if scene is not None:
        found.append(Statement("scene", scene))
        if scene.lettering and not scene.groups:
            found.append(Statement("lettering", scene.lettering))
    return found


def pointed_quietly(text: str, pictures: int) -> str:
    """Return `naming.pointed`; a text that points at what is not there stays as it is."""
    try:
        return pointed(text, pictures)
    except Unsupported:
        return text


def _number(text: str) -> Sequence[Statement]:
    words = "|".join(word for word in NUMBERS if word.isascii() and not word.isdigit() and " " not in word)
    match = re.fullmatch(_COUNT.format(f"(?:{words})"), text)
    if match is None:
        return []
    number = NUMBERS.get(match["n"])
    rest = re.sub(r"(?: (?:in|on) #[\d*]| in total)$", "", match["x"]).strip()
    rest = re.sub(f"^(?:{measures()})$", "", rest)
    thing = named(rest) if rest else None
    if number is None or (rest and thing is None) or (thing is None and match["n"] in ("a", "an")):
        return []
    return [Statement("number", number, (thing.kind, thing.colour) if thing else None)]


def _which(text: str) -> Sequence[Statement]:
    ordinals = "|".join(ORDINALS)
    marked = re.sub(rf"(?:the )?\b({ordinals})(?: one)?\b", lambda m: f"#{ORDINALS.index(m[1]) + 1}", text)
    if text in ("none", "none of them", "neither", "无", "都没有"):
        return [Statement("which", ())]
    match = _WHICH.fullmatch(marked.replace("和", " and "))
    return [Statement("which", tuple(map(int, re.findall(r"#(\d)", match[1]))))] if match else []


def _colour(text: str) -> Sequence[Statement]:
    words = re.sub(r"^(?:it is|it's|they are|(?:the )?[\w -]+? (?:is|are)|是)\s*", "", text)
    return [Statement("colour", colours()[words])] if words in colours() else []
