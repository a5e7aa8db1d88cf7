"""A filter that the dataset does not have: one file, and one word in the list of filters."""

from __future__ import annotations

from pathlib import Path

NAME = "wholeness"
FILE = '''\
"""Phase three of the filter, asked: are all forms whole to a strict judge?"""

from __future__ import annotations

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start


class Wholeness(BaseModel):
    """The reply: the reason first, then how whole all forms are, 0..10."""

    reason: str
    structure: Score


WHOLENESS = Question(
    name="examine",  # as the embedded world knows it
    opening="You look for broken forms, whatever they are the forms of.",
    instruction="Answer with a JSON object: `reason`, then the integer `structure`: 10 where nothing is broken.",
    reply=Wholeness,
)

STEP = of_pictures(
    "wholeness",
    WHOLENESS,
    where="admit.admitted",
    words=40,
    filters=filters_by("select", {"wholeness": "Is every form whole?"}, "score_structure", lowest=9),
    passes="every form is whole",
)

if __name__ == "__main__":
    start(STEP)
'''


def add_filter(project: Path) -> None:
    """Add it to a copy of the project."""
    assert len(FILE.splitlines()) <= 60
    (project / f"stages/dataset/{NAME}.py").write_text(FILE)
    filters = project / "stages/dataset/filters.py"
    text = filters.read_text()
    for last, added in (("proofread, score", f"proofread, score, {NAME}"), ("proofread))", f"proofread, {NAME}))")):
        assert text.count(last) == 1
        text = text.replace(last, added)
    filters.write_text(text)
