"""The parameters of benchmarks: who is measured, and by PRISM-Bench how.

A contestant's model stands in its own block, so that a change of it concerns no other contestant.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from stages.project.budgets import Asking, MaxFailures
from stages.project.model_kinds import Model, Pixels, Slug
from stages.project.validation import Strict

CONTROL = "control_"
"""What the names of the judges' controls begin with."""
BENCHMARKS = ("prism",)
"""All benchmarks by name, which is also that of their room, their parameters and their folders."""
REPORTS = ("board", "agreement", "representatives")
"""Metric files that stand beside those of contestants."""
Language = Literal["en", "zh"]
Version = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")]


def different(values: list[str]) -> list[str]:
    """ValueError where something stands twice."""
    for position, value in enumerate(values):
        if value in values[:position]:
            raise ValueError(f"{value!r} stands twice")
    return values


Languages = Annotated[list[Language], Field(min_length=1), AfterValidator(different)]


class Contestant(Strict):
    """Who is measured: an image or chat model, or a folder of what was made elsewhere.

    `class`: what it can do. `languages`: in which it is put to the test, all where left out. `variant_of`: the
    contestant that it is a variant of, such as the same model without reasoning; the two are compared in pairs.
    `max_failures`: how many of its answers may fail, such as pictures that a folder lacks; the benchmark's where left
    out.
    """

    class_: Annotated[Literal["unified", "generation", "editing", "understanding"], Field(alias="class")]
    model: Model
    languages: Languages | None = None
    variant_of: Slug | None = None
    max_failures: MaxFailures | None = None


class Painted(Asking):
    """Size of the pictures asked for, in pixels."""

    width: Pixels
    height: Pixels


class Proposing(Asking):
    """How PRISM's prompts are proposed: per track `sampled` from the dataset and `curated` from pools of elements.

    `editions`: those under construction, each proposed by itself. `candidates`: the captions with the highest scores
    that the sampled ones are chosen among.
    """

    editions: Annotated[list[Version], AfterValidator(different)]
    pools: Annotated[str, StringConstraints(pattern=r"^stages/prism/pools(/[^./][^/]*)*$")]
    candidates: Annotated[int, Field(ge=1, le=100_000)]
    sampled: Annotated[int, Field(ge=0, le=1000)]
    curated: Annotated[int, Field(ge=0, le=1000)]


class Prism(Strict):
    """PRISM-Bench: the frozen edition, its languages, the judges (slugs of `models`), how often each judges a picture.

    `controls_of`: contestants (one, as a rule) whose pictures are also spoilt in known ways, as controls of the judges.
    """

    edition: Version
    languages: Languages
    judges: Annotated[list[Slug], Field(min_length=1), AfterValidator(different)]
    repeats: Annotated[int, Field(ge=1, le=100)]
    controls_of: Annotated[list[Slug], AfterValidator(different)]
    answer: Painted
    judge: Asking
    propose: Proposing
