"""The parameters of GapEval."""

from typing import Annotated, Literal

from pydantic import Field

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters
from stages.gapeval.shared.proposing import Propose

SecondLook = Literal[False, "both", "released"]


class GapEval(BenchmarkParameters):
    """GapEval: what every benchmark has, how answers are judged, and how new cases are proposed.

    `second_look`: whether a judge is asked once more whether it is sure, of answers on both sides, or as released, of
    texts alone. `copy_tolerance`: how unlike an original a copy is at most (`copies.unlikeness`), 0..1.
    """

    second_look: SecondLook = False
    copy_tolerance: Annotated[float, Field(ge=0, le=0.2)] = 0.02
    propose: Propose


class Params(parameters.Params):
    """What of params.yaml GapEval reads."""

    gapeval: GapEval
