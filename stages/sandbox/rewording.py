"""The embedded world as a captioner: captions of pictures, captions rewritten from picture or text, translation."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from .looking import Answer, Unsupported, look, whole_scene_of
from .reading import read, translate
from .scene import complete, embellish
from .vocabulary import CHINESE_FOR
from .writing import write

FORMS = {
    "caption_composition": "composition",
    "caption_entity": "entity",
    "caption_text": "text",
    "caption_imaginative": "imaginative",
    "caption_style": "style",
    "caption_abstract": "abstract",
    "generation_chain_of_thought": "detail",
    "rewrite": "prompt",
}
"""In which form (writing.FORMS) each question for a caption of a picture is answered."""


def describe(question: str, images: Sequence[bytes]) -> Answer:
    """What is seen, in the question's form. The picture alone counts: a caption that comes with it is not heeded."""
    return {"caption": write(whole_scene_of(look(question, images)), form=FORMS[question])}


def rewrite_text(fields: Mapping[str, str], seed: int) -> Answer:
    """A caption without a picture, written out whole; what it leaves open is chosen.

    Captions that say the same are completed alike. Raises Unsupported where the caption cannot be read.
    """
    text = fields.get("caption", "")
    scene = read(text)
    if scene is None:
        raise _unreadable(text)
    rng = random.Random(f"{seed} rewrite {scene!r}")
    return {"caption": write(complete(embellish(scene, rng), rng))}


def mine_text(fields: Mapping[str, str], images: Sequence[bytes]) -> Answer:
    """A picture with lettering as a prompt that quotes the lettering exactly.

    Raises Unsupported where the picture does not carry the transcription, or is not known whole.
    """
    sight = look("mine_text", images)
    transcription = fields.get("transcription", "")
    if not transcription or transcription != sight.transcription:
        raise Unsupported(f"the sign reads {sight.transcription!r}, not {transcription!r}")
    return {"caption": write(whole_scene_of(sight))}


def translation(text: str) -> Answer:
    """A text of the world in Chinese, lettering left as it is. Raises Unsupported where it cannot be read."""
    return {"translation": _in_chinese(text)}


def adaptation(text: str) -> Answer:
    """A text of the world in Chinese, lettering and all: OPEN is 营业中. Raises Unsupported where it cannot be read."""
    return {
        "adaptation": re.sub(
            "“([^”]+)”", lambda quoted: f"“{CHINESE_FOR.get(quoted[1], quoted[1])}”", _in_chinese(text)
        )
    }


def _in_chinese(text: str) -> str:
    found = translate(text) if text else None
    if found is None:
        raise _unreadable(text)
    return found


def _unreadable(text: str) -> Unsupported:
    return Unsupported(f"the embedded world cannot read the whole of the text {text[:120]!r}")
