"""The embedded world as a judge of answers to questions that are put twice: right (1) or wrong (0), and why.

Questions are named by category and side, as `numerical_und`. What they are about comes in blocks: `question`,
`question_picture`, `reference_text`, `reference_picture` and `answer`. Texts are read for what they mention, pictures
are looked at, and nothing else in an answer moves anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from .answering import Unsupported, Values
from .comparing import carried_out
from .looking import look
from .material import Enclosed, pictures_of, texts_of
from .mentions import numbers_in, things_in
from .scene import Scene
from .statements import Statement, states
from .verdicts import blank, told

Verdict = tuple[bool, str]
"""Whether an answer is right, and why."""
_NOTHING = False, "there is no picture in which anything can be recognised"


def right_or_wrong(question: str, fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return whether the answer to a question of a category and side is right, as a `score` of 1 or 0. Blocks may be
    fields too. Unsupported where what is right cannot be told, and for pictures that are not of this world.
    """
    right, reason = RULES[question]({name: [text] for name, text in fields.items()} | dict(enclosed))
    return {"reason": reason, "score": int(right)}


def named_rightly(blocks: Enclosed) -> Verdict:
    """The thing is named, with its colour where that belongs to it, and nothing else is."""
    thing, said = right(blocks).groups[0], things_in(words(blocks, "answer"))
    if any(kind != thing.kind or (thing.colour and colour not in (None, thing.colour)) for kind, colour in said):
        return False, f"the text names something else; right is {thing.colour or ''} {thing.kind}"
    if not any(thing.colour in (None, colour) for _, colour in said):
        return False, f"the text does not name it: {thing.colour or ''} {thing.kind}"
    return True, f"the text names it: {thing.kind}"


def shown_rightly(blocks: Enclosed) -> Verdict:
    """The thing is there, and nothing else."""
    thing, scene = right(blocks).groups[0], shown(blocks, "answer")
    if scene is None:
        return _NOTHING
    fits = [group.kind == thing.kind and thing.colour in (None, group.colour) for group in scene.groups]
    return bool(fits) and all(fits), f"the picture was to show: {thing.colour or ''} {thing.kind}"


def counted_rightly(blocks: Enclosed) -> Verdict:
    """Of each kind its right number is said, and no other."""
    wanted, said = numbers_of(right(blocks)), numbers_in(words(blocks, "answer"))
    wrong = [kind for kind, number in wanted.items() if said.get(kind) != {number}]
    return not wrong, f"wrong numbers are said, or none, of: {', '.join(wrong)}" if wrong else "the numbers are right"


def painted_rightly(blocks: Enclosed) -> Verdict:
    """There are so many of each kind, and nothing else."""
    wanted, scene = numbers_of(right(blocks)), shown(blocks, "answer")
    if scene is None:
        return _NOTHING
    found = numbers_of(scene)
    wrong = [kind for kind in {**wanted, **found} if wanted[kind] != found[kind]]
    return not wrong, f"the picture shows wrong numbers of: {', '.join(wrong)}" if wrong else "the numbers are right"


def told_rightly(blocks: Enclosed) -> Verdict:
    """The text tells all that the reference tells, and nothing that is not so."""
    true, reason = states(words(blocks, "answer"), Statement("scene", right(blocks)))
    return bool(true), reason


def changed_rightly(blocks: Enclosed) -> Verdict:
    """What differs between the question's picture and the reference is as in the reference, and things are kept."""
    given, scene = shown(blocks, "question_picture"), shown(blocks, "answer")
    goal = shown(blocks, "reference_picture") or right(blocks)
    if given is None:
        raise Unsupported("the picture that was to be changed is wanted")
    if scene is None:
        return _NOTHING
    undone, lost = carried_out(given, goal, scene)
    said = [f"{what}: {', '.join(names)}" for what, names in (("not done", undone), ("not kept", lost)) if names]
    return not said, "; ".join(said) or "what was asked for is done"


RULES: Mapping[str, Callable[[Enclosed], Verdict]] = {
    "world_knowledge_und": named_rightly,
    "world_knowledge_gen": shown_rightly,
    "numerical_und": counted_rightly,
    "numerical_gen": painted_rightly,
    "instruction_following_und": told_rightly,
    "instruction_following_gen": changed_rightly,
}
"""By question, what of an answer is right."""


def right(blocks: Enclosed) -> Scene:
    """Return the scene that is right, of which something is there: what the reference says, else what it shows.
    Unsupported where that cannot be told.
    """
    said = words(blocks, "reference_text")
    scene = told(said) if said else shown(blocks, "reference_picture")
    if scene is None or not scene.groups:
        raise Unsupported("no reference tells which things are right")
    return scene


def words(blocks: Enclosed, name: str) -> str:
    """Return the texts of a block."""
    return "\n".join(texts_of(blocks.get(name, ())))


def shown(blocks: Enclosed, name: str) -> Scene | None:
    """Return what the first picture of a block shows, None where there is none, or nothing in it can be recognised.
    Unsupported for one that is not of this world.
    """
    pictures = pictures_of(blocks.get(name, ()))[:1]
    return None if not pictures or blank("an answer", pictures) else look("an answer", pictures).impression


def numbers_of(scene: Scene) -> Counter[str]:
    """Return how many things of each kind a scene has."""
    found: Counter[str] = Counter()
    for group in scene.groups:
        found[group.kind] += group.count
    return found
