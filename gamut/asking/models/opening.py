"""Opens the model, or the pair of models, that plays a role."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gamut.asking.models.weights import pin_built
from gamut.asking.requests import Model, Reply, Request
from gamut.project import model_kinds
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError
from gamut.project.roles import SCORERS, Played, RoleModel
from gamut.project.settings import Endpoint, Settings, misplaced_key

TORCH_KINDS = (
    model_kinds.DiffusersModel,
    model_kinds.TransformersModel,
    model_kinds.UnifiedModel,
    model_kinds.SentenceTransformersModel,
    model_kinds.InceptionModel,
)
"""Kinds that take long to open, and run with torch in the process that opens them."""
CHAT_KINDS = (model_kinds.OpenAIModel, model_kinds.TransformersModel, model_kinds.VllmModel)
PAINTERS = ("painter", "editor", "creator")  # roles in which a model makes pictures, which takes seconds each


def identity_of(played: Played) -> Mapping[str, Any]:
    """Return the identity of the model that plays a role. A pair's has both models, and how they work together."""
    if isinstance(played, RoleModel):
        return identity(played.model, played.role)
    from gamut.asking.models.pair import WRITER_INSTRUCTION

    text, image = map(identity_of, played.players)
    return {"id": f"{text['id']}+{image['id']}", "text": text, "image": image, "places": WRITER_INSTRUCTION}


def identity(model: model_kinds.Model, role: str) -> Mapping[str, Any]:
    """Return a model's identity in a role. For tfidf only its opener knows it, from the texts."""
    if isinstance(model, model_kinds.SandboxModel):
        from gamut.asking.models.world import sandbox

        return sandbox.identity(model, role)
    model_identity = model_kinds.identity(pin_built(model))
    if isinstance(model, model_kinds.PythonModel):
        model_identity["revision"] = digest_of_file(Path(model.file))
    if role == "detector" and isinstance(model, CHAT_KINDS):
        from gamut.asking.models import grounding

        if boxes := grounding.known_boxes(model):
            model_identity |= grounding.identity_of(boxes)
    if role == SCORERS["alignment"] and isinstance(model, model_kinds.OpenAIModel | model_kinds.VllmModel):
        from gamut.asking.models.http import rating

        model_identity |= rating.IDENTITY
    return model_identity


class OpenedWhenAsked:
    """A model that the first request without a stored reply opens, because weights and servers take minutes.

    Before that it only has its identity, which is all that stored replies need. `texts`: all texts that a text embedder
    will be asked about.
    """

    def __init__(self, role_model: RoleModel, settings: Settings, texts: Callable[[], Iterable[str]] = tuple) -> None:
        self.by_record = isinstance(role_model.model, model_kinds.FolderModel)
        self.open: Callable[[], Model] = lambda: open_model(role_model, settings, texts())
        self.opened: Model | None = None
        if isinstance(role_model.model, model_kinds.TfidfModel):  # only the texts say which one it is
            self.opened = self.open()
            self.identity = self.opened.identity
        else:
            self.identity = identity_of(role_model)

    @property
    def concurrency(self) -> int:
        return 1 if self.opened is None else self.opened.concurrency

    async def answer(self, request: Request) -> Reply:
        if self.opened is None:
            self.opened = self.open()
        return await self.opened.answer(request)

    async def close(self) -> None:
        if self.opened is not None:
            await self.opened.close()


Opening = Callable[[Played, Settings], Model]


def open_when_asked(played: Played, settings: Settings, texts: Callable[[], Iterable[str]] = tuple) -> Model:
    """Return the model or pair that plays a role. The first unanswered request opens it, each of a pair by its own."""
    if isinstance(played, RoleModel):
        return OpenedWhenAsked(played, settings, texts)
    from gamut.asking.models.pair import PairModel  # which decodes pictures: few roles are played by two

    writer, painter = (OpenedWhenAsked(player, settings) for player in played.players)
    prices = [settings.endpoint(player.slug) for player in played.players]
    return PairModel(writer, painter, identity_of(played), *prices)


