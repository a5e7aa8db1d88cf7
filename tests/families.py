"""Families of servers that gamut asks, as a table: what each takes, ignores and refuses, in its own words. Read from
their sources, documentation and error reports in November 2026; none was asked.

`strict(stub, family)` lets a stub server refuse what the family refuses; a wrong key and a wrong model too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from stages.project.model_kinds import OpenAIModel
from tests import shipped as given
from tests.stub_server import Act, Say, Stub

KEY = "sk-Right/0123456789+abcdef"
Known = Mapping[str, Callable[[Any], bool]]
"""Fields that a server knows, and whether it takes a value of theirs."""
Words = Callable[[str, Any], Say]
"""How a server refuses a field, with its value."""


def anything(value: Any) -> bool:
    return True


def whole(least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and value >= least


def number(least: float, most: float = float("inf")) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int | float) and least <= value <= most


def one_of(*values: Any) -> Callable[[Any], bool]:
    return lambda value: value in values


def strict_schema(value: Any) -> bool:
    """A form of reply as OpenAI has it: of a JSON schema a name of few signs, everything required, nothing beside."""
    if value["type"] != "json_schema":
        return value["type"] in ("text", "json_object")
    form = value["json_schema"]
    return form["strict"] is True and 0 < len(form["name"]) <= 64 and closed(form["schema"])


def closed(schema: Any) -> bool:
    if isinstance(schema, list):
        return all(map(closed, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        names = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != names:
            return False
    return all(map(closed, schema.values()))


CHAT: Known = {
    "model": anything,
    "messages": lambda turns: all(turn["role"] in ("user", "assistant") and turn["content"] for turn in turns),
    "response_format": strict_schema,
    "seed": whole(0),
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "max_tokens": whole(1),
}
PAINT: Known = {
    "model": anything,
    "prompt": lambda prompt: isinstance(prompt, str) and prompt != "",
    "n": one_of(1),
    "size": lambda size: all(side.isdigit() for side in size.split("x")),
    "response_format": one_of("b64_json"),
    "image[]": anything,
}


def vllm_words(field: str, value: Any) -> Say:
    said = f"1 validation error: {{'loc': ('body', '{field}'), 'msg': 'Input should be valid', 'input': {value!r}}}"
    return Say(400, {"error": {"message": said, "type": "Bad Request", "param": None, "code": 400}})


def vllm_model(name: Any) -> Say:
    said = f"The model `{name}` does not exist."
    return Say(404, {"error": {"message": said, "type": "NotFoundError", "param": "model", "code": 404}})


def openai_error(status: int, message: str, param: str | None = None, code: str | None = None) -> Say:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Say(status, {"error": error})


def openai_words(field: str, value: Any) -> Say:
    if field == "max_tokens":
        said = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        return openai_error(400, said, field, "unsupported_parameter")
    if field in ("temperature", "top_p"):
        said = f"Unsupported value: '{field}' does not support {value} with this model. Only the default (1) value is "
        said += "supported."
        return openai_error(400, said, field, "unsupported_value")
    if field == "size":
        said = f"Invalid value: '{value}'. Supported values are: '1024x1024', '1024x1536', '1536x1024', and 'auto'."
        return openai_error(400, said, field, "invalid_value")
    return openai_error(400, f"Unknown parameter: '{field}'.", field, "unknown_parameter")


def google_error(code: int, message: str, status: str, *details: Mapping[str, Any]) -> Say:
    """Google's errors are lists of one."""
    return Say(code, [{"error": {"code": code, "message": message, "status": status, "details": list(details)}}])


def google_words(field: str, value: Any) -> Say:
    said = f'Invalid JSON payload received. Unknown name "{field}": Cannot find field.'
    violation = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"description": said}]}
    return google_error(400, said, "INVALID_ARGUMENT", violation)


def google_model(name: Any) -> Say:
    return google_error(404, f"models/{name} is not found for API version v1main.", "NOT_FOUND")


