"""The kinds of model that params.yaml can name, with the values that decide their answers.

Where a model runs, how fast, and where its weights are is set in run.toml (settings), never here.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gamut.project.code import OWN_MODELS
from gamut.project.validation import Strict

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
LEAST_SIDE = 64
"""The least width and height of a picture, in pixels; a smaller one is not accepted."""
Pixels = Annotated[int, Field(ge=LEAST_SIDE, le=4096)]
Name = Annotated[str, StringConstraints(min_length=1)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$")]
Digest = r"sha256-[0-9a-f]{64}"
BUILT = "built"
"""The revision of weights that a stage trains. It is replaced by the digest of what the stage wrote last, when they are
used (`models.weights.pin_built`).
"""
BASES, TRAINED = "models/bases", "models/trained"
"""The folders in which stages write whole weights, and checkpoints."""


FAULTS = ("wrong_count", "swapped_relation", "misspelt_lettering", "low_contrast", "blur", "noise", "distortion")
"""Faults of the embedded world's painter."""
CONTESTANTS_FAULTS = (*FAULTS, "wrong_reasoning", "wrong_text", "wrong_picture")
"""Faults of a contestant of the embedded world, or of the model that rewrites its prompts."""


class Judging(Strict):
    """Errors of the embedded world as a judge: `noise` and `bias` are the standard deviation and the shift of its
    scores, in points of 0..10; `slips` is the share of verdicts that are reversed, and of scores that are random.
    """

    noise: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] = 0.0
    bias: Annotated[float, Field(ge=-10, le=10, allow_inf_nan=False)] = 0.0
    slips: Share = 0.0


class SandboxModel(Strict):
    """The embedded world. `faults` are the rates at which its painter makes them, and a contestant also in texts. Only
    for contestants: `wrong_reasoning` is the rate of answers that are right for another item, `wrong_text` and
    `wrong_picture` are the rates of wrong texts and pictures among samples, and `coupling` tells how these depend on
    each other.
    """

    kind: Literal["sandbox"]
    judging: Judging | None = None
    coupling: Literal["alike", "independent", "apart"] = "independent"
    faults: dict[Literal[CONTESTANTS_FAULTS], Share] = Field(default_factory=dict)  # type: ignore[valid-type]


class Sampling(Strict):
    """Sampling parameters as sent. Missing ones have the default of the server or the model, for `transformers` greedy
    and 1,024 tokens. vLLM-Omni guides Qwen-Image only if it gets `true_cfg_scale` and `negative_prompt`.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    top_k: Annotated[int, Field(ge=-1)] | None = None
    repetition_penalty: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    guidance_scale: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    num_inference_steps: Annotated[int, Field(ge=1)] | None = None
    max_sequence_length: Annotated[int, Field(ge=1)] | None = None
    quality: str | None = None
    negative_prompt: str | None = None
    true_cfg_scale: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


SENT_FIELDS = (
    "model",
    "messages",
    "prompt",
    "input",
    "image",
    "n",
    "size",
    "width",
    "height",
    "seed",
    "response_format",
    "encoding_format",
)
"""Fields that gamut sets in requests; with other values, replies would answer something else."""


def require_free_fields(body: dict[str, Any]) -> dict[str, Any]:
    if taken := [name for name in SENT_FIELDS if name in body]:
        raise ValueError(f"`extra_body` must not have `{taken[0]}`: gamut sets it itself")
    return require_json(body)


def require_json(body: dict[str, Any]) -> dict[str, Any]:
    try:
        orjson.dumps(body, option=orjson.OPT_PASSTHROUGH_DATETIME)
        json.dumps(body, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error}): put dates into quotes") from None
    return body


LAID_OUT_BY_US = (
    *("conversation", "messages", "tools", "documents", "chat_template", "add_generation_prompt"),
    *("continue_final_message", "tokenize", "sanitize_control_tokens", "padding", "truncation", "max_length"),
    *("return_tensors", "return_dict", "return_assistant_tokens_mask", "tokenizer_kwargs"),
)
"""Arguments that say how a conversation is laid out by the chat template, which only gamut decides."""


def require_free_variables(variables: dict[str, Any]) -> dict[str, Any]:
    if taken := [name for name in LAID_OUT_BY_US if name in variables]:
        raise ValueError(f"`chat_template_kwargs` must not have `{taken[0]}`: gamut lays conversations out")
    return require_json(variables)


ChatTemplateKwargs = Annotated[dict[str, Any], AfterValidator(require_free_variables)]
"""Variables of a model's chat template, such as Qwen3's switch: `{enable_thinking: false}`."""
Boxes = Literal["pixels", "pixels_by_28", "thousandths", "thousandths_y_first", "fractions"]
"""The form of a chat model's boxes when it is a detector (`models.grounding`)."""


