"""Where a chat model's attention goes, without and with an adjustment, drawn over the pictures that it is given.

    python bench/attention_maps.py --out maps.webp     # a tiny network with random weights looks at two scenes
    python bench/attention_maps.py --out maps.webp --weights FOLDER --pictures a.png b.png --prompt "…" --strength 2

`--weights` is a folder of one of the Qwen family, Qwen2-VL to Qwen3-VL; it says its keywords itself where `--keywords`
names none. The last line is JSON: the keywords, and how much of all attention lies on the pictures in each row.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from stages.asking.models import transformers
from stages.asking.models.attention.adjusted_chat import attending
from stages.asking.models.attention.keywords import distilled
from stages.asking.models.attention.maps import Heat, attended, draw_maps, heats
from stages.asking.models.chat_network import QWEN, Network, open_chat
from stages.asking.models.chat_prompts import Prompt, prompt_of
from stages.asking.models.pictures import decoded
from stages.asking.requests import Create, Picture
from stages.project.model_kinds import AttentionAdjustment, TransformersModel
from stages.project.settings import Endpoint
from tests import tiny_chat_models, world

SCENES = ("two red cats to the left of a blue dog", "a green tree")


def opened(folder: Path, tokens: int) -> Network:
    """Open the chat model of a folder."""
    fixed = {"kind": "transformers", "id": "looked/at", "revision": "0" * 40, "dtype": "float32"}
    model = TransformersModel.model_validate(fixed | {"sampling": {"max_tokens": tokens}})
    return open_chat("model (maps)", "maps", model, Endpoint(), folder)


def seen(network: Network, prompt: Prompt, strength: float) -> list[Heat]:
    """Return the heat of a conversation's pictures while its reply is made, over all layers."""
    adjustment = AttentionAdjustment(strength=strength)
    adjusted = replace(network, model=network.model.model_copy(update={"attention_adjustment": adjustment}))
    inputs = transformers.inputs_of(network, [prompt])
    layers = network.weights.config.get_text_config().num_hidden_layers
    with torch.inference_mode(), attending(adjusted, [prompt], len(prompt.tokens)) as running:
        running.watched.update({layer: [] for layer in range(layers)})
        network.weights.generate(**inputs)
    passes = [weights[0].float().cpu().numpy() for one in running.watched.values() for weights in one]
    merge = network.look.merge_size
    grids = [(height // merge, width // merge) for _, height, width in prompt.pictures["image_grid_thw"].tolist()]
    stand = torch.tensor(prompt.tokens) == network.weights.config.image_token_id
    return heats(attended(passes, len(prompt.tokens)), stand.numpy(), grids)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw both rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the WebP file to be written")
    parser.add_argument("--weights", type=Path, help="a folder of weights; a tiny random network where it is left out")
    parser.add_argument("--pictures", type=Path, nargs="+", help="files of pictures")
    parser.add_argument("--prompt", default="What do the pictures have in common?")
    parser.add_argument("--keywords", nargs="+", help="one for each picture; for the tiny network `cats` and nothing")
    parser.add_argument("--strength", type=float, default=8.0)
    parser.add_argument("--tokens", type=int, default=64, help="most tokens of the reply")
    args = parser.parse_args(arguments)
    data = [path.read_bytes() for path in args.pictures] if args.pictures else [world.picture(one) for one in SCENES]
    pictures = [Picture(one) for one in data]
    request = Create((*pictures, args.prompt), ("text",), 0, 0, 1)
    with tempfile.TemporaryDirectory() as folder:
        network = opened(args.weights or tiny_chat_models.qwen2_5_vl(Path(folder) / "tiny"), args.tokens)
    if network.kind not in QWEN:
        sys.exit(f"maps are drawn of {', '.join(QWEN)}: a {network.kind!r} lays its tokens out in another way")
    keywords = args.keywords or ([] if args.weights else ["cats", *[""] * (len(pictures) - 1)])
    if not keywords:
        [said] = distilled(partial(transformers.generated, network, "maps"), [request])
        if said.failure:
            sys.exit(f"{said.failure.content.decode()}: give them by --keywords")
        keywords = said.keywords
    if len(keywords) != len(pictures):
        parser.error(f"{len(keywords)} keywords for {len(pictures)} pictures: name one for each")
    prompt = replace(prompt_of(network, request), keywords=keywords)
    rows = {f"strength {strength:g}": seen(network, prompt, strength) for strength in (0.0, args.strength)}
    draw_maps(args.out, [decoded(one) for one in pictures], rows)
    shares = {name: round(float(np.sum([heat.sum() for heat in given])), 4) for name, given in rows.items()}
    print(json.dumps({"keywords": keywords, "share_on_pictures": shares}, ensure_ascii=False))


if __name__ == "__main__":
    main()
