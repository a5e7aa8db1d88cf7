"""Distinct-n and similarity to seed prompts, against hand arithmetic and against the plain definition."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.dataset.reporting.novelty import Distinct, nearest_seeds, novelty, positions, seed_words, similarities
from stages.dataset.shared import joins
from stages.texts.near_duplicates import words
from tests.dataset import small_build
from tests.dataset.small_build import I0, asked, decided, put


def test_the_small_build(project: Path) -> None:
    """Imagined: W, W, C with W = "a glass whale swims over the city", C = "clocks melt on a tower of sand".

    Seeds: S0 = "a whale of glass over a city", S1 = C. All prompts were shown S0 alone.
    Words: 7 + 7 + 7 = 21, different ones 7 + 6 ("a" is in both) = 13. Pairs: 6 + 6 + 6 = 18, different 12.
    Similarity of word sets to S0 {a whale of glass over city}: W shares a glass whale over city, 5 / (7 + 6 - 5) = 5/8;
    C shares a of, 2 / (7 + 6 - 2) = 2/11. To S1: C is 1; W shares a, 1/13, less than to S0.
    """
    small_build.write()
    assert novelty({"imagined"}) == {
        "prompts": 3,
        "distinct_1": 0.619,  # 13 / 21
        "distinct_2": 0.6667,  # 12 / 18
        "similarity_to_shown_seeds_mean": 0.4773,  # (5/8 + 5/8 + 2/11) / 3
        "similarity_to_shown_seeds_highest": 0.625,
        "similarity_to_all_seeds_mean": 0.75,  # (5/8 + 5/8 + 1) / 3
        "similarity_to_all_seeds_highest": 1.0,
        "share_repeating_another": 0.3333,  # the second W
    }


def test_only_repeats_of_imagined_prompts_count(project: Path) -> None:
    small_build.write()
    assert novelty({"other"})["share_repeating_another"] == 0.0


def test_nothing_imagined(project: Path) -> None:
    small_build.empty()
    assert novelty(set()) == {"prompts": 0}


def test_failed_rows_have_no_part_in_it(project: Path) -> None:
    small_build.write()
    put(joins.IMAGINED, [asked({"id": I0, "caption": None, "seeds": ["seeds-00000000"]}, I0, "parse_error")])
    assert novelty({"imagined"}) == {"prompts": 0}


def test_a_prompt_that_shows_no_seed_is_like_none(project: Path) -> None:
    small_build.write()
    put(joins.IMAGINED, [asked({"id": I0, "caption": "a cat", "seeds": []}, I0)])
    found = novelty({"imagined"})
    assert found["similarity_to_shown_seeds_highest"] == 0.0 < found["similarity_to_all_seeds_highest"]


texts = st.lists(st.sampled_from("abcdefg"), max_size=8).map(" ".join)


@given(st.lists(texts, min_size=1, max_size=5), st.lists(texts, min_size=1, max_size=4))
def test_similarity_is_jaccard(prompts: list[str], seeds: list[str]) -> None:
    rows = [decided(f"seeds-{n:08d}", "kept", prompt=text) for n, text in enumerate(seeds)]
    found = similarities([words(text) for text in prompts], seed_words(rows))
    for row, prompt in zip(found, prompts, strict=True):
        for value, seed in zip(row, seeds, strict=True):
            one, other = set(words(prompt)), set(words(seed))
            assert value == pytest.approx(len(one & other) / len(one | other) if one | other else 0.0)


def test_the_nearest_of_the_shown_and_of_all() -> None:
    rows = [decided(f"seeds-{n:08d}", "kept", prompt=text) for n, text in enumerate(["x", "a b", "a"])]
    seeds = seed_words(rows)
    shown = pa.chunked_array([[["seeds-00000000", "seeds-00000001"]], [["seeds-00000002"]]])
    found = nearest_seeds(similarities([["a"], ["b"]], seeds), positions(shown, seeds))
    assert found.tolist() == [[0.5, 1.0], [0.0, 0.5]]


@given(st.lists(st.lists(st.integers(0, 50), max_size=30), max_size=12), st.integers(1, 40))
def test_distinct_counts_over_many_merges(pieces: list[list[int]], buffer: int) -> None:
    counter = Distinct()
    counter.BUFFER = buffer
    for piece in pieces:
        counter.add(np.array(piece, np.int64))
    assert counter.count() == len({number for piece in pieces for number in piece})
    assert counter.total == sum(map(len, pieces))
