"""Tracks, axes and items of PRISM-Bench (FLUX-Reason-6M and PRISM-Bench, section 3)."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import model_validator

from gamut.evaluation.defining.editions import Item, Text

TRACKS = ("imagination", "entity", "text_rendering", "style", "affection", "composition", "long_text")
AXES = ("alignment", "aesthetic")


class PrismItem(Item):
    """A prompt in both languages. Its id `<track>/<i>`, from 0, is also the name of its pictures."""

    id: str
    track: Literal[TRACKS]  # type: ignore[valid-type]
    origin: Literal["sampled", "curated"] | None = None
    prompt_zh: Text

    @model_validator(mode="after")
    def _numbered(self) -> PrismItem:
        if not re.fullmatch(rf"{self.track}/(0|[1-9][0-9]*)", self.id):
            raise ValueError(f"id {self.id!r}: {self.track}/0, {self.track}/1 and so on are expected on this track")
        return self

    def prompt_in(self, language: str) -> str:
        return self.prompt if language == "en" else self.prompt_zh
