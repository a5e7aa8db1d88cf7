"""A picture tokenizer of Emu3's own class, trained in half a minute: pictures of 64×64 pixels become 4×4 codes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

CODES, SIDE, CELL = 48, 64, 16
"""Entries of the codebook; pixels of a picture, and of the square that a code stands for."""
CHANNELS, DIMENSIONS = 32, 8
"""The fewest channels that the network's norms accept; dimensions of an entry of the codebook."""
STAGES, LEVELS = {3: (330, 100, 4e-3), 4: (125, 0, 3e-3)}, 5
"""By levels: steps, how many of them begin without codes, and the rate of learning; the last level only doubles."""
BATCH, WARMUP, LARGEST_GRADIENT = 16, 20, 1.0


def train_tokenizer(pictures: NDArray[np.uint8], seed: int) -> Any:
    """Return an Emu3VQVAE trained on pictures (n, 64, 64, 3)."""
    import torch

    torch.set_num_threads(1)  # more would wait for each other, and add up in another order
    torch.manual_seed(seed)
    pixels, network = torch.from_numpy(pictures).permute(0, 3, 1, 2) / 127.5 - 1, None
    for levels, stage in STAGES.items():
        network = grown(network) if network else new_network(levels)
        learn(network, torch.nn.functional.avg_pool2d(pixels, 2 ** (LEVELS - levels)), *stage)
    return grown(network)


def new_network(levels: int) -> Any:
    from transformers.models.emu3.modeling_emu3 import Emu3VQVAE, Emu3VQVAEConfig

    sizes = {"codebook_size": CODES, "embed_dim": DIMENSIONS, "latent_channels": DIMENSIONS, "base_channels": CHANNELS}
    plain = {"num_res_blocks": 0, "attn_resolutions": [], "hidden_size": CHANNELS, "temporal_downsample_factor": 1}
    network = Emu3VQVAE(Emu3VQVAEConfig(**sizes, **plain, channel_multiplier=[1] * levels))
    for weight in network.parameters():
        weight.data *= 0.5 if weight.ndim >= 4 else 1  # as the class begins, pictures come out ten times too bright
    return network


def grown(network: Any) -> Any:
    """Return a network for twice the side, which it halves and doubles (as Karras et al., 2018, grow what paints)."""
    import torch

    larger = new_network(len(network.config.channel_multiplier) + 1)
    for name, weight in network.state_dict().items():
        moved = re.sub(r"(down_block\.down|up_block\.up)\.(\d+)", lambda at: f"{at[1]}.{int(at[2]) + 1}", name)
        larger.state_dict()[moved].copy_(weight)
    halves, doubles = larger.encoder.down_block.down[0].downsample.conv, larger.decoder.up_block.up[1].upsample.conv
    with torch.no_grad():
        for layer in (halves, doubles, larger.decoder.up_block.up[0].block[0].conv2):
            layer.weight.zero_()
            layer.bias.zero_()
        halves.weight[:, :, :2, :2] = torch.eye(CHANNELS)[..., None, None] / 4
        doubles.weight[:, :, 1, 1] = torch.eye(CHANNELS)
    return larger


def learn(network: Any, pixels: Any, steps: int, plain: int, highest_rate: float) -> None:
    """Train on pictures of the network's size; after the `plain` steps, if any, the codebook begins by k-means."""
    import torch
    from sklearn.cluster import KMeans
    from torch.nn.functional import mse_loss

    def encode(some: Any) -> Any:  # (n, 1, dimensions, rows, columns)
        return network.quant_conv(network.encoder(some[:, None]).transpose(1, 2)).transpose(1, 2)

    optimizer, book = torch.optim.Adam(network.parameters(), betas=(0.9, 0.95)), network.quantize.embedding
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = highest_rate * min(1, (step + 1) / WARMUP, 2 * (steps - step) / steps)
        if plain and step == plain:
            with torch.no_grad():
                cells = encode(pixels).movedim(2, 4).reshape(-1, DIMENSIONS)
            middles = KMeans(CODES, n_init=1, max_iter=30, random_state=0).fit(cells.numpy()).cluster_centers_
            book.weight.data.copy_(torch.from_numpy(middles))
        batch = pixels[torch.randint(len(pixels), (BATCH,))].contiguous(memory_format=torch.channels_last)
        cells = encode(batch)
        entries = cells if step < plain else book(network.quantize(cells)).movedim(4, 2)
        straight = cells + (entries - cells).detach()  # its gradient: van den Oord et al. (2017)
        decoded = network.decoder(network.post_quant_conv(straight.transpose(1, 2)).transpose(1, 2), straight)
        apart = mse_loss(entries, cells.detach()) + mse_loss(cells, entries.detach())
        optimizer.zero_grad()
        ((decoded - batch).abs().mean() + mse_loss(decoded, batch) + apart).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
        optimizer.step()
