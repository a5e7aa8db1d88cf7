"""Who answered, as metrics tell it."""

from __future__ import annotations

from pathlib import Path

from stages.evaluation.running.answers import identity_metrics, write_identity
from stages.project.model_kinds import OpenAIModel, identity


def test_what_is_sent_beside_the_questions_is_told(tmp_path: Path) -> None:
    more = {"think": {"budget": 2.0, "modes": ["fast", "deep"]}}
    write_identity(tmp_path, identity(OpenAIModel.model_validate({"kind": "openai", "id": "chat", "extra_body": more})))
    assert identity_metrics(tmp_path) == {
        "contestant.id": "chat",
        "contestant.extra_body.think.budget": 2.0,
        "contestant.extra_body.think.modes": '["fast","deep"]',
    }
