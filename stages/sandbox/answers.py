"""The embedded world as a model: pictures for prompts, and answers to questions by their names, by rule.

It knows nothing of servers or of other rooms: fields and image bytes come in, plain values go out. What lies outside
its vocabulary raises Unsupported, so that no made-up score can pass for an answer.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from . import composing, inventing, judging, rewording, verdicts
from .captions import understand
from .looking import Answer
from .looking import Unsupported as Unsupported
from .looking import sight_of as sight_of
from .painting import draw_faults, jpeg, paint
from .scene import Scene, complete, random_scene
from .writing import write


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int = 0) -> Answer:
    """Answer a question by its name, with the record's fields and pictures; the same for the same arguments.

    Scores are whole numbers 0..10. Raises Unsupported for an unknown question, an unreadable picture or text.
    """
    if question in rewording.FORMS:
        return rewording.describe(question, images)
    match question:
        case "examine":
            return judging.examine(images)
        case "score":
            return judging.score(images)
        case "proofread":
            return judging.proofread(images)
        case "find_text":
            return judging.find_text(images)
        case "align":
            return judging.align(fields.get("caption", ""), images)
        case "rewrite_text":
            return rewording.rewrite_text(fields, seed)
        case "mine_text":
            return rewording.mine_text(fields, images)
        case "translate":
            return rewording.translation(fields.get("caption", ""))
        case "brainstorm":
            return inventing.brainstorm(fields, seed)
        case "imagine":
            return inventing.imagine(fields, seed)
        case "prism_expand":
            return composing.expand(fields, seed)
        case "prism_translate":  # lettering is never translated here, whether or not the fields name it
            return rewording.translation(fields.get("prompt", ""))
        case "prism_adapt":
            return rewording.adaptation(fields.get("prompt", ""))
        case "prism_aesthetic":
            return verdicts.looks(images)
    if question.startswith("prism_compose_"):
        return composing.compose(question.removeprefix("prism_compose_"), fields, seed)
    if question.startswith("prism_alignment_"):  # one rule for all tracks
        return verdicts.fit(fields, images)
    raise Unsupported(f"the embedded world does not know the question {question!r}")


def paint_prompt(prompt: str, width: int, height: int, seed: int, faults: Mapping[str, float]) -> bytes:
    """Paint a prompt: JPEG bytes, the same for the same arguments. `faults` maps names of faults to rates 0..1.

    Raises Unsupported where the prompt cannot be read whole, and for sides that are not 128 to 2048 pixels.
    """
    scene, drawn, rng = commission(prompt, seed, faults)
    try:
        return jpeg(paint(scene, width, height, rng, drawn))
    except ValueError as error:
        raise Unsupported(str(error)) from error


def commission(prompt: str, seed: int, faults: Mapping[str, float]) -> tuple[Scene, frozenset[str], random.Random]:
    """What paint_prompt hands to the painter: the complete scene, the faults drawn, the random state to paint with."""
    scene = understand(prompt)
    if scene is None:
        raise Unsupported(f"the embedded world cannot read the whole of the prompt {prompt[:120]!r}")
    rng = random.Random(f"{seed} {prompt}")
    scene = complete(scene, rng)
    return scene, draw_faults(scene, faults, rng), rng


def captions(count: int, seed: int) -> list[str]:
    """`count` different English prompts of random scenes."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault(write(random_scene(rng)))
    return list(found)


@lru_cache(maxsize=1)
def revision() -> str:
    """What version of the world this is: sha256 over its modules and its font in name order, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in sorted([*here.glob("*.py"), *here.glob("*.ttf")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
