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
    """How many cases to make of each task; of perception, as many as a person has listed."""

    zoology: Count
    botany: Count
    geography: Count
    quantity: Count
    spatial: Count
    text: Count
    jigsaw: Count
    sudoku: Count


class Propose(PictureConstruction):
    """How cases are proposed, with things from the folder `pools`.

    The `author` paints references and pictures for tiles. The `guesser` guesses entities from the descriptions of role
    `writer`. A person's own regions are listed in `<edition>/perception.csv`. There are `references` pictures of each
    entity, `tiles` along a picture's shorter side, and `grid` pixels along a Sudoku's picture.
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
