"""Material that a question is about: labelled blocks of texts and pictures, which no word inside them can leave.

What a contestant wrote is put before a judge inside such a block. Whatever in it looks like the end or the beginning of
a block, of any name, in half or full width or in signs that look so, with attributes or with characters that nobody
sees, gets a backslash, so that a reader, be it a model or a program, sees one block where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.asking.requests import Chat, Part

OPENING = r"<\u2039\u2329\u276c\u276e\u27e8\u27ea\u3008\u300a\ufe64\uff1c"
CLOSING = r">\u203a\u232a\u276d\u276f\u27e9\u27eb\u3009\u300b\ufe65\uff1e"
SLASH = r"/\u2044\u2215\u29f8\uff0f"
"""Signs that may be read as the brackets of a tag, and as the slash in it."""
UNSEEN = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
"""Characters that are drawn as nothing: control characters, and Unicode's default ignorable code points."""
BLANKS, NAME = rf"[\s{UNSEEN}]*+", rf"\w[\w:.{UNSEEN}-]*+"
ATTRIBUTES = rf"[^={OPENING}{CLOSING}]*+=[^{OPENING}{CLOSING}]*+"
TAG = re.compile(
    rf"([{OPENING}]{BLANKS})(\\*+)"
    rf"(?={BLANKS}(?:[{SLASH}]|{NAME}(?:{ATTRIBUTES})?+{BLANKS}[{SLASH}]?+{BLANKS}[{CLOSING}]|(?:{NAME})?+{BLANKS}\Z))"
)
"""The beginning of what may be read as a tag: a closing one however it goes on, an opening one that is whole, also with
attributes, and what the next text may go on with. A long text is looked through once: nothing is taken back."""
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
