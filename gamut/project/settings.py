"""Where and how fast things run: run.toml (untracked) and the environment. Nothing here can change a result."""

from __future__ import annotations

import math
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from gamut.project.errors import UserError
from gamut.project.inputs import regular_file
from gamut.project.model_kinds import Slug
from gamut.project.places import project_root
from gamut.project.roles import Played, RolePair
from gamut.project.validation import Strict, validate_values

Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


NAME = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
ADDRESS = rf"^https?://(\[[0-9a-fA-F:]+\]|{NAME}(\.{NAME})*\.?)(:\d{{1,5}})?(/[^\s@?#]*)?$"
"""An address without user, password or query, because addresses are shown and must hold no secret."""


Address = Annotated[str, StringConstraints(pattern=ADDRESS)]


def whole_or_share(value: float | None) -> float | None:
    if value is not None and value > 1 and not value.is_integer():
        raise ValueError("a share of one GPU, or a whole number of them, is expected")
    return value


GAMUTS_OWN = (
    *("config", "host", "port", "uds", "grpc", "grpc-port", "headless", "api-key", "root-path", "middleware"),
    *("ssl-keyfile", "ssl-certfile", "ssl-ca-certs", "ssl-cert-reqs", "model", "served-model-name", "load-format"),
    *("seed", "structured-outputs-config", "generation-config", "override-generation-config", "limit-mm-per-prompt"),
)
"""Arguments of vLLM's server, without dashes, that gamut sets to talk to it, the same for all models."""
DECIDE_ANSWERS = (
    *("revision", "code-revision", "tokenizer", "tokenizer-revision", "tokenizer-mode", "skip-tokenizer-init"),
    *("trust-remote-code", "dtype", "quantization", "quantization-config", "kv-cache-dtype", "max-model-len"),
    *("hf-overrides", "hf-config-path", "config-format", "model-impl", "model-class-overrides", "runner", "convert"),
    *("enable-lora", "lora-modules", "default-mm-loras", "logits-processors", "mm-processor-kwargs"),
    *("media-io-kwargs", "interleave-mm-strings", "language-model-only", "mm-encoder-attn-dtype", "chat-template"),
    *("chat-template-content-format", "default-chat-template-kwargs", "trust-request-chat-template"),
    *("response-role", "reasoning-parser", "reasoning-parser-plugin", "reasoning-config", "speculative-config"),
    *("spec-method", "spec-model", "spec-tokens", "watermark-config", "diffusion-config", "disable-sliding-window"),
    *("mamba-cache-dtype", "mamba-ssm-cache-dtype", "enable-mamba-cache-stochastic-rounding"),
)
"""Arguments that change answers: they belong into params.yaml, where gamut has a key, and into fingerprints."""
SHORT = {"-q": "quantization", "-sc": "speculative-config", "-dc": "diffusion-config"}
INNOCENT = ("watermark",)
"""Full names that begin like one of those above: this one is a share of memory that is kept free."""


def require_free_arguments(arguments: list[str]) -> list[str]:
    """Raise ValueError for arguments that decide answers or that gamut sets, in any form (`--max_model-len.x`)."""
    for argument in arguments:
        name = argument.split("=")[0].split(".")[0]
        name = name[2:].replace("_", "-") if name.startswith("--") else full_name(name)
        for whole in (*GAMUTS_OWN, *DECIDE_ANSWERS) if name not in ("", *INNOCENT) else ():
            if whole.startswith(name):
                who = "params.yaml decides that" if whole in DECIDE_ANSWERS else "gamut sets that itself"
                raise ValueError(f"`extra_args` must not have `--{whole}`: {who}")
    return arguments


def full_name(short: str) -> str:
    """Return the full name of an argument with one dash (`-sc`, `-qfp8`); "" for one that is allowed."""
    if short[:2] == "-q":
        return SHORT["-q"]
    return next((whole for known, whole in SHORT.items() if len(short) > 1 and known.startswith(short)), "")


