"""The parameters of GENIUS."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.parameters import BenchmarkParameters, different
from gamut.project.validation import Strict
from stages.genius.shared.prompts import Setting


class Rounds(Strict):
    """How often contestants reflect in a picture on setting `post_reflection`; each round asks them twice more."""

    rounds: Annotated[int, Field(ge=1, le=10)] = 1


class Genius(BenchmarkParameters):
    """GENIUS: what every benchmark has, the settings on which items are put, and how new cases are proposed.

    `settings`: the forms of contexts, those from which something was taken, those with hints, and with reflection
    (`putting.SETTINGS`). A contestant that cannot be put to all of them names its own
    (`contestants.<name>.settings.genius`).
    """

    settings: Annotated[list[Setting], Field(min_length=1), AfterValidator(different)]
    reflection: Rounds = Field(default_factory=Rounds)


class Params(parameters.Params):
    genius: Genius
