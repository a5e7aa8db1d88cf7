"""The embedded world as a writer of questions that are put twice: edits of a picture, and whether two prompts agree."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from . import vocabulary as v
from .answering import Unsupported, Values
from .changes import changed
from .looking import look, whole_scene_of
from .material import Enclosed, made, pictures_of
from .mentions import numbers_in
from .naming import plain
from .pairs import in_words_of, meaning
from .rules import AMOUNTS, PLACES, SORTS, definite, explicit
from .scene import Scene
from .writing import write

_LOOKS = ("light", "style", "mood", "surreal")


def write_edit(fields: Mapping[str, str], enclosed: Enclosed, seed: int) -> Values:
    """Return an edit of the picture of the block `picture`, drawn by it and the seed, and what the picture shows then.

    `challenge`: explicit, an instruction that names what changes, or implicit, a rule that does not. Unsupported for
    another one, and where none can be made.
    """
    scene = whole_scene_of(look("an edit", pictures_of(enclosed.get("picture", ()))))
    challenge = fields.get("challenge", "")
    if challenge not in ("explicit", "implicit"):
        raise Unsupported(f"the embedded world writes explicit and implicit edits, not {challenge!r}")
    found = dict(_instructions(scene) if challenge == "explicit" else _rules(scene))
    if not found:
        raise Unsupported(f"the embedded world knows no {challenge} edit of the picture")
    edit = random.Random(f"{seed} edit {challenge} {write(scene)}").choice(list(found))
    return {"edit": edit, "reference_text": told(scene, found[edit])}


def check_intent(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return whether `question` and `prompt` mean the same with the pictures of the block `pictures`, and whether
    `reference_text` is right: `same`, yes or no. Unsupported for prompts that are not understood.
    """
    pictures = pictures_of(enclosed.get("pictures", ()))
    one, other = (meaning([*pictures, fields.get(name, "")]) for name in ("question", "prompt"))
    if one is None or other is None:
        raise Unsupported("the embedded world does not know what the prompts mean")
    if one != other:
        return {
            "reason": f"right in words is {in_words_of(one, one.right)!r}, which the prompt means not",
            "same": "no",
        }
    said, right = fields.get("reference_text", ""), in_words_of(one, one.right)
    if one.sort == "change":
        assert one.given is not None
        right = told(one.given, one.right)
    agree = numbers_in(said) == numbers_in(right) if one.sort == "numbers" else plain(said) == plain(right)
    if not agree:
        return {"reason": f"both mean {right!r}, and the reference says otherwise", "same": "no"}
    return {"reason": f"both mean {right!r}", "same": "yes"}


def told(before: Scene, after: Scene) -> str:
    """Return what a scene shows that was changed: its things, how they stand, and what looks otherwise than before."""
    kept = [name for name in _LOOKS if getattr(after, name) == getattr(before, name)]
    return write(made(after, **dict.fromkeys(["lettering", "sign", *kept])))


def _instructions(scene: Scene) -> Iterator[tuple[str, Scene]]:
    """Yield instructions that name what changes, with the scenes that they come to."""
    colours = [colour for colour in v.COLOURS if colour not in {group.colour for group in scene.groups}]
    clauses = [f"Make {definite(group)} {colour}." for group in scene.groups for colour in colours]
    clauses += [f"Remove {definite(group)}." for group in scene.groups if len(scene.groups) > 1]
    clauses += [f"Make it {word.en}." for light, word in v.LIGHTS.items() if light != scene.light]
    yield from _done(scene, {clause: clause for clause in clauses})


def _rules(scene: Scene) -> Iterator[tuple[str, Scene]]:
    """Yield rules that hold of just one group of things, with the scenes that they come to."""
    colours = [colour for colour in v.COLOURS if colour not in {group.colour for group in scene.groups}]
    actions = [f"turns {colour}" for colour in colours]
    if len(scene.groups) > 1:
        actions += ["disappears"]
    if len({group.colour for group in scene.groups}) > 1:
        actions += ["takes the colour of the rest"]
    clauses = {}
    for which in (*SORTS, *PLACES, *AMOUNTS):
        for action in actions:
            rule = f"Whatever {which} {action}."
            try:
                clauses[rule] = explicit(rule, scene)
            except Unsupported:
                break  # it holds of none, or of all, whatever is to happen
    yield from _done(scene, clauses)


def _done(scene: Scene, clauses: Mapping[str, str]) -> Iterator[tuple[str, Scene]]:
    """Yield what can be done, with the scenes that it comes to."""
    for said, clause in clauses.items():
        if (after := changed(scene, plain(clause))) is not None:
            yield said, after
