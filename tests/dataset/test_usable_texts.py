"""What makes a text usable: cleaned the same way every time, long enough, with lettering where that is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.dataset.shared.texts import Caption, clean_text, is_latin, objection, objection_to_lettering


@pytest.mark.parametrize(
    ("caption", "prompt"),
    [
        ("a red cube", "a red cube"),
        ("  a \t red\r\n\n cube ", "a red cube"),
        ("a\x00red\x07cube\x1b[0m", "a red cube [0m"),
        ("\ud800a\udfff red \ue000cube", "a red cube"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\u00a0red\u3000cube\u2028", "a red cube"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("\x00\n\ud800", ""),
    ],
)
def test_clean(caption: str, prompt: str) -> None:
    assert clean_text(caption) == prompt


@given(st.text(st.characters(codec=None)) | st.text(st.sampled_from("e\u0301\x00\n \ud800\ue000ﬁÅ가")))
def test_cleaning_is_done_once(caption: str) -> None:
    once = clean_text(caption)
    assert clean_text(once) == once == once.strip()
    once.encode()  # raises on a lone surrogate
    assert "  " not in once and "\n" not in once


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("A red cube", None),
        ("Red cube", "fewer than three words"),
        ("A red cube.\n\nOn grass.", "must be one paragraph"),
        ("A red cube on grass.\n", None),
    ],
)
def test_objections(caption: str, words: str | None) -> None:
    found = objection(Caption(caption=caption), {})
    assert found is None if words is None else found and words in found


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ('A sign says "OPEN".', None),
        ("A sign says “OPEN”.", None),
        ("A sign says 'OPEN'.", "must quote"),
        ('A sign says "".', "must quote"),
        ("A sign says OPEN.", "must quote"),
        ('"OPEN" sign', "fewer than three words"),
        ('A sign says "OPEN".\nIt hangs.', "must be one paragraph"),
    ],
)
def test_lettering_is_quoted(caption: str, words: str | None) -> None:
    found = objection_to_lettering(Caption(caption=caption), {})
    assert found is None if words is None else found and words in found


@pytest.mark.parametrize(
    ("text", "latin"),
    [
        ("ein grüner Würfel", True),
        ("красный куб", False),
        ("a red cube 红色", True),  # 8 Latin letters, 2 others
        ("ab 红色", True),  # half and half
        ("a 红色", False),  # 1 of 3
        ("", True),
        ("123 ♥", True),
    ],
)
def test_is_latin(text: str, latin: bool) -> None:
    assert is_latin(text) is latin
