"""Where the JSON of a reply is, with what models and servers put around it: thinking, fences, marks, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

BYTE_ORDER_MARK = re.compile(r"\A\s*\ufeff")
THINKING = re.compile(r"\A\s*[^\s{\[`~].*</think(?:ing)?>", re.DOTALL)
"""Some templates write the opening tag into the prompt, so that only the closing one is in the reply."""
UNFINISHED = re.compile(r"\A\s*<think|\A[^{}]*</think")
"""Thinking without an end before what follows, or with nothing but its end behind the object: neither is an answer."""
WRAPPED = re.compile(
    r"\A\s*(?:(?P<fence>```+|~~~+)[\w+-]*(?P<a>.*)(?P=fence)|<\|begin_of_box\|>(?P<b>.*)<\|end_of_box\|>|"
    r"<(?P<tag>\w+)>(?P<c>.*)</(?P=tag)>)\s*\Z",
    re.DOTALL,
)
"""A Markdown fence, GLM's marks or a tag around a whole reply."""
MOST_WRAPS = 3
BRACKET = re.compile(r"[{\[]")
WITHIN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]]', re.DOTALL)
"""A string, closed or not, or a bracket."""
HALF = re.compile(
    r"((?<!\\)(?:\\\\)*)\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|"
    r"(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u)[dD][c-fC-F][0-9a-fA-F]{2})"
)
"""Half of a character as JSON escapes it, without the other half."""


def unfenced(text: str) -> str:
    """Return the JSON of a reply without what stands around it; the reply where none is found.

    Where there are several objects, the last whole one is meant: drafts and repeated forms come before. Of one that is
    not closed nothing counts, neither what stands in it nor what stood before: it is no answer.
    """
    said = BYTE_ORDER_MARK.sub("", THINKING.sub("", BYTE_ORDER_MARK.sub("", text)))
    if UNFINISHED.match(said):
        return said
    for _ in range(MOST_WRAPS):
        if not (wrapped := WRAPPED.match(said)):
            break
        said = BYTE_ORDER_MARK.sub("", next(inner for inner in wrapped.group("a", "b", "c") if inner is not None))
    said = HALF.sub(r"\1\\ufffd", said)
    return said if is_json(said) else last_object(said)


def last_object(text: str) -> str:
    """Return the last whole object that stands in a text and is JSON, or is none for its commas alone; the text where
    there is none, where one is not closed, or where thinking ends behind it.
    """
    found = list(objects(text))
    if not found or found[-1] is None:
        return text
    whole = [one for one in found if one is not None]
    start, end = next((place for place in reversed(whole) if is_json(text[slice(*place)])), whole[-1])
    return text if UNFINISHED.match(text[end:]) else text[start:end]


def objects(text: str) -> Iterator[tuple[int, int] | None]:
    """Yield where the objects of a text begin and end that stand in no other and in no list, and None for one that is
    not closed.
    """
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
    """Return whether a text is JSON as a whole."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
