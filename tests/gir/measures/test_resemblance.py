"""UGC: resemblance to reference pictures, names in words; and the means of subsets."""

from __future__ import annotations

import numpy as np
import pytest

from stages.gir.shared.measures.recognition import chosen, named
from stages.gir.shared.measures.similarity import released, score
from stages.gir.shared.overall import overall

SIMILARITIES = {
    # answer, references, released, right
    "the same": ([3, 4], [[6, 8]], 1, 1),
    "mean of two": ([1, 0], [[1, 0], [0, 5]], 0.5, 0.5),  # (1 + 0) / 2
    "by cosines": ([3, 4], [[1, 0], [0, 1]], 0.7, 0.7),  # (3/5 + 4/5) / 2
    "across": ([1, 0], [[0, 1]], 0, 0),
    "away": ([1, 0], [[-1, 0]], -1, 0),  # the scale begins at 0
    "one away": ([1, 0], [[1, 0], [-3, 4]], 0.2, 0.2),  # (1 - 3/5) / 2: it is the mean that is cut off
}


@pytest.mark.parametrize(("answer", "references", "as_released", "right"), SIMILARITIES.values(), ids=SIMILARITIES)
def test_similarity(answer: list[float], references: list[list[float]], as_released: float, right: float) -> None:
    one, others = np.array(answer, np.float32), np.array(references, np.float32)
    assert released(one, others) == pytest.approx(as_released)
    assert score(one, others) == pytest.approx(right)


def test_vectors_without_a_direction() -> None:
    one, others = np.ones(3, np.float32), np.ones((2, 3), np.float32)
    for answer in (one * 0, one * np.nan, one * np.inf):
        with pytest.raises(ValueError, match="no direction"):
            score(answer, others)
    for references in (others[:0], others[:, :2], one):
        with pytest.raises(ValueError, match="cannot be compared"):
            score(one, references)


PANDAS = (["red panda", "Ailurus fulgens"], ["panda", "raccoon"])


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Red Panda.", 1),
        ("It is a red-panda", 0),  # "redpanda": one word, which is no name; the list can have it
        ("An Ailurus  fulgens, I think", 1),
        ("a panda", 0),
        ("a red panda or a raccoon", 0),
        ("redder pandas", 0),
        ("", 0),
    ],
)
def test_names(said: str, right: float) -> None:
    assert named(said, *PANDAS) == right


def test_a_name_within_a_name() -> None:
    assert named("the red panda", ["panda"], ["red panda"]) == 0  # another animal
    assert named("一只小熊猫", ["小熊猫"], ["熊猫"]) == 1  # Chinese has no blanks


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("B", 1),
        (" (b) red panda", 1),
        ("B. raccoon", 1),  # the letter decides
        ("C: red panda", 0),
        ("A red panda", 1),  # an article
        ("raccoon", 0),
        ("A or B", 0),
        ("E", 0),
    ],
)
def test_choices(said: str, right: float) -> None:
    assert chosen(said, ["panda", "red panda", "raccoon", "badger"], 1) == right


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("**B**", 1), ("The answer is B.", 1), ("The answer is **B**", 1), ("(b)", 1), ("B: red panda", 1),
        ("A) B) C) D)", 0), ("A. panda, B. red panda", 0), ("A red panda", 1), ("A or B", 0), ("B, not A", 0),
        ("A", 0), ("", 0),
    ],
)  # fmt: skip
def test_letters_in_markup_and_several_letters(said: str, right: float) -> None:
    """A letter is one that ends the answer or is marked; "A red panda" has an article, and names the option."""
    assert chosen(said, ["panda", "red panda", "raccoon", "badger"], 1) == right


def test_means_of_the_published_table() -> None:
    """(.056 + .287 + .163) / 3 = .1687; with chain of thought (.249 + .460 + .120) / 3 = .2763."""
    bagel = {"quantity": 0.056, "spatial": 0.287, "text": 0.163}
    thinking = {"quantity": 0.249, "spatial": 0.460, "text": 0.120}
    assert [round(overall("t2i", means), 3) for means in (bagel, thinking)] == [0.169, 0.276]
    assert overall("edit", {"jigsaw": 0.5, "sudoku": 0, "perception": 0.25}) == 0.25
    with pytest.raises(ValueError, match="t2i is the mean of quantity, spatial, text, not of quantity, text"):
        overall("t2i", {"quantity": 0.056, "text": 0.163})
