"""Captions as the web has them: they say a part of a scene, in free wording and untidy form; and the same reworded.

All of them can be read (reading.read); rewording never changes what is read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from . import vocabulary as v
from .phrases import render, slots_of
from .reading import read
from .scene import Scene
from .writing import HEADS, TAILS, core_clause, is_present

_SHARES = {"relation": 0.8, "lettering": 0.75, "style": 0.2, "light": 0.3, "mood": 0.12, "surreal": 0.25}
"""How often a caption says each part of a scene that has it. The subject is always said."""
_LEAST_WORDS = 12  # in a shorter text, one word changed makes another text


def say_in_part(scene: Scene, rng: random.Random) -> str:
    said = _draw_part(scene, rng)
    text = word_otherwise(said, rng)
    if rng.random() < 0.4:
        text = next((other for other in change_word(text, rng) if read(other) == said), text)
    return _scrawl(text, rng)


def reword(caption: str, rng: random.Random) -> str:
    """Change case, punctuation, white space or order of clauses; or one word, in a caption of twelve words or more."""
    meaning = read(caption)
    changes = [_case, _punctuation, _spaces, _order]
    if len(caption.split()) >= _LEAST_WORDS:
        changes.append(change_word)
    rng.shuffle(changes)
    others = (other for change in changes for other in change(caption, rng))
    return next(other for other in others if other != caption and read(other) == meaning)


def _draw_part(scene: Scene, rng: random.Random) -> Scene:
    """Return what a hasty caption says of a scene; the rest is None."""
    groups = scene.groups if rng.random() < 0.85 else scene.groups[:1]
    groups = tuple(group if rng.random() < 0.75 else replace(group, colour=None) for group in groups)
    said = {part: getattr(scene, part) if rng.random() < share else None for part, share in _SHARES.items()}
    if len(groups) < 2:
        said["relation"] = None
    sign = scene.sign if said["lettering"] and rng.random() < 0.7 else None
    return Scene(groups, sign=sign, **said)


def word_otherwise(scene: Scene, rng: random.Random) -> str:
    """Return one line: the subject first, perhaps after an opening, then clauses in any order."""
    slots = slots_of(scene)
    tails = [rng.choice(twins) for name, twins in TAILS.items() if is_present(scene, name)]
    if scene.style:
        tails.append(rng.choice(HEADS[1:]))
    rng.shuffle(tails)
    line = ", ".join(render(twin.en, slots, "en") for twin in (core_clause(scene), *tails))
    openings = [name for word in v.OPENINGS.values() for name in (word.en, *word.also)]
    openings.remove("there is" if scene.groups[0].count > 1 else "there are")
    opening = rng.choice(openings) if rng.random() < 0.4 else ""
    return f"{opening} {line}".strip()


def _scrawl(text: str, rng: random.Random) -> str:
    sentence = text[0].upper() + text[1:]
    forms = (sentence + ".", sentence, text, text + " ", text.replace(" ", "  ", 1), _outside_quotes(str.title, text),
             _outside_quotes(str.upper, text) + "!")  # fmt: skip
    return rng.choices(forms, weights=(34, 20, 20, 8, 6, 7, 5))[0]


Change = Callable[[str, random.Random], Iterator[str]]


def _case(text: str, rng: random.Random) -> Iterator[str]:
    changes: list[Callable[[str], str]] = [str.lower, str.upper, str.title]
    for change in rng.sample(changes, len(changes)):
        yield _outside_quotes(change, text)


def _punctuation(text: str, rng: random.Random) -> Iterator[str]:
    bare = text.rstrip(" .!")
    forms = (bare, bare + ".", bare + "...", bare + "!", re.sub(r",(?= )", "", bare))
    yield from rng.sample(forms, len(forms))


def _spaces(text: str, rng: random.Random) -> Iterator[str]:
    forms = (text.replace(", ", ",   "), f"  {text} ", text.replace(" ", "  ", rng.randint(1, 3)))
    yield from rng.sample(forms, len(forms))


def _order(text: str, rng: random.Random) -> Iterator[str]:
    """Yield the clauses after the first in other orders; the text's end stays its end."""
    bare = text.rstrip(" .!")
    first, *tails = bare.split(", ")
    for _ in range(4 if len(tails) > 1 else 0):
        yield ", ".join((first, *rng.sample(tails, len(tails)))) + text[len(bare) :]


def change_word(text: str, rng: random.Random) -> Iterator[str]:
    """Another name for one of the words."""
    quoted = [match.span() for match in re.finditer(r'"[^"]*"', text)]
    words = [word for word in re.finditer(r"[A-Za-z-]+", text) if not any(a < word.start() < b for a, b in quoted)]
    for word in rng.sample(words, len(words)):
        others = _other_names().get(word[0].lower(), ())
        for other in rng.sample(others, len(others)):
            changed = text[: word.start()] + _cased(other, word[0]) + text[word.end() :]
            if not re.search(r"\b(a [aeiou]|an [^aeiou])", changed, re.IGNORECASE):
                yield changed


def _cased(word: str, model: str) -> str:
    return word.upper() if model.isupper() and len(model) > 1 else word.capitalize() if model[0].isupper() else word


def _outside_quotes(change: Callable[[str], str], text: str) -> str:
    """Change a text but for what stands in double quotation marks."""
    return "".join(part if part.startswith('"') else change(part) for part in re.split(r'("[^"]*")', text))


@cache
def _other_names() -> dict[str, tuple[str, ...]]:
    """Single words of the vocabulary, lower case → other single words for the same."""
    same: list[tuple[str, ...]] = [("photo", "photograph", "picture"), ("giant", "huge"), ("twin", "two")]
    for table in (v.COLOURS, v.RELATIONS, v.LIGHTS, v.MOODS):
        same += [(word.en, *word.also) for word in table.values()]
    for kind in v.KINDS.values():
        same += [(name, *others) for name, *others in zip((kind.name, kind.plural), *kind.synonyms, strict=True)]
    found: dict[str, tuple[str, ...]] = {}
    for names in same:
        single = [name for name in names if name.isascii() and " " not in name]
        for name in single:
            found[name.lower()] = tuple(other for other in single if other != name)
    return found