@dataclass(frozen=True)
class Family:
    """One family: `models` are configurations as profiles set them, each for the path that it is asked by.

    `chat`, `paint`: fields that are known, None where there is no such path; `closed`: what is not known is refused.
    """

    models: Mapping[str, OpenAIModel]
    chat: Known | None = None
    paint: Known | None = None
    closed: bool = False
    words: Words = vllm_words
    wrong_model: Callable[[Any], Say] = vllm_model
    wrong_key: Say = field(default_factory=lambda: Say(401, {"error": "Unauthorized"}))

    def objection(self, path: str, body: Mapping[str, Any], key: str | None) -> Say | None:
        """What is refused of a request, None if nothing is."""
        if key != f"Bearer {KEY}":
            return self.wrong_key
        if body["model"] not in {model.id for model in self.models.values()}:
            return self.wrong_model(body["model"])
        known = self.chat if path.endswith("/chat/completions") else self.paint
        if known is None:
            return Say(404, {"detail": "Not Found"})
        for name, sent in body.items():
            value = from_form(sent) if path.endswith("/edits") else sent
            if (name not in known and self.closed) or (name in known and not known[name](value)):
                return self.words(name, value)
        return None


def from_form(text: Any) -> Any:
    """A value of a form, where all are texts: a number where it is one."""
    try:
        return orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        return text


def strict(stub: Stub, family: Family) -> None:
    """Let a stub refuse what the family refuses, before anything that it is told to do."""
    enter = stub.enter

    def entered(request: Any, body: dict[str, Any], digest: str) -> Act | None:
        act = enter(request, body, digest)
        return family.objection(request.path, body, request.headers.get("Authorization")) or act

    stub.enter = entered  # type: ignore[method-assign]


def shipped(profile: str, *place: str) -> OpenAIModel:
    """A model as a profile has it."""
    values = given.profile(profile)
    for key in place:
        values = values[key]
    return OpenAIModel.model_validate(values)


QWEN3 = {"kind": "openai", "id": "Qwen/Qwen3-VL-32B-Instruct", "sampling": {"temperature": 0.7, "max_tokens": 1024}}
THOUGHTLESS = {"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}}
SAMPLED = {"sampling": {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "repetition_penalty": 1.05}}
MORE_SAMPLING: Known = {"top_k": whole(-1), "repetition_penalty": number(1e-9)}

FAMILIES = {
    "vllm": Family(
        models={
            "judge": shipped("prism-bench", "models", "qwen_vl_72b"),
            "thinker": OpenAIModel.model_validate(QWEN3 | SAMPLED | THOUGHTLESS),
        },
        chat=CHAT | MORE_SAMPLING | {"chat_template_kwargs": lambda kwargs: isinstance(kwargs, dict)},
    ),
    "openai-chat": Family(
        models={"judge": shipped("openai", "models", "chat"), "other_judge": shipped("aegis", "models", "gpt_sol")},
        chat=CHAT
        | {"max_completion_tokens": whole(1), "reasoning_effort": anything}
        | {"max_tokens": one_of(), "temperature": one_of(1), "top_p": one_of(1)},
        closed=True,
        words=openai_words,
        wrong_model=lambda name: openai_error(
            404, f"The model `{name}` does not exist or you do not have access to it.", None, "model_not_found"
        ),
        wrong_key=openai_error(401, "Incorrect API key provided: sk-Wrong.", None, "invalid_api_key"),
    ),
    "openai-images": Family(
        models={"painter": shipped("openai", "models", "painter")},
        paint={
            **{name: takes for name, takes in PAINT.items() if name != "response_format"},
            "size": one_of("1024x1024", "1024x1536", "1536x1024", "auto"),
            "quality": one_of("low", "medium", "high", "auto"),
            "output_format": one_of("png", "jpeg", "webp"),
            "output_compression": number(0, 100),
            "background": anything,
            "moderation": anything,
        },
        closed=True,
        words=openai_words,
        wrong_model=lambda name: openai_error(400, f"The model '{name}' does not exist.", "model", "invalid_value"),
        wrong_key=openai_error(401, "Incorrect API key provided: sk-Wrong.", None, "invalid_api_key"),
    ),
    "gemini": Family(
        models={
            "seed_writer": shipped("flux-reason-6m", "models", "gemini"),
            "judge": shipped("aegis", "models", "gemini"),
        },
        chat={
            **{name: takes for name, takes in CHAT.items() if name != "seed"},
            "max_completion_tokens": whole(1),
            "reasoning_effort": one_of("none", "minimal", "low", "medium", "high"),
            "n": whole(1),
            "stop": anything,
        },
        closed=True,
        words=google_words,
        wrong_model=google_model,
        wrong_key=google_error(
            400,
            "API key not valid. Please pass a valid API key.",
            "INVALID_ARGUMENT",
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
        ),
    ),
}
