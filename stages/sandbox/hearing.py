"""The embedded world as a judge of what contestants say: is a text right, and do statements hold of texts and pictures?

A contestant's words are read as statements of the world's grammar, and what else they are moves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .agreement import disagreements
from .answering import Unsupported, Values
from .looking import look
from .material import Enclosed, material, pictures_of, tellings, texts_of
from .replying import reply
from .statements import Statement, in_words, said_in, states, without_noise
from .verdicts import blank, told


def said(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return whether the text of `answer` is right: a verdict Y or N, and why.

    Right is what the texts of `reference` say (or the field `reference`), or what its picture shows; without any, the
    right answer to the question that `input` asks about its pictures and texts. A text has to state it, and nothing of
    the same sort that is wrong. Unsupported where what is right cannot be told.
    """
    truths = _truths(fields, enclosed)
    words = "\n".join(texts_of(enclosed.get("answer", ())))
    found = [(right, reason) for right, reason in (states(words, truth) for truth in truths) if right is not None]
    wrong = [reason for right, reason in found if not right]
    if not found:
        return {"reason": f"the text states nothing that answers; right is {in_words(truths[0])!r}", "verdict": "N"}
    return {"reason": (wrong or [found[0][1]])[0], "verdict": "N" if wrong else "Y"}


def checklist_of_parts(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return of every statement of the field `checklist`, one a line, whether a picture of `answer` shows it or a text
    says it.

    Raises Unsupported for a statement that cannot be understood and for a picture that is not of this world.
    """
    statements = [told(line) for line in fields.get("checklist", "").splitlines()]
    answer = enclosed.get("answer", ())
    shown = [(scene, scene.lettering) for text in texts_of(answer) for scene in tellings(without_noise(text))]
    for picture in pictures_of(answer):
        if not blank("a checklist", [picture]):
            sight = look("a checklist", [picture])
            shown += [(sight.impression, sight.transcription)] if sight.impression else []
    verdicts: list[Values] = []
    for statement in statements:
        wrong = [disagreements(statement, scene, lettering) for scene, lettering in shown]
        if not all(wrong) and wrong:
            verdicts.append({"reason": "It is shown or said.", "verdict": "Y"})
        else:
            names = ", ".join(dict.fromkeys(sorted(wrong, key=len)[0])) if wrong else "everything"
            verdicts.append({"reason": f"Nothing shows or says it; what comes nearest lacks: {names}.", "verdict": "N"})
    return {"verdicts": verdicts}


def _truths(fields: Mapping[str, str], enclosed: Enclosed) -> Sequence[Statement]:
    """Return what is right, each sort of statement that it can be put in once."""
    reference = enclosed.get("reference", ())
    if words := fields.get("reference", "") or "\n".join(texts_of(reference)):
        stated = [Statement("scene", scene) for scene in tellings(words)] + said_in(words)
        if not stated:
            raise Unsupported(f"the embedded world cannot read the reference {words[:120]!r}")
        return [next(one for one in stated if one.sort == sort) for sort in dict.fromkeys(one.sort for one in stated)]
    if pictures_of(reference):
        [scene] = material(pictures_of(reference)[:1]).seen
        return [Statement("scene", scene)]
    return [reply(material(enclosed.get("input", ())))]
