"""Several texts and pictures, in order, as one reply.

One text or picture is stored as itself. Several, or any with thinking, are a bundle: four bytes that begin neither
UTF-8 nor a picture, the length of a JSON head, the head, and the pictures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

BUNDLE = b"\x93GB1"
LENGTH = 4  # bytes of the head's length, little-endian


class Created(NamedTuple):
    """Texts and encoded pictures in order, the thinking before them, and a `remark` of the code that combined them."""

    parts: tuple[str | bytes, ...]
    thinking: str = ""
    remark: str = ""

    @property
    def texts(self) -> list[str]:
        return [part for part in self.parts if isinstance(part, str)]

    @property
    def pictures(self) -> list[bytes]:
        return [part for part in self.parts if isinstance(part, bytes)]


def bundle(parts: Sequence[str | bytes], thinking: str = "", remark: str = "") -> bytes:
    """Return texts and encoded pictures as one reply content. Raise ValueError for a picture of 0 bytes."""
    if any(isinstance(part, bytes) and not part for part in parts):
        raise ValueError("a picture has no bytes")
    if len(parts) == 1 and not thinking and not remark:
        [part] = parts
        if isinstance(part, str):
            return part.encode()
        if not is_text(part) and not part.startswith(BUNDLE):
            return part
    head = {
        "thinking": thinking,
        "parts": [part if isinstance(part, str) else len(part) for part in parts],
        **({"remark": remark} if remark else {}),
    }
    written = orjson.dumps(head)
    pictures = [part for part in parts if isinstance(part, bytes)]
    return b"".join([BUNDLE, len(written).to_bytes(LENGTH, "little"), written, *pictures])


def unbundle(content: bytes) -> Created:
    if not content:
        return Created(())
    if not content.startswith(BUNDLE):
        return Created((content.decode() if is_text(content) else content,))
    start = len(BUNDLE) + LENGTH
    length = int.from_bytes(content[len(BUNDLE) : start], "little")
    head, pictures = content[start : start + length], content[start + length :]
    try:
        if len(head) < length:
            raise ValueError("it is cut off")
        return read_bundle(orjson.loads(head), pictures)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"a bundle of parts is damaged ({error})") from None


def read_bundle(head: Any, pictures: bytes) -> Created:
    parts: list[str | bytes] = []
    start = 0
    for part in head["parts"]:
        if isinstance(part, int):
            if not 0 < part <= len(pictures) - start:
                raise ValueError("a picture is cut off")
            parts.append(pictures[start : start + part])
            start += part
        elif isinstance(part, str):
            parts.append(part)
        else:
            raise TypeError(f"{part!r} is not a part")
    if start < len(pictures):
        raise ValueError("bytes are left over")
    thinking, remark = head["thinking"], head.get("remark", "")
    if not (isinstance(thinking, str) and isinstance(remark, str)):
        raise TypeError("thinking or remark is not a text")
    return Created(tuple(parts), thinking, remark)


def split_thinking(text: str) -> tuple[str, str]:
    """Split a text into the model's thinking and what it then said. The opening tag may be in the prompt instead."""
    if opened := THINKING_FIRST.match(text):
        return opened[2].strip(), text[opened.end() :].lstrip()
    thought, closed, answer = text.partition("</think>")
    return (thought.strip(), answer.lstrip()) if closed else ("", text)


THINKING_FIRST = re.compile(r"\s*<(think(?:ing)?)>(.*?)(?:</\1>|\Z)", re.DOTALL)


def text_of_content(content: bytes) -> str:
    try:
        created = unbundle(content) if content.startswith(BUNDLE) else None
    except ValueError:
        created = None
    return content.decode(errors="replace") if created is None else " ".join(created.texts) or created.thinking


def is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
