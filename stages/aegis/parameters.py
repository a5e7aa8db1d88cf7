"""The parameters of AEGIS."""

from __future__ import annotations

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters, Construction, Sides


class Aegis(BenchmarkParameters):
    """AEGIS: what every benchmark has, the sides on which prompts are put, and how new items are proposed.

    `sides`: `raw` as people put them, `clear`, `exhaustive` with every point spelled out, `by_<rewriter>` and
    `by_itself`, rewritten by a model.
    """

    sides: Sides
    propose: Construction


class Params(parameters.Params):
    """What of params.yaml AEGIS reads."""

    aegis: Aegis
