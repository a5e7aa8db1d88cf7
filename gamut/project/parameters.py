"""The parameters that all benchmarks share. A stage checks these and its own benchmark's, but no other's.

An error names file and path of a wrong value and the nearest right one (validation).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, TypeVar

from pydantic import Field, model_validator

from gamut.project.budgets import MaxFailures
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import BUILT, Model, Pixels, Slug, built_folders
from gamut.project.pipeline import PARAMS
from gamut.project.roles import ABLE, NO_PAINTING, RoleModel, Roles, lacks_painting
from gamut.project.validation import Strict, check_values, read_yaml

Seed = Annotated[int, Field(ge=0, lt=2**31)]


class NearDuplicates(Strict):
    """Lowest similarity, 0.7..1, that makes two texts near-duplicates (near_duplicates.similarity)."""

    similarity: Annotated[float, Field(ge=0.7, le=1)]


class AskingParameters(Strict):
    """Parameters of every stage that asks: how many records may fail before it fails, a share below 1 or a count."""

    max_failures: MaxFailures = 0.01


class PaintingParameters(AskingParameters):
    """Size of the pictures asked for, in pixels."""

    width: Pixels
    height: Pixels


class Place(NamedTuple):
    """The place of values that are read in addition to params.yaml."""

    file: Path
    key: str


class Shared(Strict):
    """The build's seed, the models by slug, and the roles that they play. `BESIDE`: fields of other files."""

    BESIDE: ClassVar[Mapping[str, Place]] = {}
    seed: Seed
    models: dict[Slug, Model]
    roles: Roles

    def slug_of(self, role: str) -> Slug | None:
        """Return the slug of the model in a role. The judge is also the matcher if no other is named."""
        slug: Slug | None = getattr(self.roles, role, None) or (self.roles.judge if role == "matcher" else None)
        return slug

    def role_model(self, role: str) -> RoleModel:
        if (slug := self.slug_of(role)) is None:
            raise UserError(f"params.yaml: roles.{role} is not filled: set it to the slug of one of `models`")
        return RoleModel(role, slug, self.models[slug])

    @model_validator(mode="after")
    def _roles_are_filled_by_models(self) -> Shared:
        for role, slug in self.roles.filled().items():
            self._require_able(f"roles.{role}", slug, role)
        return self

    def _require_able(self, where: str, slug: str, role: str) -> None:
        if slug not in self.models:
            raise ValueError(f"{where}: no model {slug!r}{nearest_choice(slug, self.models)}")
        if (kind := self.models[slug].kind) not in ABLE[role]:
            raise ValueError(f"{where}: {slug!r} is of kind {kind}, expected one of {', '.join(ABLE[role])}")
        if folders := built_folders(self.models[slug]):
            who = "only contestants, `recipes` and `knowledge` can use it"
            raise ValueError(f"{where}: {slug!r} has `revision: {BUILT}` ({folders[0]}): {who}")
        if lacks_painting(self.models[slug], [role]):
            raise ValueError(f"{where}: {slug!r}: {NO_PAINTING}")


Params = TypeVar("Params", bound=Strict)


def load(model: type[Params], path: Path = PARAMS) -> Params:
    return check_values(model, read_yaml(path), path)
