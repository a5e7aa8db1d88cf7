"""A diffusers pipeline in this process: pictures from text, and edits of pictures (Kontext, Qwen-Image-Edit).

Every request has its own random generator, on the CPU. Requests run one by one, so that batch and order change no byte;
on a GPU run.toml may ask for several of one size at once. Edits get the nearest size that the pipeline can make.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from gamut.asking.limits import wants_text
from gamut.asking.making import png_comment
from gamut.asking.models.batches import BatchedModel, decode_picture
from gamut.asking.models.extras import first_line, require_package
from gamut.asking.models.torch.adapters import merge_into_pipeline
from gamut.asking.models.torch.networks import device_of, in_batches
from gamut.asking.models.torch.painting_options import call_arguments, fp8, parameters, require_fp8, settle_core
from gamut.asking.models.weights import weights_folder
from gamut.asking.requests import Create, Paint, Reply, Request, number_pictures, parts_of
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel, identity
from gamut.project.settings import Endpoint

BATCH = 1
"""Requests at once, unless run.toml says more. More would win little on a GPU: a FLUX.1 picture of 1024 x 1024 is 28
steps of 74.4 TFLOP (4,608 tokens; by torch's counter 59.5 in linear layers, 14.9 in attention) = 2.08 PFLOP. An H200
takes 5.05 s for them (docs/measured.md), 412 TFLOP a second, and 4.95 s in batches of four; compiled 3.91 s, 532 of
the 989 that its bf16 peak is."""
LEAST_GRID = 16  # sizes are multiples of this in nearly all pipelines; some need larger ones, and name them
SEVERAL_PICTURES = ("Flux2Pipeline", "Flux2KleinPipeline", "QwenImageEditPlusPipeline")
"""Pipelines that read several pictures as input of one edit; the others read them as several edits."""
PNG_LEVEL = 1  # of compression; low, because the GPU waits meanwhile


def open_diffusers(name: str, slug: str, model: DiffusersModel, endpoint: Endpoint) -> BatchedModel:
    for package in ("torch", "diffusers", "transformers"):
        require_package(name, package, "models")
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code, pipeline=True)
    device = device_of(name, slug, endpoint)
    require_fp8(name, slug, model, device)
    pipeline = load_pipeline(name, slug, model, folder, device)
    if model.adapter is not None:
        merge_into_pipeline(name, slug, model.adapter, pipeline)
    arguments = call_arguments(name, slug, model, pipeline)
    batch = endpoint.batch or BATCH
    if batch > 1 and (why := why_alone(model, pipeline)):
        raise UserError(f"{name}: {why}: remove `batch` of [models.{slug}] in run.toml")
    settle_core(name, slug, model, pipeline)
    painter = Painter(name, slug, device, pipeline, arguments, watch_tokenizers(pipeline, arguments))
    return BatchedModel(identity(model), batch, painter.generate)


def why_alone(model: DiffusersModel, pipeline: Any) -> str | None:
    """Return why requests must run one by one; None if several at once differ only in their last bits."""
    if type(pipeline).__name__ == "GlmImagePipeline":
        return "GlmImagePipeline draws the plan of every picture by the seed of the first one in its batch"
    if model.compile:
        return "kernels are compiled for one size of batch, and again for a last, smaller one"
    return None


def load_pipeline(name: str, slug: str, model: DiffusersModel, folder: Path, device: str) -> Any:
    import torch

    be_quiet()
    from diffusers import DiffusionPipeline

    try:
        pipeline = DiffusionPipeline.from_pretrained(
            folder,
            dtype=getattr(torch, model.dtype),
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=model.trust_remote_code,
            quantization_config=fp8(folder) if model.quantization else None,
        ).to(device)
    except torch.OutOfMemoryError:
        raise UserError(
            f"{name}: {folder} does not fit on {device}: take a larger GPU, or models.{slug}.quantization: fp8"
        ) from None
    except (OSError, ValueError, ImportError, AttributeError, KeyError, RuntimeError) as error:
        cause = "weights are missing" if "meta tensor" in str(error) else first_line(error)
        raise UserError(
            f"{name}: {folder} cannot be loaded ({cause}): fix `[models.{slug}] weights` in run.toml, or "
            "install what is missing"
        ) from None
    if "prompt" not in parameters(pipeline) or "generator" not in parameters(pipeline):
        raise UserError(f"{name}: {folder} is a {type(pipeline).__name__}, which makes no pictures from text")
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def be_quiet() -> None:
    from diffusers.utils import logging as of_diffusers
    from transformers.utils import logging as of_transformers

    for logging in (of_diffusers, of_transformers):
        logging.disable_progress_bar()
        logging.set_verbosity_error()


@dataclass(frozen=True)
class Painter:
    """A loaded pipeline, the arguments of its calls, and the tokens that its tokenizers read in the last call."""

    name: str
    slug: str
    device: str
    pipeline: Any
    arguments: Mapping[str, Any]
    readings: list[TokensRead] = field(default_factory=list)

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """Answer requests in order, those of one size together. Raise UserError for a problem of all of them."""
        replies = {n: Reply(NO_WRITER, "unsupported") for n, request in enumerate(requests) if wants_text(request)}
        for group in group_alike(requests, replies):
            asked = [picture_request(requests[n]) for n in group]
            replies |= zip(group, in_batches(self.name, self.slug, self.device, asked, self.paint), strict=True)
        return [replies[n] for n in range(len(requests))]

    def paint(self, requests: Sequence[Paint | Create]) -> list[Reply]:
        """Answer requests of one size in one call; if the pipeline rejects one of them, each in its own call."""
        self.readings.clear()
        try:
            result = self.pipeline(**self.call(requests))
        except ValueError as error:  # by which a pipeline rejects a request
            if len(requests) > 1:
                return [reply for request in requests for reply in self.paint([request])]
            return [Reply(first_line(error).encode(), "invalid")]
        flagged = getattr(result, "nsfw_content_detected", None) or [False] * len(requests)
        remarks = cut_remarks(self.readings, len(requests))
        return [
            Reply(FLAGGED, "refused") if flag else picture_reply(image, request, remark)
            for image, flag, request, remark in zip(result.images, flagged, requests, remarks, strict=True)
        ]

    def call(self, requests: Sequence[Paint | Create]) -> dict[str, Any]:
        import torch

        first, taken = requests[0], parameters(self.pipeline)
        width, height = self.size(first)
        size = {"width": width, "height": height, "max_area": width * height}
        call: dict[str, Any] = {key: value for key, value in size.items() if key in taken} | dict(self.arguments)
        call["prompt"] = [number_pictures(parts_of(request))[0] for request in requests]
        call["generator"] = [torch.Generator().manual_seed(request.seed + request.sample) for request in requests]
        if "negative_prompt" in call:
            call["negative_prompt"] = [call["negative_prompt"]] * len(requests)
        if pictures := self.pictures(first):
            call["image"] = pictures if len(pictures) > 1 else pictures[0]
        return call

    def size(self, request: Paint | Create) -> tuple[int, int]:
        """Return width and height to ask for: those of the request, or for a `Create` the nearest that can be made."""
        if isinstance(request, Paint):
            return request.width, request.height
        processor = getattr(self.pipeline, "image_processor", None)
        grid = max(LEAST_GRID, getattr(getattr(processor, "config", None), "vae_scale_factor", LEAST_GRID))
        width, height = (max(1, round(side / grid)) * grid for side in (request.width, request.height))
        return width, height

    def pictures(self, request: Paint | Create) -> list[Image.Image]:
        kind, fix = type(self.pipeline).__name__, f"fix models.{self.slug} in params.yaml"
        _, pictures = number_pictures(parts_of(request))
        if pictures and "image" not in parameters(self.pipeline):
            raise UserError(
                f"{self.name}: {kind} paints only from text: edits need a pipeline such as FluxKontextPipeline or "
                f"QwenImageEditPipeline, {fix}"
            )
        if not pictures and edits_only(self.pipeline):
            raise UserError(f"{self.name}: {kind} edits pictures, but was given none: to paint from text, {fix}")
        if len(pictures) > 1 and kind not in SEVERAL_PICTURES:
            raise ValueError(f"{kind} edits one picture, but was given {len(pictures)}")
        return [decode_picture(picture) for picture in pictures]


def group_alike(requests: Sequence[Request], answered: Collection[int]) -> list[list[int]]:
    """Group positions of requests that may run in one call: of one kind and size, without pictures."""
    groups: dict[tuple[type, int, int, int], list[int]] = {}
    for position, request in enumerate(requests):
        if position not in answered:
            made = picture_request(request)
            alone = position if number_pictures(parts_of(made))[1] else -1
            groups.setdefault((type(made), made.width, made.height, alone), []).append(position)
    return list(groups.values())


def picture_request(request: Request) -> Paint | Create:
    assert isinstance(request, Paint | Create)
    return request


FLAGGED = b"flagged by the pipeline's own safety checker"
NO_WRITER = b"a diffusers pipeline makes pictures, and writes no text"


def edits_only(pipeline: Any) -> bool:
    if "image" not in parameters(pipeline):
        return False
    from diffusers.pipelines.auto_pipeline import AUTO_TEXT2IMAGE_PIPELINES_MAPPING

    return type(pipeline) not in AUTO_TEXT2IMAGE_PIPELINES_MAPPING.values()


def picture_reply(image: Image.Image, request: Paint | Create, remark: str = "") -> Reply:
    if isinstance(request, Paint) and image.size != (request.width, request.height):
        width, height = image.size
        asked = f"{request.width}x{request.height}"
        return Reply(f"{asked} pixels were asked for, the pipeline makes {width}x{height}".encode(), "invalid")
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=PNG_LEVEL, pnginfo=png_comment(remark))
    return Reply(out.getvalue())


class TokensRead(NamedTuple):
    """One call of a tokenizer: its number, the most tokens that it keeps, and how many tokens each text has."""

    tokenizer: int
    limit: int
    tokens: Sequence[int]


def watch_tokenizers(pipeline: Any, arguments: Mapping[str, Any]) -> list[TokensRead]:
    """Return a list to which a pipeline's tokenizers add what they read from now on.

    Qwen-Image cuts prompts after reading, so its limit is set before.
    """
    if type(pipeline).__name__.startswith("QwenImage") and "max_sequence_length" in arguments:
        pipeline.tokenizer_max_length = arguments["max_sequence_length"]
    readings: list[TokensRead] = []
    for number, tokenizer in enumerate(tokenizers(pipeline)):
        watch_tokenizer(number, tokenizer, readings)
    return readings


def tokenizers(pipeline: Any) -> Iterator[Any]:
    from transformers import PreTrainedTokenizerBase

    candidates = [getattr(part, "tokenizer", part) for part in getattr(pipeline, "components", {}).values()]
    unlike = {id(one): one for one in candidates if isinstance(one, PreTrainedTokenizerBase)}
    return iter(unlike.values())


def watch_tokenizer(number: int, tokenizer: Any, readings: list[TokensRead]) -> None:
    """Make a tokenizer note what it reads. This takes a subclass, because Python looks `__call__` up in the class, and
    tokenizers call themselves.
    """
    kind = type(tokenizer)

    def call(self: Any, text: Any = None, *args: Any, **options: Any) -> Any:
        tokens_made = kind.__call__(self, text, *args, **options)
        if options.get("truncation") and text:
            texts = [text] if isinstance(text, str) else list(text)
            special = options.get("add_special_tokens", True)
            whole = kind.__call__(self, texts, add_special_tokens=special)["input_ids"]
            limit = options.get("max_length") or self.model_max_length
            readings.append(TokensRead(number, limit, [len(tokens) for tokens in whole]))
        return tokens_made

    tokenizer.__class__ = type(kind.__name__, (kind,), {"__call__": call})


def cut_remarks(readings: Sequence[TokensRead], prompts: int) -> list[str]:
    """Return a remark for each prompt of one call, empty if a tokenizer read it whole.

    The best of a pipeline's tokenizers counts: next to T5, CLIP with 77 tokens only gives a summary. Negative prompts
    follow the prompts. Some pipelines read all in one call, others (FLUX.2-klein) each in its own.
    """
    tokens_read: dict[tuple[int, int], list[int]] = {}
    for one in readings:
        tokens_read.setdefault((one.tokenizer, one.limit), []).extend(one.tokens)
    remarks = []
    for prompt in range(prompts):
        cut = {
            tokenizer: (limit, too_many[0])
            for (tokenizer, limit), tokens in tokens_read.items()
            if (too_many := [count for count in tokens[prompt::prompts] if count > limit])
        }
        whole = not cut or len(cut) < len({tokenizer for tokenizer, _ in tokens_read})
        remarks.append("" if whole else "the prompt was cut at {} of {} tokens".format(*max(cut.values())))
    return remarks
