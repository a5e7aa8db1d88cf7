"""Seconds a picture of kind `diffusers` by what makes it faster: a pipeline of FLUX.1-dev's sizes with random weights,
which take as long as real ones.

    python bench/painting.py                        # a GPU with 40 GB or more: a minute a way, two more for fp8
    python bench/painting.py --ways compile+flash_3+cache_dit --batch 4
    python bench/painting.py --tiny --side 64 --steps 2 --pictures 1 --ways plain       # on a processor

Each way has a process of its own, which paints as stages do, a first picture (compiling, filling caches) apart; one
that cannot be had here is told in words. The last line, as JSON: the card, PFLOP of a picture (counted by torch as the
plain pipeline paints), and of each way seconds a picture (the median), of the first one, the share of the card's peak
in bf16 that these PFLOP are, and GB of its memory at most.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

FIELDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "compile": {"compile": True},
    "flash_3": {"attention": "flash_3"},
    "cache_dit": {"cache": "cache_dit"},
    "fp8": {"quantization": "fp8"},
}
WAYS = ("plain", "compile", "fp8+compile", "compile+flash_3", "fp8+compile+flash_3", "compile+flash_3+cache_dit")
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}
"""Dense multiplications in bf16 a second, times two, as NVIDIA's data sheets have them (SXM)."""
FULL: dict[str, dict[str, Any]] = {
    "clip": {
        "hidden_size": 768,
        "intermediate_size": 3072,
        "projection_dim": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
    },
    "t5": {"d_model": 4096, "d_kv": 64, "d_ff": 10240, "num_layers": 24, "num_heads": 64},
    "vae": {
        "block_out_channels": (128, 256, 512, 512),
        "layers_per_block": 2,
        "norm_num_groups": 32,
        "latent_channels": 16,
        "scaling_factor": 0.3611,
        "shift_factor": 0.1159,
    },
    "transformer": {
        "in_channels": 64,
        "num_layers": 19,
        "num_single_layers": 38,
        "attention_head_dim": 128,
        "num_attention_heads": 24,
        "joint_attention_dim": 4096,
        "pooled_projection_dim": 768,
        "axes_dims_rope": (16, 56, 56),
    },
}
"""FLUX.1-dev's, as its config.json files have them."""
TINY: dict[str, dict[str, Any]] = {
    "clip": {
        "hidden_size": 32,
        "intermediate_size": 32,
        "projection_dim": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
    },
    "t5": {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 4},
    "vae": {
        "block_out_channels": (4, 4, 4, 4),
        "layers_per_block": 1,
        "norm_num_groups": 1,
        "latent_channels": 4,
        "scaling_factor": 0.3611,
        "shift_factor": 0.1159,
    },
    "transformer": {
        "in_channels": 16,
        "num_layers": 5,  # the step cache looks at the first ones
        "num_single_layers": 5,
        "attention_head_dim": 16,
        "num_attention_heads": 2,
        "joint_attention_dim": 32,
        "pooled_projection_dim": 32,
        "axes_dims_rope": (4, 6, 6),
    },
}
"""The same keys: what runs tiny runs at full size."""
NAME = "painter (bench)"
PROMPT = "an owl reads a red book beside three blue cups on a round table in the rain"


def pipeline_of(sizes: dict[str, dict[str, Any]], device: str) -> Any:
    """A pipeline of FLUX.1-dev's layout, its weights drawn at random on the device; tokenizers know letters alone."""
    import torch
    from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

    from tests import tiny_models

    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device):
        made = FluxPipeline(
            scheduler=FlowMatchEulerDiscreteScheduler(shift=3.0, use_dynamic_shifting=True),
            vae=AutoencoderKL(
                **sizes["vae"],
                down_block_types=("DownEncoderBlock2D",) * 4,
                up_block_types=("UpDecoderBlock2D",) * 4,
                use_quant_conv=False,
                use_post_quant_conv=False,
            ),
            text_encoder=CLIPTextModel(CLIPTextConfig(**sizes["clip"], eos_token_id=1)),
            tokenizer=tiny_models.clip_tokenizer(),
            text_encoder_2=T5EncoderModel(T5Config(**sizes["t5"], feed_forward_proj="gated-gelu")),
            tokenizer_2=tiny_models.t5_tokenizer(),
            transformer=FluxTransformer2DModel(**sizes["transformer"], guidance_embeds=True),
        )
    torch.set_default_dtype(torch.float32)
    return made