class Endpoint(Strict):
    """How one model is reached, or where and how fast it runs here.

    Over HTTP: one address or several that serve the same model; `concurrency` requests in flight at each. A server that
    answered before may be gone for `outage_seconds`, and answer only 429 for `busy_seconds` (which costs no attempt).
    In process: `weights` is a local folder, `device` as torch names it, `batch` the most requests at once. `extra_args`
    are only for kind `vllm`. On a cluster: `workers` processes with `gpus` each; kinds that use a GPU need `gpus`.
    Prices are per million tokens, and per image. `thinking_tokens` is what `gamut estimate` adds to each reply about
    which it has no data.
    """

    url: Address | Annotated[list[Address], Field(min_length=1)] | None = None
    key_variable: Annotated[str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]*$")] | None = None
    concurrency: Annotated[int, Field(ge=1, le=10_000)] | None = None
    connect_seconds: Seconds = 10
    answer_seconds: Seconds = 600
    outage_seconds: Seconds = 60
    busy_seconds: Seconds = 600
    attempts: Annotated[int, Field(ge=1, le=20)] = 5
    weights: str | None = None
    device: str | None = None
    batch: Annotated[int, Field(ge=1, le=1024)] | None = None
    extra_args: Annotated[list[str], AfterValidator(require_free_arguments)] = Field(default_factory=list)
    workers: Annotated[int, Field(ge=1, le=10_000)] = 1
    gpus: Annotated[Annotated[float, Field(ge=0, allow_inf_nan=False)] | None, AfterValidator(whole_or_share)] = None
    input_price: Money = 0
    output_price: Money = 0
    thinking_tokens: Annotated[int, Field(ge=0)] = 0
    image_price: Money = 0

    @property
    def urls(self) -> list[str]:
        urls = [self.url] if isinstance(self.url, str) else self.url or []
        return [url.rstrip("/") for url in urls]

    @model_validator(mode="after")
    def _are_right(self) -> Endpoint:
        """Raise ValueError for an invalid port, or an address that occurs twice and would get twice the requests."""
        for url in self.urls:
            try:
                urlsplit(url).port  # noqa: B018
            except ValueError as error:
                raise ValueError(f"in `url`: {error}") from None
        if len(set(self.urls)) < len(self.urls):
            raise ValueError("an address occurs twice in `url`")
        return self


def combine_endpoints(text: Endpoint, image: Endpoint) -> Endpoint:
    """Return the needs of a pair's two models: a worker holds both, and a request costs at most both."""
    gpus = (text.gpus or 0) + (image.gpus or 0)
    return Endpoint(
        url=list(dict.fromkeys([*text.urls, *image.urls])) or None,
        workers=max(text.workers, image.workers),
        gpus=gpus if gpus <= 1 else math.ceil(gpus),
        input_price=text.input_price + image.input_price,
        output_price=text.output_price + image.output_price,
        image_price=text.image_price + image.image_price,
    )


def lacking_key(slug: str, endpoint: Endpoint) -> str:
    """Return how to provide a missing key, or "". A variable that does not exist is not named: it may be the key."""
    variable = endpoint.key_variable
    if variable is None or re.fullmatch("[!-~]+", os.environ.get(variable, "").strip()):
        return ""
    place = f"key_variable of [models.{slug}] in run.toml"
    if variable in os.environ:
        return f"put a key into the environment variable {variable} ({place}), which holds no key"
    return f"set the environment variable that {place} names"


def misplaced_key(slug: str, kind: str, endpoint: Endpoint) -> str:
    """Return what to remove from a model's block because its kind does not use it, or ""."""
    if endpoint.extra_args and kind != "vllm":
        return f"remove `extra_args` from [models.{slug}] in run.toml: only models of kind vllm have them"
    return ""


ENGINES = ("local", "ray")


class Settings(Strict):
    """All of run.toml. `engine`: this process, or a Ray cluster (at `ray_address`, or started here)."""

    model_config = ConfigDict(hide_input_in_errors=True)  # it may be a key, put in the wrong place
    engine: Literal[ENGINES] = "local"  # type: ignore[valid-type]
    ray_address: str | None = None
    max_cost: Money | None = None
    models: dict[Slug, Endpoint] = Field(default_factory=dict)

    def endpoint(self, slug: str) -> Endpoint:
        return self.models.get(slug, Endpoint())

    def endpoint_of(self, played: Played) -> Endpoint:
        if isinstance(played, RolePair):
            return combine_endpoints(self.endpoint(played.text.slug), self.endpoint(played.image.slug))
        return self.endpoint(played.slug)


def settings_path() -> Path:
    """Return the file of run settings: `GAMUT_RUN` (a relative path starts at the project), else run.toml."""
    return project_root() / (os.environ.get("GAMUT_RUN") or "run.toml")


def load() -> Settings:
    named_path, path = os.environ.get("GAMUT_RUN"), settings_path()
    try:
        values = tomllib.loads(regular_file(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        if named_path:
            raise UserError(f"GAMUT_RUN={named_path}: the file does not exist") from None
        if path.is_symlink():
            raise UserError(f"{path} is a link to a file that does not exist: fix or remove it") from None
        values = {}
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read as TOML: {error}") from None
    if engine := os.environ.get("GAMUT_ENGINE"):
        if engine not in ENGINES:
            raise UserError(f"GAMUT_ENGINE={engine}: expected one of {', '.join(ENGINES)}")
        values["engine"] = engine
    return validate_values(Settings, values, path)
