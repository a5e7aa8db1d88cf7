"""The parameters by which prompts of new editions are proposed."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import Construction
from gamut.project.model_kinds import Slug
from gamut.project.parameters import AskingParameters, NearDuplicates, Place
from gamut.project.pipeline import EDITIONS


class Proposing(Construction, AskingParameters):
    """How PRISM's prompts are proposed: per track `sampled` from the dataset and `curated` from pools of elements.

    Sampled prompts are chosen from `candidates`, the captions with the highest scores, which `embedder` embeds for
    clustering. The model `writer` composes curated ones. The model `translator` translates both into Chinese.
    """

    ROLES: ClassVar = {"writer": "writer", "translator": "translator", "embedder": "text_embedder"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/prism/pools(/[^./][^/]*)*$")]
    candidates: Annotated[int, Field(ge=1, le=100_000)]
    sampled: Annotated[int, Field(ge=0, le=1000)]
    curated: Annotated[int, Field(ge=0, le=1000)]
    writer: Slug
    translator: Slug
    embedder: Slug


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "prism")}
    near_duplicates: NearDuplicates
    propose: Proposing
