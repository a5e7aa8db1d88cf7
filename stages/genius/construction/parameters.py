"""The parameters by which cases of new editions are proposed."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import Construction
from gamut.project.model_kinds import Slug
from gamut.project.parameters import PaintingParameters, Place
from gamut.project.pipeline import EDITIONS


class Propose(Construction, PaintingParameters):
    """How cases are proposed. `pool`: the file of what scenes are made of. `cases`: how many of each sub-task.

    `author`: the model that paints the pictures of contexts, in `width` and `height`. `pictures`: where a person's own
    are named, in `<edition>/pictures.csv`. `similarity`: from which on two cases are alike, in all that they say and
    show.
    """

    ROLES: ClassVar = {"author": "creator"}
    pool: Annotated[str, StringConstraints(pattern=r"^stages/genius/construction/pools/[^./][^/]*\.yaml$")]
    cases: Annotated[int, Field(ge=1, le=1000)]
    similarity: Annotated[float, Field(ge=0.7, le=1)]
    author: Slug
    pictures: Annotated[str, StringConstraints(pattern=r"^datasets(/[^./][^/]*)+$")]


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "genius")}
    propose: Propose
