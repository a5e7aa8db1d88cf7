"""The embedded world as a benchmark's judge: how well a picture fits its prompt, and how it looks; 0..10 each.

It goes by the picture and the prompt alone. A picture of one even colour is judged too: nothing is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .agreement import alignment, disagreements
from .answering import Unsupported, Values
from .captions import told
from .grades import CLEAR, clarity_of, contrast_of, structure_of
from .looking import look, sight_of
from .seeing import Sight

_EVEN = 6  # grey levels within which a picture is of one colour
_UNNAMED = 1  # alignment of a picture in which nothing can be told apart: hardly anything can be recognised
_BLANK: Values = {"justification": "The picture is one even colour, and nothing is to be seen on it.", "score": 0}


def fit(fields: Mapping[str, str], images: Sequence[bytes]) -> Values:
    """Return how much of what the prompt says is to be seen. What it leaves open counts for nothing.

    Raises Unsupported for a prompt that cannot be understood and for a picture that is not of this world.
    """
    said = told(fields.get("prompt", ""))
    if blank("alignment", images):
        return _BLANK
    sight = look("alignment", images)
    if sight.impression is None:
        return {"justification": "Hardly anything in the picture can be recognised.", "score": _UNNAMED}
    wrong = disagreements(said, sight.impression, sight.transcription)
    names = ", ".join(dict.fromkeys(wrong))
    justification = f"The picture shows otherwise: {names}." if wrong else "All that the prompt says is to be seen."
    return {"justification": justification, "score": alignment(wrong)}


def looks(images: Sequence[bytes]) -> Values:
    """Clarity, wholeness of shapes and contrast of lettering, of which the least counts; plainness takes one off.

    Raises Unsupported for a picture that is not of this world.
    """
    if blank("aesthetic", images):
        return _BLANK
    sight = look("aesthetic", images)
    least, what = worst_of(sight)
    plain = least >= CLEAR and _plain(sight)
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


def blank(axis: str, images: Sequence[bytes]) -> bool:
    """Return whether the one picture is of one even colour. Raises Unsupported for other than one picture, or none."""
    if len(images) != 1:
        raise Unsupported(f"{axis} is judged of one picture, not {len(images)}")
    return sight_of(images[0]).spread <= _EVEN


def _plain(sight: Sight) -> bool:
    scene = sight.impression
    return scene is not None and (scene.style, scene.light) == ("flat", "noon")
