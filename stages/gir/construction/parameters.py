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
    """How many cases are to be made of each task; of perception, as many as a person has listed."""

    zoology: Count
    botany: Count
    geography: Count
    quantity: Count
    spatial: Count
    text: Count
    jigsaw: Count
    sudoku: Count


class Propose(Construction, PaintingParameters):
    """How cases are proposed. `pools`: the folder of what they are drawn from. `similarity`: from which on two
    descriptions are alike.

    `author`: the model that paints references and what is cut into tiles, in `width` and `height`. `guesser`: the model
    that guesses entities by their descriptions, which role `writer` wrote. `pictures`: where a person's own are named,
    in `<edition>/pictures.csv` and `<edition>/perception.csv`. `references`: pictures of each entity. `tiles`: along
    the shorter side of a picture. `grid`: the side of a Sudoku's picture in pixels.
    """

    ROLES: ClassVar = {"author": "creator", "guesser": "writer"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/gir/construction/pools(/[^./][^/]*)*$")]
    drafts: Drafts
    similarity: Annotated[float, Field(ge=0.7, le=1)]
    author: Slug
    guesser: Slug
    pictures: Annotated[str, StringConstraints(pattern=r"^datasets(/[^./][^/]*)+$")]
    references: Annotated[int, Field(ge=1, le=16)]
    tiles: Annotated[int, Field(ge=2, le=10)]
    grid: Annotated[int, Field(ge=128, le=2048)]


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "gir")}
    propose: Propose
