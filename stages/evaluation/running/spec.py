"""One hash over everything that a score depends on besides the contestant: scores of unlike hashes are not comparable.

The items as they were put to contestants, what judges are asked and in which form they reply, the judge with its
revision and sampling, and how answers were asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from stages.asking.questions import Question, json_schema

DIGITS = 16


def spec_hash(
    items: Sequence[Sequence[str]],
    questions: Iterable[Question],
    judge: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> str:
    """Return 16 hexadecimal digits; an item is its id and texts, `judge` an identity, `settings` are plain values."""
    spec = {
        "items": items,
        "questions": [[q.name, q.opening, q.instruction, json_schema(q.reply)] for q in questions],
        "judge": judge,
        "settings": settings,
    }
    return hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()[:DIGITS]
