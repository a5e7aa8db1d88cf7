"""Tiny chat models (`tiny_chat_models`) opened as real ones are, and what they are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.asking.models.torch import chat_network, transformers
from gamut.asking.models.torch.chat_network import Network
from gamut.asking.models.weights import digest
from gamut.asking.requests import Chat, Message, Picture, Reply, Request
from gamut.project.model_kinds import TransformersModel
from gamut.project.settings import Endpoint


def model(folder: Path, **values: Any) -> TransformersModel:
    sampling = {"max_tokens": 24} | values.pop("sampling", {})
    fixed = {"kind": "transformers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    return TransformersModel.model_validate(fixed | {"sampling": sampling} | values)


def opened(folder: Path, **values: Any) -> Network:
    return chat_network.open_chat("judge (tiny)", "tiny", model(folder, **values), Endpoint(), folder)


def chat(*parts: str | Picture, seed: int = 1, sample: int = 0) -> Chat:
    return Chat("x", (Message("user", parts),), {"type": "object"}, seed, sample)


def ask(network: Network, *requests: Request) -> list[Reply]:
    return transformers.generate_replies(network, "tiny", requests)
