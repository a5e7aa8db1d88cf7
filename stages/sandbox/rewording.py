"""The embedded world as a captioner: captions of pictures, captions rewritten from picture or text."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from .answering import Unsupported, Values, unreadable
from .looking import look, whole_scene_of
from .reading import read
from .scene import complete, embellish
from .writing import write

FORMS = {
    "caption_composition": "composition",
    "caption_entity": "entity",
    "caption_text": "text",
    "caption_imaginative": "imaginative",
    "caption_style": "style",
    "caption_affection": "abstract",
    "generation_chain_of_thought": "detail",
    "rewrite": "prompt",
}
"""In which form (writing.FORMS) each question for a caption of a picture is answered."""


def describe(question: str, images: Sequence[bytes]) -> Values:
    """Return what is seen, in the question's form. The picture alone counts: a caption that comes with it is not
    heeded.
    """
    return {"caption": write(whole_scene_of(look(question, images)), form=FORMS[question])}


def rewrite_text(fields: Mapping[str, str], seed: int) -> Values:
    """Return a caption without a picture, written out whole; what it leaves open is chosen.

    Captions that say the same are completed alike. Raises Unsupported where the caption cannot be read.
    """
    text = fields.get("caption", "")
    scene = read(text)
    if scene is None:
        raise unreadable(text)
    rng = random.Random(f"{seed} rewrite {scene!r}")
    return {"caption": write(complete(embellish(scene, rng), rng))}


def mine_text(fields: Mapping[str, str], images: Sequence[bytes]) -> Values:
    """Return a picture with lettering as a prompt that quotes the lettering exactly.

    Raises Unsupported where the picture does not carry the transcription, or is not known whole.
    """
    sight = look("mine_text", images)
    transcription = fields.get("transcription", "")
    if not transcription or transcription != sight.transcription:
        raise Unsupported(f"the sign reads {sight.transcription!r}, not {transcription!r}")
    return {"caption": write(whole_scene_of(sight))}
