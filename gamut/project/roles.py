"""The roles that models play: which kinds can fill which, and who plays one."""

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
}
"""Which kinds can fill which role."""
ROLES_OF = {
    "generation": ("painter",),
    "editing": ("editor",),
    "understanding": ("captioner",),
    "unified": ("painter", "editor", "captioner"),
}
"""Which roles a contestant plays, by its class."""
Task = Literal["understanding", "generation", "editing", "interleaved"]
"""What a contestant is asked to do: to write, to paint from words, to change a picture, to write and paint at once."""
TASKS_OF: Mapping[str, frozenset[Task]] = {
    "generation": frozenset({"generation"}),
    "editing": frozenset({"editing"}),
    "understanding": frozenset({"understanding"}),
    "unified": frozenset(get_args(Task)),
}
"""What a contestant of a class does, if it names no tasks."""
ROLES_IN_PAIR = {"text": ("captioner",), "image": ("painter", "editor")}
"""Which of them each model of a pair plays."""


class RoleModel(NamedTuple):
    """Who plays a role: a model, and the slug under which run.toml knows it."""

    role: str
    slug: str
    model: Model

    def __str__(self) -> str:
        return f"{self.role} ({self.slug})"

    @property
    def players(self) -> list[RoleModel]:
        return [self]


class RolePair(NamedTuple):
    """Two models that play a role as one: one writes, the other paints; run.toml knows each by its own slug."""

    role: str
    slug: str
    text: RoleModel
    image: RoleModel

    def __str__(self) -> str:
        return f"{self.role} ({self.slug})"

    @property
    def players(self) -> list[RoleModel]:
        return [self.text, self.image]


NO_PAINTING = "kind unified makes pictures where it has `painting: {guidance_scale: …}`: say it"


def lacks_painting(model: Model, roles: Collection[str]) -> bool:
    return isinstance(model, UnifiedModel) and model.painting is None and not {"painter", "editor"}.isdisjoint(roles)


Played = RoleModel | RolePair
"""Whoever plays a role."""


class Roles(Strict):
    """Which model (by slug) fills which role; `matcher`, who compares texts for hold-out, is the judge if left out;
    others that may be left out are asked by no stage of the dataset.
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

    def filled(self) -> dict[str, str]:
        return {role: slug for role, slug in self if slug is not None}
