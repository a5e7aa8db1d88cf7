"""The parameters by which cases of new editions are proposed."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import PictureConstruction
from gamut.project.parameters import Place
from gamut.project.pipeline import EDITIONS


class Propose(PictureConstruction):
    """How cases are proposed, `cases` of each sub-task, from the file `pool` of scene parts. Two cases are alike by all
    that they say and show.
    """

    pool: Annotated[str, StringConstraints(pattern=r"^stages/genius/construction/pools/[^./][^/]*\.yaml$")]
    cases: Annotated[int, Field(ge=1, le=1000)]


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "genius")}
    propose: Propose
