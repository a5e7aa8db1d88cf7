"""Tiny chat models (`tiny_chat_models`) opened as real ones are, and what they are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stages.asking.models import chat_network, transformers
from stages.asking.models.chat_network import Network
from stages.asking.models.weights import digest
from stages.asking.requests import Chat, Message, Picture, Reply, Request
from stages.pipeline.steps import Step
from stages.project.model_kinds import TransformersModel
from stages.project.settings import Endpoint
from tests import fakes
from tests.dataset import small_build


def model(folder: Path, **values: Any) -> TransformersModel:
    sampling = {"max_tokens": 24} | values.pop("sampling", {})
    fixed = {"kind": "transformers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    return TransformersModel.model_validate(fixed | {"sampling": sampling} | values)


def opened(folder: Path, **values: Any) -> Network:
    return chat_network.open_chat("judge (tiny)", "tiny", model(folder, **values), Endpoint(), folder)


def chat(*parts: str | Picture, seed: int = 1, sample: int = 0) -> Chat:
    return Chat("x", (Message("user", parts),), {"type": "object"}, seed, sample)


def ask(network: Network, *requests: Request) -> list[Reply]:
    return transformers.generated(network, "tiny", requests)


def run_stage(
    step: Step, role: str, folder: Path, capsys: pytest.CaptureFixture[str], endpoint: str = "", **values: Any
) -> str:
    """Run a step of the build in the working directory with this model in a role; return how it ended."""
    Path("run.toml").write_text(f'[models.tiny]\nweights = "{folder}"\n{endpoint}')
    fixed = {"kind": "transformers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    models = fakes.values()["models"] | {"tiny": fixed | values}
    capsys.readouterr()
    roles = fakes.values()["roles"] | {role: "tiny"}
    step.carry_out(small_build.params(models=models, roles=roles, **{step.name: {"max_failures": 100}}))
    return next(line for line in capsys.readouterr().out.splitlines() if " asked in " in line)
