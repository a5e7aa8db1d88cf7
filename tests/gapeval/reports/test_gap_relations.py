"""Relations over contestants: the paper's Table 3 once more, families, other boards, and what cannot be told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.defining.parameters import Contestant
from stages.gapeval.reports.relations import (
    families_of,
    flat,
    in_words,
    kin_and_others,
    preference,
    ranking_values,
    related,
)
from tests.gapeval.reports.gap_boards import contestant

NAMES = ("bagel", "onecat", "uniworld", "unipic2", "show_o2", "omnigen2", "gemini_flash_image", "gpt_image_1")
GEMINI = dict(zip(NAMES, (72.96, 60.67, 66.64, 73.39, 72.33, 88.87, 62.65, 47.47), strict=True))
GPT = dict(zip(NAMES, (71.52, 54.73, 63.47, 68.97, 67.83, 89.74, 62.91, 50.61), strict=True))
"""Table 3 of the paper."""


def test_two_judges_as_printed() -> None:
    both = related(GEMINI, GPT)
    assert both.n == 8 and round(both.found["pearson"].value, 4) == 0.9656
    low, high = both.found["pearson"].low, both.found["pearson"].high
    assert low is not None and high is not None and (round(low, 2), round(high, 2)) == (0.82, 0.99)
    keys = dict(flat("judges.gemini.gpt", both))
    assert keys["judges.gemini.gpt.contestants"] == 8 and keys["judges.gemini.gpt.pearson"] == 0.966
    assert {f"judges.gemini.gpt.spearman{end}" for end in ("", "_lo", "_hi")} <= keys.keys()
    assert in_words(both).startswith("pearson 0.97 (0.82 to 0.99), spearman 0.") and in_words(both).endswith(
        "8 contestants"
    )


def test_what_cannot_be_told() -> None:
    three = dict([*GPT.items()][:3])
    assert related(GEMINI, three) == (3, {}) and dict(flat("x", related(GEMINI, three))) == {"x.contestants": 3}
    assert in_words(related(GEMINI, three)) == "not told of 3, at least 4 contestants are wanted"
    alike = related(GEMINI, dict.fromkeys(NAMES, 50.0))
    assert alike == (8, {}) and in_words(alike) == "not told, all 8 contestants are alike in one of the two"
    exact = related(GEMINI, {name: 2 * value for name, value in GEMINI.items()})
    assert exact.found["pearson"].low is None and dict(flat("x", exact))["x.pearson"] == 1.0
    assert in_words(exact) == "pearson 1.00, spearman 1.00; 8 contestants"


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=9))
def test_no_relation_is_nan(given: list[tuple[int, int]]) -> None:
    first, second = ({str(n): float(pair[side]) for n, pair in enumerate(given)} for side in (0, 1))
    keys = dict(flat("x", related(first, second)))
    assert keys["x.contestants"] == len(given) and all(value == value for value in keys.values())
    assert all(-1 <= value <= 1 for key, value in keys.items() if key != "x.contestants")


def test_the_paper_s_judges_do_not_favour_their_families() -> None:
    """Gemini gives its own -0.26 more, six others (1.44 + 5.94 + 3.17 + 4.42 + 4.5 - 0.87) / 6 = 3.1 more: 3.36 less.

    Their deviations have the squares 2.7556 + 8.0656 + 0.0049 + 1.7424 + 1.96 + 15.7609 = 30.2894, over 5 degrees of
    freedom: 2.570582 * sqrt(30.2894 / 5 * (1 + 1 / 6)) = 6.834.
    """
    apart = {name: GEMINI[name] - GPT[name] for name in NAMES}
    own = preference(apart, ["gemini_flash_image"], NAMES[:6])
    assert own is not None and own.low is not None and own.high is not None and own.n == 1
    assert [round(one, 2) for one in own[:3] if one is not None] == [-3.36, -10.19, 3.47]
    theirs = preference({name: -one for name, one in apart.items()}, ["gpt_image_1"], NAMES[:6])
    assert theirs is not None and round(theirs.value, 2) == 6.24 and theirs.low is not None and theirs.low < 0


def test_a_preference_that_cannot_be_told() -> None:
    apart = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    assert preference(apart, [], "abcd") is None and preference(apart, "abcd", []) is None
    assert preference(apart, "a", "bc") is None  # three
    assert preference(apart, "a", "bcx") is None  # of x nobody knows
    assert preference(dict.fromkeys("abcd", 1.0), "a", "bcd") == (0, None, None, 1)
    found = preference(apart, "a", "bcd")
    assert found is not None and found.value == -2 and found.low is not None and found.low < -2


def test_families() -> None:
    assert families_of(contestant(id="google/gemini-3-flash")) == {"google", "gemini"}
    assert families_of(contestant(id="gpt-image-1")) == {"gpt"} and families_of(contestant()) == set()
    pair = {"text": {"kind": "openai", "id": "gpt-5-mini"}, "image": {"kind": "openai", "id": "Qwen/Qwen-Image"}}
    assert families_of(Contestant.model_validate({"class": "unified", "models": pair})) == {"gpt", "qwen"}


def test_who_is_of_both_families_or_of_none_that_is_known_is_left_out() -> None:
    words = {"a": "gpt", "b": "gemini", "c": "bagel", "d": "", "e": "gpt gemini"}
    known = {name: frozenset(own.split()) for name, own in words.items()}
    assert kin_and_others(frozenset({"gpt"}), frozenset({"gemini", "google"}), known) == (["a"], ["c"])
    assert kin_and_others(frozenset({"gpt"}), frozenset({"gpt"}), known) == ([], ["b", "c"])
    assert kin_and_others(frozenset({"gpt"}), frozenset(), known) == ([], [])  # the other may be anybody's


def test_another_board_gives_what_it_ranks_by_of_those_it_ranks() -> None:
    start = "prism.v1.0.en.gpt"  # an edition may have dots
    board = {
        f"{start}.bagel.overall": 71.0,
        f"{start}.bagel.overall_scored": 71.5,
        f"{start}.bagel.rank_best": 1,
        f"{start}.bagel.style": 60.0,
        f"{start}.onecat.overall": 50.0,
        f"{start}.onecat.overall_scored": 51.0,
        f"{start}.onecat.coverage": 0.4,  # and no rank: too little was judged
        f"{start}.control_blank.overall": 1.0,
        f"{start}.control_blank.overall_scored": 1.0,
        "prism.v1.0.transfer.gpt.bagel.both": 40.0,
        "prism.v1.0.transfer.gpt.bagel.both_scored": 40.0,
        "prism.v1.0.transfer.gpt.bagel.rank_best": 2,
    }
    assert ranking_values(board, NAMES) == {
        f"{start}.overall": {"bagel": 71.0},
        "prism.v1.0.transfer.gpt.both": {"bagel": 40.0},
    }
    assert ranking_values(board, ["onecat", "en"]) == {}
    with pytest.raises(ValueError):
        ranking_values({**board, f"{start}.bagel.overall": "broken"}, NAMES)
