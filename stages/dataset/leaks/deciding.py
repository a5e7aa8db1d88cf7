"""Whether a picture is an item of a benchmark: a pure function of what was found, what a model said, and thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stages.dataset.leaks.suspects import ASKED_ABOUT, NEAR_DUPLICATE, PICTURE, ROW, SAME_TEXT, key_of
from stages.dataset.shared.parameters import HoldOut
from stages.tables.columns import Row

SAME_TEST, UNANSWERED = "same_test", "unanswered"
"""What a pair becomes that a model calls the same test, or could not answer though its texts lie near each other."""
FOUND_BY = (ROW, SAME_TEXT, PICTURE, SAME_TEST, NEAR_DUPLICATE, UNANSWERED)
"""All that holds a picture out, the surest first."""

Answers = Mapping[tuple[str, str, str, str | None], Row]
"""What a model said of one picture's pairs, by edition, item, which of the picture's texts and the item's text."""


def answers_of(rows: Iterable[Row]) -> Answers:
    return {key_of(row): row for row in rows}


def leaks_of(suspects: Sequence[Row], answers: Answers, block: HoldOut) -> list[Row]:
    """Return the items that a picture is, each with what found it, the surest first and the most similar before.

    A pair without an answer (it failed, the model cannot say, or it was not asked) counts when it is a near-duplicate,
    or from the similarity `unanswered` on: what nobody has looked at is kept only where it is unlike.
    """
    found = []
    for suspect in suspects:
        found_by = suspect["found_by"]
        if found_by in ASKED_ABOUT:
            found_by = verdict(suspect, answers.get(key_of(suspect)), block)
        if found_by is not None:
            found.append(suspect | {"found_by": found_by})
    return sorted(found, key=lambda row: (FOUND_BY.index(row["found_by"]), -row["similarity"]))


def verdict(suspect: Row, answer: Row | None, block: HoldOut) -> str | None:
    """Return what holds out a pair of texts, None where nothing does."""
    if answer is not None and answer["status"] == "ok":
        return SAME_TEST if answer["same"] else None
    if suspect["found_by"] == NEAR_DUPLICATE:
        return NEAR_DUPLICATE
    return UNANSWERED if suspect["similarity"] >= block.unanswered else None
