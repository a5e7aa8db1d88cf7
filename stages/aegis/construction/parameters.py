"""The parameters by which items of new editions are proposed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gamut.evaluation.construction import parameters
from gamut.evaluation.construction.parameters import Count, PictureConstruction
from gamut.project.parameters import Place
from gamut.project.pipeline import EDITIONS
from gamut.project.validation import Strict, read_checked, require_distinct
from stages.aegis.shared.items import DOMAIN_OF, REASONING, known_topic

Topic = Annotated[str, AfterValidator(known_topic)]


class Drafts(Strict):
    """How many items to make for a topic, by task: 15, 15, 15 and 5 in the paper (table 2)."""

    understanding: Count
    generation: Count
    editing: Count
    interleaved: Count


class Propose(PictureConstruction):
    """How items are proposed, about `topics`, null for all. Each item has `attempts` drafts, of which the first one is
    used that is unlike those used before. The `author` paints input pictures and answers clear prompts.
    """

    taxonomy: Annotated[str, StringConstraints(pattern=r"^stages/aegis/construction/[^./][^/]*\.yaml$")]
    topics: Annotated[list[Topic], Field(min_length=1), AfterValidator(require_distinct)] | None
    drafts: Drafts
    attempts: Annotated[int, Field(ge=1, le=20)]


class Params(parameters.Params):
    BESIDE: ClassVar = {"propose": Place(EDITIONS, "aegis")}
    propose: Propose


class Taxonomy(Strict):
    """What each topic and kind of reasoning is about, the kinds' shares of all items in per cent, and directions."""

    topics: Mapping[str, str]
    reasoning: Mapping[str, str]
    shares: Mapping[str, float]
    directions: list[str]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        wanted = {"topics": DOMAIN_OF, "reasoning": REASONING, "shares": REASONING}
        for where, names in wanted.items():
            if unlike := getattr(self, where).keys() ^ set(names):
                raise ValueError(f"{where}: {min(unlike)!r} is missing, or is a name that items cannot have")
        return self


def read_taxonomy(path: str) -> Taxonomy:
    return read_checked(Taxonomy, Path(path))
