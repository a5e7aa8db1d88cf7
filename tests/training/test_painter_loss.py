"""What painters learn: the velocity from a picture to noise, asked for as when they paint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, safe_open

from gamut.asking.models.opening import open_model
from gamut.asking.models.weights import digest
from gamut.asking.requests import Paint
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.training import painter_loss
from gamut.training.learners import prepare_training
from gamut.training.painter_loss import open_painter
from tests import tiny_models
from tests.training.learning import COLOURS, painted, plain, recipe, seen, train

pytestmark = pytest.mark.usefixtures("one_thread")
SIZE = {"width": 64, "height": 64}
ATTENTION = ["to_q", "to_k", "to_v", "to_out.0"]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path / "store"))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    tiny_models.flux(folder / "flux")
    return folder


def painter(folder: Path, **values: Any) -> DiffusersModel:
    sampling = {"guidance_scale": 3.5, "num_inference_steps": 1}
    fixed = {"kind": "diffusers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    return DiffusersModel.model_validate(fixed | {"sampling": sampling} | values)


def learner(folder: Path, **values: Any) -> Any:
    endpoint = Endpoint(weights=str(folder), device="cpu")
    how = recipe(ATTENTION, [1], **SIZE | values)
    return open_painter("painter (tiny)", "tiny", painter(folder), endpoint, how)


def pipeline_of(opened: Any) -> Any:
    return opened.losses.args[0]


def asked(pipeline: Any, act: Callable[[], Any]) -> Mapping[str, Any]:
    """What the transformer is asked while something is done, the last time."""
    questions: list[Mapping[str, Any]] = []
    hook = pipeline.transformer.register_forward_pre_hook(
        lambda module, arguments, named: questions.append(named), with_kwargs=True
    )
    with torch.no_grad():
        act()
    hook.remove()
    return questions[-1]


def test_it_is_asked_as_when_it_paints(weights: Path) -> None:
    """But for the level, and for what the picture is made of."""
    opened = learner(weights / "flux")
    pipeline = pipeline_of(opened)
    to_paint = {"num_inference_steps": 1, "guidance_scale": 3.5, "output_type": "latent", **SIZE}
    painting = asked(pipeline, lambda: pipeline("Paint red", **to_paint))
    learning = asked(pipeline, lambda: opened.losses([opened.read(painted("red", 64))], [7]))
    for name in ("guidance", "pooled_projections", "encoder_hidden_states", "txt_ids", "img_ids"):
        torch.testing.assert_close(learning[name], painting[name])
    assert learning["hidden_states"].shape == painting["hidden_states"].shape == (1, 16, 16)  # 4 x 4 of 4 x 2 x 2
    assert 0 < learning["timestep"].item() < painting["timestep"].item() == 1


def test_the_loss_is_that_of_the_velocity_from_picture_to_noise(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever says 0 errs by the velocity itself, noise - picture, squared."""
    opened = learner(weights / "flux")
    pipeline = pipeline_of(opened)
    monkeypatch.setattr(pipeline.transformer, "forward", lambda hidden_states, **_: (torch.zeros_like(hidden_states),))
    losses: list[torch.Tensor] = []
    with torch.no_grad():
        batch = [opened.read(painted(name, 64)) for name in COLOURS]
    question = asked(pipeline, lambda: losses.extend(opened.losses(batch, [7, 8])))
    noised = pipeline._unpack_latents(question["hidden_states"], 64, 64, 8)
    for row, seed in enumerate((7, 8)):
        source = torch.Generator().manual_seed(seed)
        level = torch.randn(1, generator=source).sigmoid()[0]
        noise, picture = torch.randn(4, 8, 8, generator=source), batch[row][0][0]
        torch.testing.assert_close(question["timestep"][row], level)
        torch.testing.assert_close(noised[row], (1 - level) * picture + level * noise)
        torch.testing.assert_close(losses[row], ((noise - picture) ** 2).mean())


