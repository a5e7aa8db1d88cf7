"""Reads replies in the OpenAI wire format: pure functions, one for each kind of reply.

For a broken reply they raise LookupError, TypeError, ValueError, AttributeError, OverflowError or RecursionError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import orjson

from gamut.asking.models.http.host_words import complaint_of, is_refusal, is_withheld
from gamut.asking.models.http.wire_parts import (
    address_of,
    decode_base64,
    images_of,
    is_data_url,
    parts_of,
    points_elsewhere,
    read_message,
    text_of,
    thinking_beside,
)
from gamut.asking.parts import bundle
from gamut.asking.requests import Finish, Reply, pack_vector, unpack_vector

MOST_TOKENS = 2**31 - 1
NOT_FOLLOWED = (
    "the server gives the address of a picture instead of the picture, which is not followed: let it send pictures "
    "themselves (b64_json)"
)
CUT_ENDINGS = ("length", "max_tokens", "model_length", "repetition")
"""Endings of a reply that was cut off: `model_length` is Mistral's, for a full context, `repetition` vLLM's."""
BROKEN_ENDINGS = ("abort", "error", "network_error")
"""Endings in a good response that are a server's trouble, of vLLM, SGLang, OpenRouter and Zhipu."""


CUT_AT_ONCE = "cut off before its first word: allow more tokens, or switch thinking off"


class NoAnswer(ValueError):
    """A response with a good status that holds no answer."""


class BrokenOff(NoAnswer):
    """The server reports that it did not finish."""


class Empty(NoAnswer):
    """The server has read the request and returns nothing, not even a reason. If this repeats, it is a block (Gemini),
    not an outage.
    """


class Misplaced(NoAnswer):
    """The answer is in the field for thinking, which is never read as an answer."""


def read_chat(body: Any) -> Reply:
    choices = choices_of(body)
    if ended := reply_without_answer(choices, body):
        return ended
    message, finish = choices[0]["message"], finish_of(choices[0])
    text = text_of(message)
    if not text.strip() and is_object(thought := thinking_beside(message)):
        raise Misplaced(f"the reply stands where thinking belongs: {thought}")
    if not text and finish == "length":
        text = CUT_AT_ONCE
    return Reply(text.encode(), finish, *token_counts(body))


def read_chat_picture(body: Any) -> Reply:
    """Read a chat completion that holds a picture, in any of its choices: unified models put their thinking first."""
    choices = choices_of(body)
    if ended := reply_without_answer(choices, body):
        return ended
    messages = [choice["message"] for choice in choices]
    for part in (part for message in messages for part in [*images_of(message), *parts_of(message)]):
        if address := address_of(part):
            return read_picture_at(address, body)
    text = "".join(map(text_of, messages))
    cause = f"text instead of a picture: {text}" if text else "the reply has no picture"
    return Reply(cause.encode(), "missing", *token_counts(body))


def read_created(body: Any, of_pictures: bool) -> Reply:
    """Read texts, and pictures if asked for, from all choices of a completion; together they are one answer."""
    choices = choices_of(body)
    if ended := reply_without_answer(choices, body):
        return ended
    messages = [choice["message"] for choice in choices]
    if any(map(points_elsewhere, messages)):
        return Reply(NOT_FOLLOWED.encode(), "transport_error")
    answers = [read_message(message, of_pictures) for message in messages]
    parts = [part for answer in answers for part in answer.parts]
    thinking = "\n\n".join(answer.thinking for answer in answers if answer.thinking)
    if "length" in map(finish_of, choices):
        return Reply(bundle(parts, thinking), "length", *token_counts(body))
    if not parts:
        cause = f"nothing but thinking: {thinking}" if thinking else "the reply has neither text nor picture"
        return Reply(cause.encode(), "missing", *token_counts(body))
    return Reply(bundle(parts, thinking), "stop", *token_counts(body))


def choices_of(body: Any) -> list[Mapping[str, Any]]:
    """Return the choices of a chat completion: those with a message, if any has one."""
    choices: list[Mapping[str, Any]] = [choice for choice in body["choices"] or [] if isinstance(choice, dict)]
    return [choice for choice in choices if isinstance(choice.get("message"), dict)] or choices


