"""Models that write and paint in this process: Janus, and Emu3, published as a model that chats and one that paints.

A request is answered with a text or with a picture. Janus paints from words alone; Emu3 reads given pictures first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from gamut.asking.limits import wants_text
from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.extras import require_package
from gamut.asking.models.torch import transformers
from gamut.asking.models.torch.attention import adjusted_attention, adjusted_layers, bias_of
from gamut.asking.models.torch.chat_network import JANUS, UNIFIED, Network, open_chat
from gamut.asking.models.torch.keywords import Keywords, ask_keywords
from gamut.asking.models.torch.networks import in_batches, model_type
from gamut.asking.models.torch.picture_codes import Canvas, canvas_of, paint
from gamut.asking.models.weights import weights_folder
from gamut.asking.requests import Create, Paint, Reply, Request, pictures_of, wants_picture
from gamut.project.errors import UserError
from gamut.project.model_kinds import AttentionAdjustment, UnifiedModel, identity
from gamut.project.settings import Endpoint

GPU_BATCH = 16
"""Up to this many, painting waits for the CPU (docs/measured.md)."""
LEAST_TRANSFORMERS = (5, 23)
"""In earlier versions of transformers, Janus could not paint."""


def open_unified(name: str, slug: str, model: UnifiedModel, endpoint: Endpoint) -> BatchedModel:
    network, _ = open_network(name, slug, model, endpoint)
    require_adjustable(network, slug)
    batch = endpoint.batch or (1 if network.device.startswith("cpu") else GPU_BATCH)
    return BatchedModel(identity(model), batch, partial(generate_replies, network, slug))


def open_network(name: str, slug: str, model: UnifiedModel, endpoint: Endpoint) -> tuple[Network, Path]:
    """Return a network, and the folder that it comes from."""
    for package in ("torch", "transformers"):
        require_package(name, package, "models")
    require_version(name)
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code)
    if (kind := model_type(name, folder)) not in UNIFIED:
        raise UserError(
            f"{name}: {folder} is a {kind!r}, which cannot both write and paint here; supported are "
            f"{' and '.join(UNIFIED)}: name another at models.{slug}.id"
        )
    if unknown := model.sampling.model_dump(exclude_none=True, exclude={"temperature", "top_p", "max_tokens"}):
        fix = f"how it paints is set at models.{slug}.painting in params.yaml"
        raise UserError(f"{name}: its sampling of texts does not use {', '.join(unknown)}: {fix}")
    if kind == JANUS and model.painting and (model.painting.top_k or model.painting.negative_prompt):
        raise UserError(f"{name}: only Emu3 has top_k and negative_prompt: remove them from models.{slug}.painting")
    return open_chat(name, slug, model, endpoint, folder), folder


def require_version(name: str) -> None:
    import transformers as package

    version = tuple(int(part) for part in package.__version__.split(".")[:2])
    if version < LEAST_TRANSFORMERS:
        least = ".".join(map(str, LEAST_TRANSFORMERS))
        raise UserError(
            f"{name}: transformers {package.__version__} is too old to paint: pip install -U 'transformers>={least}'"
        )


def require_adjustable(network: Network, slug: str) -> None:
    """Raise UserError if params.yaml asks for an adjustment of attention that this network does not support."""
    adjustment = adjustment_of(network)
    if adjustment is None:
        return
    fix = f"fix models.{slug}.attention_adjustment in params.yaml, or remove it"
    if network.kind == JANUS:
        raise UserError(f"{network.name}: Janus paints only from words, so it has no pictures to attend to: {fix}")
    if not network.chat_template:
        raise UserError(f"{network.name}: without a chat template it cannot say what matters in pictures: {fix}")
    try:
        adjusted_layers(network.weights.get_decoder(), adjustment)
    except ValueError as error:
        raise UserError(f"{network.name}: {error}: {fix}") from None


def adjustment_of(network: Network) -> AttentionAdjustment | None:
    """Return the adjustment of attention; None also for a strength of 0, which changes no byte."""
    assert isinstance(network.model, UnifiedModel)
    adjustment = network.model.attention_adjustment
    return adjustment if adjustment and adjustment.strength else None


def generate_replies(network: Network, slug: str, requests: Sequence[Request]) -> list[Reply]:
    """Answer requests in order: texts in one batch, pictures of one size in one. Unsupported requests fail alone."""
    replies = {
        n: Reply(why.encode(), "unsupported")
        for n, one in enumerate(requests)
        if (why := unsupported_reason(network, one))
    }
    texts = [n for n, one in enumerate(requests) if n not in replies and not wants_picture(one)]
    if texts:
        written = transformers.generate_replies(network, slug, [requests[n] for n in texts])
        replies |= zip(texts, written, strict=True)
    canvases: dict[int, Canvas] = {}
    for number, request in enumerate(requests):
        if number not in replies:
            assert isinstance(request, Paint | Create)  # nothing else wants a picture
            try:
                canvases[number] = canvas_of(network, request)
            except ValueError as error:
                replies[number] = Reply(str(error).encode(), "invalid")
    adjustment = adjustment_of(network)
    spent: dict[int, Keywords] = {}
    if adjustment is not None:
        spent = keywords_by_number(network, slug, {n: requests[n] for n in canvases})
        for number, found in spent.items():
            if found.failure is not None:
                replies[number] = found.failure
                del canvases[number]
            else:
                bias = bias_of(network, canvases[number].tokens, found.words)
                canvases[number] = replace(canvases[number], bias=bias)
    attending = partial(adjusted_attention, network.weights.get_decoder(), adjustment) if adjustment else None
    sizes = {(canvas.rows, canvas.columns) for canvas in canvases.values()}
    for size in sorted(sizes):
        group = [n for n, canvas in canvases.items() if (canvas.rows, canvas.columns) == size]
        run = partial(paint, network, attending=attending)
        painted = in_batches(network.name, slug, network.device, [canvases[n] for n in group], run)
        replies |= zip(group, painted, strict=True)
    return [with_keywords(replies[n], spent.get(n)) for n in range(len(requests))]


def keywords_by_number(network: Network, slug: str, requests: Mapping[int, Request]) -> dict[int, Keywords]:
    """Ask the network what matters in the pictures of requests that have any."""
    seeing = {n: one for n, one in requests.items() if isinstance(one, Create) and pictures_of(one)}
    found = ask_keywords(partial(transformers.generate_replies, network, slug), list(seeing.values()))
    return dict(zip(seeing, found, strict=True))


def with_keywords(reply: Reply, keywords: Keywords | None) -> Reply:
    """Return a reply with the tokens of its keywords added to its own."""
    spent = keywords.replies if keywords else ()
    read, written = (sum(getattr(one, name) for one in spent) for name in ("input_tokens", "output_tokens"))
    return replace(reply, input_tokens=reply.input_tokens + read, output_tokens=reply.output_tokens + written)


def unsupported_reason(network: Network, request: Request) -> str:
    """Return why this model cannot answer a request; "" if it can."""
    assert isinstance(network.model, UnifiedModel)
    if not wants_picture(request):
        return "" if network.chat_template else "it has no chat template, so it writes nothing"
    if wants_text(request):
        return "it answers with a text or a picture, not with both"
    if network.model.painting is None:
        return "params.yaml names no `painting` for it, so it makes no picture"
    if network.kind == JANUS and pictures_of(request):
        return "Janus paints only from words, and edits no pictures"
    return ""
