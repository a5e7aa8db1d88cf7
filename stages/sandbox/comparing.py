"""The embedded world as a judge of what was made of pictures: is it the same scene, and was an edit carried out?

Blocks of labelled material come in by name (`answer`, `reference`, `input`): texts and pictures in order. Of a
contestant's block nothing but pictures is looked at here: its words cannot ask for anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from . import vocabulary as v
from .agreement import COSTS
from .answering import Unsupported, Values
from .editing import wanted
from .looking import look
from .material import Enclosed, material, pictures_of
from .scene import Group, Scene
from .verdicts import blank

Slots = Mapping[str, object]
"""What a scene shows part by part; None is open. Parts of the two groups begin with `0.` and `1.`; "" is nothing."""
_NOTHING = "there is no picture in which anything can be recognised"
_THINGS = ("kind", "colour", "count", "lettering")
"""What a picture shows, however it is drawn."""
_PARTS = ("lettering", "sign", "style", "light", "mood", "surreal")


def compare(enclosed: Enclosed) -> Values:
    """Return how far two pictures, the first of `answer` and of `reference`, show the same scene: a score 0..10.

    10 takes the same things, counts, colours, places, lettering, light, style and mood; what differs costs as much as
    it does in a text that is compared with a picture. Unsupported for pictures that are not of this world.
    """
    reference = _shown("reference", enclosed)
    if reference is None:
        raise Unsupported("the picture to compare with is missing, or nothing in it can be recognised")
    shown = _shown("answer", enclosed)
    if shown is None:
        return {"reason": _NOTHING, "score": 0}
    wrong = _wrong(reference[0], _nearest(reference[0], shown))
    return {"reason": _reason(wrong, "different"), "score": _score(wrong)}


def edited(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return whether the instruction (the field `instruction`, or the texts of `input`) was carried out on the pictures
    of `input`, and all else kept: `followed`, ten times the share of what it asks for, `kept`, 10 where all else is as
    it was, and `score`, the lesser.

    Where a picture was to be painted anew nothing is to be kept, and `kept` is as `followed`. Unsupported where
    the instruction is not understood, or pictures are not of this world.
    """
    given = enclosed.get("input", ())
    if instruction := fields.get("instruction", ""):
        given = [*pictures_of(given), instruction]
    task = material(given)
    wish = wanted(task)
    shown = _shown("answer", enclosed)
    if shown is None:
        return {"reason": _NOTHING, "followed": 0, "kept": 0, "score": 0}
    goal = _slots(wish.scene, (0, 1))
    found = _nearest(goal, shown)
    before = {} if wish.edited is None else _nearest(goal, _turns(task.seen[wish.edited]))
    asked = [part for part, value in goal.items() if value is not None and before.get(part) != value]
    undone = [part for part in asked if found[part] != goal[part]]
    lost = [part for part in _wrong(goal, found) if part not in asked]
    followed = round(10 * (1 - len(undone) / len(asked))) if asked else 10
    kept = _score(lost) if before else followed
    reason = f"{_reason(undone, 'not carried out')}; {_reason(lost, 'not kept')}"
    return {"reason": reason, "followed": followed, "kept": kept, "score": min(followed, kept)}


def carried_out(given: Scene, goal: Scene, shown: Scene) -> tuple[list[str], list[str]]:
    """Return what of a change from one scene to another is not done in a third, and which things or lettering in it
    are not as they were. How it is drawn and where things stand may differ, unless that was to be changed.
    """
    wanted = _slots(goal, (0, 1))
    before, found = _nearest(wanted, _turns(given)), _nearest(wanted, _turns(shown))
    asked = [part for part, value in wanted.items() if value is not None and before[part] != value]
    undone = [_name(part) for part in asked if found[part] != wanted[part]]
    lost = [_name(part) for part in _wrong(wanted, found) if part not in asked and _name(part) in _THINGS]
    return undone, lost


def _shown(name: str, enclosed: Enclosed) -> Sequence[Slots] | None:
    """Return what the first picture of a block shows, its groups in either order; None: no picture, or nothing in
    it that can be recognised. Unsupported for one that is not of this world.
    """
    pictures = pictures_of(enclosed.get(name, ()))[:1]
    if not pictures or blank("a comparison", pictures):
        return None
    sight = look("a comparison", pictures)
    if sight.impression is None:
        return None
    return [{**turn, "lettering": sight.transcription or ""} for turn in _turns(sight.impression)]


def _turns(scene: Scene) -> Sequence[Slots]:
    return [_slots(scene, order) for order in permutations((0, 1))]


def _slots(scene: Scene, order: tuple[int, ...]) -> Slots:
    """Return a scene part by part, its groups taken in an order."""
    groups: tuple[Group | None, ...] = (*scene.groups, None, None)
    found: dict[str, object] = {}
    for number, group in enumerate(groups[place] for place in order):
        found[f"{number}.kind"] = group.kind if group else ""
        found[f"{number}.colour"] = group.colour if group else None
        found[f"{number}.count"] = group.count if group else None
    turned = order[0] and scene.relation
    found["relation"] = v.OPPOSITE[scene.relation] if turned and scene.relation else scene.relation
    found |= {part: getattr(scene, part) for part in _PARTS}
    found["surreal"] = scene.surreal or ""
    found["lettering"] = scene.lettering or ""
    found["sign"] = scene.sign if scene.lettering or scene.sign else ""
    return found


def _nearest(wanted: Slots, turns: Sequence[Slots]) -> Slots:
    return min(turns, key=lambda turn: _cost(_wrong(wanted, turn)))


def _wrong(wanted: Slots, shown: Slots) -> list[str]:
    """Return the parts that are not as wanted; colour and number of what is another thing are not told beside it."""
    found = [part for part, value in wanted.items() if value is not None and shown[part] != value]
    others = {part[0] for part in found if part.endswith(".kind")}
    if others and "relation" in found:
        found.remove("relation")
    return [part for part in found if part[0] not in others or part.endswith(".kind")]


def _cost(parts: Sequence[str]) -> int:
    return sum(COSTS[_name(part)] for part in parts)


def _score(parts: Sequence[str]) -> int:
    return max(0, 10 - _cost(parts))


def _name(part: str) -> str:
    return part.rpartition(".")[2]


def _reason(parts: Sequence[str], what: str) -> str:
    return f"{what}: {', '.join(map(_name, parts))}" if parts else f"nothing {what}"
