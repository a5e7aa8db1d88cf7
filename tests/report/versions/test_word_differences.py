"""Word by word: what is gone and what is new, against a plain longest common sequence."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.report.versions.words import WORD, Span, matched, word_differences


def marked(before: str, after: str) -> tuple[str, str]:
    sides = word_differences(before, after)
    first, second = ("".join(f"[{s.text}]" if s.changed else s.text for s in side) for side in sides)
    return first, second


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a red fox sits", "a blue fox sits", ("a [red ]fox sits", "a [blue ]fox sits")),
        ("a fox", "a fox sits", ("a fox", "a fox [sits]")),  # the blank behind fox makes no other word of it
        ("a fox.", "a fox!", ("a fox[.]", "a fox[!]")),
        ("画面里有狐狸", "图像里有狐狸", ("[画面]里有狐狸", "[图像]里有狐狸")),
        ("one two three", "three one two", ("one two [three]", "[three ]one two")),
        ("", "new", ("", "[new]")),
        ("a fox", "a  fox", ("[a fox]", "[a  fox]")),
        ("same", "same", ("same", "same")),
        ("x y", "p q r", ("[x y]", "[p q r]")),
    ],
)
def test_what_is_gone_and_what_is_new(before: str, after: str, said: tuple[str, str]) -> None:
    assert marked(before, after) == said


def longest(ours: str, theirs: str) -> int:
    """The table as it stands in every textbook."""
    above = [0] * (len(theirs) + 1)
    for one in ours:
        row = [0]
        for n, other in enumerate(theirs):
            row.append(above[n] + 1 if one == other else max(above[n + 1], row[n]))
        above = row
    return above[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_a_longest_common_sequence(ours: str, theirs: str) -> None:
    pairs = matched(list(ours), list(theirs))[::-1]
    assert all(ours[n] == theirs[m] for n, m in pairs)
    assert all(n < p and m < q for (n, m), (p, q) in pairwise(pairs))
    assert len(pairs) == longest(ours, theirs)


@given(st.text("ab 画.\n_é\u202e", max_size=40), st.text("ab 画.\n_é\u202e", max_size=40))
def test_nothing_is_lost_and_what_is_common_is_the_same(before: str, after: str) -> None:
    ours, theirs = word_differences(before, after)
    assert ("".join(s.text for s in ours), "".join(s.text for s in theirs)) == (before, after)
    common = [["".join(s.text for s in side if not s.changed).split()] for side in (ours, theirs)]
    assert "".join(common[0][0]) == "".join(common[1][0])
    assert any(s.changed for s in [*ours, *theirs]) == (before != after)


@given(st.text("ab 画.\n\t_é\u202e\U0001f600", max_size=80))
def test_words_hold_every_character(text: str) -> None:
    assert "".join(WORD.findall(text)) == text


def test_the_worst_texts_take_no_time() -> None:
    # 10,000 words of two kinds in another order; a table of 100 million cells would take a minute.
    before, after = "a b " * 5000, "b b a " * 3333
    start = time.perf_counter()
    ours, _ = word_differences(before, after)
    assert time.perf_counter() - start < 3 and isinstance(ours[0], Span)
