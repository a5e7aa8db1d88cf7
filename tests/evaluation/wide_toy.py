"""The toy of docs/benchmarks.md (docs/toy), widened by what else a benchmark can have: edits, words with pictures, two
settings, a detector, and values of several kinds, also across settings.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

import stages
from gamut.asking.material import enclose
from gamut.asking.questions import Question
from gamut.asking.requests import Detect, Part
from gamut.asking.seeing import Detecting
from gamut.evaluation.defining.measures import Column, Linear, Metric, Scale
from gamut.evaluation.defining.questions import Check, JudgeQuestion, MeasuredValue, PartFinding, Pictures, Prompt
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.running.placing import place_pictures
from tests.paths import ROOT

DOCUMENTED = ROOT / "docs/toy"


def documented() -> ModuleType:
    """The module of its record, as if its folder stood in the project."""
    stages.__path__.append(str(DOCUMENTED / "stages"))
    try:
        return import_module("stages.toy.shared.benchmark")
    finally:
        stages.__path__.remove(str(DOCUMENTED / "stages"))
        for name in [name for name in sys.modules if name.startswith("stages.toy")]:
            del sys.modules[name]
        del vars(stages)["toy"]


PLAIN = documented()
WANTED = PLAIN.WANTED | {"edit": ("image",), "both": ("text", "image")}
MEASURES = {"right": VERDICTS, "holds": VERDICTS, "edited": Scale(0, 10), "changed": VERDICTS, "counted": VERDICTS}
COUNTING = {"words": "right", "picture": "holds", "edit": "edited", "both": "holds"}  # each kind's value
BESIDE = {"edit": "changed", "picture": "counted"}  # values that stand beside it
SIDES = ("apart", "in_place")


class WideItem(PLAIN.ToyItem):
    """A task; `found`: what a detector finds in what is made, such as "2 red cars; 1 house"."""

    kind: Literal["words", "picture", "edit", "both"]
    expected: str = ""
    found: Annotated[str, Field(pattern=r"^(\d+ [^;]+(; |$))*$")] = ""


class Score(BaseModel):
    reason: str
    score: Annotated[int, Field(ge=0, le=10)]


COMPARED = Question(
    "compare",
    PLAIN.MATERIAL,
    "How far does the picture in <answer> show what the picture in <reference> shows? Answer with a JSON object with "
    "`reason`, a short sentence, then `score`, from 0 to 10, the same scene.",
    Score,
)
EDITED = Question(
    "edited",
    PLAIN.MATERIAL,
    "Does the picture in <answer> show what <input> asks for, and all else as it was? Answer with a JSON object with "
    "`reason`, a short sentence, then `score`, from 0 to 10, carried out with all else kept.",
    Score,
)


def prompt(item: WideItem, setting: str, pictures: Pictures) -> Prompt:
    """The prompt with its pictures in the form of a setting; without pictures both settings are the same."""
    return Prompt(
        place_pictures(item.prompt, pictures, "apart" if setting == "apart" else "in_place"), WANTED[item.kind]
    )


def judge_questions(block: Any, item: WideItem, setting: str) -> Sequence[JudgeQuestion]:
    """As documented; an edit that is one of its inputs is worth nothing, and is not looked at again."""
    if item.kind != "edit":
        measure = COUNTING[item.kind]
        return [
            replace(one, measures=(measure,) * len(one.measures)) for one in PLAIN.judge_questions(block, item, setting)
        ]
    edited = JudgeQuestion(
        EDITED,
        {},
        ("edited",),
        lambda reply: [MeasuredValue(reply.score, reply.reason)],
        beside("input", lambda pictures: prompt(item, setting, pictures).parts),
        known=lambda answer, pictures: MeasuredValue(0, "it is an input") if answer[0] in pictures.values() else None,
    )
    return [*(changed(picture.name) for picture in item.images), edited]


def changed(name: str) -> JudgeQuestion:
    """The question whether an answer is other than the input of this name."""
    shown = beside("reference", lambda pictures: [pictures[name]])
    return JudgeQuestion(
        COMPARED, {}, ("changed",), lambda reply: [MeasuredValue(float(reply.score < 10), reply.reason)], shown
    )


def beside(name: str, parts: Callable[[Pictures], Sequence[Part]]) -> Callable[..., Sequence[Part]]:
    """What shows a judge the answer behind another block, whose parts are made of the item's pictures."""
    return lambda answer, pictures: (*enclose(name, parts(pictures)), *enclose("answer", answer))


def checks(item: WideItem, setting: str) -> Sequence[Check]:
    """The detector is to find as many of each thing as the item says, in every picture."""
    listed = [one.strip() for one in item.found.split(";") if one.strip()]
    wanted = {label: int(number) for number, _, label in (one.partition(" ") for one in listed)}

    def counted(made: Sequence[PartFinding], beside: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        return [MeasuredValue(float(all(Counter(thing.label for thing in one.found) == wanted for one in made)))]

    if not wanted:
        return []
    labels = tuple(wanted)
    return [Check("count", "detector", lambda seen: Detecting(Detect(seen, labels)), ("counted",), counted)]


def of_setting(setting: str) -> Metric:
    """The metric of one setting, 0..100: every kind, the mean of these, and two values that stand beside it."""
    columns = [Column(kind, setting, measure) for table in (COUNTING, BESIDE) for kind, measure in table.items()]
    shares = np.diag([100 / MEASURES[column.measure].highest for column in columns])
    names = (*COUNTING, *BESIDE.values())
    reported = {"overall": Linear(shares[: len(COUNTING)].mean(axis=0))}
    reported |= {name: Linear(share) for name, share in zip(names, shares, strict=True)}
    return Metric(setting, (setting,), columns, reported, ("overall", *names))


def across() -> Metric:
    """The metric of both settings: their mean, and the gap between them."""
    apart, in_place = map(of_setting, SIDES)
    half = apart.reported["overall"].factors
    reported = {
        "overall": Linear(np.concatenate([half, half]) / 2),
        "gap": Linear(np.concatenate([-half, half])),
    }
    return Metric("across", SIDES, [*apart.columns, *in_place.columns], reported, tuple(reported))


TOY = replace(
    PLAIN.TOY,
    item=WideItem,
    settings=lambda block: SIDES,
    prompt=lambda block, item, setting, pictures: prompt(item, setting, pictures),
    strata=tuple(WANTED),
    measures=MEASURES,
    judge_questions=judge_questions,
    metrics=lambda block: [*map(of_setting, SIDES), across()],
    checks=checks,
    observers=("detector",),
)
