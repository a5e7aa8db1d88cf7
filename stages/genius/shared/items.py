"""Items of GENIUS: a context of texts and pictures that defines a rule, and what has to be painted by it.

"GENIUS: Generative Fluid Intelligence Evaluation Suite", section 2.1 and figure 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gamut.evaluation.defining.editions import Item, PictureName, Text
from gamut.project.errors import nearest_choice

Letter = Literal["A", "B", "C", "D"]
LETTERS: tuple[Letter, ...] = ("A", "B", "C", "D")
PROBE_QUESTION = "Nothing is to be painted now. Which of these is true of a right picture?"
LETTER_REQUEST = "Answer with its letter."
MARKUP = re.compile("[*_`]")


class Probe(BaseModel):
    """Four different texts, lettered from A, and the letter of the right one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    options: Annotated[tuple[Text, ...], Field(min_length=len(LETTERS), max_length=len(LETTERS))]
    right: Letter

    @model_validator(mode="after")
    def _has_four_options(self) -> Self:
        if len({plain_text(option) for option in self.options}) < len(LETTERS):
            raise ValueError("two options are the same: make each differ")
        if any("\n" in option for option in self.options):
            raise ValueError("an option has several lines: put each in one")
        return self


def plain_text(text: str) -> str:
    return " ".join(MARKUP.sub("", text).split()).rstrip(".").lower()


Task = Literal["implicit_pattern", "symbolic_constraint", "visual_constraint", "prior_conflicting", "multi_semantic"]
TASKS: tuple[Task, ...] = get_args(Task)
DIMENSIONS: Mapping[str, tuple[Task, ...]] = {
    "pattern_induction": ("implicit_pattern",),
    "constraint_execution": ("symbolic_constraint", "visual_constraint"),
    "knowledge_adaptation": ("prior_conflicting", "multi_semantic"),
}
"""Tasks by dimension."""
DIMENSION_OF: Mapping[Task, str] = {task: dimension for dimension, tasks in DIMENSIONS.items() for task in tasks}
SUB_TASKS: Mapping[Task, tuple[str, ...]] = {
    "implicit_pattern": (
        "preferred_style",
        "preferred_feature",
        "preferred_relation",
        "preferred_palette",
        "preferred_entity",
    ),
    "symbolic_constraint": ("operation", "visual_metaphor", "layout", "visual_feature", "instance_binding"),
    "visual_constraint": ("simple_constraint", "complex_constraint"),
    "prior_conflicting": ("biological_growth", "gravity", "animal_behaviour", "time_reversal", "weather"),
    "multi_semantic": ("noun_phrase", "verb_phrase", "adjective_phrase"),
}
"""Sub-tasks by task, in the order of figure 1."""
ALL = "all"


BRACKETS = re.compile(r"\s*[(（\[【]((?:[^()（）【】]|[(（][^()（）]*[)）])+)[)）\]】](?:[\s.。]*\Z)?")
LAST_SENTENCE = re.compile(r"(?<=[.。!])\s*[(（\[【]?([^.。!]*)[.。!]?\s*\Z")
"""The part of a hint in brackets, perhaps with others in them, or at its end."""
POINTS = re.compile(
    r"(?<![\d.])([0-2])(?:\.0)?[ -]?(?:scores?\b|points?\b|分)|\b(?:scores?|points?) ?[:=]? ?([0-2])(?![\d.])|"
    r"[:：=] ?([0-2])(?:\.0)?(?![\d.])",
    re.IGNORECASE,
)
"""The score that such a part states, a number in one of the groups."""
CONDITIONS = re.compile(
    r"\b(?:un)?satisf|\b(?:fulfil|met\b)|满足|符合|(?=.*(?:score|point))\b(?:all|both|none|otherwise)\b", re.IGNORECASE
)
"""The condition of a score. Words such as "all" count only together with points."""


class Rule(NamedTuple):
    """What a right picture shows, and the scoring, 0 to 2, if the hint states it; else ""."""

    shows: str
    scoring: str


class ConsistencyHint(BaseModel):
    """What has to stay in one of the item's pictures, the `reference`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hint: Text
    reference: PictureName


class GeniusItem(Item):
    """A rule and what has to be done by it.

    * `context` defines the rule; `prompt` says what to paint. Both name pictures of role `input` as `<image:NAME>`.
    * `sub_task`: if known. `rule_hint`: what a right picture shows; contestants get it only as a hint.
    * `consistency_hints`: what has to stay. Many items have none, and are then not judged for it.
    * `text_hint`, `multimodal_hint`: the rule in words, without and with pictures, which shows what limits a contestant
      (section 3.2). Published items have no such texts; their rule's hint is used (`prompts`).
    * `probe`: four texts of which one is true of a right picture, to test whether a contestant knows it.
    """

    task: Task
    sub_task: str | None = None
    context: Text
    rule_hint: Text
    consistency_hints: tuple[ConsistencyHint, ...] = ()
    text_hint: Text | None = None
    multimodal_hint: Text | None = None
    probe: Probe | None = None

    @property
    def rule(self) -> Rule:
        return rule_of(self.rule_hint)

    @property
    def dimension(self) -> str:
        return DIMENSION_OF[self.task]

    @property
    def groups(self) -> tuple[str, ...]:
        return (ALL, self.dimension, self.task, *([self.sub_task] if self.sub_task else []))

    @model_validator(mode="after")
    def _has_what_it_names(self) -> Self:
        known = SUB_TASKS[self.task]
        if self.sub_task is not None and self.sub_task not in known:
            raise ValueError(f"{self.task} has no sub-task {self.sub_task!r}{nearest_choice(self.sub_task, known)}")
        names = [picture.name for picture in self.images]
        for hint in self.consistency_hints:
            if hint.reference not in names:
                told = nearest_choice(hint.reference, names)
                raise ValueError(f"a consistency hint is about {hint.reference!r}, not one of its pictures{told}")
        return self


def rule_of(rule_hint: str) -> Rule:
    """Return a rule's hint in its two parts. Many published ones end with their own scoring, such as "(All satisfied: 2
    score; Satisfied one sentence: 1 score; Not satisfied: 0 score)" (figure 12): the scores by what is satisfied.
    """
    for found in reversed([*LAST_SENTENCE.finditer(rule_hint), *BRACKETS.finditer(rule_hint)]):
        given = {number for one in POINTS.findall(found[1]) for number in one if number}
        shows = rule_hint[: found.start()] + rule_hint[found.end() :]
        if "2" in given and len(given) > 1 and CONDITIONS.search(found[1]) and re.search(r"\w", shows):
            return Rule(shows, " ".join(found[1].split()))
    return Rule(rule_hint, "")
