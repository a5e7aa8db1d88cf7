"""Arguments of one's own for the server that kind `vllm` starts: how much memory it takes, over how many cards it goes.

What decides answers stands in params.yaml, so that it is in every fingerprint; it is refused here.
"""

from __future__ import annotations

GAMUTS_OWN = (
    *("config", "host", "port", "uds", "grpc", "grpc-port", "headless", "api-key", "root-path", "middleware"),
    *("ssl-keyfile", "ssl-certfile", "ssl-ca-certs", "ssl-cert-reqs", "model", "served-model-name", "load-format"),
    *("seed", "structured-outputs-config", "generation-config", "override-generation-config", "limit-mm-per-prompt"),
)
"""Without the dashes: how gamut and the server understand each other, and what it sets the same for all models."""
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
"""What makes the answers others: params.yaml has a key for it, or gamut knows none."""
SHORT = {"-q": "quantization", "-sc": "speculative-config", "-dc": "diffusion-config"}
INNOCENT = ("watermark",)
"""Whole names with which one of those above begins: this one is a share of memory that is kept free."""


def of_ones_own(arguments: list[str]) -> list[str]:
    """Return arguments that change where and how fast a server runs; ValueError for others. Values are not repeated.
    vLLM takes `--max_model_len`, `--max-model-len=1`, `--max-model-len.x` and any beginning that is unmistakable.
    """
    for argument in arguments:
        name = argument.split("=")[0].split(".")[0]
        name = name[2:].replace("_", "-") if name.startswith("--") else unabbreviated(name)
        for whole in (*GAMUTS_OWN, *DECIDE_ANSWERS) if name not in ("", *INNOCENT) else ():
            if whole.startswith(name):
                who = "params.yaml decides that" if whole in DECIDE_ANSWERS else "gamut sets that itself"
                raise ValueError(f"`--{whole}` is not for `extra_args`: {who}")
    return arguments


def unabbreviated(short: str) -> str:
    """Return the whole name of an argument with one dash (`-sc`, `-qfp8`); empty for what is not refused."""
    if short[:2] == "-q":
        return SHORT["-q"]
    return next((whole for known, whole in SHORT.items() if len(short) > 1 and known.startswith(short)), "")
