"""The roles that models play: the kinds that can fill each, and the models that do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, get_args

from gamut.project.model_kinds import Model, Slug, UnifiedModel
from gamut.project.validation import Strict

PAINT = ("sandbox", "openai", "diffusers", "unified", "python", "folder")
CHAT = ("sandbox", "openai", "transformers", "unified", "vllm", "python", "folder")
ABLE = {
    "painter": PAINT,
    "editor": PAINT,
    "creator": ("sandbox", "openai", "diffusers", "transformers", "unified", "vllm", "python", "folder"),
    "judge": CHAT,
    "matcher": CHAT,
    "captioner": CHAT,
    "translator": CHAT,
    "seed_writer": CHAT,
    "writer": CHAT,
    "text_embedder": ("openai", "sentence_transformers", "tfidf"),
    "image_embedder": ("sandbox", "transformers", "inception", "python"),
    "reader": ("rapidocr", "paddleocr", "python"),
    "detector": ("sandbox", "openai", "transformers", "vllm", "python"),
    "alignment_scorer": ("sandbox", "openai", "vllm", "transformers", "python"),
    "aesthetic_scorer": ("sandbox", "transformers", "python"),
    "preference_scorer": ("sandbox", "transformers", "python"),
}
"""The kinds that can fill each role."""
SCORERS = {"alignment": "alignment_scorer", "aesthetics": "aesthetic_scorer", "preference": "preference_scorer"}
"""The scores that models give pictures without a question, and the role that gives each."""
MAY_BE_NULL = ("image_embedder", *SCORERS.values())
"""Roles on which stages of the dataset depend; a step whose role is null is off."""
ROLES_OF = {
    "generation": ("painter",),
    "editing": ("editor",),
    "understanding": ("captioner",),
    "unified": ("painter", "editor", "captioner"),
}
"""The roles that a contestant plays, by its class."""
Task = Literal["understanding", "generation", "editing", "interleaved"]
"""The tasks of contestants: to write, to paint from words, to change a picture, to write and paint at once."""
TASKS_OF: Mapping[str, frozenset[Task]] = {
    "generation": frozenset({"generation"}),
    "editing": frozenset({"editing"}),
    "understanding": frozenset({"understanding"}),
    "unified": frozenset(get_args(Task)),
}
"""The tasks of a contestant that names none, by its class."""
ROLES_IN_PAIR = {"text": ("captioner",), "image": ("painter", "editor")}
"""The roles of each model of a pair."""


class RoleModel(NamedTuple):
    """A model that plays a role, with the slug under which run.toml has it."""

    role: str
    slug: str
    model: Model

    def __str__(self) -> str:
        return f"{self.role} ({self.slug})"

    @property
    def players(self) -> list[RoleModel]:
        return [self]


class RolePair(NamedTuple):
    """Two models that play one role: one writes, the other paints; run.toml has each under its own slug."""

    role: str
    slug: str
    text: RoleModel
    image: RoleModel

    def __str__(self) -> str:
        return f"{self.role} ({self.slug})"

    @property
    def players(self) -> list[RoleModel]:
        return [self.text, self.image]


NO_PAINTING = "to make pictures, a model of kind unified needs `painting: {guidance_scale: …}`: add it"


def lacks_painting(model: Model, roles: Collection[str]) -> bool:
    return isinstance(model, UnifiedModel) and model.painting is None and not {"painter", "editor"}.isdisjoint(roles)


Played = RoleModel | RolePair
"""The model or pair that plays a role."""


class Roles(Strict):
    """The model (by slug) in each role. `matcher`, which compares texts for hold-out, is by default the judge. No stage
    of the dataset asks other roles that may be left out.
    """

    painter: Slug
    judge: Slug
    captioner: Slug
    translator: Slug
    seed_writer: Slug
    writer: Slug
    matcher: Slug | None = None
    editor: Slug | None = None
    text_embedder: Slug | None = None
    image_embedder: Slug | None = None
    reader: Slug | None = None
    detector: Slug | None = None
    alignment_scorer: Slug | None = None
    aesthetic_scorer: Slug | None = None
    preference_scorer: Slug | None = None

    def filled(self) -> dict[str, str]:
        return {role: slug for role, slug in self if slug is not None}
