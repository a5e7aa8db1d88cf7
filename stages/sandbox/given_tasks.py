"""The embedded world as a judge of tasks that people wrote for themselves: by the task alone, or by a rubric.

A rubric is read as a hint is, "The picture shows two red cars.", or nothing is said at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from .answering import Values, unreadable
from .comparing import edited
from .hint_words import SHOWS
from .material import Enclosed, pictures_of, texts_of
from .verdicts import fit
from .verdicts import looks as looks_of


def carried_out(enclosed: Enclosed) -> Values:
    """Return how far the picture of `answer` shows what `task` asks for, or carries out an edit of its pictures; 0..10.

    Unsupported for a task that cannot be understood, and for pictures that are not of this world.
    """
    task, answer = enclosed.get("task", ()), enclosed.get("answer", ())
    if pictures_of(task):
        found = edited({}, {"input": task, "answer": answer})
        return {"reason": found["reason"], "score": found["score"]}
    return with_reason(fit({"prompt": " ".join(texts_of(task))}, pictures_of(answer)))


def looks(enclosed: Enclosed) -> Values:
    """Return how the picture of `answer` looks, 0..10; Unsupported for one that is not of this world."""
    return with_reason(looks_of(pictures_of(enclosed.get("answer", ()))))


def by_rubric(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return how much of what the field `rubric` says the picture of `answer` shows, 0..10; Unsupported for a rubric
    that says something else than what is to be there.
    """
    rubric = " ".join(fields.get("rubric", "").split())
    said = SHOWS.fullmatch(rubric)
    if said is None or said[2]:
        raise unreadable(rubric)
    return with_reason(fit({"prompt": said[1]}, pictures_of(enclosed.get("answer", ()))))


def with_reason(found: Values) -> Values:
    """Return a score with its reason under the name that is asked for."""
    return {"reason": found["justification"], "score": found["score"]}
