"""Balance: within a wave the lowest ranks stay, and nothing outside the wave matters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.dataset.balance import beyond, rank_of, unmatched
from stages.dataset.cues import CUES, characteristic
from stages.dataset.shared.parameters import CHARACTERISTICS, Prompts


def left_out(waves: list[int], kinds: list[int], ranks: list[int], wave: int, kind: int) -> tuple[list[int], list[int]]:
    limits = Prompts(max_characters=10, most_per_wave=wave, most_per_characteristic=kind)
    by_kind, by_wave = unmatched(*(np.array(a, np.int64) for a in (waves, kinds, ranks)), limits)
    return np.flatnonzero(by_kind).tolist(), np.flatnonzero(by_wave).tolist()


def test_the_lowest_ranks_of_a_characteristic_stay() -> None:
    # wave 0 has three prompts of kind 1 with ranks 30, 10, 20; two may stay: ranks 10 and 20. No kind, no limit.
    assert left_out([0, 0, 0, 0, 1], [1, 1, 1, -1, 1], [30, 10, 20, 99, 50], wave=9, kind=2) == ([0], [])


def test_then_the_lowest_ranks_of_a_wave_stay() -> None:
    # after rank 30 went for its kind, wave 0 has ranks 10, 20, 99 left and may keep two
    assert left_out([0, 0, 0, 0, 1], [1, 1, 1, -1, 1], [30, 10, 20, 99, 50], wave=2, kind=2) == ([0], [3])


def test_nothing_at_all() -> None:
    assert left_out([], [], [], wave=1, kind=1) == ([], [])


Rows = list[tuple[int, int]]
lists = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 5)), max_size=40)


@given(lists, lists, st.integers(1, 5), st.integers(1, 5))
def test_a_new_wave_changes_nothing(
    old: list[tuple[int, int]], new: list[tuple[int, int]], wave: int, kind: int
) -> None:
    ranks = [rank_of(f"w-{n:08d}", 0) for n in range(len(old) + len(new))]
    both = old + [(w + 3, k) for w, k in new]
    before = left_out([w for w, _ in old], [k for _, k in old], ranks[: len(old)], wave, kind)
    after = left_out([w for w, _ in both], [k for _, k in both], ranks, wave, kind)
    assert before == tuple([n for n in found if n < len(old)] for found in after)


@given(st.lists(st.integers(0, 3), max_size=50), st.integers(1, 10))
def test_no_group_keeps_more_than_it_may(groups: list[int], most: int) -> None:
    ranks = np.arange(len(groups), dtype=np.int64)[::-1].copy()
    over = beyond(np.array(groups, np.int64), ranks, most)
    for group in set(groups):
        members = [n for n, g in enumerate(groups) if g == group]
        kept = [n for n in members if not over[n]]
        assert kept == members[-min(most, len(members)) :]  # the last have the lowest ranks


def test_ranks_are_pinned() -> None:
    assert rank_of("w-00000000", 0) == 7001131835812773711  # the first 8 bytes of sha256("balance:0:..."), halved
    assert rank_of("w-00000000", 0) != rank_of("w-00000000", 1) != rank_of("w-00000001", 1)


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ('a shop with a sign that reads "OPEN", in the style of pop art', "text"),
        ("a floating island above a surreal desert", "imaginative"),
        ("a watercolour painting of a dog next to a cat", "style"),
        ("a lonely bench, melancholy mood", "abstract"),
        ("a red cube to the left of a blue ball", "composition"),
        ("the tower of Pisa at noon", "entity"),
        ("Three apples", None),
        ("a dog", None),
    ],
)
def test_cues(prompt: str, kind: str | None) -> None:
    assert characteristic(prompt) == kind


def test_cues_name_characteristics() -> None:
    assert set(CUES) | {"text", "entity"} == set(CHARACTERISTICS)
