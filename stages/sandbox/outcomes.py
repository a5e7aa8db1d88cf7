"""What comes of a reasoning, in words: an option, which side of a beam goes down, what floats, a bin, squares."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping

_OPTION = re.compile(r"\s*([A-J])\)\s*(\S.*)", re.DOTALL)
_LETTERED = (
    re.compile(r"(?<![A-Za-z'])(?<!, )([A-J])(?:\)|:|\.(?!\w))"),
    re.compile(r"^\W*([A-J])\W*$", re.MULTILINE),
    re.compile(r"\b(?:option|answer is|answer) \(?([A-J])\b(?!, [A-Z]\b)"),
)
"""How an option is named by its letter: not by a letter in a list such as `D, B, E`."""
_ROW = re.compile(r"\brow (\d+): *(none|\d+(?:, *\d+)*)", re.IGNORECASE)
_BLOCK = re.compile(r"\b([A-F]) (floats|sinks)\b")
_BIN = re.compile(r"\bbin ([A-J])\b", re.IGNORECASE)
_SIDE = re.compile(r"\b(left|right)\b[^.;,]{0,30}\bgoes down|\b(stays) level", re.IGNORECASE)


def agrees(answer: str, right: str) -> tuple[bool, str] | None:
    """Return whether a text says the outcome that another one says, and why; None where that one says none.

    An option may be named by its letter, or by its text, or by both; where both are, both have to be right. Of other
    outcomes all that is said has to be right, and nothing may be missing.
    """
    if option := _OPTION.fullmatch(right):
        return _names(answer, option[1], option[2])
    for name, read in _OUTCOMES.items():
        if wanted := read(right):
            found = read(answer)
            said = ", ".join(sorted(map(str, found))) or "nothing"
            return found == wanted, f"of {name}, the answer says {said}"
    return None


def _names(answer: str, letter: str, words: str) -> tuple[bool, str]:
    """Return whether an answer names an option and no other."""
    lettered = [letter for pattern in _LETTERED for letter in pattern.findall(answer)]
    if set(lettered) - {letter}:
        return False, f"the answer names {', '.join(sorted(set(lettered) - {letter}))}, right is {letter}"
    says = re.compile(rf"(?<!\w){_spaced(words)}(?!\w|[.,:]\d)", re.IGNORECASE)
    given = re.search(rf"(?<![A-Za-z]){letter}\) *(\S[^\n]*)", answer)
    if lettered and given and not says.search(given[1]):
        return False, f"the answer names {letter}, and says of it what it does not say"
    if lettered:
        return True, f"the answer names {letter}"
    if says.search(answer):
        return True, "the answer says what the right option says"
    return False, f"the answer does not name {letter}"


def _spaced(words: str) -> str:
    """Return a pattern of words with or without the spaces between them, which readers of pictures lose."""
    return r"\s*".join(map(re.escape, re.sub(r"\s", "", words.strip("."))))


def _rows(text: str) -> frozenset[Hashable]:
    return frozenset((int(row), re.sub(r"\s", "", places.lower())) for row, places in _ROW.findall(text))


def _blocks(text: str) -> frozenset[Hashable]:
    return frozenset(_BLOCK.findall(text))


def _bins(text: str) -> frozenset[Hashable]:
    return frozenset(found.upper() for found in _BIN.findall(text))


def _sides(text: str) -> frozenset[Hashable]:
    return frozenset((side or stays).lower() for side, stays in _SIDE.findall(text))


_OUTCOMES: Mapping[str, Callable[[str], frozenset[Hashable]]] = {
    "the rows": _rows,
    "the blocks": _blocks,
    "the bin": _bins,
    "the sides": _sides,
}
"""What a text says of something, as it can be compared."""
