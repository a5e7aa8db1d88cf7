"""The items nearest to any of some texts: by hand, in order, and the same however they are looked for."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from gamut.dataset.leaks.nearest import Near, embeddings_of, nearest_items

# Items a (two texts) and b: along the axes, and between them
ITEMS = embeddings_of([[1, 0], [3, 4], [0, 2]], ["a", "a", "b"], [0, 1, 5])


def vectors(*rows: list[float]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_by_hand() -> None:
    # (4, 3) / 5: with (1, 0) .8, with (3, 4) / 5 (12 + 12) / 25 = .96, with (0, 1) .6
    assert nearest_items(vectors([4, 3]), ITEMS, 20) == [Near(0, 1, 0.96), Near(0, 5, 0.6)]
    # The text (0, 1) is b's own, and to a, .8, less near than (4, 3) is
    assert nearest_items(vectors([4, 3], [0, 1]), ITEMS, 3) == [Near(1, 5, 1.0), Near(0, 1, 0.96)]
    assert nearest_items(vectors([4, 3], [0, 1]), ITEMS, 1) == [Near(1, 5, 1.0)]
    assert nearest_items(vectors([4, 3]), ITEMS, 20, but=np.array([True, True, False])) == [Near(0, 5, 0.6)]


def test_what_has_nothing_in_common_is_no_pair() -> None:
    assert nearest_items(vectors([-1, 0], [0, 0]), ITEMS, 20) == []
    assert nearest_items(vectors(), ITEMS, 20) == nearest_items(vectors([1, 0]), embeddings_of([], [], []), 20) == []
    assert nearest_items(vectors([1, 0, 0]), ITEMS, 20) == [], "of another model"


@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_as_when_all_are_sorted(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    owners = np.sort(rng.integers(0, 5, 9)).tolist()
    some, texts = rng.normal(size=(9, 4)).tolist(), rng.normal(size=(3, 4)).astype(np.float32)
    items = embeddings_of(some, owners, range(9))
    cosine = (texts / np.linalg.norm(texts, axis=1, keepdims=True)) @ items.vectors.T
    expected: dict[int, tuple[float, int, int]] = {}
    for text in range(3):
        for place, owner in enumerate(owners):
            expected[owner] = max(expected.get(owner, (-2.0, 0, 0)), (float(cosine[text, place]), text, place))
    ranked = sorted(expected.values(), reverse=True)
    found = nearest_items(texts, items, most)
    assert [one.similarity for one in found] == [round(s, 4) for s, *_ in ranked if s > 5e-5][:most]
    assert {(one.text, one.item_text) for one in found} <= {(text, place) for _, text, place in ranked}
