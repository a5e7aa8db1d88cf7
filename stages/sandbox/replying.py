"""Questions about pictures, or about what texts tell, answered from the scenes alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from . import vocabulary as v
from .agreement import disagreements
from .answering import Unsupported
from .captions import understand
from .material import Material
from .naming import Named, any_of, colours, looks, named, relations
from .scene import Scene
from .statements import Statement

_PASSED_OVER = re.compile(
    r"(?:answer|reply)(?: (?:the question|briefly|in .+|with .+|only .+))*|look at .+|here (?:is|are) .+"
)
_WHERE = r"(?: (?:there|visible|shown|to be seen|can be seen|do you see))*(?: (?:in|on) (?P<at>#[\d*]))?"
_DESCRIBE = (
    r"(?:describe|caption) (?:it|(?P<at>#\d))",
    r"what (?:is|can be seen|do you see)(?: (?:there|shown))?(?: (?:in|on) (?P<at>#\d))?",
    r"what does (?P<at>#\d) show",
    r"(?:描述|描述一下)(?P<at>#\d)|(?:(?P<at2>#\d)|[图画])(?:中|里|上)?有什么",
)


def reply(given: Material) -> Statement:
    """Answer the one question that is asked; Unsupported where it is not understood, or has no one answer.

    It is about the pictures; where there is none, about what the other sentences tell.
    """
    reasons: list[str] = []
    scenes = given.seen or given.told
    for sentences in given.readings:
        asked = [sentence for sentence in sentences if not _PASSED_OVER.fullmatch(sentence)]
        if not given.seen:
            asked = [sentence for sentence in asked if understand(sentence) is None]
        try:
            if len(asked) != 1:
                raise Unsupported(f"one question can be answered, not {len(asked)}")
            if not scenes:
                raise Unsupported("there is neither a picture nor a text that the question could be about")
            return _answer(asked[0], scenes)
        except Unsupported as error:
            reasons.append(str(error))
    raise Unsupported(reasons[0])


def _answer(question: str, scenes: Sequence[Scene]) -> Statement:
    question = re.sub(r"^(?:in|on|looking at) (#[\d*]),? (.+)$", r"\2 in \1", question)
    for rule in _RULES:
        if (found := rule(question, scenes)) is not None:
            return found
    raise Unsupported(f"the embedded world does not understand the question {question[:120]!r}")


def _description(question: str, scenes: Sequence[Scene]) -> Statement | None:
    for pattern in _DESCRIBE:
        if match := re.fullmatch(pattern, question):
            at = match["at"] or match.groupdict().get("at2")
            [scene] = _one(_at(at, scenes))
            return Statement("scene", scene)
    return None


def _number(question: str, scenes: Sequence[Scene]) -> Statement | None:
    match = _first_match(
        question,
        r"how many (?P<x>.+?) (?:does|do) (?P<at>#[\d*]) (?:show|have|contain)",
        rf"how many (?P<x>.+?)(?: (?:is|are))?{_WHERE}",
        r"(?:(?P<at>#\d)|[图画])?(?:中|里|上)?(?:一共)?有(?:几|多少)(?P<x>.+)",
    )
    if match is None:
        return None
    chosen = _at(match["at"] or "#*", scenes)
    if match["x"] in ("things", "objects"):
        return Statement("number", sum(group.count for scene in chosen for group in scene.groups))
    if (thing := named(match["x"])) is None:
        return None
    number = sum(_count(scene, thing) for scene in chosen)
    if number > 10:
        raise Unsupported(f"the embedded world counts to ten, not to {number}")
    return Statement("number", number, (thing.kind, thing.colour))


def _colour(question: str, scenes: Sequence[Scene]) -> Statement | None:
    match = re.fullmatch(
        r"(?:what|which) colou?r (?:is|are|do|does|has|have) (?P<x>.+?)(?: have)?(?: (?:in|on) (?P<at>#\d))?", question
    )
    thing = named(match["x"]) if match else None
    if match is None or thing is None:
        return None
    shown = {group.colour for scene in _at(match["at"], scenes) for group in scene.groups if thing.fits(group)}
    if len(shown) != 1 or None in shown:
        raise Unsupported(f"there is no one colour of {thing.kind!r} to be told")
    return Statement("colour", str(*shown))


def _which(question: str, scenes: Sequence[Scene]) -> Statement | None:
    match = re.fullmatch(
        r"(?:(?:which|in which)(?: (?:of|one of) #\*| picture| image| pictures| images)?"
        r"|on which (?:picture|image)) (?:shows?|has|have|contains?|is|are)(?: there)? (?P<x>.+)",
        question,
    )
    if match is None or (holds := _condition(match["x"])) is None:
        return None
    return Statement("which", tuple(n for n, scene in enumerate(scenes, start=1) if holds(scene)))


def _truth(question: str, scenes: Sequence[Scene]) -> Statement | None:
    match = _first_match(
        question,
        rf"(?:is|are) there (?P<x>.+?){_WHERE}",
        r"(?:does|do) (?P<at>#[\d*]) (?:show|have|contain) (?P<x>.+)",
        r"(?:is|are) (?P<x>(?:it|the) .+?)(?: (?:in|on) (?P<at>#\d))?",
        r"(?:(?P<at>#\d)|[图画])?(?:中|里|上)?有(?P<x>.+?)吗",
    )
    if match is None or (holds := _condition(re.sub("^it (?:an? )?", "", match["x"]))) is None:
        return None
    return Statement("truth", any(holds(scene) for scene in _at(match["at"] or "#*", scenes)))


def _lettering(question: str, scenes: Sequence[Scene]) -> Statement | None:
    match = re.fullmatch(
        r"what (?:does the (?:sign|banner|board|lettering) (?:say|read)|is (?:written|the lettering)|stands)"
        r"(?: on the (?:sign|banner|board))?(?: (?:in|on) (?P<at>#\d))?",
        question,
    )
    if match is None:
        return None
    [scene] = _one(_at(match["at"], scenes))
    if scene.lettering is None:
        raise Unsupported("there is no lettering")
    return Statement("lettering", scene.lettering)


_RULES: tuple[Callable[[str, Sequence[Scene]], Statement | None], ...] = (
    _description, _number, _colour, _which, _truth, _lettering,
)  # fmt: skip


def _condition(words: str) -> Callable[[Scene], bool] | None:
    """Return what holds of a scene where the words do: a thing, so many of it, its colour, its place, a look."""
    if (look := looks().get(re.sub("^(?:an?|the|at|under) ", "", words))) is not None:
        return lambda scene: getattr(scene, look[0]) == look[1]
    if (thing := named(words)) is not None:
        exact = thing.number if thing.number != 1 and not thing.definite else None
        return partial(_there, thing=thing, exact=exact)
    *subject, colour = words.split(" ")
    if colour in colours() and (thing := named(" ".join(subject))) is not None:
        return partial(_there, thing=thing._replace(colour=colours()[colour]), exact=None)
    if match := re.fullmatch(f"(?P<x>.+?) (?P<relation>{any_of(relations())}) (?P<y>.+)", words):
        one, other = named(match["x"]), named(match["y"])
        if one and other and {one.number, other.number} <= {None, 1}:
            return partial(_stand, one=one, other=other, relation=relations()[match["relation"]])
    if (said := understand(words)) is not None:
        return lambda scene: not disagreements(said, scene, scene.lettering)
    return None


def _there(scene: Scene, thing: Named, exact: int | None) -> bool:
    """Return whether there is such a thing, or exactly so many."""
    return _count(scene, thing) == exact if exact is not None else _count(scene, thing) > 0


def _stand(scene: Scene, one: Named, other: Named, relation: str) -> bool:
    """Return whether the one things stand so to the other, whatever their numbers."""
    if scene.relation is None:
        return False
    first, second = scene.groups
    if one.fits(first) and other.fits(second):
        return relation == scene.relation
    return one.fits(second) and other.fits(first) and relation == v.OPPOSITE[scene.relation]


def _first_match(text: str, *patterns: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := re.fullmatch(pattern, text))), None)


def _at(pointer: str | None, scenes: Sequence[Scene]) -> Sequence[Scene]:
    """Return the scene that is pointed at, all for `#*`, the only one for None."""
    if pointer == "#*":
        return scenes
    return [scenes[int(pointer[1]) - 1]] if pointer and int(pointer[1]) <= len(scenes) else _one(scenes)


def _one(scenes: Sequence[Scene]) -> Sequence[Scene]:
    if len(scenes) != 1:
        raise Unsupported(f"which of {len(scenes)} is meant is not said")
    return scenes


def _count(scene: Scene, thing: Named) -> int:
    return sum(group.count for group in scene.groups if thing.fits(group))
