"""Checklists of statements about a picture."""

from __future__ import annotations

from collections.abc import Mapping

from gamut.asking.questions import Question
from gamut.evaluation.defining.questions import JudgeQuestion
from gamut.evaluation.running.checklists import Verdicts, checklist_fields, count_mistake, read_verdicts

CHECKLIST = Question("checklist", "Check a picture.", "Which statements hold?", Verdicts, count_mistake)


def checklist(statements: Mapping[str, str]) -> JudgeQuestion:
    """The judge question that puts statements, by measure, to a judge in one question."""
    return JudgeQuestion(CHECKLIST, checklist_fields(statements.values()), tuple(statements), read_verdicts)
