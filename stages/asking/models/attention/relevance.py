"""Relevance of the tokens of a context: how near the tokens of each picture are to its keyword.

S of section 4.3 of An et al., who leave open how keywords and tokens are compared. Here by the cosine of two vectors of
one space, in which the network's first layer takes both: the mean of the keyword's input embeddings, and what stands
for a token of the picture. Texts have no relevance: they are not counted, and get no bias.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from stages.asking.models.attention.keywords import EVERYTHING


def of_picture(keyword: str, words: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """Return the relevance of a picture's tokens, shape (tokens,), -1 .. 1: 1 of all of them for "all", 0 for a keyword
    without words, else the cosine.

    `words`: the input embeddings of the keyword's tokens, (words, width); `seen`: those of the picture's, (tokens,
    width).
    """
    if keyword == EVERYTHING:
        return torch.ones(len(seen))
    if not len(words):
        return torch.zeros(len(seen))
    return torch.cosine_similarity(words.float().mean(0), seen.float(), dim=-1)


def of_context(of_pictures: Sequence[torch.Tensor], stands_for_picture: torch.Tensor) -> torch.Tensor:
    """Return the relevance of all tokens of a context, shape (context,): that of its pictures in order where one stands
    for a picture, 0 elsewhere. ValueError where these are not as many.
    """
    found = torch.cat([*of_pictures, torch.zeros(0)])
    if len(found) != int(stands_for_picture.sum()):
        raise ValueError(f"{len(found)} tokens of pictures are relevant, and {int(stands_for_picture.sum())} are there")
    relevance = torch.zeros(stands_for_picture.shape)
    relevance[stands_for_picture] = found
    return relevance


def padded(rows: Sequence[torch.Tensor], longest: int) -> torch.Tensor:
    """Return one row per context, (contexts, longest): shorter ones behind padding of 0, or False."""
    return torch.stack([torch.nn.functional.pad(row, (longest - len(row), 0)) for row in rows])
