"""A picture tokenizer of Emu3's own class, trained within a minute: pictures of 64×64 pixels become 4×4 codes.

Most of a network's time goes into its largest pictures. So it begins with a quarter of their side and grows to the
whole, level by level, as Karras et al. (2018) grow what paints; what was learnt stays. Codes are learnt by the
straight-through gradient (van den Oord et al. 2017), from a codebook that k-means begins.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CODES = 128
SIDE, CELL = 64, 16
"""Pixels of a picture, and of the square that a code stands for."""
CHANNELS, DIMENSIONS = 32, 8
"""Of the network, the least that its norms take; and of an entry of the codebook."""


class Stage(NamedTuple):
    """`levels`, of which each halves a picture's side; `steps` of `batch` pictures at a learning rate."""

    levels: int
    steps: int
    batch: int
    rate: float


STAGES = (Stage(3, 300, 16, 3e-3), Stage(4, 110, 16, 2e-3), Stage(5, 20, 8, 1e-3))
PLAIN_STEPS = 100
"""Steps before there is a codebook: an autoencoder learns fast what its codes are to tell apart."""
COMMITMENT = 1.0
"""How much the distance of what is encoded to its code counts, beside that of the code to it."""
WARMUP, LARGEST_GRADIENT = 20, 1.0
TOP = ("decoder.up_block.up.0", "decoder.up_block.up.1.upsample", "decoder.norm_out", "decoder.conv_out")
"""All that is trained at full size, where codes stay as they are."""


def train_tokenizer(pictures: NDArray[np.uint8], seed: int) -> Any:
    """Return an Emu3VQVAE trained on pictures (n, 64, 64, 3)."""
    import torch
    from torch.nn.functional import avg_pool2d

    pixels = torch.from_numpy(pictures).permute(0, 3, 1, 2) / 127.5 - 1
    torch.manual_seed(seed)
    network = new_network(STAGES[0].levels)
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim >= 4:
                weight *= 0.5  # as the class begins, pictures come out ten times too bright
    for number, stage in enumerate(STAGES):
        if number:
            network = grown(network)
        shrink = 2 ** (STAGES[-1].levels - stage.levels)
        plain = PLAIN_STEPS if number == 0 else 0
        train_stage(network, avg_pool2d(pixels, shrink), stage, plain, stage == STAGES[-1])
    return network.eval()


def new_network(levels: int) -> Any:
    from transformers.models.emu3.modeling_emu3 import Emu3VQVAE, Emu3VQVAEConfig

    sizes = {"codebook_size": CODES, "embed_dim": DIMENSIONS, "latent_channels": DIMENSIONS, "base_channels": CHANNELS}
    plain = {"num_res_blocks": 0, "attn_resolutions": [], "hidden_size": CHANNELS, "temporal_downsample_factor": 1}
    return Emu3VQVAE(Emu3VQVAEConfig(**sizes, **plain, channel_multiplier=[1] * levels)).train()


def grown(network: Any) -> Any:
    """Return a network of one level more, for pictures of twice the side: at first it halves them, does as the network
    does, and doubles what comes out.
    """
    import torch

    larger = new_network(len(network.config.channel_multiplier) + 1)
    weights = larger.state_dict()
    with torch.no_grad():
        for name, weight in network.state_dict().items():
            moved = re.sub(r"(down_block\.down|up_block\.up)\.(\d+)", lambda at: f"{at[1]}.{int(at[2]) + 1}", name)
            weights[moved].copy_(weight)
        top, last = larger.decoder.up_block.up[1].upsample.conv, larger.decoder.up_block.up[0].block[0].conv2
        halves = larger.encoder.down_block.down[0].downsample.conv
        for layer in (top, last, halves):
            layer.weight.zero_()
            layer.bias.zero_()
        torch.nn.init.dirac_(top.weight)
        halves.weight[:, :, :2, :2] = torch.eye(CHANNELS)[..., None, None] / 4
    return larger


def train_stage(network: Any, pixels: Any, stage: Stage, plain: int, top: bool) -> None:
    """Train on pictures of the stage's size. `plain`: steps before there are codes; `top`: codes stay as they are."""
    import torch
    from torch.nn.functional import mse_loss

    trained = [weight for name, weight in network.named_parameters() if not top or name.startswith(TOP)]
    optimizer = torch.optim.Adam(trained, betas=(0.9, 0.95))
    for step in range(stage.steps):
        left = (stage.steps - step) / stage.steps
        optimizer.param_groups[0]["lr"] = stage.rate * min(1, (step + 1) / WARMUP, max(0.05, 2 * left))
        batch = pixels[torch.randint(len(pixels), (stage.batch,))].contiguous(memory_format=torch.channels_last)
        if plain and step == plain:
            begin_codebook(network, pixels)
        cells = encode(network, batch)
        entries, apart = cells, torch.zeros(())
        if step >= plain:
            entries = network.quantize.embedding(network.quantize(cells)).permute(0, 1, 4, 2, 3)
            apart = mse_loss(entries, cells.detach()) + COMMITMENT * mse_loss(cells, entries.detach())
        decoded = decode(network, cells + (entries - cells).detach())
        loss = (decoded - batch).abs().mean() + mse_loss(decoded, batch) + (0 if top else apart)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, LARGEST_GRADIENT)
        optimizer.step()


def begin_codebook(network: Any, pixels: Any) -> None:
    """Have the codebook begin as the middles of what the network makes of pictures, so that every code is in use."""
    import torch
    from sklearn.cluster import KMeans

    with torch.no_grad():
        cells = encode(network, pixels[:: max(1, len(pixels) // 400)]).permute(0, 1, 3, 4, 2).reshape(-1, DIMENSIONS)
        middles = KMeans(CODES, n_init=1, max_iter=30, random_state=0).fit(cells.numpy()).cluster_centers_
        network.quantize.embedding.weight.copy_(torch.from_numpy(middles))


def encode(network: Any, pixels: Any) -> Any:
    """Return what comes before codes, (n, 1, dimensions, rows, columns); the class's own goes on to codes."""
    return network.quant_conv(network.encoder(pixels[:, None]).permute(0, 2, 1, 3, 4)).permute(0, 2, 1, 3, 4)


def decode(network: Any, entries: Any) -> Any:
    """Return pixels of entries of the codebook, or of what stands for them; the class's own takes codes."""
    return network.decoder(network.post_quant_conv(entries.permute(0, 2, 1, 3, 4)).permute(0, 2, 1, 3, 4), entries)
