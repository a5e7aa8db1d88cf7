"""The parameters of a benchmark's editions under construction, which stand in `stages/editions/params.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gamut.evaluation.defining.parameters import Version
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import Slug
from gamut.project.parameters import PaintingParameters, Shared
from gamut.project.roles import ABLE, RoleModel
from gamut.project.validation import Strict, require_distinct


class Construction(Strict):
    """How items of new `editions` are proposed, one by one. `ROLES`: roles of the models that it names, by key."""

    ROLES: ClassVar[Mapping[str, str]] = {}
    editions: Annotated[list[Version], AfterValidator(require_distinct)]


Count = Annotated[int, Field(ge=0, le=1000)]
"""How many items of a kind are made."""


class PictureConstruction(Construction, PaintingParameters):
    """The same for items with pictures. `similarity`: two texts are alike from this value on. `author`: the model that
    paints pictures of `width` and `height`. `pictures`: the folder of your own pictures, listed in
    `<edition>/pictures.csv`.
    """

    ROLES: ClassVar[Mapping[str, str]] = {"author": "creator"}
    similarity: Annotated[float, Field(ge=0.7, le=1)]
    author: Slug
    pictures: Annotated[str, StringConstraints(pattern=r"^datasets(/[^./][^/]*)+$")]


class Params(Shared):
    """Models, roles and `propose`. A subclass gives the type and place (`BESIDE`) of `propose`."""

    propose: Construction

    @model_validator(mode="after")
    def _editions_name_models(self) -> Params:
        place = self.BESIDE["propose"]
        for key, role in self.propose.ROLES.items() if self.propose.editions else ():
            slug, where = getattr(self.propose, key), f"{place.file}: {place.key}.{key}"
            if slug not in self.models:
                raise UserError(f"{where}: no model {slug!r}{nearest_choice(slug, self.models)}")
            if (kind := self.models[slug].kind) not in ABLE[role]:
                wanted = ", ".join(ABLE[role])
                raise UserError(f"{where}: {slug!r} is of kind {kind}: one of {wanted} is expected")
        return self

    def player(self, key: str) -> RoleModel:
        slug: str = getattr(self.propose, key)
        return RoleModel(self.propose.ROLES[key], slug, self.models[slug])

    def players(self) -> list[RoleModel]:
        """Return the models that are asked besides the roles; none if no edition is under construction."""
        return [self.player(key) for key in self.propose.ROLES] if self.propose.editions else []
