"""One hash over everything that a score depends on besides the contestant: scores of unlike hashes are not comparable.

The items as they were put to contestants, what judges are asked and in which form they reply, the judge with its
revision and sampling, and how answers were asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from stages.asking.outcomes import Outcome
from stages.asking.requests import Modality, Picture, digested, fingerprint
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.inquiries import Inquiry, Put, Sighting
from stages.evaluation.defining.pictures import stand_ins

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
    spec = {
        "items": [
            [
                [str(item.id), stratum, digests(item)],
                [[digested(part) for part in put.parts], put.modalities, put.size],
                [about(inquiry, put, item) for inquiry in inquiries],
                [sought(sighting, item) for sighting in sightings],
            ]
            for item, stratum, put, inquiries, sightings in asked
        ],
        "judge": judge,
        "settings": settings,
    }
    return sha256_of(spec)[:DIGITS]


def about(inquiry: Inquiry, put: Put, item: Item) -> str:
    """Return the sha256 (hex) of what a judge is sent about an item, as it is laid out and with what it is shown beside
    the answer, in whose place something stands; of the measures that come of it, and of what they are read by.
    """
    answer = [STAND_IN[modality] for modality in put.modalities]
    request = inquiry.question.about(inquiry.fields, inquiry.material(answer, stand_ins(item))).request
    follows = inquiry.follows and inquiry.follows.name
    reading = [list(inquiry.reading)] if inquiry.reading else []  # specs of before have neither
    said_of = [[*map(sorted, inquiry.about)]] if inquiry.about else []
    return sha256_of([fingerprint(request, {}), inquiry.measures, follows, *reading, *said_of])


def sought(sighting: Sighting, item: Item) -> str:
    """Return the sha256 (hex) of what an observer is to find in an answer and in an item's own pictures."""
    pictures = [STAND_IN["image"], *sighting.beside(stand_ins(item))]
    first = [step for picture in pictures if not isinstance(step := sighting.asked(picture).next([]), Outcome)]
    return sha256_of([sighting.name, sighting.role, sighting.measures, [fingerprint(one, {}) for one in first]])


STAND_IN: Mapping[Modality, Any] = {"text": "an answer", "image": Picture(b"an answer")}
"""What stands for an answer's parts."""


def sha256_of(plain: Any) -> str:
    """Return the sha256 (hex) of plain values."""
    return hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)).hexdigest()


def digests(item: Item) -> list[tuple[str, str, str]]:
    """Return what a spec holds of an item's pictures, in order: name, role, sha256; nothing of an item without any."""
    return [(picture.name, picture.role, picture.sha256) for picture in item.images]
