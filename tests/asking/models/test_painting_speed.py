"""What makes pipelines faster, refused in one line where a package, a device or a network cannot."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from stages.asking.models import extras, painting_options
from stages.project.errors import UserError
from stages.project.model_kinds import DiffusersModel, Sampling

NAME = "painter (flux)"


def model(**fields: Any) -> DiffusersModel:
    return DiffusersModel(kind="diffusers", id="org/flux", revision="0" * 40, **fields)


def refused(act: Any, *arguments: Any) -> str:
    with pytest.raises(UserError) as caught:
        act(NAME, "flux", *arguments)
    words = str(caught.value)
    assert words.startswith(f"{NAME}: ") and "\n" not in words
    return words


@pytest.mark.parametrize(
    ("fields", "package"), [({"quantization": "fp8"}, "torchao"), ({"cache": "cache_dit"}, "cache_dit")]
)
def test_a_missing_package_is_named(fields: dict[str, Any], package: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None if name == package else object())
    words = refused(painting_options.require_speed, model(**fields), "cpu")
    assert f"the package {package} is missing: pip install -c constraints.txt -e '.[speed]'" in words
    painting_options.require_speed(NAME, "flux", model(), "cpu")


@pytest.mark.parametrize(
    ("capability", "fields", "why"),
    [
        (None, {"quantization": "fp8"}, "fp8 wants an NVIDIA GPU of compute capability 8.9"),
        ((8, 9), {"quantization": "fp8", "dtype": "float16"}, "mend models.flux.dtype"),
        (None, {"attention": "flash_3"}, "FlashAttention-3 wants an NVIDIA GPU of the Hopper generation"),
        ((9, 0), {"attention": "flash_3", "dtype": "float32"}, "mend models.flux.dtype"),
    ],
)
def test_a_device_that_cannot_is_refused(
    capability: tuple[int, int] | None, fields: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(painting_options, "require", lambda *_: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert why in refused(painting_options.require_speed, model(**fields), "cuda" if capability else "cpu")


class Core(torch.nn.Module):
    """A denoiser that notes how it is to attend, and that it was compiled."""

    def __init__(self, processor: Any, kernels: str = "") -> None:
        super().__init__()
        self.processor, self.kernels, self.asked = processor, kernels, []

    def set_attention_backend(self, backend: str) -> None:
        self.asked.append(backend)
        if self.kernels and backend != "native":
            raise RuntimeError(f"{self.kernels}.\nand advice")

    def compile(self) -> None:
        self.asked.append("compiled")


def test_how_a_network_attends_is_always_said():
    """Else an environment variable of diffusers would choose it, which is in no fingerprint."""
    core = Core(SimpleNamespace(_attention_backend=None))
    painting_options.hasten(NAME, "flux", model(), SimpleNamespace(transformer=core))
    painting_options.hasten(NAME, "flux", model(attention="flash_3", compile=True), SimpleNamespace(transformer=core))
    assert core.asked == ["native", "_flash_3_hub", "compiled"]
    own = Core(SimpleNamespace())
    painting_options.hasten(NAME, "flux", model(), SimpleNamespace(unet=own))
    assert own.asked == [], "SDXL's network chooses nothing"


def test_attention_that_cannot_be_had_is_refused():
    flash = model(attention="flash_3")
    core = Core(SimpleNamespace(_attention_backend=None), "the Hub cannot be reached")
    words = refused(painting_options.hasten, flash, SimpleNamespace(transformer=core))
    assert "FlashAttention-3 cannot be had (the Hub cannot be reached): its kernels come from the Hub" in words
    words = refused(painting_options.hasten, flash, SimpleNamespace(unet=Core(SimpleNamespace())))
    assert "Core has an attention of its own: remove models.flux.attention" in words
    words = refused(painting_options.hasten, model(compile=True), SimpleNamespace())
    assert "has no transformer that could be made faster: remove models.flux.compile" in words


def test_a_cache_wants_steps_and_a_pipeline_that_it_knows():
    pytest.importorskip("cache_dit")
    few = model(cache="cache_dit", sampling=Sampling(num_inference_steps=8))
    assert "leaves nothing out of the first 8 steps" in refused(painting_options.cache, few, SimpleNamespace())
    assert "does not know SimpleNamespace" in refused(
        painting_options.cache, model(cache="cache_dit"), SimpleNamespace()
    )
