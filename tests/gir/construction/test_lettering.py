from __future__ import annotations

from pathlib import Path

import pytest

from stages.gir.construction.draw_lettering import Riddle, letterings, prompt, read_pools, words_of
from stages.gir.construction.words import POOLS, WORLD_POOLS
from stages.project.errors import UserError
from stages.sandbox.vocabulary import LETTERING

GENERAL, WORLD = read_pools(POOLS), read_pools(WORLD_POOLS)


@pytest.mark.parametrize("pools", [GENERAL, WORLD], ids=["general", "world"])
def test_a_run_has_every_phrase_at_most_once(pools: object) -> None:
    cases = list(letterings(1, len(pools.riddles), pools))
    assert sorted(case.text for case in cases) == sorted(riddle.text for riddle in pools.riddles)
    assert len({case.prompt for case in cases}) == len(cases)
    assert list(letterings(1, 10, pools)) == cases[:10]
    assert list(letterings(2, 10, pools)) != cases[:10]


def test_more_than_the_pool_has_is_an_error() -> None:
    with pytest.raises(ValueError, match=f"1,000 cases are wanted, the pool has {len(WORLD.riddles)}"):
        letterings(1, 1000, WORLD)


def test_the_prompt_says_how_long_the_words_are_and_not_what_they_are() -> None:
    case = next(case for case in letterings(1, 50, GENERAL) if case.text == "Row row row your boat")
    assert case.prompt.endswith("five words of three, three, three, four and four letters or characters.")
    for case in letterings(1, 40, WORLD):
        assert not {word for word in words_of(case.text) if len(word) > 3} & set(words_of(case.prompt))


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


def test_one_word_is_told_as_one() -> None:
    riddle = Riddle(clue="What you breathe.", text="AIR")
    assert prompt(riddle, GENERAL.words).endswith(": one word of three letters or characters.")


def test_the_world_can_write_what_its_pool_asks_for() -> None:
    assert {riddle.text for riddle in WORLD.riddles} <= set(LETTERING)


def test_the_pool_has_many_scripts() -> None:
    texts = "".join(riddle.text for riddle in GENERAL.riddles)
    ranges = {"Latin": "az", "Cyrillic": "ая", "Greek": "αω", "Hebrew": "את", "Arabic": "اي", "Han": "一龥"}
    ranges |= {"Devanagari": "अह", "Hangul": "가힣", "Kana": "ぁん"}
    assert [name for name, (low, high) in ranges.items() if not any(low <= sign <= high for sign in texts)] == []


@pytest.mark.parametrize(
    ("riddles", "why"),
    [
        ("[{clue: Look at what you open., text: OPEN}]", "the clue to 'OPEN' holds open: say it otherwise"),
        ("[{clue: Say 你好 to me., text: 你好}]", "the clue to '你好' holds it"),
        ("[{clue: One., text: A}, {clue: one., text: B}]", "'one.' stands there 2 times"),
        ("[{clue: One., text: A b}, {clue: Two., text: a B}]", "'a b' stands there 2 times"),
    ],
)
def test_riddles_that_tell_or_come_twice(tmp_path: Path, riddles: str, why: str) -> None:
    (tmp_path / "lettering.yaml").write_text(f"riddles: {riddles}")
    with pytest.raises(UserError, match=why):
        read_pools(tmp_path)
