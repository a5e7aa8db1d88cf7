"""Defines near-duplicates: texts that are the same except for case, punctuation, white space or order of clauses.

With twelve words or more, a word may differ too (one in twelve, two in twenty-four, ...). It must not be one that names
what the picture shows: a number, count, colour, material or place, words to write, or what it is "a picture of".

`Index` finds pairs with a small set of texts; `near_duplicate_search` finds them among millions, by MinHash in bands.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gamut.tables.columns import grouped

if TYPE_CHECKING:
    from datasketch import MinHash  # with half of scipy: imported where a text is signed

WORDS_TO_SPARE = 12
"""In a text with fewer words each word belongs to its subject, so none may differ."""

_KINDS = """\
no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty hundred dozen few several many
一 二 两 三 四 五 六 七 八 九 十 百 几

left right above below over under beneath underneath beside between behind near on in top bottom front inside outside
左 右 上 下 前 后 里 外

red orange yellow green blue purple pink brown black white gray grey golden silver teal cyan turquoise crimson scarlet
violet magenta maroon navy beige tan
红 橙 黄 绿 蓝 紫 粉 棕 黑 白 灰 金 银 青

wood wooden stone metal metallic steel iron gold golden silver bronze copper glass crystal paper cardboard plastic
styrofoam marble brick concrete clay leather wool silk ice
木 石 铁 钢 铜 金 银 纸 砖 布 皮 冰
"""
KINDS = [set(kind.split()) for kind in _KINDS.split("\n\n")]
"""Counts, places, colours and materials, also in Chinese, where each character is a word: one that is replaced by
another of its kind makes a different picture."""


def similarity(one: str, other: str) -> float:
    """Return how much of two texts' words they share in the same order, 0..1, where clauses may stand in any order.

    It is the Jaccard similarity c / (a + b - c) of their words, where c counts words that agree in order. For each
    clause of one text, c adds the longest common subsequence with the other text. The better direction counts, because
    one text may have lost its commas, and c is at most what the texts share in any order. With one of twelve words
    replaced it is 11 / (12 + 12 - 11) = 0.846. It is 1.0 also if only the splitting of words differs ("top hat",
    "tophat"). It is 0.0 if numbers or quoted words differ, if a count, place, colour or material is replaced by
    another, or if the first word differs of what it is a photo (painting, ...) of.
    """
    return _similarity(Reading(one), Reading(other))


class Reading:
    """A text split into words. Values that only a close comparison needs are computed on request.

    Words ignore compatibility forms (NFKC), case, punctuation and white space. A Chinese or Japanese character or an
    emoji is a word of its own; an apostrophe joins.
    """

    def __init__(self, text: str) -> None:
        # Without case before anything else, so that texts which differ in case only are the same in all that follows.
        folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.casefold()).casefold()
        self.normal = _THOUSANDS.sub("", folded)
        self.words = self.normal.translate(_SIGNS).split()
        self.spelling = "".join(self.words) or without_case_and_space(text)
        """All words joined, so that splitting does not matter. A text without words is compared exactly, as itself."""

    @cached_property
    def shingles(self) -> frozenset[str]:
        return _multiset(self.words)

    @property
    def letters(self) -> bytes:
        """Return 64 bits of a digest of all letters without order, which is equal for all texts of similarity 1.0."""
        return hashlib.blake2b("".join(sorted(self.spelling)).encode(), digest_size=8).digest()

    @cached_property
    def clauses(self) -> list[list[str]]:
        return [clause.translate(_SIGNS).split() for clause in _CLAUSE_END.split(self.normal)]

    @cached_property
    def places(self) -> dict[str, int]:
        """Return for each word a row of bits, 1 at its positions in the text."""
        places: dict[str, int] = {}
        for place, word in enumerate(self.words):
            places[word] = places.get(word, 0) | 1 << place
        return places

    @cached_property
    def numbers(self) -> list[str]:
        return sorted(_NUMBER.findall(self.normal))

    @cached_property
    def subjects(self) -> set[str]:
        return set(_SUBJECT.findall(" ".join(self.words)))

    @cached_property
    def lettering(self) -> list[list[str]]:
        """Return the words of each quotation; one without words (a sign that says "?") is kept as it is."""
        pieces = ["".join(groups) for groups in _QUOTATION.findall(self.normal.translate(_QUOTES))]
        return sorted(piece.translate(_SIGNS).split() or [piece] for piece in pieces)


def _multiset(some: list[str]) -> frozenset[str]:
    """Return words with their number of occurrences as a set: the second "a" is "a#2"."""
    count = dict.fromkeys(some, 0)
    if len(count) == len(some):
        return frozenset(some)
    for word in some:
        count[word] += 1
    return frozenset([*some, *(f"{word}#{n}" for word, most in count.items() for n in range(2, most + 1))])


def without_case_and_space(text: str) -> str:
    """Return what exact duplicates have in common: the text without regard to case and amount of white space."""
    return " ".join(text.casefold().split())


def jaccard(one: Reading, other: Reading) -> float:
    """Jaccard similarity of the words in any order, 0..1: at least their similarity, where words are split alike."""
    common = len(one.shingles & other.shingles)
    return common / ((len(one.words) + len(other.words) - common) or 1)


def near_duplicate_similarity(one: Reading, other: Reading, least_similarity: float) -> float:
    if min(len(one.words), len(other.words)) < WORDS_TO_SPARE:
        least_similarity = 1.0
    if one.spelling != other.spelling and jaccard(one, other) < least_similarity:
        return 0.0  # spares the close comparison
    found = _similarity(one, other)
    return found if found >= least_similarity else 0.0


def _similarity(one: Reading, other: Reading) -> float:
    if one.numbers != other.numbers or not _same_lettering(one, other) or _differ_in_kind(one, other):
        return 0.0
    if one.spelling == other.spelling:
        return 1.0
    in_order = max(_in_order(one, other), _in_order(other, one))
    common = min(in_order, len(one.shingles & other.shingles))
    return common / ((len(one.words) + len(other.words) - common) or 1)


def _same_lettering(one: Reading, other: Reading) -> bool:
    """Return whether both quote the same, or, if only one quotes, whether the other has its words without quotes."""
    if one.lettering and other.lettering:
        return one.lettering == other.lettering
    unmarked = f" {' '.join(one.words if other.lettering else other.words)} "
    return all(f" {' '.join(piece)} " in unmarked for piece in one.lettering or other.lettering)


def _differ_in_kind(one: Reading, other: Reading) -> bool:
    gone = {shingle.partition("#")[0] for shingle in one.shingles - other.shingles}
    come = {shingle.partition("#")[0] for shingle in other.shingles - one.shingles}
    kinds = [*KINDS, one.subjects | other.subjects]
    return any(gone & kind and come & kind for kind in kinds)


def _in_order(one: Reading, other: Reading) -> int:
    """Return the sum of the longest common subsequences of one text's clauses with the whole other text.

    Each is computed word by word, with the other text as a row of bits (H. Hyyrö, Bit-parallel LCS-length computation
    revisited, 2004): a 0 bit marks a place where the length grows.
    """
    row = (1 << len(other.words)) - 1
    length = 0
    for clause in one.clauses:
        unmatched = row
        for word in clause:
            matches = unmatched & other.places.get(word, 0)
            unmatched = (unmatched + matches | unmatched - matches) & row
        length += len(other.words) - unmatched.bit_count()
    return length


class _Signs(dict[int, str]):
    """The replacement of each character in words, computed when it first occurs."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "So" or unicodedata.name(character, "").startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA")):
            self[code] = f" {character} "
        elif character in "'’" or category == "Cf" or 0xFE00 <= code <= 0xFE0F:  # joiners, variation selectors
            self[code] = ""
        else:
            self[code] = character if category[0] in "LMN" else " "
        return self[code]


