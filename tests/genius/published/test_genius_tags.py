"""Names of pictures in published texts, and what a consistency hint is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.curating.findings import Findings
from stages.genius.layout import hint_of, mended, names_in


@pytest.mark.parametrize(
    ("text", "whole", "told"),
    [
        ("see <image:a.png>, <image: a b.png > and <image1>", None, []),
        ("see <Image:a>", "see <image:a>", [("<Image:a>", "<image:a>")]),
        ("see < image ： 图 1.png >", "see <image:图 1.png>", [("< image ： 图 1.png >", "<image:图 1.png>")]),
        ("see <image a.png>", None, [("<image a.png>", None)]),
        ("see <image:>", None, [("<image:>", None)]),
        ("see <IMAGE: >", None, [("<IMAGE: >", None)]),
        ("see </image:a>", None, [("</image:a>", None)]),
        ("<imagery> 1 < 2 > image:a", None, []),
    ],
)
def test_names_that_are_misspelt_are_told(text: str, whole: str | None, told: list[tuple[str, str | None]]) -> None:
    said = Findings("1")
    assert mended("context", text, said) == (text if whole is None else whole)
    assert said == [("1", "context", "placeholder", found, fix) for found, fix in told]


def test_names_stand_once_in_the_order_in_which_they_are_named() -> None:
    assert names_in("<image:b> <image: a >", "<image:b> <image:c.png>") == ["b", "a", "c.png"]
    assert names_in("<image: >") == [""] and names_in("<image1> image:a") == []


@pytest.mark.parametrize(
    ("text", "hint", "reference"),
    [
        ("<image:a.png> The dog stays.", "The dog stays.", "a.png"),
        ("  <image: a.png >：The dog stays. ", "The dog stays.", "a.png"),
        ("<image:a.png>狗不变", "狗不变", "a.png"),
        ("The dog of <image:a.png> stays.", "The dog of <image:a.png> stays.", "a.png"),
        ("<image:a> It stays as in <image:b>.", "It stays as in <image:b>.", "a"),
        ("<image:a><image:a> stays", "<image:a> stays", "a"),
        ("<image: > <image:b> stays", "<image: > <image:b> stays", "b"),
        ("The dog stays.", "The dog stays.", None),
        ("<image1> The dog stays.", "<image1> The dog stays.", None),
        ("<image:a.png> : ", "", "a.png"),
        ("", "", None),
    ],
)
def test_a_hint_is_about_the_first_picture_that_it_names(text: str, hint: str, reference: str | None) -> None:
    assert hint_of(text) == (hint, reference)


@given(st.text(st.sampled_from("<>imageIMAGE:： /1a\n"), max_size=30))
def test_whatever_is_mended_stays_mended(text: str) -> None:
    first, said = Findings("1"), Findings("1")
    once = mended("context", text, first)
    assert mended("context", once, said) == once
    assert [one.found for one in said] == [one.found for one in first if one.fix is None]