def test_an_adapter_opens_as_a_contestant_that_paints_otherwise(weights: Path, tmp_path: Path) -> None:
    model, examples = painter(weights / "flux"), [painted(name, 64) for name in COLOURS]
    how = recipe(ATTENTION, [2, 40], learning_rate=0.02, **SIZE)
    lines = train(model, weights / "flux", how, examples, tmp_path / "out", examples)
    assert float(lines[-1][2]) < 0.95 * float(lines[0][2])
    [file] = (tmp_path / "out/step-40").iterdir()
    assert file.name == "pytorch_lora_weights.safetensors"
    pictures = [
        asyncio.run(answer(painter(weights / "flux", **adapter), weights / "flux"))
        for adapter in ({}, {"adapter": {"path": str(file.parent), "revision": digest(file.parent)}})
    ]
    assert pictures[0] != pictures[1]
    with safe_open(file, "pt") as kept:
        assert kept.metadata() == {"format": "pt"}


async def answer(model: DiffusersModel, folder: Path) -> bytes:
    settings = Settings.model_validate({"models": {"tiny": {"weights": str(folder), "device": "cpu"}}})
    opened = open_model(RoleModel("painter", "tiny", model), settings)
    try:
        return (await opened.answer(Paint("Paint red", 64, 64, 1))).content
    finally:
        await opened.close()


def test_what_is_saved_is_what_was_trained(weights: Path, tmp_path: Path) -> None:
    """As the file is read, alpha is the rank; the recipe's is twice that, so B is doubled. The merged velocity is that
    of the network in training.
    """
    opened = learner(weights / "flux")
    trained, save = prepare_training(opened, recipe(ATTENTION, [1], **SIZE), seed=0)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for weight in trained.values():
            weight.add_(0.1 * torch.randn(weight.shape, generator=generator))
    save(tmp_path)
    batch = [opened.read(painted("red", 64))]
    there = opened.losses(batch, [7])
    again = pipeline_of(learner(weights / "flux"))
    before = painter_loss.painter_losses(again, batch, [7])
    again.load_lora_weights(str(tmp_path))
    torch.testing.assert_close(painter_loss.painter_losses(again, batch, [7]), there)
    assert not torch.allclose(before, there, rtol=1e-3)
    [a, b] = [name for name in load_file(tmp_path / "pytorch_lora_weights.safetensors") if "0.attn.to_q" in name][:2]
    assert a.startswith("transformer.") and (a.endswith("lora_A.weight"), b.endswith("lora_B.weight")) == (True, True)


def test_pictures_are_scaled_and_cut_to_the_size_of_the_recipe(weights: Path) -> None:
    opened = learner(weights / "flux", width=96, height=64)
    with torch.no_grad():
        assert opened.read(painted("red", 200))[0].shape == (1, 4, 8, 12)


def test_a_prompt_that_is_cut_is_said_once(weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened = learner(weights / "flux")
    with torch.no_grad():
        for number in range(2):
            opened.read(painted("red", 64)._replace(id=f"long {number}", given=("red " * 300,)))
    cut = "the prompt was cut at 512 of 1201 tokens, as when it paints"
    assert capsys.readouterr().err == f"painter (tiny): example long 0, and perhaps others: {cut}\n"


def test_without_lora_a_checkpoint_is_a_whole_pipeline(weights: Path, tmp_path: Path) -> None:
    examples = [painted(name, 64) for name in COLOURS]
    train(painter(weights / "flux"), weights / "flux", recipe(None, [2], **SIZE), examples, tmp_path / "out")
    whole = tmp_path / "out/step-2"
    assert asyncio.run(answer(painter(whole), whole)) != asyncio.run(
        answer(painter(weights / "flux"), weights / "flux")
    )
    assert not [file for file in whole.rglob("*.json") if str(tmp_path) in file.read_text()]


def test_a_painters_mistakes_end_in_one_line(weights: Path, tmp_path: Path) -> None:
    def ends(line: str, *examples: Any, **values: Any) -> None:
        with pytest.raises(UserError, match=line):
            train(
                painter(weights / "flux"), weights / "flux", recipe(ATTENTION, [1], **values), examples, tmp_path / "o"
            )

    ends("its recipe needs `width` and `height` of pictures, in multiples of 16 pixels", painted("red", 64))
    ends("in multiples of 16 pixels", painted("red", 64), width=72, height=64)
    ends("example see red: a painter can only learn from texts with a picture as the answer", seen("red", 64), **SIZE)
    edited = painted("red", 64)._replace(given=(plain("blue", 64), "Make it red"))
    ends("example paint red: a painter can only learn from texts", edited, **SIZE)
