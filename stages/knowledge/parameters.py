"""What params.yaml says of knowledge studies (arXiv 2602.02140, section 4, D.2 and E.2)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gamut.project.errors import nearest_choice
from gamut.project.model_kinds import TRAINED, Adapter, Pixels, Share, Slug, built_folders
from gamut.project.parameters import AskingParameters, Shared
from gamut.project.roles import RoleModel
from gamut.project.validation import Strict, require_distinct
from gamut.training.recipes import Count, Recipe

Study = Literal["edit", "inject"]
Strategy = Literal["und", "gen", "both", "replay"]
HELD_OUT = 5
"""One in this many wordings and pictures is held out (section 4.1: 20 %)."""


class WorldEntities(Strict):
    """Pictograms of the embedded world, one for each picture."""

    kind: Literal["world"]


class FolderEntities(Strict):
    """Pictures in a folder below datasets/entities, as `<category>/<entity>/<any name>.png`."""

    kind: Literal["folder"]
    path: Annotated[str, StringConstraints(pattern=r"^datasets/entities(/[^./][^/]*)+$")]


class HubEntities(Strict):
    """A dataset of the Hub: one column has names, another the pictures. All have one category."""

    kind: Literal["hub"]
    repo: Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
    config: str | None = None
    split: str
    name: str
    image: str


class Probe(Strict):
    """An entity is known on a side if at least the share `known` of `pictures` answers is right, and unknown if at most
    the share `unknown` is.
    """

    pictures: Count
    known: Share
    unknown: Share

    @model_validator(mode="after")
    def _apart(self) -> Probe:
        if self.unknown >= self.known:
            raise ValueError(f"unknown: {self.unknown:g} has to be below known, {self.known:g}")
        return self


class Knowledge(AskingParameters):
    """Which `models` are trained and measured. Each entity has `pictures`, and a study trains at most `most` entities.
    The share `neighbours` of known ones is never trained. Paintings have `width` and `height`, in pixels.
    """

    models: Annotated[list[Slug], Field(min_length=1), AfterValidator(require_distinct)]
    studies: Annotated[list[Study], Field(min_length=1), AfterValidator(require_distinct)]
    strategies: Annotated[list[Strategy], Field(min_length=1), AfterValidator(require_distinct)]
    entities: Annotated[WorldEntities | FolderEntities | HubEntities, Field(discriminator="kind")]
    pictures: Annotated[int, Field(ge=HELD_OUT)]
    probe: Probe
    most: Annotated[int, Field(ge=2)]
    neighbours: Share
    width: Pixels
    height: Pixels
    recipe: Recipe

    @model_validator(mode="after")
    def _fits(self) -> Knowledge:
        if self.probe.pictures > self.pictures:
            raise ValueError(f"probe.pictures has to be at most {self.pictures}, the value of `pictures`")
        if self.recipe.lora is None:
            raise ValueError("recipe.lora: an adapter is expected, since each checkpoint is opened with it")
        return self


class Params(Shared):
    """Models, roles, and the studies."""

    knowledge: Knowledge

    @model_validator(mode="after")
    def _names_models(self) -> Params:
        for slug in self.knowledge.models:
            if slug not in self.models:
                raise ValueError(f"knowledge.models: no model {slug!r}{nearest_choice(slug, self.models)}")
            model = self.models[slug]
            if model.kind != "unified" or model.painting is None or model.adapter is not None:
                raise ValueError(
                    f"knowledge.models: {slug!r} has to be of kind unified, with `painting` and without an adapter"
                )
            if trained := [folder for folder in built_folders(model) if folder.startswith(TRAINED)]:
                raise ValueError(f"knowledge.models: {slug!r}: no stage here depends on {trained[0]}: copy and pin it")
        if "inject" in self.knowledge.studies and self.roles.image_embedder is None:
            raise ValueError("roles.image_embedder is empty: study inject needs it to measure paintings")
        return self

    def player(self, slug: str, adapter: Adapter | None = None) -> RoleModel:
        return RoleModel("creator", slug, self.models[slug].model_copy(update={"adapter": adapter}))
