"""The parameters of a benchmark of one's own: what every benchmark's block has, and nothing else."""

from __future__ import annotations

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters


class Own(BenchmarkParameters):
    """Its block in params.yaml. How answers are judged stands in the items, and so in the frozen edition."""


class Params(parameters.Params):
    """What of params.yaml it reads."""

    own: Own
