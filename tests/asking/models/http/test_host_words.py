"""How hosts refuse and limit, in the forms that are documented or reported, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gamut.asking.models.http import failures, protocol
from gamut.asking.models.http.host_words import LIMITS, REFUSALS, read_complaint
from gamut.asking.requests import Chat, Message, Paint
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint
from tests.paths import ROOT

CHAT, PAINT = Chat("q", (Message("user", ("hello",)),), {}, seed=1), Paint("a red cube", 64, 64, seed=1)
MODEL = OpenAIModel(kind="openai", id="org/model")


class Said(NamedTuple):
    host: str
    status: int
    body: Any


def error(**fields: Any) -> dict[str, Any]:
    return {"error": fields}


FLAGGED = 'x/y requires moderation on Z. Your input was flagged for "violence". No credits were charged.'
FILTERED = error(code="content_filter", message="The response was filtered.")
BEHIND = {"raw": json.dumps(FILTERED), "provider_name": "Azure"}
INSPECTED = {"error": {"code": "x", "message": "Input data may contain inappropriate content."}}
REFUSED = [
    Said("OpenAI, by a code", 400, error(code="content_policy_violation", message="Your request was rejected.")),
    Said("OpenAI, in words", 400, error(message="Your request was rejected as a result of our safety system.")),
    Said("OpenAI, a flagged prompt", 400, error(message="Your prompt was flagged as violating our usage policy.")),
    Said("Azure", 400, error(code="x", message="…", innererror={"code": "ResponsibleAIPolicyViolation"})),
    Said("Imagen", 400, error(message="This prompt contains sensitive words that violate our practices.")),
    Said("Flow", 400, error(code=400, message="Invalid.", details=[{"reason": "PUBLIC_ERROR_UNSAFE_GENERATION"}])),
    Said("OpenRouter", 403, error(code=403, message=FLAGGED, metadata={"reasons": ["violence"], "flagged_input": "a"})),
    Said("OpenRouter, without words", 403, error(code=403, message="Forbidden", metadata={"reasons": ["sexual"]})),
    Said("OpenRouter, in a 200", 200, error(code=403, message="Input flagged by moderation")),
    Said("Stability", 403, {"id": "1", "name": "content_moderation", "errors": ["Your request was flagged by us."]}),
    Said("xAI", 400, {"code": "invalid argument", "error": "Generated image rejected by content moderation."}),
    Said("DashScope", 400, error(code="data_inspection_failed", message="Input data …")),
    Said("DashScope, in a 200 of its own form", 200, {"code": "DataInspectionFailed", "message": "…"}),
    Said("Ark", 400, error(code="OutputImageSensitiveContentDetected.PolicyViolation", message="The request failed.")),
    Said("Zhipu", 400, {"error": {"code": "1301", "message": "系统检测到不安全或敏感内容"}}),
    Said("Zhipu, in Chinese alone", 400, error(message="您的输入包含敏感信息，请修改后重试")),
    Said("MiniMax", 200, {"base_resp": {"status_code": 1026, "status_msg": "input new_sensitive"}, "choices": None}),
    Said("Moonshot", 400, error(message="The request was rejected because it was considered high risk")),
    Said("StepFun", 451, error(message="blocked")),
    Said("Tencent", 200, {"Response": {"Error": {"Code": "OperationDenied.TextIllegalDetected"}}}),
    Said("Together and Replicate", 422, {"detail": "NSFW content detected. Try a different prompt."}),
    Said("fal", 422, {"detail": [{"loc": ["body"], "msg": "flagged by a content checker."}]}),
    Said("Black Forest Labs", 422, {"status": "Content Moderated", "detail": "no result"}),
    Said("Anthropic", 400, error(type="invalid_request_error", message="Output blocked by content filtering policy")),
    Said("Bedrock", 400, {"message": "This request has been blocked by our content filters."}),
    Said("Runway", 400, {"failureCode": "x", "code": "SAFETY.INPUT.TEXT"}),
    Said("OpenRouter, of the host behind it", 400, error(code=400, message="Provider returned error", metadata=BEHIND)),
    Said("LiteLLM, of the host behind it", 400, error(message=f"litellm.BadRequestError: X - {json.dumps(FILTERED)}")),
    Said("a gateway that prints what Python got", 400, error(message=f"Error code: 400 - {INSPECTED}")),
    Said("JSON as a JSON text", 400, json.dumps(FILTERED)),
    Said("words before JSON", 400, f"upstream: {json.dumps(FILTERED)}".encode()),
    Said("the code alone", 400, {"error": "content_policy_violation"}),
]
LIMITED = [
    Said("any", 429, error(message="no more for now")),
    Said("OpenRouter, beside an empty choice", 200, {"choices": [{"message": {"content": None}}], **error(code=429)}),
    Said(
        "OpenRouter, in a choice", 200, {"choices": [{"finish_reason": "error", "error": {"code": 429}, "message": {}}]}
    ),
    Said("a gateway, in a 200", 200, error(code="rate_limit_exceeded", message="slow down")),
    Said("Bedrock", 400, {"__type": "ThrottlingException", "message": "Too many requests, please wait"}),
    Said("DashScope", 400, error(code="Throttling.RateQuota", message="Requests throttled")),
    Said("a gateway", 503, error(message="Rate limit reached, slow down")),
    Said("Google", 403, error(errors=[{"reason": "userRateLimitExceeded"}], message="…")),
    Said("Zhipu", 400, error(code="1303", message="您当前使用该API的频率过高，请降低频率")),
    Said("a code beside nothing, in a 200", 200, {"statusCode": 429, "message": "slow down"}),
    Said("JSON in a text, in a 200", 200, {"error": json.dumps(error(code=429, message="slow down"))}),
    Said("an event of a stream", 200, b'event: error\ndata: {"code": 429, "message": "slow down"}\n\n'),
]
OWN = [
    Said("too long", 400, error(message="This model's maximum context length is 4096 tokens")),
    Said("the prompt is quoted", 400, error(message='cannot read "a sign that says NSFW, flagged by content policy"')),
    Said("the prompt is repeated", 422, {"detail": [{"msg": "too long", "input": "content policy"}]}),
    Said("a field of that name", 400, error(message="'moderation' has to be 'low' or 'auto'", param="moderation")),
    Said("the prompt in other marks", 400, error(message="cannot parse prompt 'a sign: NSFW content policy'")),
    Said("the prompt in Chinese marks", 400, error(message="无法解析「敏感内容 NSFW」")),
    Said("vLLM prints what it got", 400, error(message="[{'msg': 'bad', 'input': {'a': 'NSFW, the rate limit'}}]")),
    Said("an address", 400, error(message="temperature is too high, see https://x.y/docs/rate-limits")),
    Said("upper and lower case, in Chinese", 400, error(message="参数名大小写敏感")),
    Said("Groq: too large for any minute", 413, error(code="rate_limit_exceeded", message="Request too large for m")),
    Said("a model in quotes", 400, error(message='cannot read "invalid model: the model x does not exist"')),
]
FOR_ALL = [
    Said("a model of that name", 400, error(message="Invalid model name passed in model=org/nsfw-detector")),
    Said("a model of that name", 404, error(message="No Content Safety Judge here; read our content policy")),
    Said("a proxy wants a password", 407, b"<html>Proxy Authentication Required</html>"),
]


def sorted_as(said: Said) -> failures.Failure:
    """What the client makes of a host's words."""
    post = protocol.build_post(CHAT, MODEL)._replace(body=b"")
    data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
    status, words = said.status, read_complaint(data)
    if status < 300:
        with pytest.raises(protocol.ErrorInside) as inside:
            protocol.read_reply(CHAT, MODEL, data)
        words = inside.value.complaint
        status = failures.status_inside(words)
    return failures.rejection(status, words, failures.cause_of(status, words), post, "m", MODEL, Endpoint())


