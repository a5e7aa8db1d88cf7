"""The parameters of PRISM-Bench."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from stages.evaluation import parameters
from stages.evaluation.parameters import Languages, Version, different
from stages.project.model_kinds import Slug
from stages.project.parameters import AskingParameters, NearDuplicates, PaintingParameters
from stages.project.validation import Strict


class Proposing(AskingParameters):
    """How PRISM's prompts are proposed: per track `sampled` from the dataset and `curated` from pools of elements.

    `editions`: those under construction, each proposed by itself. `candidates`: the captions with the highest scores
    that the sampled ones are chosen among.
    """

    editions: Annotated[list[Version], AfterValidator(different)]
    pools: Annotated[str, StringConstraints(pattern=r"^stages/prism/pools(/[^./][^/]*)*$")]
    candidates: Annotated[int, Field(ge=1, le=100_000)]
    sampled: Annotated[int, Field(ge=0, le=1000)]
    curated: Annotated[int, Field(ge=0, le=1000)]


class Prism(Strict):
    """PRISM-Bench: the frozen edition, its languages, the judges (slugs of `models`), how often each judges a picture.

    `controls_of`: contestants (one, as a rule) whose pictures are degraded in known ways too, as controls of judges.
    """

    edition: Version
    languages: Languages
    judges: Annotated[list[Slug], Field(min_length=1), AfterValidator(different)]
    repeats: Annotated[int, Field(ge=1, le=100)]
    controls_of: Annotated[list[Slug], AfterValidator(different)]
    answer: PaintingParameters
    judge: AskingParameters
    propose: Proposing


class Params(parameters.Params):
    """What of params.yaml PRISM-Bench reads."""

    near_duplicates: NearDuplicates
    prism: Prism

    @model_validator(mode="after")
    def _prism_names_what_is_there(self) -> Params:
        self.require_judges("prism.judges", self.prism.judges)
        self.require_contestants("prism.controls_of", self.prism.controls_of)
        return self
