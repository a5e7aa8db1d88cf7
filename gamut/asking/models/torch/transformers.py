"""Chat models by transformers in this process: Qwen2.5-VL to Qwen3.5, InternVL, Janus, Emu3, causal language models.

Without a temperature each token is the most likely one. Only temperature and top_p shape probabilities, whatever the
model's files say. A batch waits for its longest reply, so use `vllm` for more than some thousand questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gamut.asking.models import grounding
from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.extras import require_package
from gamut.asking.models.grounding import Grounded
from gamut.asking.models.torch import object_detection
from gamut.asking.models.torch.chat_network import JANUS, QWEN, Network, Prompt, open_chat, prompt_of
from gamut.asking.models.torch.image_embeddings import open_image_embeddings
from gamut.asking.models.torch.networks import in_batches, model_type
from gamut.asking.models.torch.picture_scores import open_picture_scores
from gamut.asking.models.weights import weights_folder
from gamut.asking.parts import bundle, split_thinking
from gamut.asking.requests import Chat, Create, Reply, Request, wants_picture
from gamut.project.errors import UserError
from gamut.project.model_kinds import TransformersModel, identity
from gamut.project.roles import SCORERS
from gamut.project.settings import Endpoint

GPU_BATCH = 8


def open_transformers(
    name: str, slug: str, model: TransformersModel, endpoint: Endpoint, role: str
) -> BatchedModel | Grounded:
    """Open a chat model, or one that embeds pictures (role `image_embedder`), finds things in them or scores them."""
    for package in ("torch", "transformers"):
        require_package(name, package, "models")
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code)
    kind = model_type(name, folder)
    detects = role == "detector" and kind in object_detection.DETECTORS
    scores = role in SCORERS.values()
    chats = not (detects or scores) and role != "image_embedder"
    known = ("temperature", "top_p", "max_tokens") if chats else ()
    if unknown := model.sampling.model_dump(exclude_none=True, exclude=set(known)):
        fix = f"remove it from models.{slug}.sampling in params.yaml"
        raise UserError(f"{name}: this kind of model does not use {', '.join(unknown)}: {fix}")
    for field in ("chat_template_kwargs", "adapter"):
        if getattr(model, field) is not None and not chats:
            raise UserError(
                f"{name}: this kind of model does not use {field}: remove it from models.{slug} in params.yaml"
            )
    if role == "image_embedder":
        return open_image_embeddings(name, slug, model, endpoint, folder)
    if scores:
        return open_picture_scores(name, slug, kind, model, endpoint, folder, role != SCORERS["aesthetics"])
    if detects:
        return object_detection.open_object_detection(name, slug, kind, model, endpoint, folder)
    boxes = grounding.boxes_of(name, slug, model) if role == "detector" else None
    network = open_chat(name, slug, model, endpoint, folder)
    batch = endpoint.batch or (1 if network.device.startswith("cpu") else GPU_BATCH)
    opened = BatchedModel(identity(model), batch, partial(generate_replies, network, slug))
    return grounding.Grounded(opened, boxes, model.largest_picture) if boxes else opened


def generate_replies(network: Network, slug: str, requests: Sequence[Request]) -> list[Reply]:
    replies: dict[int, Reply] = {}
    prompts: dict[int, Prompt] = {}
    for number, request in enumerate(requests):
        if wants_picture(request):
            replies[number] = Reply(b"a chat model writes, and makes no picture", "unsupported")
            continue
        assert isinstance(request, Chat | Create)  # params.yaml gives it no other role
        try:
            prompts[number] = prompt_of(network, request)
        except ValueError as error:
            replies[number] = Reply(str(error).encode(), "invalid")

    def run(some: Sequence[Prompt]) -> list[Reply]:
        return answer_batch(network, some)

    texts = in_batches(network.name, slug, network.device, list(prompts.values()), run) if prompts else []
    for number, reply in zip(prompts, texts, strict=True):
        replies[number] = separate_thinking(reply, isinstance(requests[number], Create))
    return [replies[number] for number in range(len(requests))]


def separate_thinking(reply: Reply, free: bool) -> Reply:
    """Separate the thinking from a reply. In JSON the closing tag may be part of a text. Thinking alone stays."""
    text = reply.content.decode()
    if free:
        thinking, answer = split_thinking(text)
        return replace(reply, content=bundle([answer], thinking))
    answer = split_thinking(text)[1] if text.lstrip().startswith("<think") else text
    return replace(reply, content=(answer or text).encode())


def answer_batch(network: Network, prompts: Sequence[Prompt]) -> list[Reply]:
    import torch
    from transformers import GenerationMixin

    sampling = network.model.sampling
    inputs = inputs_of(network, prompts)
    longest = inputs["input_ids"].shape[1]
    steps = []
    if sampling.temperature:
        seeds = [prompt.seed for prompt in prompts]
        steps.append(sampler(network.device, sampling.temperature, sampling.top_p or 1, seeds))
    generate = network.weights.generate
    if network.kind == JANUS:  # its own method drops the function that chooses tokens
        generate = partial(GenerationMixin.generate, network.weights)
    with torch.inference_mode():
        generated = generate(**inputs, logits_processor=steps)
    rows = generated[:, longest:].tolist()
    return [text_reply(network, prompt, row) for prompt, row in zip(prompts, rows, strict=True)]


def inputs_of(network: Network, prompts: Sequence[Prompt]) -> dict[str, Any]:
    """Return a batch as `generate` takes it, shorter conversations padded on the left."""
    import torch

    weights = network.weights
    longest = max(len(prompt.tokens) for prompt in prompts)
    tokens = torch.full((len(prompts), longest), weights.generation_config.pad_token_id)
    mask = torch.zeros_like(tokens)
    for row, prompt in enumerate(prompts):
        tokens[row, longest - len(prompt.tokens) :] = torch.tensor(prompt.tokens)
        mask[row, longest - len(prompt.tokens) :] = 1
    names = {name for prompt in prompts for name in prompt.pictures}
    inputs = {name: torch.cat([p.pictures[name] for p in prompts if name in p.pictures]) for name in names}
    if inputs and network.kind in QWEN:  # positions in a picture have two dimensions
        inputs["mm_token_type_ids"] = (tokens == weights.config.image_token_id).int()
    inputs |= {"input_ids": tokens, "attention_mask": mask}
    return {name: tensor.to(network.device) for name, tensor in inputs.items()}


def sampler(
    device: str, temperature: float, top_p: float, seeds: Sequence[int], top_k: int | None = None
) -> Callable[[Any, Any], Any]:
    """Return a step of `generate` that samples with each record's own seed; `generate` has one generator a batch. It
    draws on the device of the scores: on the CPU, painting in batches on a GPU waited for it (docs/measured.md).

    To add Gumbel noise to log probabilities and take the largest is to draw by these probabilities.
    """
    import torch

    generators = [torch.Generator(device).manual_seed(seed) for seed in seeds]

    def choose(tokens: Any, scores: Any) -> Any:
        scores = scores.float() / temperature
        if top_k is not None and top_k < scores.shape[-1]:
            scores = scores.masked_fill(scores < scores.topk(top_k).values[:, -1:], -torch.inf)
        if top_p < 1:
            largest, places = scores.sort(descending=True, stable=True)
            shares = largest.softmax(-1)
            beyond = shares.cumsum(-1) - shares >= top_p  # more likely tokens already reach that share
            scores = scores.masked_fill(beyond.scatter(-1, places, beyond), -torch.inf)
        waits = torch.empty_like(scores)
        for row, generator in zip(waits, generators, strict=True):
            row.exponential_(generator=generator)
        return scores - waits.clamp(min=torch.finfo(waits.dtype).tiny).log()

    return choose


def text_reply(network: Network, prompt: Prompt, tokens: Sequence[int]) -> Reply:
    """Return generated tokens as a reply. If the prompt began the thinking, its tag is put before the reply."""
    length = next((place for place, token in enumerate(tokens) if token in network.ends), len(tokens))
    ended = length < len(tokens)
    text = network.tokenizer.decode(tokens[:length], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    before = "<think>" if prompt.thinks else ""
    return Reply(f"{before}{text}".encode(), "stop" if ended else "length", len(prompt.tokens), length + ended)
