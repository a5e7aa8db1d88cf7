"""Names of pictures in published texts, `<image:NAME>`, and the picture that a consistency hint is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from stages.evaluation.curating.findings import Findings
from stages.evaluation.running.placing import NAMED

LOOKS_SO = re.compile(r"<[\s/]*image\b[^<>]*>", re.IGNORECASE)
"""What somebody meant for a name, right or wrong."""
MEANT = re.compile(r"<\s*image\s*[:：]([^<>]+)>", re.IGNORECASE)
"""A name whose letters or blanks are not as they should be."""
BEFORE = re.compile(r"\A[\s:：]+")
"""Stands between the picture at the head of a hint and the hint."""


def mended(key: str, text: str, said: Findings) -> str:
    """Return a text whose names are written as they should be, and tell of each that was not, mended or not."""

    def name(found: re.Match[str]) -> str:
        if NAMED.fullmatch(found[0]):
            return found[0]
        meant = MEANT.fullmatch(found[0])
        fixed = f"<image:{meant[1].strip()}>" if meant and meant[1].strip() else None
        said.say(key, "placeholder", found[0], fixed)
        return fixed or found[0]

    return LOOKS_SO.sub(name, text)


def names_in(*texts: str) -> list[str]:
    """Return the names in some texts, each once, in the order in which they first stand there; one may be blank."""
    return list(dict.fromkeys(found[1].strip() for text in texts for found in NAMED.finditer(text) if found[1]))


def hint_of(text: str) -> tuple[str, str | None]:
    """Return what a consistency hint says, and the first picture that it names, which it is about; None where it names
    none. A name at its head is no part of what it says.
    """
    first = next((found for found in NAMED.finditer(text) if (found[1] or "").strip()), None)
    if first is None:
        return text.strip(), None
    name = first[1].strip()
    if text[: first.start()].strip():
        return text.strip(), name
    return BEFORE.sub("", text[first.end() :]).rstrip(), name


def written(hint: str, reference: str) -> str:
    """Return a consistency hint as it is published: with its picture's name at its head, where it stands nowhere."""
    return hint if hint_of(hint) == (hint, reference) else f"<image:{reference}> {hint}"


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value of JSON in all texts of which these pictures have other names."""

    def other(found: re.Match[str]) -> str:
        name = (found[1] or "").strip()
        return f"<image:{names[name]}>" if name in names else found[0]

    if isinstance(value, str):
        return NAMED.sub(other, value)
    if isinstance(value, Mapping):
        return {key: renamed(one, names) for key, one in value.items()}
    if isinstance(value, Iterable):
        return [renamed(one, names) for one in value]
    return value