def measured(way: str, options: argparse.Namespace) -> dict[str, Any]:
    """Paint by one way, and return its figures; for one that cannot be had here, why."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from stages.asking.models.diffusers import Painter, be_quiet
    from stages.asking.models.painting_arguments import call_arguments
    from stages.asking.models.painting_speed import fp8_scheme, hasten, require_speed
    from stages.asking.requests import Paint
    from stages.project.errors import UserError
    from stages.project.model_kinds import DiffusersModel, Sampling

    be_quiet()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    fields = {name: value for part in way.split("+") for name, value in FIELDS[part].items()}
    sampling = Sampling(num_inference_steps=options.steps, guidance_scale=3.5)
    model = DiffusersModel(kind="diffusers", id="bench", revision="0" * 40, sampling=sampling, **fields)
    try:
        require_speed(NAME, "bench", model, device)
    except UserError as error:
        return {"not_had": str(error)}
    pipeline = pipeline_of(TINY if options.tiny else FULL, device)
    pipeline.set_progress_bar_config(disable=True)
    painter = Painter(NAME, "bench", device, pipeline, call_arguments(NAME, "bench", model, pipeline))

    def paint(seed: int) -> float:
        """Seconds for one call."""
        began = time.monotonic()
        asked = [Paint(PROMPT, options.side, options.side, seed, sample) for sample in range(options.batch)]
        replies = painter.generate(asked)
        assert all(reply.finish == "stop" for reply in replies), replies[0].content[:200]
        return time.monotonic() - began

    figures: dict[str, Any] = {}
    if way == "plain":
        with FlopCounterMode(display=False) as counter:
            paint(0)
        figures["pflop"] = counter.get_total_flops() / options.batch / 1e15
    if model.quantization:
        from torchao.quantization import quantize_

        quantize_(pipeline.transformer, fp8_scheme())
    try:
        hasten(NAME, "bench", model, pipeline)
    except UserError as error:
        return {"not_had": str(error)}
    figures["first_seconds"] = round(paint(0), 3)
    taken = sorted(paint(seed) for seed in range(1, options.pictures + 1))
    figures["seconds"] = round(taken[len(taken) // 2] / options.batch, 3)
    if device == "cuda":
        figures["card"] = torch.cuda.get_device_name()
        figures["gb"] = round(torch.cuda.max_memory_allocated() / 1e9, 1)
    return figures


def all_measured(options: argparse.Namespace) -> dict[str, Any]:
    """Have each way measured in a process of its own, and put the figures together."""
    given = ["--side", options.side, "--steps", options.steps, "--pictures", options.pictures, "--batch", options.batch]
    ways: dict[str, Any] = {}
    for way in options.ways:
        command = [sys.executable, str(Path(__file__).resolve()), "--child", way, *map(str, given)]
        done = subprocess.run(command + ["--tiny"] * options.tiny, text=True, capture_output=True)
        if done.returncode:
            ways[way] = {"failed": (done.stderr.strip() or "no word").splitlines()[-1][:300]}
        else:
            ways[way] = json.loads(done.stdout.splitlines()[-1])
        print(way, ways[way], flush=True)
    card = next((figures["card"] for figures in ways.values() if "card" in figures), "processor")
    pflop = next((figures["pflop"] for figures in ways.values() if "pflop" in figures), None)
    peak = next((peak for name, peak in PEAKS.items() if name in card), None)
    for figures in ways.values():
        figures.pop("card", None), figures.pop("pflop", None)
        if peak and pflop and "seconds" in figures:
            figures["share_of_peak"] = round(pflop * 1e15 / figures["seconds"] / peak, 3)
    asked = {name: getattr(options, name) for name in ("side", "steps", "batch", "tiny")}
    return {"card": card, **asked, "pflop": pflop, "ways": ways}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=1024, help="of a picture, in pixels")
    parser.add_argument("--steps", type=int, default=28)
    parser.add_argument("--pictures", type=int, default=5, help="calls that are timed of each way")
    parser.add_argument("--batch", type=int, default=1, help="pictures in one call")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), help=f"of {', '.join(FIELDS)}, joined by +")
    parser.add_argument("--tiny", action="store_true", help="a tiny pipeline of the same layout")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    print(json.dumps(measured(options.child, options) if options.child else all_measured(options)))


if __name__ == "__main__":
    main()
