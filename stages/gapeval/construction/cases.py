"""Cases: what an item of an edition is made of, and how the rows of a pattern are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stages.evaluation.construction.slots import packed
from stages.tables.columns import Row


class Prompts(NamedTuple):
    """`question` is answered in words, `prompt` in a picture; `reference_text`: what is right in words."""

    question: str
    prompt: str
    reference_text: str


def in_columns(prompts: Prompts, case: Mapping[str, Any]) -> Row:
    """Return a case as a table has it; its further keys stand in `case`, with its `proof`."""
    return {**prompts._asdict(), "case": packed(case)}


class Case(NamedTuple):
    """A case, both of whose prompts come from the same facts; pictures are PNG.

    `question`: asked for in words; `prompt`: asked for as a picture; `pictures`: given with both; `reference_text`,
    `reference`: what is right in words and as a picture; `proof`: why nothing else is.
    """

    subcategory: str
    question: str
    prompt: str
    pictures: tuple[bytes, ...]
    reference_text: str
    reference: bytes
    proof: str


ROWS_ASKED = (
    "Say for each row, from the top, which of its squares are filled, counted from the left, such as: "
    "Row 1: 2, 4. Row 2: none."
)
"""How an answer about a pattern is to be put in words."""


def rows_told(rows: Sequence[Sequence[int]]) -> str:
    """Return which squares (1: filled) of each row are filled: `Row 1: 2, 4. Row 2: none.`"""
    told = [", ".join(str(place) for place, filled in enumerate(row, 1) if filled) or "none" for row in rows]
    return " ".join(f"Row {number}: {places}." for number, places in enumerate(told, 1))
