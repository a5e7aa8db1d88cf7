"""The embedded world as a captioner: which question is answered by which rule."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .answering import Unsupported, Values, cannot_read
from .grades import CLEAR, STRONG, clarity_of, contrast_of, reading_of
from .looking import look, whole_scene_of
from .reading import read
from .scene import complete_scene, embellish
from .writing import write


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    if question in FORMS:
        return describe(question, images)
    match question:
        case "find_text":
            return find_text(images)
        case "rewrite_text":
            return rewrite_text(fields, seed)
        case "mine_text":
            return mine_text(fields, images)
    raise Unsupported(f"the embedded world's captioner does not know the question {question!r}")


FORMS = {
    "caption_composition": "composition",
    "caption_entity": "entity",
    "caption_text": "text",
    "caption_imaginative": "imaginative",
    "caption_style": "style",
    "caption_affection": "abstract",
    "caption_short": "prompt",
    "caption_middle": "composition",
    "caption_long": "detail",
    "generation_chain_of_thought": "detail",
    "rewrite": "prompt",
}
"""In which form (writing.FORMS) each question for a caption of a picture is answered."""


def describe(question: str, images: Sequence[bytes]) -> Values:
    """What is seen, in the question's form; a caption that comes with the picture is not heeded."""
    scene = whole_scene_of(look(question, images))
    if question == "caption_short":
        scene = replace(scene, style=None, mood=None)
    return {"caption": write(scene, form=FORMS[question])}


def rewrite_text(fields: Mapping[str, str], seed: int) -> Values:
    """Write a caption out whole, without a picture; captions that say the same are completed alike."""
    text = fields.get("caption", "")
    scene = read(text)
    if scene is None:
        raise cannot_read(text)
    rng = random.Random(f"{seed} rewrite {scene!r}")
    return {"caption": write(complete_scene(embellish(scene, rng), rng))}


def mine_text(fields: Mapping[str, str], images: Sequence[bytes]) -> Values:
    """A lettered picture as a prompt that quotes it. Unsupported: it does not carry the transcription."""
    sight = look("mine_text", images)
    transcription = fields.get("transcription", "")
    if not transcription or transcription != sight.transcription:
        raise Unsupported(f"the sign reads {sight.transcription!r}, not {transcription!r}")
    return {"caption": write(whole_scene_of(sight))}


def find_text(images: Sequence[bytes]) -> Values:
    """Whether lettering can be read with ease: 0 without a sign, else by contrast and clarity."""
    sight = look("find_text", images)
    if sight.transcription is None:
        return {"reason": "there is no sign in the picture", "transcription": "", "legibility": 0}
    clarity, unclear = clarity_of(sight)
    contrast = contrast_of(sight)
    reason = reading_of(sight)
    if clarity < CLEAR:
        reason += f"; the picture is {unclear}"
    if contrast < STRONG:
        reason += "; ink and ground are nearly alike"
    legibility = min(clarity, contrast) if sight.transcription else 1
    return {"reason": reason, "transcription": sight.transcription, "legibility": legibility}
