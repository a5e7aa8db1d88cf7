"""A question as the rules read it: small letters, straight quotes, nothing of what it quotes or puts in brackets."""

from __future__ import annotations

import re

MOST_READ = 2_000
"""Characters of a question that are looked at: rules on words say nothing of an essay."""
TAG = re.compile(r"^\s*\[[^\[\]\n]{1,40}\]\s*")
_STRAIGHT = str.maketrans("‘’‛“”„‟", '\'\'\'""""')
_QUOTED = re.compile(r"(?<!\w)'[^'\n]+(?:'\w[^'\n]*)*'(?!\w)|\"[^\"\n]+\"|`[^`\n]+`|「[^」\n]*」|《[^》\n]*》")
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")


def untagged(question: str) -> str:
    """Return a question without the tag in front of it, such as `[Image]`."""
    return TAG.sub("", question, count=1)


def straight(question: str) -> str:
    """Return a question without its tag, in small letters, with straight quotes and single blanks."""
    return " ".join(untagged(question[:MOST_READ]).casefold().translate(_STRAIGHT).split())


def without_quotations(text: str) -> str:
    """Return a straight text with `x` for what it quotes: titles and labels are no part of what is asked."""
    return _QUOTED.sub("x", text)


def without_asides(text: str) -> str:
    """Return a text without what stands in brackets."""
    return " ".join(_ASIDE.sub(" ", text).split())
