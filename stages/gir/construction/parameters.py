"""The parameters by which cases of new editions are proposed."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import Count, PictureConstruction
from gamut.project.model_kinds import Slug
from gamut.project.parameters import Place
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict


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


class Propose(PictureConstruction):
    """How cases are proposed. `pools`: the folder of what they are drawn from. The `author` paints references and what
    is cut into tiles; the `guesser` guesses entities by the descriptions of role `writer`. A person's own regions are
    named in `<edition>/perception.csv`. `references`: pictures of each entity. `tiles`: along the shorter side of a
    picture. `grid`: the side of a Sudoku's picture in pixels.
    """

    ROLES: ClassVar = {"author": "creator", "guesser": "writer"}
    pools: Annotated[str, StringConstraints(pattern=r"^stages/gir/construction/pools(/[^./][^/]*)*$")]
    drafts: Drafts
    guesser: Slug
    references: Annotated[int, Field(ge=1, le=16)]
    tiles: Annotated[int, Field(ge=2, le=10)]
    grid: Annotated[int, Field(ge=128, le=2048)]


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "gir")}
    propose: Propose
