"""Text rendering: each case with what the released formula makes of it, and what is right.

Released: of a-z, digits and blanks, the different wanted words that are substrings of the text, by all wanted words.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.gir.shared.measures.text import released_score, score, words_of
from tests.gir.measures.observed import line

CASES = {
    # wanted, lines, released, right
    "as wanted": ("Just do it", ["Just do it"], 3 / 3, 3 / 3),
    "with more around it": ("Just do it", ["Nike", "Just do it", "since 1988"], 3 / 3, 3 / 3),
    "one word misspelt": ("Just do it", ["Jusl do it"], 2 / 3, 2 / 3),
    "nothing": ("Just do it", [], 0, 0),
    # different words: row, your, boat. 3 / 5 of a perfect picture
    "repeated words": ("Row row row your boat", ["Row row row your boat"], 3 / 5, 5 / 5),
    # {row, your, boat} are all there: 3 / 5 as before, and now that is right, as two rows are lacking
    "repeated words, drawn once": ("Row row row your boat", ["Row your boat"], 3 / 5, 3 / 5),
    "drawn more often than wanted": ("row your boat", ["row row row your boat"], 3 / 3, 3 / 3),
    # "it" is a substring of "with", and "do" of "door": 3 / 3. Neither word is there
    "within other words": ("Just do it", ["just with doors"], 3 / 3, 1 / 3),
    "a digit within a number": ("Gate 1", ["Gate 10"], 2 / 2, 1 / 2),
    # glued: substrings, and a piece that is three words, one behind the other
    "without blanks": ("Just do it", ["JUSTDOIT"], 3 / 3, 3 / 3),
    # "carpet" glues nothing that is wanted in a row: "car" and "pet" are substrings; "car to pet" is wanted
    "glued, but others": ("car to pet", ["carpet"], 2 / 3, 0 / 3),
    # the released text has no "today"; the reader saw a blank too many
    "a blank too many": ("open today", ["open to day"], 1 / 2, 2 / 2),
    "over two lines": ("Mind the gap", ["MIND THE", "GAP"], 3 / 3, 3 / 3),
    "in another order": ("Mind the gap", ["gap the mind"], 3 / 3, 3 / 3),  # s_wc knows no order
    # apostrophes and hyphens go from both: dont, wellknown
    "punctuation": ("Don't stop, well-known!", ["DONT STOP WELL-KNOWN"], 3 / 3, 3 / 3),
    # é goes, which leaves "caf": a substring of "cafeteria"
    "accents": ("Café", ["cafeteria"], 1 / 1, 0 / 1),
    # nothing is left of 小心地滑: 0. Four characters, of which three stand there in a row, then all
    "Chinese": ("小心地滑", ["小心地滑"], 0, 4 / 4),
    "Chinese, one wrong": ("小心地滑", ["小心地骨"], 0, 3 / 4),
    "Chinese and Latin": ("欢迎 to 上海", ["欢迎TO上海"], 1 / 1, 5 / 5),
    "Greek": ("ΓΝΩΘΙ ΣΕΑΥΤΟΝ", ["γνωθι σεαυτον"], 0, 2 / 2),
    "Hindi": ("नमस्ते दुनिया", ["नमस्ते दुनिया"], 0, 2 / 2),  # vowel signs belong to their letters
    # "straße" loses its ß: "strae" is not in "strasse". Case-folded both are "strasse"
    "sharp s": ("Straße", ["STRASSE"], 0, 1 / 1),
    # full-width letters and digits are no a-z: nothing is left of the text. NFKC makes them plain
    "full width": ("SALE 50", ["ＳＡＬＥ ５０"], 0, 2 / 2),
}


@pytest.mark.parametrize(("wanted", "lines", "as_released", "right"), CASES.values(), ids=CASES)
def test_both_forms(wanted: str, lines: list[str], as_released: float, right: float) -> None:
    read = [line(text) for text in lines]
    assert released_score(wanted, read) == pytest.approx(as_released)
    assert score(wanted, read) == pytest.approx(right)


COMMON = (
    "the be to of and a in that have I it for not on with he as you do at this but his by from they we say her she or "
    "an will my one all would there their what so up out if about who get which go me when make can like time no just "
    "him know take people into year your good some could them see other than then now look only come its over think"
)


@pytest.mark.parametrize("wanted", ["Just do it", "Think different", "Impossible is nothing", "To be or not to be"])
def test_a_wall_of_words_is_worth_nothing(wanted: str) -> None:
    """Ninety common words, also where the phrase stands beside them; the phrase, again and again, is no other."""
    wall = [line(COMMON), line(wanted)]
    assert score(wanted, wall) == score(wanted, wall[:1]) == 0
    assert released_score(wanted, wall) > 0.6
    assert score(wanted, [line(wanted)] * 20) == 1


def test_a_little_other_lettering_costs_nothing() -> None:
    """Eight words are free; each more takes one of three off. Where six are wanted, twice as many are free."""
    little = [line("Nike"), line("Just do it"), line("since 1988 www.nike.com all rights reserved")]
    assert score("Just do it", little) == 1
    assert score("Just do it", [*little, line("Oregon")]) == 1
    assert score("Just do it", [*little, line("Oregon, USA")]) == pytest.approx(2 / 3)
    twelve = line("one two three four five six seven eight nine ten eleven twelve")
    assert score("To be or not to be", [line("to be or not to be"), twelve]) == 1
    assert score("To be or not to be", [line("to be or not to be"), twelve, line("Hamlet")]) == pytest.approx(5 / 6)


def test_lines_that_the_reader_is_not_sure_of() -> None:
    """Above 0.5, not at it: of "just do it" one word is left, 1 / 3."""
    read = [line("just do", 0.5), line("it", 0.501)]
    assert released_score("Just do it", read) == score("Just do it", read) == pytest.approx(1 / 3)


def test_a_text_without_words_is_no_case() -> None:
    assert released_score("♥", [line("♥")]) == 0
    with pytest.raises(ValueError, match="'♥' has no word"):
        score("♥", [line("♥")])


def test_words() -> None:
    assert words_of("  It’s\u00a050\u200b% OFF! ") == ["its", "50", "off"]
    assert words_of("ラーメン2杯") == ["ラ", "ー", "メ", "ン", "2", "杯"]
    assert words_of("ﬁn ①") == ["fin", "1"]
    assert words_of("กิน") == ["กิ", "น"]  # the vowel sign stays with its letter
    assert words_of("서울 시청") == ["서울", "시청"]  # Korean has blanks


@given(st.lists(st.text(min_size=1), min_size=1))
def test_what_is_drawn_as_wanted_is_right_in_any_script(texts: list[str]) -> None:
    wanted = " ".join(texts)
    if words_of(wanted):
        assert score(wanted, [line("Sale!"), *map(line, texts)]) == 1


def test_the_longest_run_is_taken_first() -> None:
    """Wanted: to, day, to. "today" covers the first two, "to" the third; were "to" taken for the first, day and the
    third to would be left to "today", which they are not.
    """
    assert score("to day to", [line("to today")]) == pytest.approx(3 / 3)
