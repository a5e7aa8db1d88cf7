"""Chat models by transformers in this process: Qwen2.5-VL, Qwen3-VL, InternVL, and text-only causal language models.

What is decided here and not by the model's files: without a temperature (or with 0) each token is the likeliest one;
nothing but temperature and top_p shapes the probabilities, whatever generation_config.json says, and top_p does
so only beside a temperature. The reply's form is asked for in words, as no grammar is at hand; free text has none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from stages.asking.models import grounding, object_detection
from stages.asking.models.batches import BatchedModel
from stages.asking.models.extras import require
from stages.asking.models.grounding import Grounded
from stages.asking.models.image_embeddings import open_image_embeddings
from stages.asking.models.pictures import decoded
from stages.asking.models.torch_batches import device_of, in_batches, loaded, model_type
from stages.asking.models.weights import weights_folder
from stages.asking.parts import bundled, thought_apart
from stages.asking.requests import Chat, Create, Message, Picture, Reply, Request, schema_in_words, wants_picture
from stages.project.errors import UserError
from stages.project.model_kinds import TransformersModel, identity
from stages.project.settings import Endpoint

GPU_BATCH = 8
MAX_TOKENS = 1024
"""Of a reply, when params.yaml does not say."""
QWEN = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe")
INTERNVL = ("internvl",)


@dataclass(frozen=True)
class Network:
    """An opened chat model. `look` is None for one that sees no pictures."""

    name: str
    kind: str
    device: str
    weights: Any
    tokenizer: Any
    chat_template: str | None
    look: Any
    ends: Sequence[int]
    context: int | None
    model: TransformersModel

    @property
    def max_tokens(self) -> int:
        """Return the most tokens of a reply."""
        return self.model.sampling.max_tokens or MAX_TOKENS


@dataclass(frozen=True)
class Prompt:
    """A conversation as a network reads it: its tokens, and tensors of its pictures by name."""

    tokens: Sequence[int]
    pictures: Mapping[str, Any]
    seed: int


def open_transformers(
    name: str, slug: str, model: TransformersModel, endpoint: Endpoint, role: str
) -> BatchedModel | Grounded:
    """Open a chat model, or for the role `image_embedder` one that embeds pictures, for the role `detector` one that
    finds things in them, be it a chat model; `name` is "judge (qwen_vl)".

    UserError when packages or weights are missing, the kind of network is not known here, or a sampling parameter is
    none of its own.
    """
    for package in ("torch", "transformers"):
        require(name, package, "models")
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code)
    kind = model_type(name, folder)
    detects = role == "detector" and kind in object_detection.KNOWN
    known = () if detects or role == "image_embedder" else ("temperature", "top_p", "max_tokens")
    if unknown := model.sampling.model_dump(exclude_none=True, exclude=set(known)):
        mend = f"take it out of models.{slug}.sampling in params.yaml"
        raise UserError(f"{name}: {', '.join(unknown)} means nothing to this kind of model: {mend}")
    if role == "image_embedder":
        return open_image_embeddings(name, slug, model, endpoint, folder)
    if detects:
        return object_detection.open_object_detection(name, slug, kind, model, endpoint, folder)
    boxes = grounding.boxes_of(name, slug, model) if role == "detector" else None
    network = open_chat(name, slug, model, endpoint, folder)

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return generated(network, slug, requests)

    batch = endpoint.batch or (1 if network.device.startswith("cpu") else GPU_BATCH)
    opened = BatchedModel(identity(model), batch, generate)
    return grounding.Grounded(opened, boxes, model.largest_picture) if boxes else opened


def open_chat(name: str, slug: str, model: TransformersModel, endpoint: Endpoint, folder: Path) -> Network:
    """Load network, tokenizer and image processor."""
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    if "sanitize_control_tokens" not in signature(transformers.PreTrainedTokenizerBase.apply_chat_template).parameters:
        # An older one would take it for a variable of the template, and records could write control tokens.
        raise UserError(f"{name}: transformers {transformers.__version__} is too old: pip install -U transformers")
    kind, device = model_type(name, folder), device_of(name, slug, endpoint)
    options = {"trust_remote_code": model.trust_remote_code}
    sees = kind in QWEN + INTERNVL
    if not sees and kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not model.trust_remote_code:
        raise UserError(
            f"{name}: {folder} is a {kind!r}, which is not known here; known are {', '.join(QWEN + INTERNVL)} and "
            f"causal language models: name another at models.{slug}.id"
        )
    look = None
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, **options)
        if sees:
            # By Pillow on every machine. These models' own processors need torchvision (for videos), and its resizing
            # gives other pixels than Pillow's: replies would depend on what happens to be installed.
            look = transformers.AutoImageProcessor.from_pretrained(
                folder, backend="pil", local_files_only=True, **options
            )
    except (OSError, ValueError, ImportError) as error:
        cause = " ".join(str(error).split())[:300]
        raise UserError(f"{name}: {folder} has no usable tokenizer or image processor ({cause})") from None
    template = chat_template(folder) or tokenizer.chat_template
    if not template:
        raise UserError(f"{name}: {folder} has no chat template: name an instruction-tuned model at models.{slug}.id")
    architecture = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
    weights = loaded(name, folder, architecture.from_pretrained, model.dtype, device, **options)
    ends = weights.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    context = getattr(weights.config.get_text_config(), "max_position_embeddings", None)
    ends = ends if isinstance(ends, list) else [ends]
    # A new one: what stays unset in a call would come from the model's file.
    weights.generation_config = transformers.GenerationConfig(
        do_sample=False,
        max_new_tokens=model.sampling.max_tokens or MAX_TOKENS,
        eos_token_id=ends,
        pad_token_id=ends[0] if tokenizer.pad_token_id is None else tokenizer.pad_token_id,
    )
    return Network(name, kind, device, weights, tokenizer, template, look, ends, context, model)


def chat_template(folder: Path) -> str | None:
    """Return the chat template that older repositories of these models keep apart from the tokenizer's."""
    try:
        return str(json.loads((folder / "chat_template.json").read_bytes())["chat_template"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def generated(network: Network, slug: str, requests: Sequence[Request]) -> list[Reply]:
    """Answer a batch; a conversation that cannot be read fails alone, as `invalid`."""
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
        return answered(network, some)

    texts = in_batches(network.name, slug, network.device, list(prompts.values()), run) if prompts else []
    for number, reply in zip(prompts, texts, strict=True):
        replies[number] = thinking_apart(reply) if isinstance(requests[number], Create) else reply
    return [replies[number] for number in range(len(requests))]


def thinking_apart(reply: Reply) -> Reply:
    """Return a reply of free text with the thinking before it kept apart."""
    thinking, said = thought_apart(reply.content.decode())
    return replace(reply, content=bundled([said], thinking))


def prompt_of(network: Network, request: Chat | Create) -> Prompt:
    """Lay a conversation out as tokens and pixels; ValueError when a picture is damaged or all is too long.

    The chat template writes one placeholder a picture, which is then repeated for as many tokens as the picture
    takes. Control tokens in the texts are read as plain text: a record cannot end its turn or claim a picture.
    """
    from jinja2 import TemplateError

    if isinstance(request, Create):
        request = Chat("", (Message("user", request.parts),), {}, request.seed, request.sample)
    last = max(number for number, message in enumerate(request.messages) if message.role == "user")
    messages = [
        {"role": message.role, "content": laid_out(network, message.parts, request.schema if number == last else None)}
        for number, message in enumerate(request.messages)
    ]
    pictures = [part for message in request.messages for part in message.parts if isinstance(part, Picture)]
    try:
        tokens = network.tokenizer.apply_chat_template(
            messages,
            chat_template=network.chat_template,
            add_generation_prompt=True,
            sanitize_control_tokens=True,
            return_dict=False,
        )
    except TemplateError as error:
        raise UserError(f"{network.name}: its chat template takes no such conversation: {error}") from None
    tensors: Mapping[str, Any] = {}
    if pictures:
        tensors, places = looked_at(network, pictures)
        tokens = filled(tokens, network.weights.config.image_token_id, places)
    if network.context and len(tokens) + network.max_tokens > network.context:
        raise ValueError(
            f"the conversation is {len(tokens):,} tokens and its answer may be {network.max_tokens:,}, more than the "
            f"model's context of {network.context:,}"
        )
    return Prompt(tokens, tensors, request.seed + request.sample)


def laid_out(network: Network, parts: Sequence[str | Picture], schema: Mapping[str, Any] | None) -> Any:
    """Return a message as the chat template takes it: parts with pictures between them, or one text."""
    if schema:
        parts = [*parts, schema_in_words(schema)]
    content: list[dict[str, str]] = []
    for part in parts:
        if isinstance(part, Picture):
            if network.look is None:
                raise UserError(
                    f"{network.name}: a {network.kind!r} sees no pictures: name one that does in params.yaml"
                )
            content.append({"type": "image"})
        elif content and content[-1]["type"] == "text":
            content[-1]["text"] += part if content[-1]["text"].endswith("\n") else f"\n{part}"
        else:
            content.append({"type": "text", "text": part})
    return content[0]["text"] if len(content) == 1 and "text" in content[0] else content


def looked_at(network: Network, pictures: Sequence[Picture]) -> tuple[Mapping[str, Any], list[list[int]]]:
    """Return the tensors of a conversation's pictures, and of each the tokens that stand for it."""
    decoded_pictures = []
    for number, picture in enumerate(pictures, 1):
        try:
            decoded_pictures.append(decoded(picture, network.model.largest_picture))
        except ValueError as error:
            raise ValueError(f"picture {number} of {len(pictures)} {error}") from None
    config, image = network.weights.config, network.weights.config.image_token_id
    if network.kind in QWEN:
        seen = network.look(images=decoded_pictures, return_tensors="pt")
        patches = seen["image_grid_thw"].prod(-1) // network.look.merge_size**2
        return dict(seen), [[image] * count for count in patches.tolist()]
    # In tiles, as its own processor has it; the image processor's file says nothing of that.
    seen = network.look(images=decoded_pictures, return_tensors="pt", crop_to_patches=True)
    start, end = network.tokenizer.convert_tokens_to_ids(["<img>", "</img>"])
    tiles = [int(count) for count in seen["num_patches"]]
    places = [[start, *[image] * config.image_seq_length * count, end] for count in tiles]
    return {"pixel_values": seen["pixel_values"]}, places


def filled(tokens: Sequence[int], image: int, places: Sequence[Sequence[int]]) -> list[int]:
    """Put each picture's tokens where the chat template left one for it."""
    if tokens.count(image) != len(places):
        raise ValueError(f"the chat template leaves room for {tokens.count(image)} of {len(places)} pictures")
    following = iter(places)
    return [token for read in tokens for token in (next(following) if read == image else [read])]


def answered(network: Network, prompts: Sequence[Prompt]) -> list[Reply]:
    """Generate the replies to a batch, shorter conversations padded on the left."""
    import torch

    weights, sampling = network.weights, network.model.sampling
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
    choose = []
    if sampling.temperature:
        choose = [sampler(sampling.temperature, sampling.top_p or 1, [prompt.seed for prompt in prompts])]
    with torch.inference_mode():
        written = weights.generate(
            **{name: tensor.to(network.device) for name, tensor in inputs.items()}, logits_processor=choose
        )
    return [
        reply_of(network, len(prompt.tokens), row)
        for prompt, row in zip(prompts, written[:, longest:].tolist(), strict=True)
    ]


def reply_of(network: Network, asked: int, tokens: Sequence[int]) -> Reply:
    """Return the reply in generated tokens, which may go on after its end with padding."""
    length = next((place for place, token in enumerate(tokens) if token in network.ends), len(tokens))
    ended = length < len(tokens)
    text = network.tokenizer.decode(tokens[:length], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return Reply(text.encode(), "stop" if ended else "length", asked, length + ended)


def sampler(temperature: float, top_p: float, seeds: Sequence[int]) -> Callable[[Any, Any], Any]:
    """Return a step of `generate` that makes its likeliest token a sampled one, by each record's own seed.

    The sampling of `generate` draws from one generator for a whole batch, so that a reply would depend on its
    neighbours. Here each record has its own generator, on the CPU whatever the device: adding Gumbel noise to the
    logarithms of probabilities and taking the largest is drawing by these probabilities.
    """
    import torch

    generators = [torch.Generator("cpu").manual_seed(seed) for seed in seeds]

    def choose(tokens: Any, scores: Any) -> Any:
        scores = scores.float() / temperature
        if top_p < 1:
            largest, places = scores.sort(descending=True, stable=True)
            shares = largest.softmax(-1)
            beyond = shares.cumsum(-1) - shares >= top_p  # the likelier ones have that much without it
            scores = scores.masked_fill(beyond.scatter(-1, places, beyond), -torch.inf)
        waits = torch.stack([torch.empty(scores.shape[-1]).exponential_(generator=one) for one in generators])
        return scores - waits.clamp(min=torch.finfo(waits.dtype).tiny).log().to(scores.device)

    return choose
