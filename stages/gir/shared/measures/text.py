"""Text rendering: the share of the wanted words in the picture, in which other words cost little (s_wc)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gamut.asking.seeing import Line
from gamut.evaluation.running.recognition import UNSPACED_SIGNS

CONFIDENCE = 0.5
"""A line counts above this confidence."""
UNSPACED = re.compile(f"[{UNSPACED_SIGNS}]")
"""Characters of scripts without spaces between words: each counts as a word, with its marks."""


FREE_WORDS, FREE_SHARE = 8, 2
"""So many other words may be in a picture, or this many times the number of wanted words."""


class Run(NamedTuple):
    """Words in a row, and pieces of the picture's text in a row with the same characters."""

    words: range
    pieces: range


def score(wanted: str, lines: Sequence[Line]) -> float:
    """Return the share of the wanted words that the picture's text covers, 0..1. ValueError if no word is wanted.

    Unlike in `released_score`, a word that is wanted three times must be there three times, and then counts three
    times. What covers words begins and ends where a piece of the text does: so "with" contains no "it", but "JUSTDOIT"
    has three words and "to day" has one, as readers see spaces badly. Letters of every script count, ignoring case and
    compatibility forms (NFKC). Some words besides the wanted ones cost nothing, as in the paper. Each further one
    subtracts a word, so that a wall of common words has score 0.
    """
    words = words_of(wanted)
    if not words:
        raise ValueError(f"{wanted!r} has no word")
    found, left = cover_words(words, words_of(text_of(lines)))
    others = sum(piece not in words for piece in left)
    return max(0, found - max(0, others - max(FREE_WORDS, FREE_SHARE * len(words)))) / len(words)


def released_score(wanted: str, lines: Sequence[Line]) -> float:
    """Return the share of wanted words that are substrings of the text, 0..1. Only a to z, digits and spaces count."""
    words, text = ascii_only(wanted).split(), ascii_only(text_of(lines))
    return len({word for word in words if word in text}) / len(words) if words else 0.0


def sure_lines(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.confidence > CONFIDENCE]


def text_of(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in sure_lines(lines))


def ascii_only(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9\s]", "", text.lower()).split())


def words_of(text: str) -> list[str]:
    """Return the words of a text, separated by spaces, without punctuation, case and compatibility forms."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept, alone = [], False
    for sign in folded:
        kind = unicodedata.category(sign)[0]
        if sign.isspace():
            kept.append(" ")
        elif kind == "M":  # belongs to the letter before it
            kept.append(sign)
        elif kind in "LN":
            unspaced = UNSPACED.match(sign) is not None
            kept += [" ", sign] if alone or unspaced else [sign]
            alone = unspaced
    return "".join(kept).split()


def cover_words(words: Sequence[str], pieces: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many words runs of pieces cover, the longest runs first, and the pieces that cover none."""
    runs = [
        run for word in range(len(words)) for piece in range(len(pieces)) for run in runs_of(words, pieces, word, piece)
    ]
    left, free = set(range(len(words))), set(range(len(pieces)))
    for run in sorted(runs, key=lambda run: (-len(run.words), len(run.pieces), run.words.start, run.pieces.start)):
        if left.issuperset(run.words) and free.issuperset(run.pieces):
            left.difference_update(run.words)
            free.difference_update(run.pieces)
    return len(words) - len(left), [pieces[place] for place in sorted(free)]


def runs_of(words: Sequence[str], pieces: Sequence[str], word: int, piece: int) -> Iterator[Run]:
    last_word, last_piece = word + 1, piece + 1
    meant, drawn = words[word], pieces[piece]
    while meant.startswith(drawn) or drawn.startswith(meant):
        if same := meant == drawn:
            yield Run(range(word, last_word), range(piece, last_piece))
        if same or len(meant) < len(drawn):
            if last_word == len(words):
                return
            meant, last_word = meant + words[last_word], last_word + 1
        else:
            if last_piece == len(pieces):
                return
            drawn, last_piece = drawn + pieces[last_piece], last_piece + 1
