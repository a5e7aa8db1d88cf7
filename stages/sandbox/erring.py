"""How a judge errs who is not exact: its scores with noise and a bias, now and then a slip."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence

from .answering import Values
from .material import Enclosed

Errors = Mapping[str, float]
"""`noise` and `bias`: the standard deviation and the shift of scores, in tenths of their scale; `slips`: the share of
all scores and verdicts that are slips. What is missing is 0.
"""


def err(values: Values, errors: Errors, rng: random.Random, highest: int = 10) -> Values:
    """Return an answer as a judge gives it that errs so: whole numbers are scores from 0 to `highest`, shifted, noisy,
    rounded and cut off at the ends; at a slip any of them, about alike. What is called `verdict` is turned at a slip.
    Texts stay.

    Where the highest is 1 whole numbers are verdicts, too.
    """
    return {name: _erring(name, value, errors, rng, highest) for name, value in values.items()}


def chance(
    seed: int, question: str, fields: Mapping[str, str], images: Sequence[bytes], enclosed: Enclosed
) -> random.Random:
    """Return what a judge's errors go by: all that it is asked, so that equal requests get equal answers."""
    digest = hashlib.sha256(f"{seed} {question}".encode())
    parts: list[str | bytes] = [part for field in sorted(fields.items()) for part in field]
    parts += [*images, *(part for name, block in sorted(enclosed.items()) for part in (name, *block))]
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big") + content)
    return random.Random(digest.digest())


def _erring(name: str, value: object, errors: Errors, rng: random.Random, highest: int) -> object:
    if isinstance(value, list):
        return [err(one, errors, rng, highest) for one in value]
    slip, anything = rng.random() < errors.get("slips", 0.0), rng.randint(0, 10) % (highest + 1)
    noise = rng.gauss(errors.get("bias", 0.0), errors.get("noise", 0.0)) * (highest / 10)
    if name == "verdict":
        return {"Y": "N", "N": "Y"}[str(value)] if slip else value
    if isinstance(value, int):
        if highest == 1:
            return 1 - value if slip else value
        return anything if slip else min(highest, max(0, round(value + noise)))
    return value
