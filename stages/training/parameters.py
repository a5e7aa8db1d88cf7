"""What params.yaml says of trainings on the release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.project.errors import nearest_choice
from gamut.project.model_kinds import BASES, TRAINED, DiffusersModel, Slug, UnifiedModel, built_folders
from gamut.project.parameters import Seed
from gamut.project.roles import NO_PAINTING, RoleModel, lacks_painting
from gamut.project.validation import Strict, require_once
from gamut.training.recipes import Recipe


def distinct(names: list[Any]) -> list[Any]:
    require_once(map(str, names))
    return names


CAPTIONS = tuple(f"{name}{language}" for name in (*CHARACTERISTICS, ORIGINAL, DETAIL) for language in ("", "_cn"))


class ReleaseRecipe(Recipe):
    """`model`: what is trained to paint. `captions`: those of the release, each an example with its picture."""

    model: Annotated[DiffusersModel | UnifiedModel, Field(discriminator="kind")]
    captions: Annotated[list[Literal[CAPTIONS]], Field(min_length=1), AfterValidator(distinct)]  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _can_be_trained(self) -> ReleaseRecipe:
        if self.model.adapter is not None:
            raise ValueError("model has an adapter: a recipe trains one of its own on weights")
        if lacks_painting(self.model, ["painter"]):
            raise ValueError(NO_PAINTING)
        return self


class Training(Strict):
    """`bases`: tiny models that are built here. `recipes`: those of `recipes` that are trained, once by each of
    `seeds`: what one training does tells nothing of another.
    """

    bases: Annotated[list[Slug], AfterValidator(distinct)]
    recipes: Annotated[list[Slug], AfterValidator(distinct)]
    seeds: Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(min_length=1), AfterValidator(distinct)]


class Params(Strict):
    seed: Seed
    training: Training
    recipes: dict[Slug, ReleaseRecipe]

    @model_validator(mode="after")
    def _names_what_is_there(self) -> Params:
        for name in self.training.recipes:
            if name not in self.recipes:
                raise ValueError(f"training.recipes: no recipe {name!r}{nearest_choice(name, self.recipes)}")
        bases = [f"{BASES}/{base}" for base in self.training.bases]
        for name, recipe in self.recipes.items():
            if unknown := [folder for folder in built_folders(recipe.model) if folder not in bases]:
                raise ValueError(f"recipes.{name}.model: no stage builds {unknown[0]}: name it in training.bases")
        return self


def players(params: Params) -> Sequence[RoleModel]:
    """Return who is trained, as run.toml knows it: by its recipe's name."""
    return [RoleModel("painter", name, params.recipes[name].model) for name in params.training.recipes]


def builds(params: Params) -> list[str]:
    """Return the folders of all that is built: bases, and checkpoints."""
    cells = [(name, seed) for name in params.training.recipes for seed in params.training.seeds]
    steps = [f"{name}-{seed}/step-{step}" for name, seed in cells for step in params.recipes[name].checkpoints]
    return [*(f"{BASES}/{base}" for base in params.training.bases), *(f"{TRAINED}/{step}" for step in steps)]
