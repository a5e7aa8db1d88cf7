"""What may be a secret in params.yaml does not stand on pages."""

from __future__ import annotations

import pytest

from stages.evaluation.defining.parameters import Contestant
from stages.project.model_kinds import OpenAIModel
from stages.report.benchmarks.boards import settings
from stages.report.site.texts import HIDDEN, without_secrets
from stages.report.versions.values import Change, hidden

KEY = "abc-0123456789"


@pytest.mark.parametrize(
    "body",
    [
        {"api_key": KEY},
        {"headers": {"X-Auth": KEY}},
        {"credentials": {"name": KEY, "others": [KEY]}},
        {"endpoint": f"https://me:{KEY}@there.org/v1"},
        {"headers": [f"Bearer {KEY}"]},
        {"note": f"sk-{KEY}{KEY}"},
    ],
)
def test_secrets_of_a_contestant_are_not_shown(body: dict[str, object]) -> None:
    model = OpenAIModel(kind="openai", id="m", extra_body=body)
    shown = settings(Contestant(**{"class": "unified", "model": model}))
    assert KEY not in shown and HIDDEN in shown and "extra_body" in shown


def test_whatever_else_stands_there_is() -> None:
    body = {"id": "hf-internal-testing/tiny", "max_tokens": 7, "keywords": ["a"], "authors": "we", "at": "http://a/b"}
    assert without_secrets({"thinking": body, "on": True, "none": None}) == {"thinking": body, "on": True, "none": None}


def test_changed_secrets_are_not_shown() -> None:
    change = Change("contestants.a.model.extra_body.api_key", '"one"', f'"{KEY}"')
    assert hidden(change) == Change(change.key, HIDDEN, HIDDEN)
    tokens = Change("contestants.a.model.sampling.max_tokens", 7, None)
    assert hidden(tokens) == tokens
