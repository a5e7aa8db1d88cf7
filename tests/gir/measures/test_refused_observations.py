"""What a detector says and is no observation is no count."""

from __future__ import annotations

import json

import pytest

from stages.asking.models.grounding import read
from stages.asking.requests import Detect, Picture
from stages.asking.seeing import LINES, Found, found_in
from stages.gir.shared.measures.quantity import score

ASKED = Detect(Picture(b"not looked at"), ("duck", "鸭子"))


def seen(said: str) -> list[Found]:
    """What comes of a reply of a model that gives thousandths, about a picture of 400 x 200."""
    return found_in(read(said.encode(), ASKED, "thousandths", (400, 200), None))


def reply(*boxes: list[float], label: str = "duck") -> str:
    return json.dumps({"objects": [{"bbox_2d": box, "label": label} for box in boxes]}, ensure_ascii=False)


def test_a_reply_that_is_an_observation() -> None:
    assert score({"duck": 2}, seen(reply([0, 0, 500, 500], [500, 500, 1000, 1000]))) == 1
    assert score({"鸭子": 1, "duck": 0}, seen(reply([0, 0, 500, 500], label="鸭子"))) == 1


REFUSED = {
    "prose": ("There are three ducks in the picture.", "the reply is no JSON"),
    "a count without boxes": ('{"duck": 3}', "the reply is no list of objects with boxes"),
    "above 1,000": (reply([0, 0, 1500, 1000]), "reaches far beyond the picture"),
    "negative": (reply([-300, 0, 500, 500]), "reaches far beyond the picture"),
    "upside down": (reply([0, 500, 500, 100]), "has no width or no height"),
    "no number": (reply([0, 0, float("nan"), 500]), "the reply is no JSON"),
    "infinite": (reply([0, 0, float("inf"), 500]), "the reply is no JSON"),
    "three numbers": (reply([0, 0, 500]), "a box is not four numbers"),
    "500 boxes": (reply(*([n, n, n + 10, n + 10] for n in range(500))), "500 boxes in one picture"),
}


@pytest.mark.parametrize(("said", "cause"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_observation(said: str, cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        seen(said)


def test_lines_that_are_no_observation() -> None:
    nowhere = (b'[["5", 1, [[0, 0], [%s, 0], [1, 1], [0, 1]]]]' % number for number in (b"NaN", b"1e999", b"-Infinity"))
    for stored in (*nowhere, b"GRAND OPENING", b'["OPEN"]', b'[["OPEN", null, [[0, 0], [1, 0], [1, 1], [0, 1]]]]'):
        with pytest.raises(ValueError, match="validation error"):
            LINES.validate_json(stored)
