"""One hash over everything that a score depends on besides the contestant: scores of unlike hashes are not comparable.

The items as they were put to contestants, what judges are asked and in which form they reply, the judge with its
revision and sampling, and how answers were asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from stages.asking.requests import digested
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.inquiries import Inquiry, Put, Sighting

DIGITS = 16


class Asked(NamedTuple):
    """What is asked about one item: what contestants are given, what judges are asked."""

    item: Item
    stratum: str
    put: Put
    inquiries: Sequence[Inquiry]
    sightings: Sequence[Sighting] = ()


def spec_hash(asked: Sequence[Asked], judge: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return 16 hexadecimal digits. `judge` is an identity, `settings` are plain values."""
    questions = {inquiry.question.name: inquiry.question for one in asked for inquiry in one.inquiries}
    requests = [questions[name].about().request for name in sorted(questions)]
    spec = {
        "items": [
            [
                [str(item.id), stratum, digests(item)],
                [[digested(part) for part in put.parts], put.modalities, put.size],
                [about(inquiry) for inquiry in inquiries],
                [[sighting.name, sighting.role, sighting.measures] for sighting in sightings],
            ]
            for item, stratum, put, inquiries, sightings in asked
        ],
        "questions": [
            [request.name, request.messages[0].parts, request.schema]  # as sent: also how texts are laid out
            for request in requests
        ],
        "judge": judge,
        "settings": settings,
    }
    return hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()[:DIGITS]


def about(inquiry: Inquiry) -> list[Any]:
    """Return what of an inquiry is of this item alone; the question's own words stand once."""
    return [inquiry.question.name, inquiry.fields, inquiry.measures, inquiry.follows and inquiry.follows.name]


def digests(item: Item) -> list[tuple[str, str, str]]:
    """Return what a spec holds of an item's pictures, in order: name, role, sha256; nothing of an item without any."""
    return [(picture.name, picture.role, picture.sha256) for picture in item.images]