class OpenAIModel(Strict):
    """A model behind an OpenAI-compatible server. The form of a reply is asked for by `structured_output`; a server
    without `response_format` needs `instruction`. Its `pictures_from` are the images endpoints, or chat replies with
    images. With `omit`, fields that this server rejects are not sent. Its own fields are in `extra_body`. Larger
    pictures are scaled down to `largest_picture`, in pixels of the longer side.
    """

    kind: Literal["openai"]
    id: Name
    revision: str = ""
    numerics: str = ""
    sampling: Sampling = Field(default_factory=Sampling)
    structured_output: Literal["json_schema", "json_object", "instruction"] = "json_schema"
    pictures_from: Literal["images", "chat"] = "images"
    omit: list[Literal["seed", "response_format", "n", "size", "encoding_format", "modalities", "logprobs"]] = Field(
        default_factory=list
    )
    extra_body: Annotated[dict[str, Any], AfterValidator(require_free_fields)] = Field(default_factory=dict)
    largest_picture: Pixels | None = None
    boxes: Boxes | None = None


class Weights(Strict):
    """Weights that run on our own machines, in safetensors. They are pinned by a commit of the Hub repository `id`, or
    by the digest of a folder that run.toml names. If `revision` is `built`, a stage writes them into the folder `id` of
    models/bases, or of models/trained for a checkpoint (`RECIPE-SEED/step-N`).
    """

    id: Annotated[str, StringConstraints(pattern=r"^[\w.-]+(/[\w.-]+)?$")]
    revision: Annotated[str, StringConstraints(pattern=rf"^([0-9a-f]{{40}}|{Digest}|{BUILT})$")]
    trust_remote_code: bool = False


DType = Literal["float32", "bfloat16", "float16"]


class Adapter(Strict):
    """A LoRA adapter for a model's weights. It is pinned by the digest of the folder `path`, which may move, or by a
    commit of `id`. If `revision` is `built`, a stage trains it, into a folder below models/trained.
    """

    path: Name | None = None
    id: Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$")] | None = None
    revision: Annotated[str, StringConstraints(pattern=rf"^([0-9a-f]{{40}}|{Digest}|{BUILT})$")]
    weight: Annotated[float, Field(gt=-10, lt=10, allow_inf_nan=False)] = 1.0

    @model_validator(mode="after")
    def _is_one_thing(self) -> Adapter:
        if (self.path is None) == (self.id is None):
            raise ValueError("expected either `path: …` (a folder) or `id: …` (a repository of the Hub)")
        if self.revision == BUILT:
            if not (self.path or "").startswith(f"{TRAINED}/"):
                raise ValueError(f"`revision: {BUILT}` needs `path`, a folder below {TRAINED}, where stages write")
        elif (self.path is not None) != self.revision.startswith("sha256-"):
            raise ValueError("a folder is pinned by its digest (`gamut pin`), a repository of the Hub by a commit")
        return self


class DiffusersModel(Weights):
    """A diffusers pipeline in this process. Options for speed change pictures a little, so they are recorded here."""

    kind: Literal["diffusers"]
    dtype: DType = "bfloat16"
    quantization: Literal["fp8"] | None = None
    compile: bool = False
    adapter: Adapter | None = None
    sampling: Sampling = Field(default_factory=Sampling)

    @model_validator(mode="after")
    def _takes_an_adapter(self) -> DiffusersModel:
        if self.adapter is not None and self.quantization is not None:
            raise ValueError("an adapter cannot be merged into quantised weights: leave out one of the two")
        return self


