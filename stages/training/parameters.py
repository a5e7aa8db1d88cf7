"""The parameters of trainings on the release, in params.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.project.errors import nearest_choice
from gamut.project.model_kinds import BASES, TRAINED, DiffusersModel, Pixels, Slug, UnifiedModel, built_folders
from gamut.project.parameters import Seed
from gamut.project.plain_text import amount
from gamut.project.roles import NO_PAINTING, RoleModel, lacks_painting
from gamut.project.validation import Strict, require_distinct
from gamut.training.recipes import Recipe

CAPTIONS = tuple(f"{name}{language}" for name in (*CHARACTERISTICS, ORIGINAL, DETAIL) for language in ("", "_cn"))


class ReleaseRecipe(Recipe):
    """A recipe that trains a `model` to paint. The release's `captions` each make an example with their picture. Larger
    pictures are scaled down to `largest_picture`, pixels of the longer side.
    """

    model: Annotated[DiffusersModel | UnifiedModel, Field(discriminator="kind")]
    captions: Annotated[list[Literal[CAPTIONS]], Field(min_length=1), AfterValidator(require_distinct)]  # type: ignore[valid-type]
    largest_picture: Pixels | None = None


class Training(Strict):
    """Tiny models, `bases`, are built here. Each of `recipes` is trained once with each of `seeds`: one training does
    not show how they vary.
    """

    bases: Annotated[list[Slug], AfterValidator(require_distinct)]
    recipes: Annotated[list[Slug], AfterValidator(require_distinct)]
    seeds: Annotated[list[Seed], AfterValidator(require_distinct)]


class Params(Strict):
    seed: Seed
    training: Training
    recipes: dict[Slug, ReleaseRecipe] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_what_is_there(self) -> Params:
        for name in self.training.recipes:
            if name not in self.recipes:
                raise ValueError(f"training.recipes: no recipe {name!r}{nearest_choice(name, self.recipes)}")
        if self.training.recipes and not self.training.seeds:
            raise ValueError("training.seeds: at least one is expected, and three or more to compare recipes")
        bases = [f"{BASES}/{base}" for base in self.training.bases]
        for name, recipe in self.recipes.items():
            if recipe.model.adapter is not None:
                raise ValueError(f"recipes.{name}.model has an adapter: leave it out, since a recipe trains its own")
            if lacks_painting(recipe.model, ["painter"]):
                raise ValueError(f"recipes.{name}.model: {NO_PAINTING}")
            if unknown := [folder for folder in built_folders(recipe.model) if folder not in bases]:
                raise ValueError(f"recipes.{name}.model: no stage builds {unknown[0]}: name it in training.bases")
        return self


STEP_SECONDS = {"black-forest-labs/FLUX.1-dev": 0.78}
"""Seconds per example and step, 1024 pixels wide and high, on an H200 (docs/measured.md)."""


def players(params: Params) -> Sequence[RoleModel]:
    """Return the trained models under their names in run.toml: those of their recipes."""
    return [RoleModel("painter", name, params.recipes[name].model) for name in params.training.recipes]


def builds(params: Params) -> list[str]:
    """Return the folders that are built: bases, and checkpoints."""
    cells = [(name, seed) for name in params.training.recipes for seed in params.training.seeds]
    steps = [f"{name}-{seed}/step-{step}" for name, seed in cells for step in params.recipes[name].checkpoints]
    return [*(f"{BASES}/{base}" for base in params.training.bases), *(f"{TRAINED}/{step}" for step in steps)]


def bill(params: Params) -> Iterator[str]:
    for name in params.training.recipes:
        recipe, times = params.recipes[name], amount(len(params.training.seeds), "training")
        steps = f"Recipe {name}: {times} of {recipe.steps:,} steps of {amount(recipe.batch, 'example')}"
        seconds = STEP_SECONDS.get(recipe.model.id)
        hours = f", {seconds * recipe.batch * recipe.steps / 3600:,.1f} H200-hours each" if seconds else ""
        yield f"{steps}{hours}."
