"""The words of others, made fit for a page: nothing hidden, nothing that turns the direction, no page of a million
characters; parameters without what may be a secret (pages are made to be published); and names of pages.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from gamut.project.plain_text import HARMFUL

LONGEST = 20_000
"""Characters of one text that a page shows."""
PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
"""What may be a file's name as it is, on every file system, those that know no capitals too."""
UNSEEN = re.compile(
    HARMFUL.pattern + "|[\xad\u034f\u180e\u200b\u2060-\u2064\u206a-\u206f\ufff9-\ufffb"  # breaks, annotations
    "\u115f\u1160\u3164\uffa0]"  # fillers
)
"""What is not seen on a page either. Joiners stay, which some scripts need."""


class Cut(NamedTuple):
    text: str
    left: int


def cut(text: str, most: int = LONGEST) -> Cut:
    """Return the first `most` characters, what is hidden as visible escapes, and how many are left out."""
    return Cut(make_visible(text[:most]), max(0, len(text) - most))


def make_visible(text: str) -> str:
    """Return a text in which control characters, and marks that nobody sees, stand as `\\u202e`."""
    return UNSEEN.sub(lambda found: "".join(map(escape, found[0])), text)


def escape(sign: str) -> str:
    """Return a character as an escape; line breaks, tabs and what can be seen of a terminal's command stay."""
    if sign in "\n\t" or (sign.isascii() and sign.isprintable()):
        return sign
    if sign == "\r":
        return ""
    return f"\\u{ord(sign):04x}" if ord(sign) < 1 << 16 else f"\\U{ord(sign):08x}"


def address(name: object) -> str:
    """The name of a page: the thing's own where every file system can have it, else with a digest; never that of
    another.
    """
    text = str(name)
    if PLAIN_NAME.fullmatch(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:10]
    plain = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")[:60]
    return f"{plain}-{digest}" if plain else digest


HIDDEN = "(not shown: it may be a secret)"
SECRET_NAMES = re.compile(r"key(?!word)|token|secret|passw|auth(?!or)|credential|cookie", re.IGNORECASE)
"""In the name of a value that is a secret, where the value is words: `max_tokens` is a number."""
SECRET_WORDS = re.compile(
    r"://[^/?#\s]*@|\bbearer\s|\b(sk-|hf_|gh[opsu]_|github_pat_|xox[abp]-)[\w-]{16}", re.IGNORECASE
)
"""What secrets look like: an address with a user or password, or a key of a usual form."""


def may_be_secret(names: Iterable[str], words: str) -> bool:
    """Return whether words may be a secret, by what they look like or by the names under which they stand."""
    return bool(SECRET_WORDS.search(words)) or any(map(SECRET_NAMES.search, names))


def hide_secrets(value: Any, *names: str) -> Any:
    """Return plain values with `HIDDEN` in the place of words that may be secrets; `names`: where the value stands."""
    if isinstance(value, dict):
        return {name: hide_secrets(one, *names, str(name)) for name, one in value.items()}
    if isinstance(value, list):
        return [hide_secrets(one, *names) for one in value]
    return HIDDEN if isinstance(value, str) and may_be_secret(names, value) else value
