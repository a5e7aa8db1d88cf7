"""What params.yaml says of the hold-out, whose steps share one block."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from gamut.dataset.shared.parameters import Cosine
from gamut.project.parameters import AskingParameters

MOST_PAIRS = 20
"""Items near one caption about which a model may be asked."""
BITS = 143
"""Of a perceptual hash."""
ParaphrasesFile = Annotated[str, StringConstraints(pattern=r"^datasets/paraphrases(/[^./][^/]*)+\.jsonl$")]


class HoldOut(AskingParameters):
    """What is the same test as an item of a benchmark.

    A model is asked about at most `asked` items that lie near a caption, from the similarity `ask_from` on (cosine),
    and about near-duplicates; unless `ask_at_odds`, not about texts at odds with the caption (`leaks.nearest`). What it
    could not answer is held out when it is a near-duplicate, or from `unanswered` on. A picture is an item's when its
    hash differs in at most `picture` bits from one of that (`leaks.pictures`), or from `picture_similarity` of
    embeddings on. `paraphrases`: items' texts in other words, of which it is counted how many are found: a .jsonl in
    git, or the world's.
    """

    asked: Annotated[int, Field(ge=1, le=MOST_PAIRS)]
    ask_from: Cosine
    ask_at_odds: bool
    unanswered: Cosine
    picture: Annotated[int, Field(ge=0, le=BITS)]
    picture_similarity: Cosine
    paraphrases: Literal["world"] | ParaphrasesFile | None

    @model_validator(mode="after")
    def _in_order(self) -> HoldOut:
        if self.unanswered < self.ask_from:
            raise ValueError(f"unanswered: {self.unanswered:g} is below ask_from, from where pairs are asked about")
        return self
