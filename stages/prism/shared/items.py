"""The items of a frozen PRISM-Bench edition, and where its tables and metrics lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from stages.evaluation.curating.editions import Item, Text, path_of, read_edition
from stages.prism.shared.parameters import Params
from stages.prism.shared.tracks import TRACKS

BENCHMARK = "prism"
ANSWERS = Path("datasets/prism/answers")
OBSERVATIONS = Path("datasets/prism/observations")
CONTROLS = Path("datasets/prism/controls")
SCORES = Path("datasets/prism/scores")
METRICS = Path("metrics/prism")


class PrismItem(Item):
    """A prompt in both languages; its id is `<track>/<i>`, counted from 0, where its pictures are looked for too."""

    id: str
    track: Literal[TRACKS]  # type: ignore[valid-type]
    origin: Literal["sampled", "curated"] | None = None
    prompt_zh: Text

    @model_validator(mode="after")
    def _numbered(self) -> PrismItem:
        if not re.fullmatch(rf"{self.track}/(0|[1-9][0-9]*)", self.id):
            raise ValueError(f"id {self.id!r}: {self.track}/0, {self.track}/1 and so on are wanted on this track")
        return self

    def prompt_in(self, language: str) -> str:
        """Return the prompt in a language, `en` or `zh`."""
        return self.prompt if language == "en" else self.prompt_zh


def edition_path(params: Params) -> Path:
    """Return the edition that params.yaml names."""
    return path_of(BENCHMARK, params.prism.edition)


def items_of(params: Params) -> list[PrismItem]:
    """Return the items of the edition that params.yaml names; a UserError when it is not there or cannot be read."""
    return read_edition(BENCHMARK, params.prism.edition, PrismItem)


def metrics_folder(params: Params) -> Path:
    """Return where the metrics of the edition that params.yaml names lie."""
    return METRICS / params.prism.edition


def strata_of(items: Sequence[PrismItem]) -> NDArray[np.int64]:
    """Return the track of each item as a number: the strata of the bootstrap, whose sizes are fixed by design."""
    return np.array([TRACKS.index(item.track) for item in items])
