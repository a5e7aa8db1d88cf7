"""The words of others, made fit to be shown; and numbers in words."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gamut.project.markdown import code_span, escape_markdown, markdown_table
from gamut.project.plain_text import decimals, harmless_text, signed_decimals

evil = st.text(st.sampled_from("*_+.`|\\<>&![](){}:;#-=~ \n\r\t\x1b\u2028\u202eaé1/\"'"), max_size=30)


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
    assert harmless_text(text) == shown
    assert harmless_text(shown) == shown and shown.encode()


def test_every_control_character_is_harmful_and_no_letter_is() -> None:
    assert harmless_text("".join(map(chr, [*range(32), *range(127, 160)]))) == " " * 65
    letters = "".join(map(chr, [*range(32, 127), *range(161, 0x61C), *range(0x3040, 0xD800), *range(0x1F300, 0x1FAFF)]))
    assert harmless_text(letters) == letters


def cells(markdown: str) -> list[list[Token]]:
    """What a Markdown table has in its cells; fails when there is anything but the table."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    assert (tokens[0].type, tokens[-1].type) == ("table_open", "table_close")
    assert sum(token.type == "tr_open" for token in tokens) == 2
    return [token.children or [] for token in tokens if token.type == "inline"]


def shown(cell: list[Token]) -> str:
    assert {token.type for token in cell} <= {"text", "text_special"}
    return "".join(token.content for token in cell)


@given(evil, evil)
def test_texts_of_others_stay_in_their_cells(one: str, other: str) -> None:
    found = cells(
        markdown_table(
            (escape_markdown(one) or "x", "b", "c"), [(escape_markdown(other), code_span(one), other.count("|"))]
        )
    )
    assert len(found) == 6
    assert shown(found[0]) == (harmless_text(one).strip() or "x" * (not one))
    assert shown(found[3]) == harmless_text(other).strip()
    if "\\" not in one and one.strip(" "):  # a bar behind backslashes shows one more of them
        [inside] = found[4]
        assert (inside.type, inside.content.strip()) == ("code_inline", harmless_text(one).strip())
    assert shown(found[5]) == str(other.count("|"))


@given(evil)
@example("- a")
@example("1. a")
@example("12) a")
@example("# a")
@example("> a")
@example("-- -")
@example("~~~")
@example("+")
@example("__a__ _b_ *c* **d** _e_1")
def test_a_line_of_others_is_a_paragraph_of_text(text: str) -> None:
    text = harmless_text(text).strip()
    found = MarkdownIt("commonmark").parse(escape_markdown(text))
    assert [token.type for token in found] == ["paragraph_open", "inline", "paragraph_close"] * bool(text)
    assert not text or shown(found[1].children or []) == text


def test_texts_that_do_no_harm_are_shown_as_they_are_written() -> None:
    for text in (
        "text_rendering",
        "no origin",
        "n < 1K & more",
        "C:\\Users",
        "a [draft] (1)",
        "-3.2",
        "1.5 of #3",
        "a - b",
    ):
        assert escape_markdown(text) == text
    assert (code_span("prompt_zh"), code_span("a`b"), code_span("`")) == ("`prompt_zh`", "``a`b``", "`` ` ``")
    assert markdown_table(("a", "b"), [("x|y", 1_000)]) == "| a | b |\n| --- | --- |\n| x\\|y | 1,000 |"


def test_halves_go_up_wherever_a_sum_was_taken() -> None:
    # (0.1 + 0.2) * 279.1666… and its like: 83.75 on one machine, 83.74999999999999 on another
    assert decimals(83.75) == decimals(83.74999999999999) == "83.8"
    assert decimals(81.5496) == decimals(81.55) == "81.6"  # as metric files round first: 81.5496 is 81.55 there
    assert (decimals(1234.5, 0), decimals(-0.04), decimals(-12.25)) == ("1,235", "0.0", "-12.3")
    assert decimals(0.31666, 4) == "0.3167"
    signs = [signed_decimals(value) for value in (0.05, 0.04, 0, -0.04, -0.05, 1234)]
    assert signs == ["+0.1", "0.0", "0.0", "0.0", "-0.1", "+1,234.0"]
