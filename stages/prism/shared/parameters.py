"""The parameters of PRISM-Bench."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters, Construction, Languages
from stages.project.parameters import AskingParameters, NearDuplicates


class Proposing(Construction, AskingParameters):
    """How PRISM's prompts are proposed: per track `sampled` from the dataset and `curated` from pools of elements.

    `candidates`: the captions with the highest scores that the sampled ones are chosen among.
    """

    pools: Annotated[str, StringConstraints(pattern=r"^stages/prism/pools(/[^./][^/]*)*$")]
    candidates: Annotated[int, Field(ge=1, le=100_000)]
    sampled: Annotated[int, Field(ge=0, le=1000)]
    curated: Annotated[int, Field(ge=0, le=1000)]


class Prism(BenchmarkParameters):
    """PRISM-Bench: what every benchmark has, the languages of its prompts, and how new ones are proposed."""

    languages: Languages
    propose: Proposing


class Params(parameters.Params):
    """What of params.yaml PRISM-Bench reads."""

    near_duplicates: NearDuplicates
    prism: Prism
