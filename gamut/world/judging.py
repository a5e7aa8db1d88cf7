"""The embedded world as a judge: scores of a picture, 0..10, and whether a caption agrees with it.

Scores are graded by what is measured, so that a threshold can be moved; the reason comes first in every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from . import vocabulary as v
from .agreement import alignment, disagreements
from .answering import Unsupported, Values
from .grades import CLEAR, STRONG, clarity_of, contrast_of, grade, reading_of, structure_of
from .looking import look, scene_of
from .reading import read
from .scene import Scene


def examine(images: Sequence[bytes]) -> Values:
    """Clarity from sharpness and noise; structure from how much the least whole pictogram is like a whole one."""
    sight = look("examine", images)
    clarity, unclear = clarity_of(sight)
    clear = clarity >= CLEAR
    structure = structure_of(sight, clear)
    reason = "edges are crisp and surfaces clean" if clear else f"the picture is {unclear}"
    if clear:
        reason += ", and all shapes are whole" if structure >= 6 else ", but shapes are broken"
    return {"reason": reason, "clarity": clarity, "structure": structure}


def score(images: Sequence[bytes]) -> Values:
    """Six characteristics; 7 and more says that a characteristic is clearly there (see truth.py for what they are)."""
    sight = look("score", images)
    scene = scene_of(sight)
    total = sum(group.count for group in scene.groups)
    scores = {
        "composition": 6 + min(4, total // 2) if scene.relation else min(6, 1 + total),
        "entity": grade(sight.largest, 0.042, 0.342) if scene.groups else 1,
        "text": 0 if sight.transcription is None else 7 + bool(scene.lettering) + (sight.contrast >= 180),
        "imaginative": _IMAGINATIVE.get(scene.surreal or "", 1) + (scene.mood in ("dreamy", "mysterious")),
        "style": _STYLE[scene.style or ""] + (scene.light != "noon"),
        "affection": _AFFECTION[scene.mood or ""] + (scene.light != "noon") + (scene.surreal is not None),
    }
    marked = [name for name, value in scores.items() if value >= 7]
    return {"reason": "clearly there: " + (", ".join(marked) or "nothing"), **scores}


_IMAGINATIVE = {"giant moon": 9, "floating islands": 8, "emerald sky": 8, "twin moons": 7}
_STYLE = {"flat": 3, "watercolour": 7, "poster": 8, "popart": 9, "woodcut": 9}
_AFFECTION = {"calm": 2, "melancholy": 7, "mysterious": 7, "joyful": 8, "dreamy": 8, "dramatic": 8}


def proofread(images: Sequence[bytes]) -> Values:
    """Lettering: contrast of ink and ground, even letterforms, and whether the words make sense (are known ones)."""
    sight = look("proofread", images)
    if sight.transcription is None:
        raise Unsupported("the picture has no sign to proofread")
    contrast = contrast_of(sight)
    legible = contrast >= STRONG
    likeness = _likeness(sight.transcription)
    # Faint lettering may be misread; that fault is contrast's, so sense is doubted only where the words are legible.
    sense = 9 + (contrast >= 9) if likeness == 1 else 8 if not legible else max(0, int(10 * likeness - 4))
    if legible and likeness < 1 and _looks_known(sight.transcription):
        sense = 7
    reason = reading_of(sight)
    if not legible:
        reason += "; ink and ground are nearly alike"
    if sense < 6:
        reason += "; that is no known word"
    return {
        "reason": reason,
        "transcription": sight.transcription,
        "contrast": contrast,
        "letterforms": (8 if likeness < 1 else 9) if legible and sight.transcription else 5,
        "sense": sense,
    }


def align(caption: str, images: Sequence[bytes]) -> Values:
    """Return how much of what a caption says holds in the picture; what it does not say is left out of account."""
    sight = look("align", images)
    said, shown = _said(caption), scene_of(sight)
    if said.lettering and sight.transcription is not None and contrast_of(sight) < STRONG:
        raise Unsupported("the sign is too faint to be compared with the caption")
    found = disagreements(said, shown, sight.transcription)
    reason = f"the caption is wrong about: {', '.join(found)}" if found else "all that the caption says is there"
    return {"reason": reason, "alignment": alignment(found)}


def _said(caption: str) -> Scene:
    said = read(caption)
    if said is None:
        raise Unsupported(f"the embedded world cannot read the whole of the caption {caption[:120]!r}")
    return said


_ALIKE = str.maketrans({letter: group[0] for group in ("CDGOQ", "EF", "BPR", "HMN", "UV", "KX") for letter in group})
"""Letters that who reads quickly takes for each other."""


def _looks_known(text: str) -> bool:
    """Return whether a text is known but for letters that look alike."""
    looks = text.translate(_ALIKE)
    return any(looks == phrase.translate(_ALIKE) for phrase in v.LETTERING)


def _likeness(text: str) -> float:
    """Return how much a text is like the nearest lettering of the vocabulary: 1 where it is one, below 1 elsewhere."""
    known = v.LETTERING + v.LETTERING_ZH
    return 1.0 if text in known else max(SequenceMatcher(None, text, phrase).ratio() for phrase in known)
