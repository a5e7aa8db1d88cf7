"""Foreign texts made safe for a page: nothing hidden, no change of direction, no page of a million characters.

Also parameters without possible secrets (pages are made to be published), and names of pages.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from gamut.project.plain_text import HARMFUL

LONGEST = 20_000
"""The most characters of one text that a page shows."""
PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
"""Names that can be file names unchanged on every file system, also on those that ignore case."""
UNSEEN = re.compile(
    HARMFUL.pattern + "|[\xad\u034f\u180e\u200b\u2060-\u2064\u206a-\u206f\ufff9-\ufffb"  # breaks, annotations
    "\u115f\u1160\u3164\uffa0]"  # fillers
)
"""Characters that are invisible on a page. Joiners stay, because some scripts need them."""


class Cut(NamedTuple):
    text: str
    left: int


def cut(text: str, most: int = LONGEST) -> Cut:
    """Return the first `most` characters, with hidden ones as visible escapes, and how many are left out."""
    return Cut(make_visible(text[:most]), max(0, len(text) - most))


def make_visible(text: str) -> str:
    """Return a text in which control and invisible characters are written as escapes such as `\\u202e`."""
    return UNSEEN.sub(lambda found: "".join(map(escape, found[0])), text)


def escape(sign: str) -> str:
    """Return a character as an escape; line breaks, tabs and the visible part of a terminal's command stay."""
    if sign in "\n\t" or (sign.isascii() and sign.isprintable()):
        return sign
    if sign == "\r":
        return ""
    return f"\\u{ord(sign):04x}" if ord(sign) < 1 << 16 else f"\\U{ord(sign):08x}"


def address(name: object) -> str:
    """Return the unique name of a page: the thing's own if every file system allows it, otherwise with a digest."""
    text = str(name)
    if PLAIN_NAME.fullmatch(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:10]
    plain = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")[:60]
    return f"{plain}-{digest}" if plain else digest


HIDDEN = "(not shown: it may be a secret)"
SECRET_NAMES = re.compile(r"key(?!word)|token|secret|passw|auth(?!or)|credential|cookie", re.IGNORECASE)
"""Parts of names of secrets; only texts can be secrets (`max_tokens` is a number)."""
SECRET_WORDS = re.compile(
    r"://[^/?#\s]*@|\bbearer\s|\b(sk-|hf_|gh[opsu]_|github_pat_|xox[abp]-)[\w-]{16}", re.IGNORECASE
)
"""Texts that look like secrets: an address with a user or password, or a key of a usual form."""


def may_be_secret(names: Iterable[str], words: str) -> bool:
    """Return whether a text may be a secret, by its form or by the names of its keys."""
    return bool(SECRET_WORDS.search(words)) or any(map(SECRET_NAMES.search, names))


def hide_secrets(value: Any, *names: str) -> Any:
    """Return plain values with `HIDDEN` instead of texts that may be secrets; `names` are the keys of the value."""
    if isinstance(value, dict):
        return {name: hide_secrets(one, *names, str(name)) for name, one in value.items()}
    if isinstance(value, list):
        return [hide_secrets(one, *names) for one in value]
    return HIDDEN if isinstance(value, str) and may_be_secret(names, value) else value
