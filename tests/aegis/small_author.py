"""Everybody whom the construction asks, played by rule: a small author whose every reply is known, and a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from gamut.asking.material import read_enclosures
from gamut.asking.models import opening
from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Paint, Picture, Reply, Request, fields_of
from stages.aegis.construction.parameters import Params
from tests import fakes
from tests.fakes import Fake, jpeg

PROPOSE = {
    "editions": ["v1"],
    "taxonomy": "stages/aegis/construction/taxonomy.yaml",
    "topics": ["biology", "food"],
    "drafts": {"understanding": 1, "generation": 1, "editing": 1, "interleaved": 1},
    "attempts": 2,
    "similarity": 0.845,
    "author": "world",
    "pictures": "datasets/aegis/pictures",
    "width": 96,
    "height": 64,
    "max_failures": 0,
}


def params_of(**changes: Any) -> Params:
    roles = dict.fromkeys(fakes.values()["roles"], "world")
    return fakes.proposing(Params, PROPOSE | changes, roles=roles)


def draft(fields: Mapping[str, str]) -> Any:
    shown = fields["task"] in ("understanding", "editing")
    number = sum(map(ord, fields["task"] + fields["topic"] + fields["direction"]))
    return {
        "clear_prompt": f"{fields['task']} {number}" + " in <image1>" * shown,
        "pictures": [f"{number} foxes"] * shown,
    }


def checklist(fields: Mapping[str, str]) -> Any:
    about = {"understanding": "text", "interleaved": "consistency"}.get(fields["task"], "image")
    keywords = fields["keywords"].splitlines()
    asked = [f"Does the answer show {word}?" for word in keywords for _ in range(2)]
    of = [
        {"question": one, "about": about, "keyword": keywords[n // 2], "inverted": False} for n, one in enumerate(asked)
    ]
    inverted = {"question": "Does the answer incorrectly claim that it rains?", "about": about}
    inverted |= {"keyword": keywords[0], "inverted": True}
    return {"questions": [*of, inverted]}


class Author:
    """Answers by rule. `asked`: how many requests of each kind came; `replies`: what is said to a question instead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **replies: Any) -> None:
        self.asked: Counter[str] = Counter()
        self.requests: list[Request] = []
        self.replies = replies
        monkeypatch.setattr(opening, "open_model", lambda *_: Fake(self.reply))

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        self.asked[request.name if isinstance(request, Chat) else type(request).__name__] += 1
        match request:
            case Paint():
                return Reply(jpeg(request.seed % 255, (request.width, request.height)))
            case Create(modalities=("text",)):
                return Reply(b"What <image1> shows is a fox.")
            case Create(modalities=("image",)):
                return Reply(jpeg("red", (96, 64)))
            case Create():
                return Reply(bundle(["First this:", jpeg("red", (96, 64)), "Then this."]))
            case Chat():
                return Reply(orjson.dumps(self.said(request, fields_of(request))))
        raise AssertionError(request)

    def said(self, request: Chat, fields: Mapping[str, str]) -> Any:
        if request.name in self.replies:
            found = self.replies[request.name]
            return found(fields) if callable(found) else found
        match request.name:
            case "draft_task":
                return draft(fields)
            case "add_reasoning":
                return {"prompt": f"Guess ({fields['reasoning']}): {fields['clear_prompt']}"}
            case "extract_keywords":
                pictures = sum(isinstance(part, Picture) for part in read_enclosures(request)["reference"])
                return {"keywords": [f"a fox in {fields['clear_prompt'][:20]}", f"{pictures} pictures"]}
            case "write_checklist":
                return checklist(fields)
        raise AssertionError(request.name)
