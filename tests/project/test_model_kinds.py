"""Kinds of model: what of a model's parameters decides its answers, and what may be sent to its server."""

from __future__ import annotations

import datetime
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from gamut.project import model_kinds
from gamut.project.model_kinds import OpenAIModel, identity

PIN = "sha256-" + "0" * 64
FIELDS: dict[str, dict[str, Any]] = {
    "sandbox": {},
    "python": {"file": "stages/mine/models/a.py", "function": "answer"},
    "openai": {"id": "a"},
    "tfidf": {},
    "rapidocr": {},
    "paddleocr": {"revision": PIN},
    "inception": {"revision": PIN},
    "folder": {"path": "a", "revision": PIN},
    "unified": {"id": "a", "revision": PIN, "painting": {"guidance_scale": 5}},
} | {kind: {"id": "a", "revision": PIN} for kind in ("diffusers", "transformers", "vllm", "sentence_transformers")}


def of_kind(kind: str) -> Any:
    members = get_args(get_args(model_kinds.Model)[0])
    return next(member for member in members if get_args(member.model_fields["kind"].annotation) == (kind,))


def test_models_of_two_kinds_never_share_an_identity() -> None:
    found = [identity(of_kind(kind)(kind=kind, **fields)) for kind, fields in FIELDS.items()]
    assert len(found) == len(get_args(get_args(model_kinds.Model)[0]))
    assert all(one != other for position, one in enumerate(found) for other in found[:position])


@pytest.mark.parametrize(
    "name",
    [
        "messages",
        "seed",
    ],
)
def test_what_requests_consist_of_cannot_be_sent_otherwise(name: str) -> None:
    with pytest.raises(ValidationError, match=f"`extra_body` must not have `{name}`"):
        OpenAIModel(kind="openai", id="a", extra_body={name: 1})


@pytest.mark.parametrize(
    "value",
    [
        datetime.date(2026, 1, 1),
        {"a": [float("inf")]},
        {1: 2},
        2**70,
    ],
)
def test_what_is_no_json_is_not_sent(value: Any) -> None:
    with pytest.raises(ValidationError, match="is not JSON"):
        OpenAIModel(kind="openai", id="a", extra_body={"more": value})


@pytest.mark.parametrize("kind", ["transformers", "vllm"])
def test_variables_of_a_chat_template_are_free_ones_and_decide_answers(kind: str) -> None:
    def made(**fields: Any) -> Any:
        return of_kind(kind)(kind=kind, **FIELDS[kind], **fields)

    silent = {"enable_thinking": False}
    assert identity(made(chat_template_kwargs=silent)) == identity(made()) | {"chat_template_kwargs": silent}
    with pytest.raises(ValidationError, match="`chat_template_kwargs` must not have `chat_template`"):
        made(chat_template_kwargs={"chat_template": "{{ messages }}"})
    with pytest.raises(ValidationError, match="is not JSON"):
        made(chat_template_kwargs={"day": datetime.date(2026, 1, 1)})


def test_fields_of_a_server_s_own_are_sent_as_they_are() -> None:
    body = {"modalities": ["image"], "think": True, "chat_template_kwargs": {"enable_thinking": False}, "top_k": 5}
    assert OpenAIModel(kind="openai", id="a", extra_body=body).extra_body == body
