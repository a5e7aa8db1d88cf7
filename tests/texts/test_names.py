from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.texts.names import BETWEEN, PLAIN_WORDS, name_word_in, words_of


@pytest.mark.parametrize(
    ("text", "names", "word"),
    [
        ("An animal that eats bamboo.", ["a panda"], None),
        ("A panda-like animal.", ["a panda"], "panda"),
        ("One of the PANDAS.", ["a panda"], "panda"),
        ("The panda's home.", ["a panda"], "panda"),
        ("One of the cherries.", ["cherry"], "cherry"),
        ("The last pyramid.", ["Pyramids of Giza"], "pyramids"),
        ("A hat that stands on a table.", ["a cat"], None),  # words are whole
        ("The wall that emperors built.", ["Great Wall of China"], "wall"),
        ("The tower of the world's fair of 1889.", ["Louvre", "Tour of France"], None),  # "of" names nothing
        ("它是一座大城堡。", ["城堡"], "城堡"),
        ("the mice of laboratories", ["mouse"], None),  # what has another form altogether a person has to see
        ("the cats of laboratories", ["cat"], "cat"),
        ("a tower of Paris", ["The Eiffel Tower"], "tower"),
        ("the author of a book", ["The Author"], "author"),
        ("the wife of a man", ["Of the"], None),
        ("a planet\u2014Jupiter\u2014in the sky", ["Jupiter"], "jupiter"),
        ("Mars/Jupiter seen at night", ["Jupiter"], "jupiter"),
        ("the planet.Jupiter", ["Jupiter"], "jupiter"),
        ("a lo fi studio", ["Los Angeles"], None),  # an s of three letters is no plural's
        ("a u turn", ["US Capitol"], None),
    ],
)
def test_a_text_that_names(text: str, names: list[str], word: str | None) -> None:
    assert name_word_in(text, names) == word


@settings(max_examples=40)
@given(st.text(max_size=40), st.text("abc -'", min_size=1, max_size=12))
def test_what_holds_the_name_itself_names_it(text: str, name: str) -> None:
    """But for names of plain words alone, or of no letters."""
    letters = [word for word in BETWEEN.sub(" ", name).replace("'", "").split() if word]
    if any(word not in PLAIN_WORDS for word in letters):
        assert name_word_in(f"{text} {name} {text}", [name]) is not None


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("C'est la vie", [4, 2, 3]),  # an apostrophe is no letter
        ("Γνῶθι σεαυτόν", [5, 7]),
        ("Buenos di\u0301as", [6, 4]),  # a mark of its own upon the i
        ("画蛇添足", [4]),
        ("שלום", [4]),
        ("Fish & chips", [4, 5]),  # a word without letters is none
    ],
)
def test_letters_of_any_script_are_counted(text: str, lengths: list[int]) -> None:
    assert [len(word) for word in words_of(text)] == lengths