@pytest.mark.parametrize("said", REFUSED, ids=lambda said: said.host)
def test_a_refusal_is_one_and_is_not_asked_again(said: Said) -> None:
    failure = sorted_as(said)
    assert failure.finish == "refused" and not failure.again and not failure.hint


@pytest.mark.parametrize("said", LIMITED, ids=lambda said: said.host)
def test_that_too_many_ask_is_waited_for_and_costs_no_attempt(said: Said) -> None:
    failure = sorted_as(said)
    assert failure.busy and failure.again and not failure.for_all


@pytest.mark.parametrize("said", OWN, ids=lambda said: said.host)
def test_what_is_neither_is_the_request_s_own_fault(said: Said) -> None:
    failure = sorted_as(said)
    assert failure.finish == "invalid" and not failure.busy and not failure.for_all


@pytest.mark.parametrize("said", FOR_ALL, ids=lambda said: said.host)
def test_what_every_request_would_get_is_no_refusal(said: Said) -> None:
    assert sorted_as(said).for_all


@pytest.mark.parametrize(("body", "status"), [(error(code=402, message="pay"), 402), ({"error": "boom"}, 502)])
def test_an_error_in_a_good_response_is_what_its_code_says(body: Any, status: int) -> None:
    with pytest.raises(protocol.ErrorInside) as inside:
        protocol.read_reply(CHAT, MODEL, json.dumps({"choices": [{"message": {"content": "x"}}], **body}).encode())
    assert failures.status_inside(inside.value.complaint) == status


@pytest.mark.parametrize(
    "nothing", [None, {}, {"code": 200, "message": "ok"}, {"code": "success"}, {"code": None, "message": ""}]
)
def test_no_error_is_none(nothing: Any) -> None:
    data = json.dumps({"choices": [{"message": {"content": "x"}}], "error": nothing}).encode()
    assert protocol.read_reply(CHAT, MODEL, data).content == b"x"


@pytest.mark.parametrize(
    "image",
    [
        {"b64_json": None, "respect_moderation": False},
        {"raiFilteredReason": "Images were filtered out because they violated Vertex AI's usage guidelines."},
        {"b64_json": "iVBORw==", "finish_reason": "CONTENT_FILTERED"},
    ],
)
def test_a_picture_may_be_withheld_in_its_place(image: Any) -> None:
    assert protocol.read_reply(PAINT, MODEL, json.dumps({"data": [image]}).encode()).finish == "refused"
    assert protocol.read_reply(PAINT, MODEL, b'{"data": [{"b64_json": "iVBORw=="}]}').finish == "stop"


def test_what_the_host_behind_a_gateway_says_is_told() -> None:
    assert (
        read_complaint(json.dumps(error(message="Provider returned error", metadata=BEHIND)).encode()).message
        == f"Provider returned error: {BEHIND['raw']}"
    )


def test_the_docs_name_every_host_whose_words_are_known() -> None:
    page = Path(ROOT, "docs/models.md").read_text(encoding="utf-8")
    names = {name for words in (*REFUSALS, *LIMITS) for name in words.host.split(" and ")}
    assert sorted(name for name in names if name not in page) == []
