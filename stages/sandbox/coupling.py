"""How the errors of one contestant's words and pictures hang together, sample by sample.

A sample of an answer in words is wrong at the rate of `wrong_text`, one with a picture at that of `wrong_picture`. Both
sides draw by what is asked, which is the same on both however it is put, and by the sample's number: so sample s of the
words and sample s of the picture fail together (`alike`), each for itself (`independent`), or never both, as far as
the rates allow (`apart`). With u even in [0, 1) words fail where u < wrong_text, and pictures where u < wrong_picture,
where 1 - u <= wrong_picture, or, independently, where another such number is below it.

Contestants draw alike: what fails at a lower rate fails at a higher one too, so skill is told apart by few items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from .answering import Unsupported
from .material import Parts, pictures_of, texts_of
from .pairs import meaning

SIDES: Mapping[str, str] = {"text": "wrong_text", "image": "wrong_picture"}
"""The faults of answers in words alone, and of those with a picture."""
COUPLINGS = ("alike", "independent", "apart")


def coupled(
    faults: Mapping[str, float], coupling: str, parts: Parts, modalities: Sequence[str], sample: int
) -> dict[str, float]:
    """Return the faults of one sample of an answer: where it is drawn to be wrong, `wrong_reasoning` is certain."""
    others = {name: rate for name, rate in faults.items() if name not in SIDES.values()}
    side = "image" if "image" in modalities else "text"
    rate = faults.get(SIDES[side], 0.0)
    return others | {"wrong_reasoning": 1.0} if rate and fails(common(parts), sample, side, rate, coupling) else others


def fails(asked: str, sample: int, side: str, rate: float, coupling: str) -> bool:
    """Return whether a sample of a side fails. `asked`: what is asked on both sides."""
    own = side if coupling == "independent" else ""
    drawn = even(f"{asked}\n{sample}\n{own}")
    return 1 - drawn <= rate if coupling == "apart" and side == "image" else drawn < rate


def even(mark: str) -> float:
    """Return a number in [0, 1), all alike over different marks."""
    return int.from_bytes(hashlib.sha256(mark.encode()).digest()[:6], "big") / 2**48


def common(parts: Parts) -> str:
    """Return what both prompts of a pair have in common: what is right, else the pictures that are given, else the
    words.
    """
    try:
        if (meant := meaning(parts)) is not None:
            return repr(meant)
    except Unsupported:
        pass  # whoever is to answer says so
    pictures = [hashlib.sha256(picture).hexdigest() for picture in pictures_of(parts)]
    return "\n".join(pictures or texts_of(parts))
