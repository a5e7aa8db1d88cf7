"""Everybody whom the construction asks, played by rule: every reply is known, and counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from PIL import Image

from gamut.asking.models import opening
from gamut.asking.requests import Chat, Paint, Reply, Request, fields_of
from stages.gir.construction.parameters import Params
from tests import fakes
from tests.fakes import Fake, encoded, jpeg

DRAFTS = dict.fromkeys(("zoology", "botany", "geography"), 1)
DRAFTS |= dict.fromkeys(("quantity", "spatial", "text", "jigsaw", "sudoku"), 2)
PROPOSE = {
    "editions": ["v1"],
    "pools": "stages/gir/construction/pools/world",
    "drafts": DRAFTS,
    "similarity": 0.845,
    "author": "world",
    "guesser": "world",
    "pictures": "datasets/gir/pictures",
    "references": 2,
    "tiles": 2,
    "grid": 128,
    "width": 96,
    "height": 64,
    "max_failures": 0,
}
BLOCK: dict[str, Any] = {
    "edition": "v1",
    "settings": ["t2i"],
    "observers": {"detector": ["world"]},
    "controls_of": [],
    "answer": {"width": 64, "height": 64, "max_failures": 0},
    "judge": {"max_failures": 0},
}


def params_of(**changes: Any) -> Params:
    return fakes.proposing(Params, PROPOSE | changes)


def noise(seed: int, size: tuple[int, int], kind: str = "JPEG") -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)
    return encoded(Image.fromarray(pixels), kind)


def stripes(levels: list[int], size: tuple[int, int] = (40, 20)) -> bytes:
    """A picture of grey stripes beside each other."""
    row = np.repeat(np.array(levels, np.uint8), size[0] // len(levels))
    return encoded(Image.fromarray(np.tile(row, (size[1], 1))), "PNG")


def list_perceptions(*lines: str, mask: bytes = b"") -> None:
    """A person's list for v1, of a picture `a.jpg` and a mask `a.png` of its second quarter."""
    folder = Path("datasets/gir/pictures/v1")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.jpg").write_bytes(jpeg("green", (40, 20)))
    (folder / "a.png").write_bytes(mask or stripes([0, 255, 0, 0]))
    (folder / "perception.csv").write_text("\n".join(["image,mask,description,origin,licence", *lines]))


class Maker:
    """Answers by rule. `asked`: how many requests of each kind came; `replies`: what is said to a question instead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **replies: Any) -> None:
        self.asked: Counter[str] = Counter()
        self.replies = replies
        monkeypatch.setattr(opening, "open_model", lambda *_: Fake(self.reply))

    def reply(self, request: Request) -> Reply:
        self.asked[request.name if isinstance(request, Chat) else type(request).__name__] += 1
        match request:
            case Paint():
                return Reply(noise(request.seed % 1000, (request.width, request.height)))
            case Chat():
                return Reply(orjson.dumps(self.said(request)))
        raise AssertionError(request)

    def said(self, request: Chat) -> Any:
        fields = fields_of(request)
        if request.name in self.replies:
            return self.replies[request.name](fields)
        if request.name == "describe_entity":
            return {"description": f"Read it from its end: {fields['entity'][::-1]}."}
        return {"guess": fields["description"].removesuffix(".").rpartition(": ")[2][::-1]}
