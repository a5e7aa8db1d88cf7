"""The parameters of GapEval."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters, Construction
from stages.project.model_kinds import Slug
from stages.project.parameters import PaintingParameters
from stages.project.validation import Strict

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
    painted. `checker`: the model that says whether both prompts of a pair have one intent; role `writer` wrote edits.
    `pictures`: where a person's own are named, in `<edition>/pictures.csv`.
    """

    ROLES: ClassVar = {"author": "creator", "detector": "detector", "checker": "writer"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/gapeval/construction/pools(/[^./][^/]*)*$")]
    drafts: Drafts
    similarity: Annotated[float, Field(ge=0.7, le=1)]
    author: Slug
    detector: Slug
    checker: Slug
    pictures: Annotated[str, StringConstraints(pattern=r"^datasets(/[^./][^/]*)+$")]


SecondLook = Literal[False, "both", "released"]


class GapEval(BenchmarkParameters):
    """GapEval: what every benchmark has, how answers are judged, and how new cases are proposed.

    `second_look`: whether a judge is asked once more whether it is sure, of answers on both sides, or as released, of
    texts alone.
    """

    second_look: SecondLook = False
    propose: Propose

    @property
    def for_people(self) -> Self:
        return self.model_copy(update={"second_look": False})


class Params(parameters.Params):
    gapeval: GapEval
