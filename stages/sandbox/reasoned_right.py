"""The embedded world as a judge of problems in drawn pictures: is the outcome that a text says, or a picture shows,
that of the reference?
"""

from __future__ import annotations

from .answering import Unsupported, Values
from .decoding import opened
from .material import Enclosed, pictures_of, texts_of
from .outcomes import agrees
from .resembling import is_marked, same_mark, same_outcome


def said(enclosed: Enclosed) -> Values:
    """Return whether the text of `answer` says the outcome that `reference_text` says: a score 0 or 1, and why."""
    right = "\n".join(texts_of(enclosed.get("reference_text", ())))
    judged = agrees("\n".join(texts_of(enclosed.get("answer", ()))), right)
    if judged is None:
        raise Unsupported(f"the embedded world cannot read the reference {right[:120]!r}")
    return {"reason": judged[1], "score": int(judged[0])}


def shown(enclosed: Enclosed) -> Values:
    """Return whether the picture of `answer` shows what that of `reference_picture` does: a score 0 or 1, and why.

    Where the reference is a page without colours, `question_picture`, with something marked in colour, the same has to
    be marked in some colour.
    """
    references, answers = (pictures_of(enclosed.get(name, ())) for name in ("reference_picture", "answer"))
    if len(references) != 1:
        raise Unsupported(f"one picture is the reference, not {len(references)}")
    if len(answers) != 1:
        return {"reason": f"the answer has {len(answers)} pictures, one is asked for", "score": 0}
    reference, answer = opened(references[0]), opened(answers[0])
    asked = pictures_of(enclosed.get("question_picture", ()))
    marked = len(asked) == 1 and is_marked(reference, opened(asked[0]))
    wrong = (same_mark if marked else same_outcome)(answer, reference)
    return {"reason": wrong or "the answer shows what the reference does", "score": int(wrong is None)}
