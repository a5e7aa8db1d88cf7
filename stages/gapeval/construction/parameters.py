"""The parameters by which cases of new editions are proposed."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import Construction
from gamut.project.model_kinds import Slug
from gamut.project.parameters import PaintingParameters, Place
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict

Count = Annotated[int, Field(ge=0, le=1000)]


class Drafts(Strict):
    """How many cases of each category: the first of the pool of world knowledge; kinds of reasoning take turns."""

    world_knowledge: Count
    numerical: Count
    instruction_following: Count
    reasoning: Count


class Propose(Construction, PaintingParameters):
    """How cases are proposed. `pools`: the folder of what they are drawn from. `similarity`: from which on two prompts
    about the same are alike.

    `author`: the model that paints and edits, in `width` and `height`. `detector`: the model that counts what was
    painted; role `writer` writes edits. `pictures`: where a person's own are named, in `<edition>/pictures.csv`.
    """

    ROLES: ClassVar = {"author": "creator", "detector": "detector"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/gapeval/construction/pools(/[^./][^/]*)*$")]
    drafts: Drafts
    similarity: Annotated[float, Field(ge=0.7, le=1)]
    author: Slug
    detector: Slug
    pictures: Annotated[str, StringConstraints(pattern=r"^datasets(/[^./][^/]*)+$")]


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "gapeval")}
    propose: Propose
