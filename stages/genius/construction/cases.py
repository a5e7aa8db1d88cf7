"""Cases: a context that lays down a rule, an instruction, what their pictures show, and what is right by the rule.

Texts say which picture counts and pictures what it stands for: without either a case cannot be solved (section 2.2).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from stages.genius.construction.scenes import Pool, Scene, describe_scene

STAYS_AS_IT_IS: Mapping[str, str] = {
    "things": "The things in this picture stay as they are.",
    "kinds": "The kinds of things in this picture stay as they are.",
    "colours": "The colours in this picture stay as they are.",
    "number": "The number of things in this picture stays as it is.",
    "places": "The places of the things in this picture stay as they are.",
    "style": "The style of this picture stays as it is.",
    "light and mood": "The light and the mood of this picture stay as they are.",
}
"""What of a picture has to stay: hints for visual consistency."""
PEOPLE = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo")
"""Whom a context tells of."""


class Case(NamedTuple):
    """A case. `context` and `prompt`, which is one sentence, name pictures as `<image:NAME>`.

    `pictures`: what each shows, in the order in which they are named. `right_scene`: what a right picture shows, and
    nothing that the rule leaves open. `wrong_scenes`: three, none of which is right, the wrong options of a probe: what
    other readings of the same context would come to, first of all those that cannot be told from the right one by half
    of the context. How the four are alike says nothing of which is right. `text_rule`: the rule in words that need no
    picture; `picture_rule`: the same beside the pictures, which it names. `unchanged`: of `STAYS_AS_IT_IS`, with the
    picture that it is about. `absent`: kinds of things that must not be there.
    """

    context: str
    prompt: str
    pictures: tuple[tuple[str, Scene], ...]
    right_scene: Scene
    wrong_scenes: tuple[Scene, ...]
    text_rule: str
    picture_rule: str
    unchanged: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()


Rule = Callable[[random.Random, Pool], Case | None]
"""How cases of a sub-task are drawn; None where what was drawn comes to nothing."""


def text_hint(case: Case, pool: Pool) -> str:
    """Return the rule and what it comes to, in words that need no picture."""
    return f"{case.text_rule} So what is wanted is {describe_scene(case.right_scene, pool)}."


def multimodal_hint(case: Case, pool: Pool) -> str:
    return f"{case.picture_rule} So what is wanted is {describe_scene(case.right_scene, pool)}."


def rule_hint(case: Case, pool: Pool) -> str:
    absent = "".join(f" There is no {kind} in it." for kind in case.absent)
    return f"{scene_sentence(case.right_scene, pool)}{absent}"


def scene_sentence(scene: Scene, pool: Pool) -> str:
    return f"The picture shows {describe_scene(scene, pool)}."


def full_text(case: Case, pool: Pool) -> str:
    shown = " ".join(f"{name}: {describe_scene(scene, pool)}." for name, scene in case.pictures)
    return f"{case.context} {case.prompt} {shown}"
