"""An index of words in script files, for a search that needs no server: the rows of every word, in one file for all
words that begin alike.

Latin words are split at whatever is no letter or digit. Writing without blanks (Chinese, Japanese, Korean) goes in
pairs of signs and in single ones, spread evenly over files, for a few signs begin most of it. assets/search.js splits
what is searched for in the same way.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby

import numpy as np

from stages.report.site.folder import Folder
from stages.report.site.pages import script_of
from stages.report.site.texts import LONGEST

DENSE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Signs of writing without blanks."""
RUN = re.compile(f"[{DENSE}]+")
WORD = re.compile(rf"[^\W_{DENSE}]+")
PLAIN = re.compile("[a-z0-9]{1,2}")
DENSE_FILES = 1024
LONGEST_WORD = 32
"""Characters of a word that count."""
FULL = 16_000
"""Rows of words in a file, beyond which nothing more is put into it."""


def words_of(text: str) -> set[str]:
    """Return what of a text can be searched for, of the part that pages show."""
    cut = text[:LONGEST].lower()
    if cut.isascii():
        return {word[:LONGEST_WORD] for word in WORD.findall(cut)}
    cut = unicodedata.normalize("NFKC", text[:LONGEST]).lower()
    runs = RUN.findall(cut)
    pairs = {run[n : n + 2] for run in runs for n in range(len(run) - 1)}
    return pairs.union(*runs) | {word[:LONGEST_WORD] for word in WORD.findall(cut)}


def bucket_of(word: str) -> str:
    """Return the bucket that has a word: its first two characters, or the number of the first where they are not plain
    letters or digits; of writing without blanks a digest of its signs.
    """
    if PLAIN.fullmatch(word[:2]):
        return word[:2]
    if not RUN.match(word):
        return f"u{ord(word[0]):x}"
    return f"d{(31 * ord(word[0]) + (ord(word[1]) if len(word) > 1 else 0)) % DENSE_FILES:03x}"


class WordIndex:
    """The rows of every word, four bytes each in memory; rows come in ascending order."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))

    def add(self, row: int, texts: Iterable[str]) -> None:
        for word in set[str]().union(*map(words_of, texts)):
            self.rows[word].append(row)

    def write(self, folder: Folder) -> dict[str, str]:
        """Write the index's files, and return in which of them each bucket is: some small ones, or a large one alone.

        Of a word's rows stands how far each is behind the one before, the first behind -1.
        """
        buckets, found = defaultdict[str, list[str]](list), dict[str, str]()
        for word in sorted(self.rows):
            buckets[bucket_of(word)].append(word)
        number, size = 0, 0
        for bucket in sorted(buckets):
            own = sum(len(self.rows[word]) for word in buckets[bucket])
            if size and size + own > FULL:
                number, size = number + 1, 0
            size += own
            found[bucket] = f"{number:04d}"
        for name, together in groupby(found, found.__getitem__):
            words = (word for bucket in together for word in buckets[bucket])
            part = {word: np.diff(self.rows[word], prepend=-1).tolist() for word in words}
            folder.write(f"index/{name}.js", script_of(f"index/{name}", part))
        return found
