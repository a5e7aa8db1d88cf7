"""Families of servers that gamut asks, as a table: what each takes and refuses. Read from their sources, documentation
and error reports in November 2026; none was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from gamut.project.model_kinds import OpenAIModel
from tests import shipped as given

KEY = "sk-Right/0123456789+abcdef"
Known = Mapping[str, Callable[[Any], bool]]
"""Fields that a server knows, and whether it takes a value of theirs."""


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


@dataclass(frozen=True)
class Family:
    """What servers of one kind take.

    `models` are configurations as profiles set them. `chat`, `paint`: fields that are known, None where there is no
    such path; `closed`: what is not known is refused.
    """

    models: Mapping[str, OpenAIModel]
    chat: Known | None = None
    paint: Known | None = None
    closed: bool = False

    def objection(self, path: str, body: Mapping[str, Any], key: str | None) -> str:
        """What is refused of a request, "" where nothing is."""
        known = self.chat if path.endswith("/chat/completions") else self.paint
        if known is None or key != f"Bearer {KEY}" or body["model"] not in {one.id for one in self.models.values()}:
            return f"path {path}, key or model {body['model']}"
        for name, sent in body.items():
            value = from_form(sent) if path.endswith("/edits") else sent
            if (name not in known and self.closed) or (name in known and not known[name](value)):
                return f"{name}: {value!r}"
        return ""


def from_form(text: Any) -> Any:
    """A value of a form, where all are texts: a number where it is one."""
    try:
        return orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        return text


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
    ),
}