class ChatWeights(Weights):
    """Parameters of weights that transformers runs in this process as a chat model."""

    dtype: DType = "bfloat16"
    adapter: Adapter | None = None
    sampling: Sampling = Field(default_factory=Sampling)
    chat_template_kwargs: ChatTemplateKwargs | None = None
    largest_picture: Pixels | None = None


class TransformersModel(ChatWeights):
    """A transformers model in this process: a chat model that sees images, CLIP or a DINO for image embeddings, OWLv2
    or Grounding DINO as detectors, which leave out detections below `confidence`, CLIP or a classifier of pictures as
    scorers; a classifier's score is the probability of `label`. The form of a chat model's reply is asked for in words.
    """

    kind: Literal["transformers"]
    boxes: Boxes | None = None
    confidence: Share | None = None
    label: Name | None = None


class PictureSampling(Strict):
    """How the codes of a picture are drawn. A guidance of 1 is none; at temperature 0 the likeliest code is taken. Only
    Emu3 has `top_k`, and `negative_prompt`, from which guidance leads away.
    """

    guidance_scale: Annotated[float, Field(ge=1, allow_inf_nan=False)]
    temperature: Annotated[float, Field(ge=0, le=2)] = 1.0
    top_k: Annotated[int, Field(ge=1)] | None = None
    negative_prompt: str = ""


Places = Annotated[
    list[Annotated[int, Field(ge=0)]], Field(min_length=1), AfterValidator(lambda places: sorted({*places}))
]
"""Layers of a network, or steps of painting, counted from 0; in params.yaml their order and repeats do not matter."""


class AttentionAdjustment(Strict):
    """How strongly attention goes to what matters in the pictures of a context (lambda), in which layers, and at which
    steps of painting; by default in all (An et al., section 4.3).
    """

    strength: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    layers: Places | None = None
    steps: Places | None = None


class UnifiedModel(ChatWeights):
    """Janus or Emu3 in this process: it writes as kind `transformers` does, and paints if it has `painting`."""

    kind: Literal["unified"]
    painting: PictureSampling | None = None
    attention_adjustment: AttentionAdjustment | None = None

    @model_validator(mode="after")
    def _adjusts_painting(self) -> UnifiedModel:
        if self.attention_adjustment is not None and self.painting is None:
            raise ValueError("`attention_adjustment` needs `painting`: add it, or leave out the adjustment")
        return self


