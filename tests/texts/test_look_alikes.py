"""Look-alikes and marks: what reads as a Latin word is one, and no other script loses a letter."""

from __future__ import annotations

import csv
import unicodedata

import pytest

from gamut.texts.look_alikes import LOOK_ALIKES, without_look_alikes
from gamut.texts.near_duplicates import similarity
from tests.paths import ROOT


def test_letters_of_alphabets_stand_for_those_they_look_like() -> None:
    assert set(LOOK_ALIKES.values()) == set("abcdefghijklmnopqrstuvwxyz")
    assert all(code > 127 for code in LOOK_ALIKES)
    assert all(unicodedata.normalize("NFKC", chr(code)) == chr(code) for code in LOOK_ALIKES), "NFKC has the others"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('A cat\'s "OPEN" sign, 3 m wide', 'A cat\'s "OPEN" sign, 3 m wide'),
        ("ｃá҉т", "cat"),
        ("c̷͓a̶t̵ ᴄᴀᴛ 𝓬𝓪𝓽 ⓒⓐⓣ 🅲🅰🆃 🇨🇦🇹", "cat cat cat cat cat cat"),
        ("ca\u3164t c\u034fat c\u02c8at ca\U000e0100t", "cat cat cat cat"),
        ("Ꭲhe сосоа on а тор", "the cocoa on a top"),
        ("café, Łódź, naïve, smørrebrød, tiếng Việt", "cafe, lodz, naive, smorrebrod, tieng Viet"),
        ("ϲat Ϲat", "cat Cat"),
        ("3\u0336 cats, \u05b0 \u05b0dogs", "3 cats,  dogs"),
        ("红\u0336色\u05b0的\U000e0100 犬\u3099 сат", "红色的 犬 cat"),
    ],
)
def test_what_reads_as_latin_is_latin(text: str, read: str) -> None:
    assert without_look_alikes(text) == read and without_look_alikes(read) == read


@pytest.mark.parametrize(
    "text",
    [
        "Мой кролик спит, ёж пьёт чай", "қазақ әліпбиі", "η γάτα παίζει στο φως", "कि कु की", "ภาพวาดแมว", "קָטָן", "القِطّ",
        "一只猫坐在木桌上", "がか ガカ ラーメン 人々", "고양이가 자고 있다", "п’ять пʼять",
    ],
)  # fmt: skip
def test_other_scripts_keep_their_letters_and_marks(text: str) -> None:
    words = without_look_alikes(text).split()
    kept = [word for word, as_read in zip(text.split(), words, strict=True) if word == as_read]
    assert all(as_read.isascii() for word, as_read in zip(text.split(), words, strict=True) if word not in kept)
    assert len(kept) >= 1 and without_look_alikes(unicodedata.normalize("NFD", text)).split() == words


def test_texts_of_other_scripts_that_differ_stay_apart() -> None:
    for one, other in [
        ("мой кот", "мои коты"), ("быть", "выть"), ("он не спит", "он ће спит"), ("кот", "рот"), ("कि", "कु"),
        ("がん", "かん"), ("一只猫", "一只狗"), ("θα", "σα"), ("ο τόνος", "σ τόνος"), ("қар", "кар"),
    ]:  # fmt: skip
        assert without_look_alikes(one) != without_look_alikes(other)


SOME = 40


@pytest.fixture(scope="module")
def prompts() -> list[str]:
    with (ROOT / "tests/data/parti/PartiPrompts.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row["Prompt"] for row in rows][: 40 * SOME : 40]


ALIKE = {letter: [chr(code) for code, read in LOOK_ALIKES.items() if read == letter] for letter in "abcdefghijklmnop"}


@pytest.mark.parametrize("mark", ["\u0301", "\u0489", "\u20dd", "\u05b0", "\ufe20", "\u0941"])
def test_marks_on_every_letter_hide_nothing(prompts: list[str], mark: str) -> None:
    hidden = ["".join(one + mark if one.isalpha() else one for one in text) for text in prompts]
    assert [
        similarity(without_look_alikes(one), without_look_alikes(text))
        for one, text in zip(hidden, prompts, strict=True)
    ] == [1.0] * SOME


@pytest.mark.parametrize("number", range(0, 12, 3))
def test_look_alikes_hide_nothing(prompts: list[str], number: int) -> None:
    def like(letter: str) -> str:
        others = ALIKE.get(letter.lower())
        return others[number % len(others)] if others and letter.islower() else letter

    hidden = ["".join(map(like, text)) for text in prompts]
    assert [
        similarity(without_look_alikes(one), without_look_alikes(text))
        for one, text in zip(hidden, prompts, strict=True)
    ] == [1.0] * SOME
