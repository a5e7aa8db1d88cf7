"""How long a question about a picture takes a VLM on this machine: Qwen2.5-VL-7B's geometry, with random weights.

    python bench/judging.py                                       # a GPU of 24 GB, 17 GB of disk
    python bench/judging.py --kinds transformers --batch 32
    python bench/judging.py --geometry tiny --pixels 56 --questions 3 --read 20 --written 8    # a CPU, seconds

Random weights cost what trained ones do. A token of text is a byte here, so `--read` and `--written` are tokens: by
default those of a question of the build; the form in words, where no grammar binds it, comes on top. Each question has
a picture of its own, of `--pixels` a side, and a schema that no reply of that many tokens can end: all are written to
their last token, under the grammar where there is one. The kinds `transformers` and `vllm` (where its program is) are
asked one after the other, each after questions that warm it up. Peaks are of bf16 without sparsity; only matrix
products of weights are counted, so the share is a little low. The last line is JSON. Kind `transformers` was run on an
H200 (docs/throughput.md), kind `vllm` on no GPU so far.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12}
"""Operations a second in bf16, as the makers' data sheets have them, by what a card's name holds."""
TEXT = {
    "vocab_size": 152064,
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "max_position_embeddings": 32768,
    "rope_parameters": {"rope_type": "default", "mrope_section": [16, 24, 24], "rope_theta": 1_000_000.0},
}
EYES = {
    "depth": 32,
    "hidden_size": 1280,
    "intermediate_size": 3420,
    "num_heads": 16,
    "out_hidden_size": 3584,
    "window_size": 112,
    "fullatt_block_indexes": [7, 15, 23, 31],
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--geometry", choices=["7b", "tiny"], default="7b")
    asked.add_argument("--kinds", nargs="+", choices=["transformers", "vllm"])
    asked.add_argument("--questions", type=int, default=64)
    asked.add_argument("--pixels", type=int, default=1024)
    asked.add_argument("--read", type=int, default=400)
    asked.add_argument("--written", type=int, default=100)
    asked.add_argument("--batch", type=int)
    asked.add_argument("--grammar", action="store_true", help="bind those of kind transformers too")
    wanted = asked.parse_args()
    import torch

    from stages.asking.models.extras import find_program

    kinds = wanted.kinds or ["transformers", *(["vllm"] if find_program("vllm") else [])]
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    figures: dict[str, Any] = {"geometry": wanted.geometry, "device": device}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("GAMUT_STORE", f"{folder}/store")  # the log of vLLM's server
        began = time.monotonic()
        operations = write_model(Path(folder, "model"), wanted.geometry)
        print(f"weights written in {time.monotonic() - began:.0f} s")
        for kind in kinds:
            found = asyncio.run(measured(opened(kind, Path(folder, "model"), wanted), wanted))
            release()
            figures[kind] = found | rates(found, operations, wanted, device)
            print(f"{kind}: {figures[kind]}")
    print(json.dumps(figures))


def rates(
    found: Mapping[str, Any], operations: Mapping[str, int], wanted: argparse.Namespace, device: str
) -> dict[str, Any]:
    """Return what follows of seconds and tokens: 1,024 pixels are 37 x 37 tokens of 2 x 2 patches of 14 pixels."""
    seconds, read, written = found["seconds"], found["tokens_read"], found["tokens_written"]
    patches = wanted.questions * 4 * round(wanted.pixels / 28) ** 2
    done = operations["token"] * (read + written) + operations["choice"] * written + operations["patch"] * patches
    peak = next((peak for name, peak in PEAKS.items() if name in device), None)
    return {
        "seconds_a_question": round(seconds / wanted.questions, 4),
        "tokens_read_a_second": round(read / seconds),
        "tokens_written_a_second": round(written / seconds),
        "tera_operations_a_second": round(done / seconds / 1e12, 4),
        "share_of_peak": round(done / seconds / peak, 4) if peak else None,
    }


def write_model(folder: Path, geometry: str) -> dict[str, int]:
    """Save a network with random weights; return operations a token, a choice of the next one, and a patch of a
    picture: two a weight.
    """
    import torch
    import transformers

    from tests import tiny_chat_models
    from tests.tiny_chats import ends_of_turns_alone

    if geometry == "tiny":
        tiny_chat_models.qwen2_5_vl(folder)
        config = transformers.AutoConfig.from_pretrained(folder)
    else:
        ends = {"eos_token_id": tiny_chat_models.ID["<|im_end|>"], "pad_token_id": tiny_chat_models.ID["<|endoftext|>"]}
        config = transformers.Qwen2_5_VLConfig(
            text_config=TEXT | ends, vision_config=EYES, tie_word_embeddings=False, **tiny_chat_models.PLACES
        )
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
            network = transformers.Qwen2_5_VLForConditionalGeneration(config)
        torch.set_default_dtype(torch.float32)
        look = transformers.Qwen2VLImageProcessorPil(size={"shortest_edge": 56 * 56, "longest_edge": 12_845_056})
        tiny_chat_models.save(folder, network, tiny_chat_models.QWEN_TEMPLATE, look)
        del network
        release()
    ends_of_turns_alone(folder)
    with torch.device("meta"):
        network = transformers.Qwen2_5_VLForConditionalGeneration(config)

    def operations(module: Any) -> int:
        return 2 * sum(weight.numel() for weight in module.parameters())

    body = network.model
    return {
        "token": operations(body.language_model.layers),
        "choice": operations(network.lm_head),
        "patch": operations(body.visual.blocks),
    }


def opened(kind: str, weights: Path, wanted: argparse.Namespace) -> Any:
    from pydantic import TypeAdapter

    from stages.asking.models.opening import open_model
    from stages.asking.models.weights import digest
    from stages.project.model_kinds import Model
    from stages.project.roles import RoleModel
    from stages.project.settings import Endpoint, Settings

    fields = {"kind": kind, "id": "random/vlm", "revision": digest(weights), "sampling": {"max_tokens": wanted.written}}
    fields |= {"dtype": "float32"} if wanted.geometry == "tiny" else {}
    if kind == "vllm":
        fields |= {"max_model_len": 8192}
    elif wanted.grammar:
        fields |= {"structured_output": "grammar"}
    model: Any = TypeAdapter(Model).validate_python(fields)
    here = Settings(models={"vlm": Endpoint(weights=str(weights), batch=wanted.batch)})
    return open_model(RoleModel("judge", "vlm", model), here)


async def measured(model: Any, wanted: argparse.Namespace) -> dict[str, Any]:
    """Ask a model and close it; return seconds, tokens and memory."""
    await answers(model, wanted, range(-min(8, wanted.questions), 0))
    began = time.monotonic()
    read, written = await answers(model, wanted, range(wanted.questions))
    seconds, memory = time.monotonic() - began, memory_in_use()
    await model.close()
    return {
        "seconds": round(seconds, 3),
        "tokens_read": read,
        "tokens_written": written,
        "gigabytes": round(memory, 2),
        "in_flight": model.concurrency,
    }


async def answers(model: Any, wanted: argparse.Namespace, numbers: range) -> tuple[int, int]:
    """Ask as many questions at a time as the model takes; return tokens read and written."""
    from stages.asking.requests import Chat, Message, Reply

    may = asyncio.Semaphore(model.concurrency)
    said = {"type": "string", "minLength": wanted.written}
    schema = {"type": "object", "properties": {"said": said}, "required": ["said"], "additionalProperties": False}

    async def answer(number: int) -> Reply:
        parts = (noise(wanted.pixels, number), "a" * wanted.read)
        async with may:
            return await model.answer(Chat("said", (Message("user", parts),), schema, number + 8))

    replies = await asyncio.gather(*map(answer, numbers))
    if unlike := [reply for reply in replies if reply.finish != "length"]:
        raise SystemExit(f"a reply ended otherwise than at its last token: {unlike[0]}")
    return sum(reply.input_tokens for reply in replies), sum(reply.output_tokens for reply in replies)


def noise(pixels: int, seed: int) -> Any:
    import numpy as np
    from PIL import Image

    from stages.asking.requests import Picture

    out = io.BytesIO()
    coarse = np.random.default_rng(seed + 8).integers(0, 256, (8, 8, 3), np.uint8)
    Image.fromarray(coarse).resize((pixels, pixels)).save(out, "JPEG")
    return Picture(out.getvalue())


def release() -> None:
    """Give memory of what is no longer held back to the card."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def memory_in_use() -> float:
    """Return the gigabytes in use on the GPU, whosever they are; without one the largest resident set so far."""
    import torch

    if torch.cuda.is_available():
        free, whole = torch.cuda.mem_get_info()
        return (whole - free) / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
