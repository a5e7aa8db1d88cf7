"""Translations: Chinese, with quoted lettering word for word, or sent back."""

from __future__ import annotations

import pytest

from gamut.texts.chinese import Translation, objection, quoted_words, with_rendered_text


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("no lettering", []),
        ('a sign "OPEN" and "Café 24h"', ["OPEN", "Café 24h"]),
        ("a sign “OPEN”", ["OPEN"]),
        ('a "OPEN," sign and "OPEN."', ["OPEN"]),
        ('an empty ""', []),
    ],
)
def test_quoted(caption: str, words: list[str]) -> None:
    assert quoted_words(caption) == words


@pytest.mark.parametrize(
    ("caption", "translation", "words"),
    [
        ("a red cube", "一个红色的立方体", None),
        ("a red cube", "a red cube", "is not Chinese"),
        ("a red cube", "赤い", None),  # kanji are the same characters
        ("a red cube", "あかい", "is not Chinese"),
        ('a sign "OPEN"', '写着"OPEN"的牌子', None),
        ('a sign "OPEN"', "写着“OPEN”的牌子", None),
        ('a sign "OPEN"', "写着“营业”的牌子", "'OPEN'"),
        ('a sign "OPEN"', '写着"Open"的牌子', "'OPEN'"),
        ('"ONE" over "TWO"', "一在二之上", "'ONE', 'TWO'"),
        ('"OPEN"', '"OPEN"', "is not Chinese"),
        ('a sign "OPEN," above', "上方写着“OPEN”，的牌子", None),
        ("a red cube on grass", "The red cube is 红", "is not Chinese"),
    ],
)
def test_objection(caption: str, translation: str, words: str | None) -> None:
    fields = with_rendered_text({"caption": caption}, caption, quoted_words(caption))
    found = objection(Translation(translation=translation), fields)
    assert found is None if words is None else found and words in found


def test_inches_are_no_lettering() -> None:
    found = objection(Translation(translation="一根5英寸的管子和一个7英寸的环"), {"caption": 'a 5" pipe and a 7" ring'})
    assert found is None


def test_lettering_is_looked_for_as_words() -> None:
    assert with_rendered_text({"caption": "…"}, "A cat PAINTING a sign", ["a", "IN", "sign"]) == {
        "caption": "…",
        "lettering": "a\nsign",
    }
