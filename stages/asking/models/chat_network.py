"""A chat model as transformers loads it: which networks are known here, and what is made of their files.

Families that see are known by how pictures become their tokens; any other network with a part for seeing is refused,
where transformers would open several of them for text alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from stages.asking.models.adapters import into_network
from stages.asking.models.grammars import Step, Thinking, open_grammars
from stages.asking.models.torch_batches import config_of, device_of, loaded
from stages.project.errors import UserError
from stages.project.model_kinds import TransformersModel
from stages.project.settings import Endpoint

MAX_TOKENS = 1024
"""Of a reply, when params.yaml does not say."""
QWEN = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")
INTERNVL = ("internvl",)
EYES = ("vision_config", "visual", "img_processor", "mm_vision_tower")
"""Keys of config.json of which a network that sees has one."""


@dataclass(frozen=True)
class Network:
    """An opened chat model. `look` is None for one that sees no pictures, `follow` where no grammar binds it."""

    name: str
    kind: str
    device: str
    weights: Any
    tokenizer: Any
    chat_template: str
    look: Any
    follow: Callable[[Sequence[tuple[Mapping[str, Any] | None, Thinking]]], Step] | None
    ends: Sequence[int]
    context: int | None
    model: TransformersModel

    @property
    def max_tokens(self) -> int:
        return self.model.sampling.max_tokens or MAX_TOKENS


def open_chat(name: str, slug: str, model: TransformersModel, endpoint: Endpoint, folder: Path) -> Network:
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    if "sanitize_control_tokens" not in signature(transformers.PreTrainedTokenizerBase.apply_chat_template).parameters:
        # An older one would take it for a variable of the template, and records could write control tokens.
        raise UserError(f"{name}: transformers {transformers.__version__} is too old: pip install -U transformers")
    config, device = config_of(name, folder), device_of(name, slug, endpoint)
    kind = str(config["model_type"])
    options = {"trust_remote_code": model.trust_remote_code}
    sees = kind in QWEN + INTERNVL
    if not sees and any(config.get(key) is not None for key in EYES):
        raise UserError(
            f"{name}: {folder} is a {kind!r}, which sees in a way that is not known here; known are "
            f"{', '.join(QWEN + INTERNVL)}: name one of them, or the kind vllm, at models.{slug}"
        )
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
    check_variables(name, slug, model.chat_template_kwargs or {}, template)
    architecture = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
    weights = loaded(name, folder, architecture.from_pretrained, model.dtype, device, **options)
    if model.adapter is not None:
        weights = into_network(name, slug, model.adapter, weights)
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
    follow = None
    if model.structured_output:
        follow = open_grammars(name, tokenizer, weights.config.get_text_config().vocab_size, ends)
    return Network(name, kind, device, weights, tokenizer, template, look, follow, ends, context, model)


def chat_template(folder: Path) -> str | None:
    try:
        return str(json.loads((folder / "chat_template.json").read_bytes())["chat_template"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def check_variables(name: str, slug: str, variables: Iterable[str], template: str) -> None:
    """Raise UserError for a chat template variable that the template does not know: it would change nothing."""
    for variable in variables:
        if not re.search(rf"\b{re.escape(variable)}\b", template):
            mend = f"mend models.{slug}.chat_template_kwargs in params.yaml"
            raise UserError(f"{name}: {variable} is no variable of its chat template: {mend}")
