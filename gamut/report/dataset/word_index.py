"""An index of words in script files, for a search without a server: the rows of every word, one file for all words with
the same beginning.

Latin words are split at everything that is not a letter or digit. Writing without blanks (Chinese, Japanese, Korean) is
indexed by single characters and pairs, spread evenly over files, because few characters begin most words.
assets/search.js splits queries in the same way.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import count, groupby, repeat
from typing import IO

import numpy as np

from gamut.report.site.folder import Folder
from gamut.report.site.pages import in_script
from gamut.report.site.texts import LONGEST

DENSE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of writing without blanks."""
RUN = re.compile(f"[{DENSE}]+")
WORD = re.compile(rf"[^\W_{DENSE}]+")
PLAIN = re.compile("[a-z0-9]{1,2}")
DENSE_FILES = 1024
LONGEST_WORD = 32
"""How many characters of a word count."""
FULL = 64_000
"""The size in bytes from which a file gets no more words."""
AT_ONCE = 2_000_000
"""How many words of rows are kept in memory and sorted at once."""


def words_of(text: str) -> set[str]:
    """Return the searchable words of a text, from the part that pages show."""
    cut = text[:LONGEST].lower()
    if cut.isascii():
        return {word[:LONGEST_WORD] for word in WORD.findall(cut)}
    cut = unicodedata.normalize("NFKC", text[:LONGEST]).lower()
    runs = RUN.findall(cut)
    pairs = {run[n : n + 2] for run in runs for n in range(len(run) - 1)}
    return pairs.union(*runs) | {word[:LONGEST_WORD] for word in WORD.findall(cut)}


def bucket_of(word: str) -> str:
    """Return the first two characters of a word, or the code of the first; for writing without blanks a digest."""
    if PLAIN.fullmatch(word[:2]):
        return word[:2]
    if not RUN.match(word):
        return f"u{ord(word[0]):x}"
    return f"d{(31 * ord(word[0]) + (ord(word[1]) if len(word) > 1 else 0)) % DENSE_FILES:03x}"


class WordIndex:
    """The rows of every word, stored on disk part by part. `parts` has the places of each bucket."""

    def __init__(self, aside: IO[bytes]) -> None:
        self.aside = aside
        self.parts: dict[str, list[tuple[int, int]]] = {}
        self.begin()

    def begin(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.words, self.rows = array("I"), array("I")

    def add(self, row: int, texts: Iterable[str]) -> None:
        found = set[str]().union(*map(words_of, texts))
        self.words.extend([self.numbers[word] for word in found])
        self.rows.extend(repeat(row, len(found)))
        if len(self.words) > AT_ONCE:
            self.put_aside()

    def put_aside(self) -> None:
        """Store a part and begin the next. It has the distance of each row of a word from the one before (or -1)."""
        words, rows = np.frombuffer(self.words, np.uint32), np.frombuffer(self.rows, np.uint32).astype(np.int64)
        order = np.argsort(words, kind="stable")
        starts = np.searchsorted(words[order], np.arange(len(self.numbers)))
        steps = np.diff(rows[order], prepend=-1)
        steps[starts] = rows[order][starts] + 1
        ends = [*starts.tolist(), len(steps)]
        parts: dict[str, dict[str, list[int]]] = {}
        for word, number in self.numbers.items():
            parts.setdefault(bucket_of(word), {})[word] = steps[ends[number] : ends[number + 1]].tolist()
        for bucket, part in parts.items():
            content = in_script(dict(sorted(part.items()))).encode()
            self.parts.setdefault(bucket, []).append((self.aside.tell(), len(content)))
            self.aside.write(content)
        self.begin()

    def write(self, folder: Folder) -> dict[str, str]:
        """Write the files and return the file of each bucket; a file has some small buckets or one large one."""
        if self.words:
            self.put_aside()
        found, number, size = dict[str, str](), 0, 0
        for bucket in sorted(self.parts):
            own = sum(length for _, length in self.parts[bucket])
            if size and size + own > FULL:
                number, size = number + 1, 0
            size += own
            found[bucket] = f"{number:04d}"
        for name, buckets in groupby(found, found.__getitem__):
            parts = [self.part(*place) for bucket in buckets for place in self.parts[bucket]]
            start = f"window[{json.dumps(f'index/{name}')}] = [".encode()
            folder.write(f"index/{name}.js", start + b",".join(parts) + b"];\n")
        return found

    def part(self, start: int, size: int) -> bytes:
        self.aside.seek(start)
        return self.aside.read(size)
