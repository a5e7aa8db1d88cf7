"""LoRA adapters, made on the spot, merged into tiny models: W + weight · α/r · B·A, and nothing of them left out."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file

from gamut.asking.models.torch import diffusers, transformers
from gamut.asking.models.torch.adapters import require_adapter
from gamut.asking.models.weights import digest
from gamut.asking.requests import Paint, Reply
from gamut.project.errors import UserError
from gamut.project.model_kinds import Adapter, DiffusersModel, Sampling, TransformersModel, identity
from gamut.project.settings import Endpoint
from tests import tiny_chat_models

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="the package peft is not installed"),
    pytest.mark.usefixtures("one_thread"),
]
RANK, ALPHA = 2, 4
FACTOR = ALPHA / RANK
LAYER = "model.layers.0.self_attn.q_proj"
CUBE = Paint("a red cube", 64, 64, seed=1)
TWO_STEPS = Sampling(num_inference_steps=2, guidance_scale=3.5)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chat")
    tiny_chat_models.qwen2(folder)
    return folder


def factors(outputs: int, inputs: int, size: float = 0.5) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return {
        "lora_A.weight": size * torch.randn(RANK, inputs, generator=generator),
        "lora_B.weight": size * torch.randn(outputs, RANK, generator=generator),
    }


def by_peft(folder: Path, layers: dict[str, tuple[int, int]], **config: Any) -> Path:
    """An adapter as peft saves it, for layers of these shapes."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        f"base_model.model.{name}.{key}": value
        for name, shape in layers.items()
        for key, value in factors(*shape).items()
    }
    save_file(weights, folder / "adapter_model.safetensors")
    values = {
        "peft_type": "LORA",
        "r": RANK,
        "lora_alpha": ALPHA,
        "target_modules": ["q_proj"],
        "layers_to_transform": [0],
    }
    (folder / "adapter_config.json").write_text(json.dumps(values | {"task_type": "CAUSAL_LM"} | config))
    return folder


def of_folder(folder: Path, **fields: Any) -> Adapter:
    return Adapter(path=str(folder), revision=digest(folder), **fields)


def opened_chat(chat: Path, adapter: Adapter | None, **fields: Any) -> Any:
    model = TransformersModel(
        kind="transformers", id="org/tiny", revision=digest(chat), dtype="float32", adapter=adapter, **fields
    )
    return transformers.open_chat("judge (tiny)", "tiny", model, Endpoint(weights=str(chat), device="cpu"), chat)


def shape_of(chat: Path) -> tuple[int, int]:
    outputs, inputs = load_file(chat / "model.safetensors")[f"{LAYER}.weight"].shape
    return outputs, inputs


def test_a_chat_model_has_the_adapter_in_its_weights(chat: Path, project: Path) -> None:
    shape, weight = shape_of(chat), 0.5
    adapter = of_folder(by_peft(project / "lora", {LAYER: shape}), weight=weight)
    before, after = opened_chat(chat, None).weights.state_dict(), opened_chat(chat, adapter).weights.state_dict()
    assert before.keys() == after.keys(), "merged: no layer is left that is not the model's own"
    parts = factors(*shape)
    wanted = before[f"{LAYER}.weight"] + weight * FACTOR * parts["lora_B.weight"] @ parts["lora_A.weight"]
    assert torch.allclose(after[f"{LAYER}.weight"], wanted, atol=1e-5)
    changed = [name for name in before if not torch.equal(before[name], after[name])]
    assert changed == [f"{LAYER}.weight"]


def test_an_adapter_of_another_model_is_refused(chat: Path, project: Path) -> None:
    def refused(folder: Path) -> str:
        with pytest.raises(UserError) as error:
            opened_chat(chat, of_folder(folder))
        assert "\n" not in str(error.value)
        return str(error.value)

    shape, strange = shape_of(chat), "model.layers.7.self_attn.q_proj"
    said = refused(by_peft(project / "deeper", {LAYER: shape, strange: shape}))
    assert "does not fit this model (2 of its weights have no place in the model" in said and strange in said
    assert "does not fit this model" in refused(by_peft(project / "wider", {LAYER: (shape[0], shape[1] + 1)}))
    lacking = by_peft(project / "lacking", {LAYER: shape}, target_modules=["q_proj", "k_proj"])
    assert "k_proj" in refused(lacking)
    assert "only LORA is supported" in refused(
        by_peft(project / "other", {LAYER: shape}, peft_type="IA3", feedforward_modules=[])
    )
    changed = of_folder(by_peft(project / "changed", {LAYER: shape}))
    (project / "changed/README.md").write_text("by hand")
    with pytest.raises(UserError, match=r"is sha256-.*, but params\.yaml has sha256-.*`gamut pin tiny`"):
        opened_chat(chat, changed)


