"""The parameters of PRISM-Bench."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters, Construction, Languages
from stages.project.model_kinds import Slug
from stages.project.parameters import AskingParameters, NearDuplicates
from stages.project.roles import RoleModel


class Proposing(Construction, AskingParameters):
    """How PRISM's prompts are proposed: per track `sampled` from the dataset and `curated` from pools of elements.

    `candidates`: the captions with the highest scores that the sampled ones are chosen among. `writer`: the model that
    composes the curated ones; `translator`: who puts both into Chinese; `embedder`: by whose embeddings captions are
    clustered.
    """

    ROLES: ClassVar = {"writer": "writer", "translator": "translator", "embedder": "text_embedder"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/prism/pools(/[^./][^/]*)*$")]
    candidates: Annotated[int, Field(ge=1, le=100_000)]
    sampled: Annotated[int, Field(ge=0, le=1000)]
    curated: Annotated[int, Field(ge=0, le=1000)]
    writer: Slug
    translator: Slug
    embedder: Slug


class Prism(BenchmarkParameters):
    """PRISM-Bench: what every benchmark has, the languages of its prompts, and how new ones are proposed."""

    languages: Languages
    propose: Proposing


class Params(parameters.Params):
    """What of params.yaml PRISM-Bench reads."""

    near_duplicates: NearDuplicates
    prism: Prism

    @property
    def proposers(self) -> dict[str, RoleModel]:
        """Return who proposes prompts, by key."""
        return self.prism.propose.players(self.models)