_SIGNS = _Signs()
_CLAUSE_END = re.compile(r"[,.;:!?()\[\]{}|–—、。]+|\s-+\s")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_NUMBER = re.compile(r"\d+")
_SUBJECT = re.compile(r"(?:photo|photograph|picture|image|painting|portrait|drawing|print|view) of (?:an? |the )?(\S+)")
_QUOTES = str.maketrans("“”„«»「」『』‘’", '"""""""""' + "''")
_QUOTATION = re.compile(r""""(.+?)"|(?<!\w)'(.+?)'(?!\w)""")


# Texts of Jaccard similarity J have a given band in common with probability J^ROWS, and at least one band of B with
# 1 - (1 - J^ROWS)^B. B is chosen so that this is 0.99 at the least similarity; for 0.845 that takes 23 bands:
#   J = 11/13: 1 - (1 - 0.188)^23 = 0.992;  0.75: 1 - (1 - 0.0563)^23 = 0.736;  0.5: 1 - (1 - 0.00098)^23 = 0.022
ROWS = 10
MISSED = 0.01
SEED = 1


def count_bands(least_similarity: float) -> int:
    """Return how many bands of ROWS rows find all but a share MISSED of pairs of the least similarity, 0.7..1."""
    require_similarity(least_similarity)
    return math.ceil(math.log(MISSED) / math.log1p(-min(least_similarity**ROWS, 1 - MISSED)))


