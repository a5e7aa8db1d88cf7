"""What can be asked: one way to get an answer a module. A model takes a request and gives a reply, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from stages.params import Params
from stages.questions import Reply, Request
from stages.settings import Settings


class Model(Protocol):
    """Anything that answers requests.

    `identity` (id, revision, numerics, sampling) is part of every request's fingerprint; `concurrency` is how many
    requests may be in flight. `answer` gives a Reply for whatever concerns this one request, and raises UserError for
    what concerns all (a wrong key, a model that is not served).
    """

    identity: Mapping[str, Any]
    concurrency: int

    async def answer(self, request: Request) -> Reply:
        """Answer one request."""
        ...

    async def close(self) -> None:
        """Give back connections and processes."""
        ...


def open_model(role: str, params: Params, settings: Settings) -> Model:
    """Open the model that fills a role; heavy imports happen here and only for the kind in use."""
    slug = getattr(params.roles, role)
    model = params.models[slug]
    endpoint = settings.endpoint(slug)
    if model.kind == "sandbox":
        from stages.models.sandbox import SandboxModel

        return SandboxModel(model, endpoint)
    from stages.models.http import HttpModel

    return HttpModel(role, slug, model, endpoint)
