"""Items of your own benchmark: a prompt, the answer's form, and how it is judged: checklist, rubric, fit, looks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, StringConstraints, model_validator

from gamut.asking.requests import Modality
from gamut.evaluation.defining.benchmark import misnamed
from gamut.evaluation.defining.editions import Item, Text
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.questions import About
from gamut.evaluation.running.checklists import TAGS, VERDICTS, abouts_of

SETTING = "as_is"
"""The one form in which items are asked: unchanged."""
ALL = "all"
MEASURES: Mapping[str, Scale] = {
    "checklist": VERDICTS,
    "rubric": Scale(0, 10),
    "alignment": Scale(0, 10),
    "aesthetics": Scale(0, 10),
}
Wanted = Literal["picture", "text", "both"]
WANTED: Mapping[Wanted, tuple[Modality, ...]] = {"picture": ("image",), "text": ("text",), "both": ("text", "image")}
"""The modalities that answer an item."""
ABOUT = {answer: abouts_of(wanted) for answer, wanted in WANTED.items()}
"""The parts of an answer that questions can be about."""
LINE = re.compile(rf"\[({'|'.join(TAGS)})\] (\S.*)")
"""A question in a judge's form, after what it is about."""
LONGEST = 20_000
"""Characters of a text of an item: a longer one is not a prompt, question or rubric that a person wrote."""


def require_group_name(name: str) -> str:
    """ValueError for an invalid name of a group: results are stored under it."""
    if mistake := misnamed(name):
        raise ValueError(mistake)
    if name in (ALL, "overall", *MEASURES):
        raise ValueError(f"{name!r} means something else on boards: choose another name")
    return name


Group = Annotated[str, AfterValidator(require_group_name)]
Line = Annotated[str, StringConstraints(pattern=rf"^{LINE.pattern}$")]


class OwnItem(Item):
    """An item.

    Its `prompt` may name its pictures of role `input` (`input_1` and so on) as `<image1>`; others come before it. The
    form of its answer is `answer`. Right texts are `references`, which are also held out (`texts`); right pictures have
    the role `reference`. Questions of the `checklist` have a tag, and the right answer Y. A judge follows the `rubric`
    and gives 0 to `scale` points. Looks are judged too with `aesthetics`. Values are also reported for each of its
    `groups`.
    """

    answer: Wanted
    groups: tuple[Group, ...] = ()
    references: tuple[Text, ...] = ()
    checklist: tuple[Line, ...] = ()
    rubric: Text | None = None
    scale: Literal[10, 2] = 10
    aesthetics: bool = False

    @property
    def measures(self) -> tuple[str, ...]:
        by = tuple(name for name, there in (("checklist", self.checklist), ("rubric", self.rubric)) if there)
        return (by or ("alignment",)) + (("aesthetics",) if self.aesthetics else ())

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if self.answer == "text" and "alignment" in self.measures:
            raise ValueError("a judge needs a checklist or a rubric for an answer in words alone")
        if self.answer == "text" and self.aesthetics:
            raise ValueError("aesthetics: an answer in words alone has no looks: leave it out")
        for place, line in enumerate(self.checklist):
            about = about_of(line)
            if about not in ABOUT[self.answer]:
                what = f"the answer is {'a picture and a text' if self.answer == 'both' else f'a {self.answer}'}"
                raise ValueError(f"checklist.{place}: [{about.capitalize()}] cannot be asked: {what}")
        questions = [line.casefold() for line in self.checklist]
        for place, question in enumerate(questions, start=1):
            if (earlier := questions.index(question) + 1) < place:
                raise ValueError(f"checklist: question {place} repeats question {earlier}: leave one of them out")
        if len({*self.groups}) < len(self.groups):
            raise ValueError("groups: one name occurs twice")
        return self


def about_of(line: str) -> About:
    found = LINE.fullmatch(line)
    assert found is not None  # all lines of an item match
    about: About = found[1].lower()  # type: ignore[assignment]
    return about


def way_of(measures: Sequence[str]) -> str:
    return f"by_{'_and_'.join(measures)}"


BY = (("checklist",), ("rubric",), ("checklist", "rubric"), ("alignment",))
WAYS = tuple(way_of((*by, *looks)) for by, looks in product(BY, ((), ("aesthetics",))))
