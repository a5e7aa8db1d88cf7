"""The released annotations as items, read no further than their scores need: see `tests/data/README.md`."""

from __future__ import annotations

import json
import lzma
import re
from functools import cache
from typing import Any

from stages.aegis.shared.items import REASONING, AegisItem, CheckQuestion
from tests.paths import DATA

ANNOTATIONS = DATA / "aegis" / "annotation.json.xz"
TURNED = re.compile(r"\b(incorrect|wrong|mistaken)(ly)?\b", re.IGNORECASE)
"""Words of a question whose right answer is no, more or less: enough to have some inverted questions."""


@cache
def real_items() -> list[AegisItem]:
    """All 1,050 items, without pictures, in the file's order."""
    return [item_of(one) for one in json.loads(lzma.decompress(ANNOTATIONS.read_bytes()))]


def item_of(one: dict[str, Any]) -> AegisItem:
    reasoning = one["reasoning_type"].partition(" ")[0]
    return AegisItem(
        id=one["id"],
        prompt="A prompt.",
        clear_prompt="A clear prompt.",
        task=one["task"],
        topic=one["category"],
        reasoning=reasoning if reasoning in REASONING else "none",
        checklist=tuple(
            CheckQuestion(question=text.partition("]")[2] or text, about="text", inverted=bool(TURNED.search(text)))
            for text in one["refined_question"]
        ),
    )
