"""What the dataset's steps call their characteristics and captions; parameters that several of them share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from gamut.project.model_kinds import Share
from gamut.project.parameters import AskingParameters
from gamut.project.validation import Strict

CHARACTERISTICS = ("composition", "entity", "text", "imaginative", "style", "abstract")
"""The six characteristics (FLUX-Reason-6M, section 2.1) by their published column names: `imaginative` is the
paper's Imagination, `abstract` its Affection, `text` its Text rendering. So they are called in params.yaml, tables and
figures."""
ASKED_AS = {name: name for name in CHARACTERISTICS} | {"abstract": "affection"}
"""How models read their names: what is called abstract they would take for abstract art."""
DETAIL = "detail"
"""The published name of the generation chain-of-thought."""
ORIGINAL = "original"
"""The published name of the source's own caption."""

Score = Annotated[int, Field(ge=0, le=10)]
"""Of replies, and the lowest that passes."""
Cosine = Annotated[float, Field(ge=-1, le=1)]

MOST_PAIRS = 20
"""Items near one caption about which a model may be asked."""
HASH_BITS = 143
"""Of a perceptual hash."""


class WantedRecall(Strict):
    """The share of planted paraphrases whose item is to be among the candidates."""

    recall: Annotated[float, Field(gt=0, le=1)]


ParaphrasesFile = Annotated[str, StringConstraints(pattern=r"^datasets/paraphrases(/[^./][^/]*)+\.jsonl$")]


class HoldOut(AskingParameters):
    """What is the same test as an item of a benchmark (`gamut.dataset.leaks`).

    A model is asked about at most `asked` items that lie near a caption, from the similarity `ask_from` on (cosine; or
    from where on so many planted paraphrases have their item among these), and about near-duplicates; unless
    `ask_at_odds`, not about texts at odds with the caption. What it could not answer is held out when it is a
    near-duplicate, or from `unanswered` on. A picture is an item's when its hash differs in at most `picture` bits from
    one of that, or from `picture_similarity` of embeddings on. `paraphrases`: items' texts in other words, of which it
    is counted how many are found: a .jsonl in git, or the world's.
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
            raise ValueError(f"unanswered: {self.unanswered:g} is below ask_from, from where pairs are asked about")
        return self


class Calibrate(Strict):
    """A person's labels (a .csv in git; null: the truth of the embedded world), and what a threshold is known to have
    before it is suggested.
    """

    labels: Annotated[str, StringConstraints(pattern=r"^datasets/labels(/[^./][^/]*)+\.csv$")] | None
    least_precision: Share
    least_recall: Share
