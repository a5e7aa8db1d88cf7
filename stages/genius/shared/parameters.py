"""The parameters of GENIUS."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, StringConstraints

from stages.evaluation.defining import parameters
from stages.evaluation.defining.parameters import BenchmarkParameters, Construction, different
from stages.genius.shared.putting import Side
from stages.project.model_kinds import Slug
from stages.project.parameters import PaintingParameters
from stages.project.validation import Strict


class Propose(Construction, PaintingParameters):
    """How cases are proposed. `pool`: the file of what scenes are made of. `cases`: how many of each sub-task.

    `author`: the model that paints the pictures of contexts, in `width` and `height`; role `writer` describes them to
    it, and writes the wrong options of probes. `checker`: the model that says of those that rules cannot read whether
    they are wrong. `pictures`: where a person's own are named, in `<edition>/pictures.csv`. `similarity`: from which on
    two cases are alike, in all that they say and show.
    """

    ROLES: ClassVar = {"author": "creator", "checker": "writer"}
    pool: Annotated[str, StringConstraints(pattern=r"^stages/genius/construction/pools/[^./][^/]*\.yaml$")]
    cases: Annotated[int, Field(ge=1, le=1000)]
    similarity: Annotated[float, Field(ge=0.7, le=1)]
    author: Slug
    checker: Slug
    pictures: Annotated[str, StringConstraints(pattern=r"^datasets(/[^./][^/]*)+$")]


class Rounds(Strict):
    """How often contestants reflect on a picture on side `post_reflection`; each round asks them twice more."""

    rounds: Annotated[int, Field(ge=1, le=10)] = 1


class Genius(BenchmarkParameters):
    """GENIUS: what every benchmark has, the sides on which items are put, and how new cases are proposed.

    `sides`: the forms of contexts, those from which something was taken, those with hints, and with reflection
    (`putting.SIDES`). A contestant that cannot be put to all of them names its own
    (`contestants.<name>.sides.genius`).
    """

    sides: Annotated[list[Side], Field(min_length=1), AfterValidator(different)]
    reflection: Rounds = Rounds()
    propose: Propose


class Params(parameters.Params):
    genius: Genius
