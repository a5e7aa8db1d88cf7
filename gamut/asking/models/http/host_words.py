"""The words by which hosts refuse a request, or report too many requests, in one table.

Codes and endings are compared without case and signs; messages are searched for phrases. Both are searched next to
`error`, in it, and in its details.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import orjson

from gamut.asking.models.http.wire_parts import parse_json


class Words(NamedTuple):
    """One host's words: complete codes, phrases in messages, complete endings that are not codes."""

    host: str
    codes: str = ""
    phrases: str = ""
    endings: str = ""


REFUSALS = (
    Words(
        "OpenAI",
        "contentpolicyviolation|moderationblocked|contentfilter(ed)?|safetyviolations?",
        r"safety (system|check|filter)|usage polic(y|ies)|content ?polic(y|ies)",
    ),
    Words("Azure", r"responsibleaipolicyviolation|contentsafety\w*", "content management policy|content safety"),
    Words(
        "Gemini and Imagen",
        r"(image)?(safety|prohibitedcontent)|\w*unsafegeneration",
        r"\bviolat(es?|ed|ing|ions? of)\b.{0,60}\b(polic(y|ies)|guidelines|practices)\b|sensitive words",
        "(image)?recitation|blocklist|spii|language",
    ),
    Words(
        "OpenRouter",
        "flaggedinput",
        r"\b(input|prompt|request|output|content|image|text|message)s?\b.{0,40}\bflagged\b|\bflagged (by|for|as)\b",
    ),
    Words("Anthropic", "", "content filtering polic", "refusal"),
    Words("Bedrock", "guardrailintervened", r"blocked by (our|the) content filters?"),
    Words("DashScope", r"\w*datainspectionfailed", r"\binappropriate content\b|content security warning"),
    Words("Ark", r"\w*sensitivecontentdetected\w*|\w*riskdetection", "sensitive (information|content)"),
    Words("Zhipu", "1301", "(不安全|敏感).{0,4}(内容|信息)|敏感词", "sensitive"),
    Words("MiniMax", "102[67]", "new_sensitive"),
    Words("Moonshot and DeepSeek", "", "considered high risk|content exists risk"),
    Words("Tencent", r"\w*illegaldetected", "违规|违法"),
    Words("StepFun", "censorshipblocked"),
    Words("xAI", "", r"\b(rejected|blocked) by\b.{0,20}\bmoderation\b|respect moderation rules"),
    Words("Stability and Black Forest Labs", r"contentmoderat\w*|requestmoderated", r"\bcontent moderat(ion|ed)\b"),
    Words("fal", "", "content checker"),
    Words("Together and Replicate", r"nsfw\w*", r"\bnsfw\b"),
    Words("Runway", r"safety(input|output)\w*"),
)
"""Words for requests that a host refuses because of their content."""
LIMITS = (
    Words("OpenAI", r"429|\w*ratelimit(exceeded|error|reached)?", "rate[ -]?limit|too many requests"),
    Words("Gemini", "resourceexhausted", "resource has been exhausted"),
    Words("Bedrock", r"throttling\w*|toomanyrequests(exception)?", "too many tokens, please wait"),
    Words("DashScope", "limitrequests|limitburstrate"),
    Words("Zhipu", "130[235]", "并发数?过高|频率过高|速率限制|请求过多"),
    Words("LiteLLM", "alldeploymentsincooldown"),
)
"""Words for too many requests, for answers without the status of that."""
CENSORED = 451  # the status "unavailable for legal reasons", with which some hosts refuse
STATUS_KEYS = ("code", "status", "status_code", "statuscode")
CODE_KEYS = (*STATUS_KEYS, "type", "reason", "reasons", "name", "finish_reason", "error_code")
MESSAGE_KEYS = ("message", "msg", "detail", "errors", "error", "error_msg", "status_msg", "title", "raw")
REPEATING_KEYS = ("flagged_input", "input", "prompt")  # where a host repeats the request: these are not its own words
DEEPEST, MOST_PARTS, MOST_SEARCHED = 8, 50, 10_000
"""Limits of the search in a complaint: depth, parts of a list, and characters."""


class Complaint(NamedTuple):
    """What a host sends instead of an answer.

    `message` for a person; `names`: codes, types, reasons; `parameters` that it concerns; `words`: its texts without
    quotations; `status` in the body, 0 if there is none.
    """

    message: str
    names: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    words: str = ""
    status: int = 0


def read_complaint(body: bytes) -> Complaint:
    """Read a host's complaint. A body that is not JSON, or is nested too deeply, counts as text."""
    text = body.decode(errors="replace")
    try:
        return complaint_of(parse_json(body), text)
    except ValueError:
        return complaint_of(text, text)


