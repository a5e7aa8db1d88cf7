"""Checklists of statements about a picture."""

from __future__ import annotations

from collections.abc import Mapping

from gamut.asking.questions import Question
from gamut.evaluation.defining.inquiries import Inquiry
from gamut.evaluation.running.checklists import Verdicts, checklist_fields, miscounted, verdicts

CHECKLIST = Question("checklist", "Check a picture.", "Which statements hold?", Verdicts, miscounted)


def checklist(statements: Mapping[str, str]) -> Inquiry:
    """The inquiry that puts statements, by measure, to a judge in one question."""
    return Inquiry(CHECKLIST, checklist_fields(statements.values()), tuple(statements), verdicts)
