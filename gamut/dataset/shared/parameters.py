"""Names of the dataset's characteristics and captions; parameters that several steps share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from gamut.project.model_kinds import Share
from gamut.project.parameters import AskingParameters
from gamut.project.validation import Strict

CHARACTERISTICS = ("composition", "entity", "text", "imaginative", "style", "abstract")
"""The six characteristics (FLUX-Reason-6M, section 2.1) by their published column names: `imaginative` is the paper's
Imagination, `abstract` its Affection, `text` its Text rendering. These names are used in params.yaml, tables and
figures."""
ASKED_AS = {name: name for name in CHARACTERISTICS} | {"abstract": "affection"}
"""The names that models read: they would understand `abstract` as abstract art."""
DETAIL = "detail"
"""The published name of the generation chain-of-thought."""
ORIGINAL = "original"
"""The published name of the source's own caption."""

Score = Annotated[int, Field(ge=0, le=10)]
"""A score in a reply, or the lowest score that passes."""
Cosine = Annotated[float, Field(ge=-1, le=1)]

MOST_PAIRS = 20
"""The most items near one caption that a model may be asked about."""
HASH_BITS = 143
"""Bits of a perceptual hash."""
MOST_BITS = 28
"""Hashes of two pictures of the dataset are found if they differ in at most so many bits."""


class WantedRecall(Strict):
    """The share of planted paraphrases whose item must be among the candidates."""

    recall: Annotated[float, Field(gt=0, le=1)]


ParaphrasesFile = Annotated[str, StringConstraints(pattern=r"^datasets/paraphrases(/[^./][^/]*)+\.jsonl$")]


class HoldOut(AskingParameters):
    """Parameters that decide what is the same test as an item of a benchmark (`gamut.dataset.leaks`).

    A model is asked about near-duplicates, and about at most `asked` items near a caption. These items have at least
    the similarity `ask_from` (a cosine, or the recall of planted paraphrases that it must give). Texts at odds with the
    caption are asked about only with `ask_at_odds`. An unanswered pair is held out if it is a near-duplicate, or from
    the similarity `unanswered` on. A picture counts as an item's if their hashes differ in at most `picture` bits, or
    if the cosine of their embeddings is at least `picture_similarity`. The file `paraphrases` has items' texts in other
    words, to measure how many are found: a .jsonl in git, or the world's.
    """

    asked: Annotated[int, Field(ge=1, le=MOST_PAIRS)]
    ask_from: Cosine | WantedRecall
    ask_at_odds: bool
    unanswered: Cosine
    picture: Annotated[int, Field(ge=0, le=HASH_BITS)]
    picture_similarity: Cosine
    paraphrases: Literal["world"] | ParaphrasesFile | None

    @property
    def threshold(self) -> float:
        """`ask_from`, where that is a number, as `with_threshold` makes it."""
        assert isinstance(self.ask_from, float)
        return self.ask_from

    @model_validator(mode="after")
    def _in_order(self) -> HoldOut:
        if isinstance(self.ask_from, float) and self.unanswered < self.ask_from:
            raise ValueError(f"unanswered: {self.unanswered:g} is below ask_from, where asking begins: raise it")
        return self


class SamePictures(AskingParameters):
    """When a picture repeats an earlier one: their hashes, cropped or mirrored, differ in at most `bits`, or the cosine
    of their embeddings is at least `similarity`. null: not compared by it.
    """

    bits: Annotated[int, Field(ge=0, le=MOST_BITS)] | None
    similarity: Cosine | None


class Calibrate(Strict):
    """A person's labels (a .csv in git; null: the truth of the embedded world), and the least precision and recall that
    a threshold must be known to have before it is suggested.
    """

    labels: Annotated[str, StringConstraints(pattern=r"^datasets/labels(/[^./][^/]*)+\.csv$")] | None
    least_precision: Share
    least_recall: Share
