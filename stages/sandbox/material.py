"""Texts and pictures given in order: one text that points at the pictures, and the scenes seen on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .answering import Unsupported
from .captions import understand
from .looking import look, whole_scene_of
from .naming import MOST_PICTURES, plain, pointed
from .reading import translate
from .scene import Scene

Parts = Sequence[str | bytes]
"""Texts and encoded pictures in order."""
Enclosed = Mapping[str, Parts]
"""Blocks of material by their names."""
_LABEL = re.compile(
    r"(?:(?:(?:the )?(?:input|given|source|reference|instruction|question)(?: (?:picture|image|photo))?s?)|#\d"
    r"|(?:here is|this is|look at|edit|change) (?:it|#\d|#\*)(?: as follows)?)?"
)
_POLITE = re.compile(r"^(?:(?:please|now|then|could you|can you|would you),? )+")
LONGEST_SENTENCE = 600
LONGEST = 10_000
"""Characters of a text that is read for scenes; the longest captions of the world have a third of that."""
_PARTS = ("relation", "lettering", "sign", "style", "light", "mood", "surreal")


class Material(NamedTuple):
    """What was given. `readings`: its sentences in the ways in which they may be meant, pictures pointed at as `#1`;
    `told`: scenes that the texts tell; `seen`: what the pictures show, in order.
    """

    readings: tuple[tuple[str, ...], ...]
    told: tuple[Scene, ...]
    seen: tuple[Scene, ...]


def texts_of(parts: Parts) -> list[str]:
    """Return the texts with something in them."""
    return [part.strip() for part in parts if isinstance(part, str) and part.strip()]


def pictures_of(parts: Parts) -> list[bytes]:
    """Return the pictures."""
    return [part for part in parts if isinstance(part, bytes)]


def material(parts: Parts) -> Material:
    """Read texts and look at pictures; Unsupported for a picture that cannot be named whole.

    A picture may stand beside what the text calls it by, or in the place of such a name: both are tried. One that is
    given several times is one picture.
    """
    pictures = list(dict.fromkeys(pictures_of(parts)))
    if len(pictures) > MOST_PICTURES:
        raise Unsupported(f"at most {MOST_PICTURES} pictures can be looked at together, not {len(pictures)}")
    seen = tuple(whole_scene_of(look("what is given", [picture])) for picture in pictures)
    named: list[str] = []
    in_place: list[str] = []
    for part in parts:
        named += [part] if isinstance(part, str) else []
        in_place.append(part if isinstance(part, str) else f" image {pictures.index(part) + 1} ")
    ways = dict.fromkeys(" ".join(way) for way in (named, in_place))
    readings = dict.fromkeys(tuple(sentences(way, len(pictures))) for way in ways)
    told = [scene for text in texts_of(parts) for scene in tellings(text)]
    return Material(tuple(readings), tuple(told), seen)


def sentences(text: str, pictures: int) -> list[str]:
    """Return the sentences of a text, plain, without mere labels of pictures. Unsupported: one is far too long."""
    found = []
    for line in re.split(r"(?<=[.!?;:])\s+|[。！？；]|\n+", text):
        if len(line) > LONGEST_SENTENCE:
            raise Unsupported(f"a sentence has more than {LONGEST_SENTENCE} characters: {line[:60]!r}")
        sentence = _POLITE.sub("", pointed(plain(line), pictures))
        if not _LABEL.fullmatch(sentence):
            found.append(sentence)
    return found


def tellings(text: str) -> list[Scene]:
    """Return the scenes that a text tells: as a whole, or else each sentence that tells one.

    What else it says is left: an instruction, say, or what nobody can read.
    """
    if len(text) > LONGEST:
        return []
    whole = understand(text)
    if whole is not None:
        return [whole]
    lines = [line.strip() for line in re.split(r"(?<=[.!?:])\s+|(?<=[。！？])|\n+", text) if line.strip()]
    known = understand(" ".join(line for line in lines if _readable(line)))
    return [known] if known is not None else [scene for line in lines if (scene := understand(line)) is not None]


def together(scenes: Sequence[Scene]) -> Scene:
    """Return one scene with the things of all; in what else they differ, the first that says something counts.

    Unsupported where that is no scene.
    """
    groups = tuple(dict.fromkeys(group for scene in scenes for group in scene.groups))
    first: dict[str, Any] = {}
    for part in _PARTS:
        first[part] = next((value for scene in scenes if (value := getattr(scene, part))), None)
    if len(groups) < 2 or not any(scene.groups == groups for scene in scenes):
        first["relation"] = None
    return made(groups=groups, **first)


def made(scene: Scene | None = None, **fields: Any) -> Scene:
    """Return a scene, or one with other fields; Unsupported where there is none such, as with three kinds of things."""
    try:
        return replace(scene, **fields) if scene else Scene(**fields)
    except ValueError as error:
        raise Unsupported(f"that would be no scene of the embedded world: {error}") from error


def _readable(line: str) -> bool:
    return any(translate(line, source, target) is not None for source, target in (("en", "zh"), ("zh", "en")))
