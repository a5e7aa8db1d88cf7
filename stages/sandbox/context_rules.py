"""What a rule is that a context of texts and pictures lays down, and what is imagined where half of that lacks."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from . import vocabulary as v
from .answering import Unsupported
from .scene import Group, Scene


class Told(NamedTuple):
    """A context and what is asked by it.

    `context`: its sentences, plain, in which `#1` points at a picture; `asked`: the instruction, as its pattern found
    it; `seen`: what pictures show, by how they are pointed at.
    """

    context: Sequence[str]
    asked: re.Match[str]
    seen: Mapping[str, Scene]


class Rule(NamedTuple):
    """A rule. `asked`: how an instruction is put that goes by it, plain.

    `solve`: what is wanted then, a field left open where nothing was said of it; Unsupported where the context does not
    say. `words`: what a context with these pictures might say, given the instruction; `pictures`: how many it has.
    `picture`: what one of them might show; `together`: where what they show belongs together, what those of these names
    might, given all that is told.
    """

    asked: re.Pattern[str]
    solve: Callable[[Told], Scene]
    words: Callable[[re.Match[str], Sequence[str], random.Random], Sequence[str]]
    pictures: int
    picture: Callable[[random.Random], Scene]
    together: Callable[[Told, Sequence[str], random.Random], Mapping[str, Scene]] | None = None


def imagined(chance: random.Random, groups: int = 1) -> Scene:
    """Return a scene of so many groups of things, in which everything is as probable as anything else."""
    kinds, colours = chance.sample(list(v.KINDS), groups), chance.sample(list(v.COLOURS), groups)
    return Scene(
        tuple(Group(kind, colour, chance.choice(list(v.COUNTS))) for kind, colour in zip(kinds, colours, strict=True)),
        relation=chance.choice(list(v.RELATIONS)) if groups == 2 else None,
        style=chance.choice(list(v.STYLES)),
        light=chance.choice(list(v.LIGHTS)),
        mood=chance.choice(list(v.MOODS)),
        surreal=chance.choice(list(v.SURREALS)),
    )


def found(pattern: str, sentences: Sequence[str]) -> list[re.Match[str]]:
    """Return the sentences that are as a pattern has it."""
    return [match for sentence in sentences if (match := re.fullmatch(pattern, sentence))]


def the_one(pattern: str, told: Told) -> re.Match[str]:
    """Return the one sentence of a context that is as a pattern has it; Unsupported where there is none, or another."""
    matches = found(pattern, told.context)
    if len(matches) != 1:
        raise Unsupported(f"{len(matches)} sentences of the context say what is asked about, one is wanted")
    return matches[0]


def shown(told: Told, picture: str) -> Scene:
    """Return what a picture shows; Unsupported where it is not there."""
    if picture not in told.seen:
        raise Unsupported(f"there is no picture {picture}")
    return told.seen[picture]