def complaint_of(body: Any, text: str) -> Complaint:
    """Read a host's complaint from its JSON; `text` is the message if the JSON has none."""
    outer = body[0] if isinstance(body, list) and body else body  # Google's stands in a list of one
    if not isinstance(outer, dict):
        outer = {"message": outer if isinstance(outer, str) else text}
    error = outer.get("error") or outer
    if isinstance(error, str):
        error = object_in(error) or {"message": error} | ({} if " " in error else {"code": error})
    fields = error if isinstance(error, dict) else {}
    names = frozenset(values_under(CODE_KEYS, [fields, outer]))
    metadata = fields.get("metadata")  # OpenRouter's; `raw` is what the host behind it said
    metadata = metadata if isinstance(metadata, dict) else {}
    names |= {"flagged_input"} if metadata.get("reasons") or metadata.get("flagged_input") else set()
    codes = (str(value) for key, value in fields.items() if key.lower() in STATUS_KEYS)
    status = next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), 0)
    words = "\n".join(QUOTED.sub('""', one[:MOST_SEARCHED]) for one in values_under(MESSAGE_KEYS, outer))
    message = ": ".join(str(one) for one in (fields.get("message") or text, metadata.get("raw")) if one)
    return Complaint(message, names, frozenset(values_under(["param"], outer)), words, status)


def error_inside(body: Any) -> Any:
    if not isinstance(body, dict):
        return None
    choices = body.get("choices")
    places = [body, *(choice for choice in choices or [] if isinstance(choice, dict))] if choices else [body]
    if error := next((error for place in places if is_error(error := place.get("error"))), None):
        return {"error": error}
    if isinstance(base := body.get("base_resp"), dict) and base.get("status_code"):  # MiniMax
        return {"error": {"code": base["status_code"], "message": base.get("status_msg")}}
    return None


def is_error(error: Any) -> bool:
    """Return whether an error is real: some servers write one without content, or with a code for success."""
    if not isinstance(error, dict):
        return bool(error)
    return any(error.values()) and str(error.get("code")).lower() not in ("0", "200", "ok", "success")


def values_under(keys: Collection[str], node: Any, depth: int = DEEPEST) -> Iterator[str]:
    """Yield words and numbers under these keys, at any depth, in lists, and in JSON that is quoted as a text."""
    if isinstance(node, list) and depth:
        for one in node[:MOST_PARTS]:
            yield from values_under(keys, one, depth - 1)
    elif isinstance(node, dict) and depth:
        for key, value in node.items():
            if key.lower() in keys:
                plain = value[:MOST_PARTS] if isinstance(value, list) else [value]
                yield from (str(one) for one in plain if isinstance(one, str | int) and not isinstance(one, bool))
            if key.lower() not in REPEATING_KEYS:
                repeats = isinstance(value, str) and key.lower() in MESSAGE_KEYS
                yield from values_under(keys, object_in(value) if repeats else value, depth - 1)


def object_in(text: str) -> Any:
    """Return the JSON object at the end of a text, as gateways quote a host; None if there is none."""
    start = text.find("{")
    if start < 0 or len(text) > MOST_SEARCHED:
        return None
    try:
        return orjson.loads(text[start:])
    except orjson.JSONDecodeError:
        return None


def any_of(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in alternatives if one), re.IGNORECASE)


REFUSAL_CODES, REFUSAL_PHRASES = any_of(*(one.codes for one in REFUSALS)), any_of(*(one.phrases for one in REFUSALS))
LIMIT_CODES, LIMIT_PHRASES = any_of(*(one.codes for one in LIMITS)), any_of(*(one.phrases for one in LIMITS))
ENDINGS = any_of(*(one.codes for one in REFUSALS), *(one.endings for one in REFUSALS))
QUOTED = re.compile(
    r'"[^"]*"|`[^`]*`|[“「『«][^“”「」『』«»]*[”」』»]|(?<=\w )\'[^\']*\'(?!\w)|\'input\':.*|https?://\S+', re.DOTALL
)
"""Quotations in a message may be the prompt (vLLM prints its input as `'input'`); addresses mean nothing."""


def is_refusal(complaint: Complaint) -> bool:
    return has_words(complaint, REFUSAL_CODES, REFUSAL_PHRASES)


def is_limit(complaint: Complaint) -> bool:
    return has_words(complaint, LIMIT_CODES, LIMIT_PHRASES)


def has_words(complaint: Complaint, codes: re.Pattern[str], phrases: re.Pattern[str]) -> bool:
    return phrases.search(complaint.words) is not None or any(codes.fullmatch(bare_name(n)) for n in complaint.names)


def is_withheld(ending: str) -> bool:
    """Return whether this ending of a choice or picture means that a host withholds it. Gateways put their own word
    first: `content_filter: PROHIBITED_CONTENT`.
    """
    return any(ENDINGS.fullmatch(bare_name(part)) for part in (ending, *ending.split(":")))


def bare_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