def reply_without_answer(choices: Sequence[Mapping[str, Any]], body: Any) -> Reply | None:
    for choice in choices:
        if (finish := finish_of(choice)) == "refused":
            return Reply(refusal_words(choice).encode(), "refused", *token_counts(body))
        if finish == "transport_error":
            raise BrokenOff(f"the server ended it with {choice['finish_reason']!r}")
    if any(isinstance(choice.get("message"), dict) for choice in choices):
        return None
    if "length" in map(finish_of, choices):
        return Reply(CUT_AT_ONCE.encode(), "length", *token_counts(body))
    if token_counts(body)[0] and hold_nothing(body["choices"]):
        reason = next((f", {ended}" for choice in choices if (ended := choice.get("finish_reason"))), "")
        raise Empty(f"no answer and no reason{reason}, though the request was read")
    raise LookupError("no choice has a message")


def hold_nothing(choices: Any) -> bool:
    """Return whether a completion has no choices, or only choices that hold nothing in any form (such as `text` or
    `delta`).
    """
    if not isinstance(choices, list | None):
        return False
    held = ("message", "text", "delta")
    return all(isinstance(choice, dict) and not any(map(choice.get, held)) for choice in choices or [])


def finish_of(choice: Mapping[str, Any]) -> Finish:
    reason = str(choice.get("finish_reason")).lower()
    message = choice.get("message")
    if is_withheld(reason) or (isinstance(message, dict) and message.get("refusal")):
        return "refused"
    if reason in BROKEN_ENDINGS:
        return "transport_error"
    return "length" if reason in CUT_ENDINGS else "stop"


def refusal_words(choice: Mapping[str, Any]) -> str:
    message = choice.get("message")
    words = (message.get("refusal") or text_of(message)) if isinstance(message, dict) else ""
    return str(words or choice.get("finish_reason"))


def is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def read_picture_at(address: str, body: Any) -> Reply:
    if not is_data_url(address):
        return Reply(NOT_FOLLOWED.encode(), "transport_error")
    return Reply(decode_base64(address), "stop", *token_counts(body))


def read_pictures(body: Any) -> Reply:
    reply = read_picture(body)
    if reply.finish != "stop":
        return reply
    if not reply.content:
        return replace(reply, content=b"the reply has no picture", finish="missing")
    return replace(reply, content=bundle([reply.content]))


def read_picture(body: Any) -> Reply:
    image = body["data"][0] if body["data"] else {}
    image = {"b64_json": image} if isinstance(image, str) else image
    if cause := withheld_reason(image):
        return Reply(cause.encode(), "refused", *token_counts(body))
    if image.get("url") and not image.get("b64_json"):
        return read_picture_at(image["url"], body)
    return Reply(decode_base64(image.get("b64_json") or ""), "stop", *token_counts(body))


def withheld_reason(image: Mapping[str, Any]) -> str:
    """Return why a host withholds a picture, from the object in the picture's place; "" if it does not.

    xAI: `respect_moderation: false`; Imagen: `raiFilteredReason`; Stability: `finish_reason: CONTENT_FILTERED`, next
    to a blurred picture.
    """
    reason_ended = str(image.get("finish_reason") or image.get("finishReason"))
    if is_withheld(reason_ended):
        return reason_ended
    if image.get("b64_json") or image.get("url"):
        return ""
    if image.get("respect_moderation") is False:
        return "respect_moderation: false"
    reason = image.get("raiFilteredReason") or image.get("error") or image.get("reason") or ""
    return str(reason) if is_refusal(complaint_of({"message": reason, "reason": reason}, "")) else ""


def read_embeddings(body: Any, number: int) -> Reply:
    """Read embeddings. Raise ValueError unless there are `number` of them, all of one length."""
    data = sorted(body["data"], key=lambda one: one.get("index", 0))
    with np.errstate(over="ignore"):  # what is too large for float32 is infinite, and that is refused
        vectors = [
            np.frombuffer(decode_base64(vector), "<f4") if isinstance(vector, str) else np.array(vector, "<f4")
            for vector in (one["embedding"] for one in data)
        ]
    if len(vectors) != number:
        raise ValueError(f"it gave {len(vectors)} embeddings, {number} were asked for")
    content = pack_vector(np.stack(vectors))
    unpack_vector(content)
    return Reply(content, "stop", *token_counts(body))


def token_counts(body: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of tokens read and written; 0 if the server does not report them. Gemini reports thinking only
    in the total.
    """
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return 0, 0
    read = token_count(usage.get("prompt_tokens") or usage.get("input_tokens"))
    written = token_count(usage.get("completion_tokens") or usage.get("output_tokens"))
    return read, max(written, token_count(usage.get("total_tokens")) - read) if read else written


def token_count(tokens: Any) -> int:
    """Return a number of tokens in the form of tables and store; 0 for any other value."""
    return int(min(max(0, tokens), MOST_TOKENS)) if isinstance(tokens, int | float) else 0