SERVING = (
    *("--generation-config", "vllm"),
    *("--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}'),
)
"""How vLLM serves every model, which decides answers too: the model's generation_config.json does not change the
sampling of params.yaml, and a reply has no whitespace between its fields. Some models wrote line breaks there until no
token was left. vLLM accepts this switch only with the name of a backend.
"""


class VllmModel(Weights):
    """A chat model that vLLM serves on this machine's GPU; gamut starts and ends the server. `reasoning_parser` is
    vLLM's name of a parser, for a model that has to think before the grammar of its reply applies.
    """

    kind: Literal["vllm"]
    dtype: DType = "bfloat16"
    quantization: Literal["fp8", "awq", "gptq"] | None = None
    max_model_len: Annotated[int, Field(ge=1)] | None = None
    sampling: Sampling = Field(default_factory=Sampling)
    chat_template_kwargs: ChatTemplateKwargs | None = None
    reasoning_parser: Annotated[str, StringConstraints(pattern=r"^\w[\w-]*$")] | None = None
    largest_picture: Pixels | None = None
    boxes: Boxes | None = None


class SentenceTransformersModel(Weights):
    """A sentence-transformers model for text embeddings, which are normalised to length 1."""

    kind: Literal["sentence_transformers"]


class TfidfModel(Strict):
    """TF-IDF and a truncated SVD, fitted on the texts that are embedded: text embeddings without weights."""

    kind: Literal["tfidf"]
    dimensions: Annotated[int, Field(ge=2, le=4096)] = 256


class InceptionModel(Strict):
    """Features of pictures from torch-fidelity's Inception network, on which FID and KID are defined.

    `revision` is the sha256 of the file of weights, which run.toml names; it is never fetched.
    """

    kind: Literal["inception"]
    revision: Annotated[str, StringConstraints(pattern=rf"^{Digest}$")]


class RapidOCRModel(Strict):
    """PP-OCR by rapidocr: `id` is version and size. Lines below `confidence` are left out.

    The small PP-OCRv6 comes with the package; the folder of any other is named in run.toml.
    """

    kind: Literal["rapidocr"]
    id: Literal[
        "PP-OCRv4_mobile",
        "PP-OCRv4_server",
        "PP-OCRv5_mobile",
        "PP-OCRv5_server",
        "PP-OCRv6_tiny",
        "PP-OCRv6_small",
        "PP-OCRv6_medium",
    ] = "PP-OCRv6_small"
    confidence: Share = 0.5


class PaddleOCRModel(Strict):
    """PP-OCR by paddleocr; run.toml names its model folders. Lines below `confidence` are left out."""

    kind: Literal["paddleocr"]
    detection: str = "PP-OCRv5_server_det"
    recognition: str = "PP-OCRv5_server_rec"
    revision: Annotated[str, StringConstraints(pattern=rf"^{Digest}$")]
    confidence: Share = 0.5


def require_own_model(file: str) -> str:
    if not re.fullmatch(rf"{OWN_MODELS}/(?:[\w-]+/)*[\w-]+\.py", file):
        raise ValueError(f"a Python file below {OWN_MODELS} is expected, where DVC sees its changes")
    return file


class PythonModel(Strict):
    """A function of a Python file in the project, which runs in its own process. The digest of its code is part of its
    identity (`models.opening.identity`). `revision` is the digest of its weights, if run.toml names any.
    """

    kind: Literal["python"]
    file: Annotated[str, AfterValidator(require_own_model)]
    function: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*$")]
    revision: Annotated[str, StringConstraints(pattern=rf"^{Digest}$")] | None = None


class FolderModel(Strict):
    """Pictures or texts that were made elsewhere, found by id. `revision` is the digest of the folder's content. If the
    folder has the outputs of several models, only sub-folders with the name `of` are read.
    """

    kind: Literal["folder"]
    path: Name
    of: Name | None = None
    revision: Annotated[str, StringConstraints(pattern=rf"^{Digest}$")]


Model = Annotated[
    SandboxModel
    | OpenAIModel
    | DiffusersModel
    | TransformersModel
    | UnifiedModel
    | VllmModel
    | SentenceTransformersModel
    | TfidfModel
    | InceptionModel
    | RapidOCRModel
    | PaddleOCRModel
    | PythonModel
    | FolderModel,
    Field(discriminator="kind"),
]


def built_folders(model: Model) -> list[str]:
    """Return the folders of a model that stages build: its weights, its adapter."""
    found = []
    if isinstance(model, Weights) and model.revision == BUILT:
        found.append(f"{TRAINED if '/' in model.id else BASES}/{model.id}")
    adapter = getattr(model, "adapter", None)
    return [*found, adapter.path] if adapter is not None and adapter.revision == BUILT else found


def identity(model: Model) -> dict[str, Any]:
    """Return what decides a model's answers besides the request; it is part of every fingerprint. For the embedded
    world, tfidf and Python files, `models.opening.identity` adds the revision, and for detectors `boxes`.
    """
    values = model.model_dump(exclude_none=True, exclude={"kind", "trust_remote_code", "boxes"})
    if isinstance(model, PythonModel):
        values["id"] = f"{PurePath(values.pop('file')).stem}.{values.pop('function')}"
        values |= {"weights": values.pop("revision")} if model.revision else {}
    compiled = "compile" if values.pop("compile", False) else ""
    precision = [values.pop("dtype", ""), values.pop("quantization", ""), compiled]
    named = {
        "id": values.pop("id", None) or values.pop("path", model.kind),
        "revision": values.pop("revision", ""),
        "numerics": values.pop("numerics", "") or "+".join(filter(None, precision)),
        "sampling": values.pop("sampling", {}),
    }
    if "adapter" in values:
        values["adapter"].pop("path", None)
    if isinstance(model, VllmModel):
        values["serving"] = " ".join(SERVING)
    return named | values | ({} if model.kind == "openai" else {"kind": model.kind})
