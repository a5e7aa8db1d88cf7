"""Finds the JSON in a reply, among what models and servers put around it: thinking, fences, marks, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

BYTE_ORDER_MARK = re.compile(r"\A\s*\ufeff")
THINKING = re.compile(r"\A\s*[^\s{\[`~].*</think(?:ing)?>", re.DOTALL)
"""Some templates write the opening tag into the prompt, so that only the closing one is in the reply."""
UNFINISHED = re.compile(r"\A\s*<think|\A[^{}]*</think")
"""Thinking that does not end before the object, or ends only behind it: then the reply has no answer."""
OPENING = re.compile(r"(?P<fence>`{3,}+|~{3,}+)[\w+-]*+|<\|begin_of_box\|>|<(?P<tag>\w++)>")
"""A Markdown fence, GLM's marks or a tag around a whole reply."""
MOST_WRAPS = 3
BRACKET = re.compile(r"\{|\[(?=\s*+[{\[])")
"""Brackets of an object, or of a list of objects; others occur in sentences, not always closed: `[0, 10)`."""
WITHIN = re.compile(r'"(?:[^"\\]|\\.?)*+"?|[{}\[\]]', re.DOTALL)  # A string, closed or not, or a bracket
HALF = re.compile(
    r"((?<!\\)(?:\\\\)*)\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|"
    r"(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u)[dD][c-fC-F][0-9a-fA-F]{2})"
)
"""Half of a character as JSON escapes it, without the other half."""


def extract_json(text: str) -> str:
    """Return the JSON of a reply without the text around it; the whole reply if it has none.

    Of several objects the last complete one counts, but none before an object that is not closed.
    """
    bare = HALF.sub(r"\1\\ufffd", strip_marks(text))
    return bare if UNFINISHED.match(bare) or is_json(bare) else last_object(bare)


def strip_marks(text: str) -> str:
    """Return a reply without thinking, and without the fences and marks around the whole of it."""
    bare = BYTE_ORDER_MARK.sub("", THINKING.sub("", BYTE_ORDER_MARK.sub("", text)))
    for _ in range(0 if UNFINISHED.match(bare) else MOST_WRAPS):
        bare = BYTE_ORDER_MARK.sub("", unwrap(bare))
    return bare


def unwrap(text: str) -> str:
    """Return the content if the whole text is in a fence, marks, a tag or a JSON string; otherwise the text."""
    bare = text.strip()
    if bare.startswith('"') and is_json(bare):
        return str(orjson.loads(bare))
    if not (opening := OPENING.match(bare)):
        return text
    closing = opening["fence"] or (f"</{opening['tag']}>" if opening["tag"] else "<|end_of_box|>")
    inner = bare[opening.end() :]
    return inner.removesuffix(closing) if inner.endswith(closing) else text


def last_object(text: str) -> str:
    """Return the last complete JSON object of a text; the text if none is, one is open, or thinking ends later."""
    spans = list(object_spans(text))
    if not spans or spans[-1] is None:
        return text
    whole = [one for one in spans if one is not None]
    start, end = next((place for place in reversed(whole) if is_json(text[slice(*place)])), whole[-1])
    return text if UNFINISHED.match(text[end:]) else text[start:end]


def object_spans(text: str) -> Iterator[tuple[int, int] | None]:
    """Yield start and end of each object that is not in another object or a list; None for one that is not closed."""
    position = 0
    while opening := BRACKET.search(text, position):
        depth, position = 1, opening.end()
        while depth:
            inner = WITHIN.search(text, position)
            if inner is None:
                yield None
                return
            position = inner.end()
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(inner[0], 0)
        if opening[0] == "{":
            yield opening.start(), position


def is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
