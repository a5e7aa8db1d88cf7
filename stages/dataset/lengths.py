"""Captions in chosen lengths and languages: their parameters, and how long each is."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, model_validator

from gamut.project.parameters import AskingParameters
from gamut.project.validation import require_distinct
from gamut.texts.scripts import require_language

LENGTHS = {"short": (8, 15), "middle": (30, 50), "long": (90, 130)}
"""The least and the most words that are asked for."""


class Captions(AskingParameters):
    """Lengths in which the captioner also writes an English caption of each picture, and languages, by their English
    names, into which the translator puts these.
    """

    lengths: Annotated[list[Literal[tuple(LENGTHS)]], AfterValidator(require_distinct)]  # type: ignore[valid-type]
    languages: Annotated[list[Annotated[str, AfterValidator(require_language)]], AfterValidator(require_distinct)]

    @model_validator(mode="after")
    def _languages_have_captions(self) -> Captions:
        if self.languages and not self.lengths:
            raise ValueError(f"languages without lengths: name some of {', '.join(LENGTHS)} at captions.lengths")
        return self