def require_similarity(least_similarity: float) -> None:
    if not 0.7 <= least_similarity <= 1:
        raise ValueError(f"least_similarity must be between 0.7 and 1, not {least_similarity}")


def minhash(reading: Reading, bands: int) -> MinHash:
    signature = _empty(bands).copy()
    signature.update_batch(reading.shingles)
    return signature


@lru_cache(maxsize=1)
def _empty(bands: int) -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=bands * ROWS, seed=SEED, hashfunc=_word_hash)


@lru_cache(maxsize=1 << 17)
def _word_hash(word: str) -> int:
    return int.from_bytes(hashlib.sha1(word.encode()).digest()[:4], "little")  # as datasketch.sha1_hash32


class Index:
    """A small, fixed set of texts in which the near-duplicates of other texts are found; none is missed."""

    def __init__(self, texts: Sequence[str], least_similarity: float) -> None:
        """Raise ValueError for a `least_similarity` outside 0.7..1."""
        require_similarity(least_similarity)
        self.least_similarity = least_similarity
        self.readings = [Reading(text) for text in texts]
        self.lengths = np.array([len(reading.words) for reading in self.readings], np.int64)
        self.of_letters = grouped((_letters_in_sum(one), at) for at, one in enumerate(self.readings))
        to_spare = ((at, one) for at, one in enumerate(self.readings) if len(one.words) >= WORDS_TO_SPARE)
        words = ((self._step(len(one.words)), word, at) for at, one in to_spare for word in dict.fromkeys(one.words))
        holding = grouped(((near, word), at) for step, word, at in words for near in (step - 1, step, step + 1))
        self.holding: dict[int, dict[str, NDArray[np.int32]]] = {}
        """For each step of lengths, the texts that may be near, by their words."""
        for (step, word), places in holding.items():
            self.holding.setdefault(step, {})[word] = np.array(places, np.int32)

    def _step(self, words: int) -> int:
        """Return the step of a length: near-duplicates are at most one step apart."""
        return math.floor(math.log(words) / -math.log(min(self.least_similarity, 0.99)))

    def near(self, text: str) -> list[tuple[int, float]]:
        """Return position and similarity of all near-duplicates, the most similar first, then the earliest."""
        reading = Reading(text)
        candidates = {*self.of_letters.get(_letters_in_sum(reading), ()), *self._with_its_words(reading.words)}
        found = [
            (position, near_duplicate_similarity(reading, self.readings[position], self.least_similarity))
            for position in candidates
        ]
        return sorted((one for one in found if one[1]), key=lambda one: (-one[1], one[0]))

    def _with_its_words(self, words: Sequence[str]) -> Iterator[int]:
        """Yield texts with enough of these words to be near: c / (a + b - c) has to reach the least similarity."""
        if len(words) < WORDS_TO_SPARE:
            return
        near = self.holding.get(self._step(len(words)), {})
        known = [places for places in map(near.get, words) if places is not None]
        if len(known) >= self.least_similarity * len(words) - 1e-9:
            common = np.bincount(np.concatenate(known), minlength=len(self.lengths))
            wanted = self.least_similarity * (self.lengths + len(words)) - 1e-9
            yield from np.flatnonzero((1 + self.least_similarity) * common >= wanted).tolist()


def _letters_in_sum(reading: Reading) -> tuple[int, int]:
    """Return what is the same for all texts of the same letters in any order."""
    return len(reading.spelling), sum(reading.spelling.encode())
