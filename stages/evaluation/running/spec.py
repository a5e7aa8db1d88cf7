"""One hash over everything that a score depends on besides the contestant: scores of unlike hashes are not comparable.

The items as they were put to contestants, what judges are asked and in which form they reply, the judge with its
revision and sampling, and how answers were asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from stages.evaluation.defining.benchmark import Inquiry

DIGITS = 16


def spec_hash(
    put: Sequence[tuple[str, str, str, Sequence[Inquiry]]], judge: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Return 16 hexadecimal digits.

    `put`: of each item its id, its stratum, what contestants are asked, and what judges are asked about it. `judge` is
    an identity, `settings` are plain values.
    """
    questions = {inquiry.question.name: inquiry.question for *_, inquiries in put for inquiry in inquiries}
    requests = [questions[name].about().request for name in sorted(questions)]
    spec = {
        "items": [
            [*item, [[inquiry.question.name, inquiry.fields, inquiry.measures] for inquiry in inquiries]]
            for *item, inquiries in put
        ],
        "questions": [
            [request.name, request.messages[0].parts, request.schema]  # as sent: also how texts are laid out
            for request in requests
        ],
        "judge": judge,
        "settings": settings,
    }
    return hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()[:DIGITS]
