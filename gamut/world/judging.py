"""The embedded world as a judge of one picture: scores of its looks, 0..10, and how well it fits a caption or a prompt.

Scores are graded by what is measured, so that a threshold can be moved; the reason comes first in every answer. A
benchmark's picture of one even colour is judged too: nothing is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from . import vocabulary as v
from .agreement import alignment, disagreements
from .answering import Unsupported, Values
from .captions import require_scene
from .grades import CLEAR, STRONG, clarity_of, contrast_of, grade_of, reading_of, structure_of
from .looking import look, scene_of, sight_of
from .seeing import Sight


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
        "entity": grade_of(sight.largest, 0.042, 0.342) if scene.groups else 1,
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


def proofread(wanted: str, images: Sequence[bytes]) -> Values:
    """Lettering: contrast of ink and ground, even letterforms, and whether the words make sense: known ones, and those
    that are wanted (a line each; "": any).
    """
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
    there = _letters(sight.transcription)
    others = legible and likeness == 1 and any(_letters(words) not in there for words in wanted.splitlines())
    if others:
        sense = 4
        reason += f", and what was asked for is {wanted!r}"
    if not legible:
        reason += "; ink and ground are nearly alike"
    if sense < 6 and not others:
        reason += "; that is no known word"
    return {
        "reason": reason,
        "transcription": sight.transcription,
        "contrast": contrast,
        "letterforms": (8 if likeness < 1 else 9) if legible and sight.transcription else 5,
        "sense": sense,
    }


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def safety(images: Sequence[bytes]) -> Values:
    """Nothing in this world is unsafe: pictograms, and lettering of no brand."""
    look("safety", images)
    names = ("nudity", "violence", "real_persons", "logos", "watermarks")
    return {"reason": "there is nothing of the kind", **{f"without_{name}": 10 for name in names}}


def follow(prompt: str, images: Sequence[bytes]) -> Values:
    """How much of what the prompt asks for is there. Faint lettering, and one slip that is hardly seen, pass for what
    was asked: `proofread` is there for these.
    """
    sight, said = look("follow", images), require_scene(prompt)
    lettering = sight.transcription
    if said.lettering and lettering and (contrast_of(sight) < STRONG or _alike(lettering, said.lettering)):
        lettering = said.lettering
    missed = disagreements(said, sight.impression or scene_of(sight), lettering)
    reason = f"the picture is otherwise in: {', '.join(missed)}" if missed else "all that is asked for is there"
    return {"reason": reason, "follows": alignment(missed)}


def align(caption: str, images: Sequence[bytes]) -> Values:
    """Return how much of what a caption says holds in the picture; what it does not say is left out of account."""
    sight = look("align", images)
    said, shown = require_scene(caption), scene_of(sight)
    if said.lettering and sight.transcription is not None and contrast_of(sight) < STRONG:
        raise Unsupported("the sign is too faint to be compared with the caption")
    found = disagreements(said, shown, sight.transcription)
    reason = f"the caption is wrong about: {', '.join(found)}" if found else "all that the caption says is there"
    return {"reason": reason, "alignment": alignment(found)}


_ALIKE = str.maketrans({letter: group[0] for group in ("CDGOQ", "EF", "BPR", "HMN", "UV", "KX") for letter in group})
"""Letters that who reads quickly takes for each other."""


def _looks_known(text: str) -> bool:
    """Return whether a text is known but for letters that look alike."""
    return any(_alike(text, phrase) for phrase in v.LETTERING)


def _alike(text: str, phrase: str) -> bool:
    return text.translate(_ALIKE) == phrase.translate(_ALIKE)


def _likeness(text: str) -> float:
    """Return how much a text is like the nearest lettering of the vocabulary: 1 where it is one, below 1 elsewhere."""
    known = v.LETTERING + v.LETTERING_ZH
    return 1.0 if text in known else max(SequenceMatcher(None, text, phrase).ratio() for phrase in known)


_EVEN = 6  # grey levels within which a picture is of one colour
_UNNAMED = 1  # alignment of a picture in which nothing can be told apart: hardly anything can be recognised
_BLANK: Values = {"justification": "The picture is one even colour, and nothing is to be seen on it.", "score": 0}


def judge_fit(fields: Mapping[str, str], images: Sequence[bytes]) -> Values:
    """How much of what the prompt says is to be seen; what it leaves open counts for nothing."""
    said = require_scene(fields.get("prompt", ""))
    if is_blank("alignment", images):
        return _BLANK
    sight = look("alignment", images)
    if sight.impression is None:
        return {"justification": "Hardly anything in the picture can be recognised.", "score": _UNNAMED}
    wrong = disagreements(said, sight.impression, sight.transcription)
    names = ", ".join(dict.fromkeys(wrong))
    justification = f"The picture shows otherwise: {names}." if wrong else "All that the prompt says is to be seen."
    return {"justification": justification, "score": alignment(wrong)}


def judge_looks(images: Sequence[bytes]) -> Values:
    """The least of clarity, wholeness of shapes and contrast of lettering; plainness takes one off."""
    if is_blank("aesthetic", images):
        return _BLANK
    sight = look("aesthetic", images)
    least, what = worst_of(sight)
    plain = least >= CLEAR and _is_plain(sight)
    justification = "The picture is clear and its shapes are whole" if least >= CLEAR else what
    if plain:
        justification += ", and neither style nor light is a marked one"
    return {"justification": justification + ".", "score": max(0, least - plain)}


def worst_of(sight: Sight) -> tuple[int, str]:
    """Return the least of what looks are graded by, 0..10, clear from CLEAR on, and what is amiss where it is less."""
    clarity, unclear = clarity_of(sight)
    return min(
        (clarity, "The picture is " + unclear),
        (structure_of(sight, clarity >= CLEAR), "A shape is broken"),
        *([(contrast_of(sight), "The lettering is faint")] if sight.transcription is not None else []),
    )


def is_blank(axis: str, images: Sequence[bytes]) -> bool:
    """Return whether the one picture is of one even colour. Raises Unsupported for other than one picture, or none."""
    if len(images) != 1:
        raise Unsupported(f"{axis} is judged of one picture, not {len(images)}")
    return sight_of(images[0]).spread <= _EVEN


def _is_plain(sight: Sight) -> bool:
    scene = sight.impression
    return scene is not None and (scene.style, scene.light) == ("flat", "noon")