def test_only_whole_safetensors_are_read(project: Path) -> None:
    def refused(folder: Path) -> str:
        with pytest.raises(UserError) as error:
            require_adapter("it", folder, "name another")
        return str(error.value)

    lora = project / "lora"
    lora.mkdir()
    assert refused(lora).endswith("(pytorch_lora_weights.safetensors or adapter_model.safetensors): name another")
    (lora / "adapter_model.bin").write_bytes(b"\x80\x04.")
    assert "only as pickle (adapter_model.bin), which can run code" in refused(lora)
    save_file({"a": torch.zeros(4)}, lora / "b.safetensors")
    assert require_adapter("it", lora, "").name == "b.safetensors", "a pickle beside it is not read"
    save_file({"a": torch.zeros(4)}, lora / "c.safetensors")
    assert "holds b.safetensors and c.safetensors: keep only the one that you mean" in refused(lora)
    whole = (lora / "c.safetensors").read_bytes()
    (lora / "adapter_model.safetensors").write_bytes(whole[:-1])
    assert "adapter_model.safetensors is cut off or damaged" in refused(lora)


def test_an_adapter_is_part_of_the_identity_and_where_it_lies_is_not() -> None:
    def of(**adapter: Any) -> Any:
        fields = {"id": "org/tiny", "revision": "0" * 40}
        found = Adapter(**adapter) if adapter else None
        return identity(DiffusersModel(kind="diffusers", adapter=found, **fields))

    pinned = "sha256-" + "1" * 64
    assert "adapter" not in of(), "fingerprints of before stay"
    assert of(path="a", revision=pinned) == of(path="b", revision=pinned)
    assert of(path="a", revision=pinned)["adapter"] == {"revision": pinned, "weight": 1.0}
    assert of(path="a", revision=pinned) != of(path="a", revision=pinned, weight=0.5)
    assert of(id="o/n", revision="1" * 40)["adapter"]["id"] == "o/n"


@pytest.fixture(scope="module")
def flux(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_models = importlib.import_module("tests.tiny_models")
    return tiny_models.flux(tmp_path_factory.mktemp("flux"))


def painted(flux: Path, adapter: Adapter | None) -> Reply:
    model = DiffusersModel(
        kind="diffusers", id="org/flux", revision=digest(flux), sampling=TWO_STEPS, dtype="float32", adapter=adapter
    )
    painter = diffusers.open_diffusers("painter (flux)", "flux", model, Endpoint(weights=str(flux), device="cpu"))
    try:
        return asyncio.run(painter.answer(CUBE))
    finally:
        asyncio.run(painter.close())


def test_a_painter_paints_with_its_adapter(flux: Path, project: Path) -> None:
    layer = "transformer.transformer_blocks.0.attn.to_q"
    shape = load_file(flux / "transformer/diffusion_pytorch_model.safetensors")[
        layer.removeprefix("transformer.") + ".weight"
    ].shape
    lora = project / "lora"
    lora.mkdir()

    def save(**layers: str) -> Adapter:
        weights = {f"{name}.{key}": value for name in layers.values() for key, value in factors(*shape).items()}
        save_file(weights, lora / "pytorch_lora_weights.safetensors")
        return of_folder(lora)

    adapter = save(it=layer)
    plain, with_it = painted(flux, None), painted(flux, adapter)
    assert plain.finish == with_it.finish == "stop"
    assert plain.content != with_it.content
    assert painted(flux, adapter.model_copy(update={"weight": 0.0})) == plain
    more = save(it=layer, strange="transformer.transformer_blocks.7.attn.to_q")
    with pytest.raises(UserError, match=r"does not fit this model \(the model has 1 of its 2 layers\)"):
        painted(flux, more)
