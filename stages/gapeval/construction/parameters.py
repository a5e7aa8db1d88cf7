"""The parameters by which cases of new editions are proposed."""

from typing import Annotated, ClassVar

from pydantic import StringConstraints

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import Count, PictureConstruction
from gamut.project.model_kinds import Slug
from gamut.project.parameters import Place
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict


class Drafts(Strict):
    """How many cases of each category: the first ones of the pool of world knowledge; kinds of reasoning in turn."""

    world_knowledge: Count
    numerical: Count
    instruction_following: Count
    reasoning: Count


class Propose(PictureConstruction):
    """How cases are proposed, from the folder `pools`. The `author` paints and edits, the `detector` counts what was
    painted, and role `writer` writes edits.
    """

    ROLES: ClassVar = {"author": "creator", "detector": "detector"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/gapeval/construction/pools(/[^./][^/]*)*$")]
    drafts: Drafts
    detector: Slug


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "gapeval")}
    propose: Propose
