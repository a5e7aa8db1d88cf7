"""Finds whether a text reveals a name: whether it contains a word of the name, in singular or plural."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

PLAIN_WORDS = {
    *("a", "an", "the", "and", "or", "of", "in", "on", "at", "by", "for", "from", "to", "with", "as", "its"),
    *("de", "la", "le"),
}
"""Words of names that identify nothing."""
LONGEST_ABBREVIATION = 3
"""Letters of a word; the s at the end of a longer word may be a plural's."""
BETWEEN = re.compile(r"[-\u2010-\u2015/|.,;:!?…]")
"""Signs that separate words as blanks do; an apostrophe does not."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Characters of scripts without blanks between words: Thai, Lao, Khmer, Japanese, Chinese."""


def name_word_in(text: str, names: Iterable[str]) -> str | None:
    """Return a word of the names that occurs in a text, None if there is none."""
    words, whole = set(words_of(BETWEEN.sub(" ", text))), text.casefold()
    for word in (word for name in names for word in words_of(BETWEEN.sub(" ", name))):
        stems = (word, word.removesuffix("s") if len(word) > LONGEST_ABBREVIATION else word)
        forms = {f"{stem}{end}" for stem in stems for end in ("", "s", "es")} | {f"{word.removesuffix('y')}ies"}
        if word not in PLAIN_WORDS and (forms & words or (UNSPACED.search(word) and word in whole)):
            return word
    return None


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, only of letters and digits; marks on letters are dropped."""
    kept = ["".join(sign for sign in word if unicodedata.category(sign)[0] in "LN") for word in text.casefold().split()]
    return [word for word in kept if word]
