"""Material that a question is about: labelled blocks of texts and pictures, which no word inside them can leave.

What a contestant wrote is put before a judge inside such a block. Whatever in it looks like the end or the beginning of
a block, of any name, in half or full width, gets a backslash, so that a reader, be it a model or a program, sees one
block where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.asking.requests import Chat, Part

TAG = re.compile(r"([<＜〈《]\s*+)(\\*+)(?=\s*+(?:[/／]|\w++\s*+[>＞〉》]|\w*+\s*+\Z))")
"""The beginning of what may be read as a tag: a closing one however it goes on, an opening one that is whole, and what
the next text may go on with. A long text is looked through once: nothing is taken back."""
OPENS = re.compile(r"<(\w+)>\n")


def enclosed(name: str, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts as a block `<name>` … `</name>`; each of its texts ends with a newline and can close no block."""
    inside = (f"{escaped(part)}\n" if isinstance(part, str) else part for part in parts)
    return (f"<{name}>\n", *inside, f"</{name}>\n")


def enclosures(request: Chat) -> dict[str, list[Part]]:
    """Return the parts of each block in a request's opening message, as they were given to `enclosed`; of blocks of one
    name those of all, in order.
    """
    found: dict[str, list[Part]] = {}
    name = None
    for part in request.messages[0].parts:
        if name is None:
            opening = OPENS.fullmatch(part) if isinstance(part, str) else None
            if opening is not None:
                name = opening[1]
                found.setdefault(name, [])
        elif part == f"</{name}>\n":
            name = None
        else:
            found[name].append(unescaped(part.removesuffix("\n")) if isinstance(part, str) else part)
    return found


def escaped(text: str) -> str:
    """Return a text in which nothing is a tag."""
    return TAG.sub(r"\1\2\\", text)


def unescaped(text: str) -> str:
    """Return an escaped text as it was."""
    return TAG.sub(lambda tag: tag[1] + tag[2][1:], text)
