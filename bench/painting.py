"""Seconds a picture of kind `diffusers` by what makes it faster: a pipeline of FLUX.1-dev's sizes with random weights,
which take as long as real ones.

    python bench/painting.py                        # a GPU with 40 GB or more: a minute a way, more for the compiled
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
import tempfile
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
WAYS = ("plain", "compile", "flash_3", "compile+flash_3", "compile+flash_3+cache_dit", "fp8+compile+flash_3")
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}
"""Dense multiplications in bf16 a second, times two, as NVIDIA's data sheets have them (SXM)."""
NAME = "painter (bench)"
PROMPT = "an owl reads a red book beside three blue cups on a round table in the rain"


def full_size(device: str) -> Any:
    """A pipeline of FLUX.1-dev's sizes, its weights drawn at random on the device; tokenizers know letters alone."""
    import torch
    from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

    from tests import tiny_models

    heads = {"num_hidden_layers": 12, "num_attention_heads": 12}
    clip = CLIPTextConfig(hidden_size=768, intermediate_size=3072, projection_dim=768, eos_token_id=1, **heads)
    t5 = T5Config(d_model=4096, d_kv=64, d_ff=10240, num_layers=24, num_heads=64, feed_forward_proj="gated-gelu")
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device):
        made = FluxPipeline(
            scheduler=FlowMatchEulerDiscreteScheduler(shift=3.0, use_dynamic_shifting=True),
            vae=AutoencoderKL(
                down_block_types=("DownEncoderBlock2D",) * 4,
                up_block_types=("UpDecoderBlock2D",) * 4,
                block_out_channels=(128, 256, 512, 512),
                layers_per_block=2,
                latent_channels=16,
                use_quant_conv=False,
                use_post_quant_conv=False,
            ),
            text_encoder=CLIPTextModel(clip),
            tokenizer=tiny_models.clip_tokenizer(),
            text_encoder_2=T5EncoderModel(t5),
            tokenizer_2=tiny_models.t5_tokenizer(),
            transformer=FluxTransformer2DModel(guidance_embeds=True),  # its other defaults are FLUX.1's
        )
    torch.set_default_dtype(torch.float32)
    return made


def tiny() -> Any:
    from diffusers import DiffusionPipeline

    from tests import tiny_models

    with tempfile.TemporaryDirectory() as folder:
        return DiffusionPipeline.from_pretrained(tiny_models.flux(Path(folder), layers=5))


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
    pipeline = tiny() if options.tiny else full_size(device)
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
