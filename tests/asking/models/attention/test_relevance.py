"""Relevance of tokens: cosines with a keyword, 1 for all of a picture, 0 for none, and no text counts."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from stages.asking.models.attention.relevance import of_context, of_picture, padded

SEEN = torch.tensor([[2.0, 0.0], [0.0, 3.0], [-1.0, -1.0], [0.0, 0.0]])


def test_relevance_is_the_cosine_with_the_mean_of_the_words() -> None:
    """(4, 0) and (0, 4) have the mean (2, 2): with (2, 0) the cosine is 4 / (2 sqrt(8)) = .7071; a vector of 0: 0."""
    found = of_picture("red arrow", torch.tensor([[4.0, 0.0], [0.0, 4.0]]), SEEN)
    assert found.tolist() == pytest.approx([0.70711, 0.70711, -1.0, 0.0], abs=1e-5)
    assert of_picture("red", torch.tensor([[0.0, 1.0]]), SEEN).tolist() == pytest.approx([0, 1, -0.70711, 0], abs=1e-5)


def test_all_of_a_picture_is_1_and_nothing_of_it_0() -> None:
    none = torch.zeros(0, 2)
    assert of_picture("all", torch.tensor([[4.0, 0.0]]), SEEN).tolist() == [1, 1, 1, 1]
    assert of_picture("", none, SEEN).tolist() == [0, 0, 0, 0]
    assert of_picture("\u200b", none, SEEN).tolist() == [0, 0, 0, 0]  # nothing that the tokenizer reads


def test_pictures_come_in_order_and_texts_are_not_counted() -> None:
    places = torch.tensor([False, True, True, False, False, True, False])
    found = of_context([torch.tensor([0.2, -0.4]), torch.tensor([1.0])], places)
    assert found.tolist() == pytest.approx([0, 0.2, -0.4, 0, 0, 1, 0])
    assert of_context([], torch.tensor([False, False])).tolist() == [0, 0]
    with pytest.raises(ValueError, match="2 tokens of pictures are relevant, and 3 are there"):
        of_context([torch.tensor([0.2, -0.4])], places)


def test_shorter_contexts_stand_behind_padding() -> None:
    rows = padded([torch.tensor([0.5, 0.25]), torch.tensor([1.0, 2.0, 3.0])], 3)
    assert rows.tolist() == [[0, 0.5, 0.25], [1, 2, 3]]
    counted = padded([torch.tensor([True]), torch.tensor([True, False])], 2)
    assert counted.dtype == torch.bool and counted.tolist() == [[False, True], [True, False]]
