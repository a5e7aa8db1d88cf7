"""The parameters of GapEval."""

from __future__ import annotations

from typing import Literal, Self

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.parameters import BenchmarkParameters

SecondLook = Literal[False, "both", "released"]


class GapEval(BenchmarkParameters):
    """GapEval: what every benchmark has, how answers are judged, and how new cases are proposed.

    `second_look`: whether a judge is asked once more whether it is sure, of answers in both settings, or as released,
    of texts alone.
    """

    second_look: SecondLook = False

    @property
    def for_people(self) -> Self:
        return self.model_copy(update={"second_look": False})


class Params(parameters.Params):
    gapeval: GapEval