def pinned_model(role_model: RoleModel, settings: Settings) -> tuple[model_kinds.Model, Endpoint]:
    """Return a model and its endpoint, with the digests and places of the weights that stages have built."""
    model, endpoint = role_model.model, settings.endpoint(role_model.slug)
    if isinstance(model, model_kinds.Weights) and model.revision == model_kinds.BUILT:
        endpoint = endpoint.model_copy(update={"weights": str(Path(model_kinds.built_folders(model)[0]).absolute())})
    return pin_built(model), endpoint


def open_model(role_model: RoleModel, settings: Settings, texts: Iterable[str] = ()) -> Model:
    """Open a model for its role. Heavy imports happen here, only for its kind. `tfidf` is fitted on `texts`.

    Raise UserError when an extra, a folder, a key or weights are missing, or weights are not of the revision.
    """
    role, slug, _ = role_model
    name, (model, endpoint) = str(role_model), pinned_model(role_model, settings)
    if fix := misplaced_key(slug, model.kind, endpoint):
        raise UserError(f"{name}: {fix}")
    match model:
        case model_kinds.SandboxModel():
            from gamut.asking.models.extras import require_package
            from gamut.asking.models.world.processes import SandboxModel

            require_package(name, "fonticon_mdi7", "world")
            return SandboxModel(model, endpoint, role)
        case model_kinds.OpenAIModel() | model_kinds.VllmModel() if role == "detector":
            from gamut.asking.models import grounding

            boxes = grounding.boxes_of(name, slug, model)
            return grounding.Grounded(open_served(name, slug, model, endpoint, role), boxes, model.largest_picture)
        case model_kinds.OpenAIModel() | model_kinds.VllmModel():
            return open_served(name, slug, model, endpoint, role)
        case model_kinds.DiffusersModel():
            from gamut.asking.models.torch import diffusers

            return diffusers.open_diffusers(name, slug, model, endpoint)
        case model_kinds.TransformersModel():
            from gamut.asking.models.torch import transformers

            return transformers.open_transformers(name, slug, model, endpoint, role)
        case model_kinds.UnifiedModel():
            from gamut.asking.models.torch import unified

            return unified.open_unified(name, slug, model, endpoint)
        case model_kinds.SentenceTransformersModel():
            from gamut.asking.models.torch import text_embeddings

            return text_embeddings.open_sentence_transformers(name, slug, model, endpoint)
        case model_kinds.TfidfModel():
            from gamut.asking.models.torch import text_embeddings

            return text_embeddings.open_tfidf(model, texts)
        case model_kinds.InceptionModel():
            from gamut.asking.models.torch import image_embeddings

            return image_embeddings.open_inception(name, slug, model, endpoint)
        case model_kinds.RapidOCRModel():
            from gamut.asking.models import ocr

            return ocr.open_rapidocr(name, model, endpoint)
        case model_kinds.PaddleOCRModel():
            from gamut.asking.models import ocr

            return ocr.open_paddleocr(name, slug, model, endpoint)
        case model_kinds.PythonModel():
            from gamut.asking.models.python.process import open_python

            return open_python(role_model, endpoint, identity(model, role))
        case model_kinds.FolderModel():
            from gamut.asking.models.folder.answers import FolderModel

            return FolderModel(name, model)


def open_served(
    name: str, slug: str, model: model_kinds.OpenAIModel | model_kinds.VllmModel, endpoint: Endpoint, role: str
) -> Model:
    if isinstance(model, model_kinds.OpenAIModel):
        from gamut.asking.models.http.client import CONCURRENCY, PAINTER_CONCURRENCY, HttpModel

        return HttpModel(name, slug, model, endpoint, PAINTER_CONCURRENCY if role in PAINTERS else CONCURRENCY)
    from gamut.asking.models.vllm import server

    return server.open_vllm(name, slug, model, endpoint)
