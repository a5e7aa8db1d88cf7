"""Does what a text says hold in what is shown, and do two texts tell the same scene, and so are the same test?

One rule for the judge, who sees, and for the truth, which knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import permutations

from .answering import Unsupported, Values
from .captions import understand
from .scene import Group, Scene, canonical_scene

COSTS = {
    "subject": 10,
    "kind": 5,
    "lettering": 5,
    "colour": 4,
    "relation": 4,
    "style": 4,
    "surreal": 4,
    "count": 3,
    "sign": 3,
    "light": 3,
    "mood": 3,
}
"""What each thing that is said and does not hold takes off a full alignment of 10; a missing subject leaves nothing."""


def disagreements(claim: Scene, picture: Scene, lettering: str | None) -> list[str]:
    """What a text says and a picture does not show, as keys of COSTS; what is None is left open.

    The text's subject is what it names first. `lettering`: of the picture's sign, right or misspelt; None without one.
    """
    scene = canonical_scene(picture)
    if not claim.groups and (lettering is None or claim.lettering not in (None, lettering)):
        return ["subject"]
    found = _about_groups(claim, scene)
    if claim.lettering and claim.lettering != lettering:
        found.append("lettering")
    elif claim.sign and claim.sign != scene.sign:
        found.append("sign")
    for part in ("style", "light", "mood", "surreal"):
        if getattr(claim, part) not in (None, getattr(scene, part)):
            found.append(part)
    return found


def alignment(wrong: Sequence[str]) -> int:
    """0..10: 10 where nothing disagrees, at most 7 with one thing wrong, 0 where the subject is another."""
    return 0 if "subject" in wrong else max(1, 10 - _cost(wrong))


def _cost(wrong: Sequence[str]) -> int:
    return sum(COSTS[name] for name in wrong)


def _about_groups(claim: Scene, scene: Scene) -> list[str]:
    """Disagreements about the groups and how they stand, under that pairing of said and shown groups that has least."""
    pairings = permutations((*scene.groups, None, None), len(claim.groups))
    return min((_compare_pairing(claim, pairing, scene) for pairing in pairings), key=_cost)


def _compare_pairing(claim: Scene, pairing: tuple[Group | None, ...], scene: Scene) -> list[str]:
    found: list[str] = []
    for number, (wanted, group) in enumerate(zip(claim.groups, pairing, strict=True)):
        if group is None or group.kind != wanted.kind:
            found.append("kind" if number else "subject")
            continue
        if wanted.colour and group.colour != wanted.colour:
            found.append("colour")
        if group.count != wanted.count:
            found.append("count")
    if claim.relation and not {"subject", "kind"} & set(found):
        first = scene.groups[1 if claim.relation in ("right", "below") else 0]
        if canonical_scene(claim).relation != scene.relation or pairing[0] != first:
            found.append("relation")
    return found


_DRAWN = ("style", "light", "mood")
"""How a scene is drawn: where one text leaves it open, the other adds something beside the point."""
_SHOWN = ("relation", "lettering", "sign", "surreal")
_FRAME = re.compile(r"(?:the picture shows|paint|generate an image of) (.*)", re.IGNORECASE | re.DOTALL)
"""What items put before a scene, which is no part of it."""


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Say of pairs of texts, `test_1` and `text_1` and so on, whether they tell the same scene."""
    if question != "same_test":
        raise Unsupported(f"the embedded world compares texts, and does not know the question {question!r}")
    numbers = [int(name.removeprefix("test_")) for name in fields if name.startswith("test_")]
    said = {n: same_test(fields[f"test_{n}"], fields[f"text_{n}"]) for n in numbers}
    others = [n for n, one in said.items() if one["verdict"] == "N"]
    return {"close": [{"pair": n} | one for n, one in said.items() if n not in others], "others": others}


def same_test(*texts: str) -> Values:
    """Whether two texts tell the same scene, in English or Chinese: a verdict Y or N, ? where one is not understood.

    Things, numbers, colours, places, lettering and what is surreal have to be the same, said or left open; style, light
    and mood must not differ where both say them.
    """
    scenes = [scene_of(text) for text in texts]
    if None in scenes:
        return {"reason": f"cannot read the {('test', 'text')[scenes.index(None)]}", "verdict": "?"}
    differing = differences(*filter(None, scenes))
    reason = f"they differ in: {', '.join(differing)}" if differing else "both tell the same scene"
    return {"reason": reason, "verdict": "N" if differing else "Y"}


@lru_cache(1 << 12)  # one text is compared with many others
def scene_of(text: str) -> Scene | None:
    """Return the scene that a caption or an item's text tells; None where not all of it is understood."""
    framed = _FRAME.fullmatch(text)
    return understand(text) or (understand(framed[1]) if framed else None)


def differences(first: Scene, second: Scene) -> list[str]:
    """Return the parts in which two scenes are not the same test; two things without a relation have no order."""
    first, second = _ordered(first), _ordered(second)
    found = ["things"] if first.groups != second.groups else []
    found += [part for part in _SHOWN if getattr(first, part) != getattr(second, part)]
    for part in _DRAWN:
        both = {getattr(first, part), getattr(second, part)} - {None}
        found += [part] if len(both) > 1 else []
    return found


def _ordered(scene: Scene) -> Scene:
    if scene.relation:
        return canonical_scene(scene)
    return replace(scene, groups=tuple(sorted(scene.groups, key=repr)))
