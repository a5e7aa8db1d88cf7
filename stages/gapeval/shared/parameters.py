"""The parameters of GapEval."""

from typing import Literal

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters
from stages.gapeval.shared.proposing import Propose

SecondLook = Literal[False, "both", "released"]


class GapEval(BenchmarkParameters):
    """GapEval: what every benchmark has, how answers are judged, and how new cases are proposed.

    `second_look`: whether a judge is asked once more whether it is sure, of answers on both sides, or as released, of
    texts alone.
    """

    second_look: SecondLook = False
    propose: Propose


class Params(parameters.Params):
    """What of params.yaml GapEval reads."""

    gapeval: GapEval
