"""The words of others, made fit to be shown."""

from __future__ import annotations

import pytest

from stages.words import harmless, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("HTTP 500: kaputt – 坏了 👩‍🚀", "HTTP 500: kaputt – 坏了 👩‍🚀"),
        ("\x1b[31mred\x1b[0;1m, \x1b[?25l\x1b]0;title\x07", " red ,   ]0;title "),
        ("\x9b2Jgone\x7f\b", " 2Jgone  "),
        ("a\nb\r\nc\td", "a b  c d"),
        ("a\x0bb\x0cc\x85d\u2028e\u2029f", "a b c d e f"),
        ("\u202egpj.exe\u2066\u200f\u061c", " gpj.exe   "),
        ("\ufeff{\U000e0041\ud800", " {  "),
    ],
)
def test_what_does_more_than_be_read_becomes_a_blank(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert harmless(shown) == shown and shown.encode()


def test_every_control_character_is_harmful_and_no_letter_is() -> None:
    assert harmless("".join(map(chr, [*range(32), *range(127, 160)]))) == " " * 65
    letters = "".join(map(chr, [*range(32, 127), *range(161, 0x61C), *range(0x3040, 0xD800), *range(0x1F300, 0x1FAFF)]))
    assert harmless(letters) == letters


@pytest.mark.parametrize(("text", "line"), [("  a\n b ", "a b"), ("abcde", "abcde"), ("abcdef", "abcd…"), ("", "")])
def test_one_line_of_at_most_five_characters(text: str, line: str) -> None:
    assert one_line(text, 5) == line
