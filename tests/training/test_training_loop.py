"""The loop: what is trained answers otherwise, as contestants are opened; mistakes end in one line."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import load_file

from gamut.asking import progress
from gamut.asking.models.torch.chat_network import Network
from gamut.asking.models.weights import digest
from gamut.asking.requests import Create, Paint, Picture
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel, FolderModel
from gamut.training import training
from gamut.training.examples import Example
from gamut.training.training import order_of_examples
from gamut.training.unified_loss import lay_out
from tests import tiny_models, tiny_unified
from tests.training.learning import (
    COLOURS,
    QUESTION,
    SIDES,
    TASK,
    UNIFIED_TARGETS,
    both_ways,
    painted,
    plain,
    recipe,
    seen,
    train,
)

pytestmark = pytest.mark.usefixtures("one_thread")
GREEDY = {"guidance_scale": 1, "temperature": 0}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    tiny_unified.janus(folder / "janus")
    tiny_unified.emu3(folder / "emu3")
    tiny_models.flux(folder / "flux")
    return folder


def answers(network: Network) -> dict[str, str]:
    side = SIDES[network.kind]
    asked = [Create((plain(name, side), QUESTION), ("text",), 0, 0, 1) for name in COLOURS]
    replies = tiny_unified.ask(network, *asked)
    return dict(zip(COLOURS, (reply.content.decode() for reply in replies), strict=True))


def paints_as_learnt(network: Network, name: str) -> bool:
    """Whether it paints what its tokenizer makes of the codes that were learnt."""
    from gamut.asking.models.torch.picture_codes import canvas_of, draw_codes

    side = SIDES[network.kind]
    canvas = canvas_of(network, Paint(TASK.format(name), side, side, 1))
    with torch.inference_mode():
        drawn = draw_codes(network, [canvas]).flatten().tolist()
    layout = lay_out(network, painted(name, side))
    learnt = [code for code, scored in zip(layout.answer, layout.scored, strict=True) if scored]
    if network.kind == "emu3":
        learnt = [network.weights.vocabulary_mapping.bpe2img[token] for token in learnt]
    return drawn == learnt


@pytest.mark.parametrize("kind", ["janus", "emu3"])
def test_an_adapter_opens_as_a_contestant_that_sees_and_paints_what_it_learnt(
    kind: str, weights: Path, tmp_path: Path
) -> None:
    model, examples = tiny_unified.model(weights / kind, painting=GREEDY), both_ways(SIDES[kind])
    lines = train(model, weights / kind, recipe(UNIFIED_TARGETS, [5, 220]), examples, tmp_path / "out", examples[:2])
    assert [int(step) for step, *_ in lines] == [*range(221)]
    assert lines[0][1] == "" and all(loss for _, loss, _ in lines[1:])
    assert [int(step) for step, _, held_out in lines if held_out] == [0, 5, 220]
    assert float(lines[-1][2]) < 0.3 < 3 < float(lines[0][2])
    files = {"adapter_config.json", "adapter_model.safetensors"}
    assert {path.name for path in (tmp_path / "out/step-5").iterdir()} == files
    adapter = {"path": str(tmp_path / "out/step-220"), "revision": digest(tmp_path / "out/step-220")}
    before = tiny_unified.opened(weights / kind, painting=GREEDY)
    after = tiny_unified.opened(weights / kind, painting=GREEDY, adapter=adapter)
    assert not any(paints_as_learnt(before, name) for name in COLOURS)
    assert answers(after) == {"red": " red", "blue": " blue"} != answers(before)
    assert all(paints_as_learnt(after, name) for name in COLOURS)
    said = json.loads((tmp_path / "out/step-220/adapter_config.json").read_text())
    assert said["target_modules"] == sorted(UNIFIED_TARGETS) and str(tmp_path) not in str(said)
    assert said["base_model_name_or_path"] is None  # else peft warns that it lies elsewhere
    assert not any("vqmodel" in name for name in load_file(tmp_path / "out/step-220/adapter_model.safetensors"))


@pytest.mark.parametrize("kind", ["janus", "emu3"])
def test_without_lora_a_checkpoint_is_a_whole_model(kind: str, weights: Path, tmp_path: Path) -> None:
    model = tiny_unified.model(weights / kind, painting=GREEDY)
    train(model, weights / kind, recipe(None, [60]), both_ways(SIDES[kind]), tmp_path / "out")
    after = tiny_unified.opened(tmp_path / "out/step-60", painting=GREEDY)
    assert answers(after) == {"red": " red", "blue": " blue"}
    assert all(paints_as_learnt(after, name) for name in COLOURS)
    kept, new = (load_file(folder / "model.safetensors") for folder in (weights / kind, tmp_path / "out/step-60"))
    still = {name for name in kept if torch.equal(kept[name], new[name])}
    assert {name for name in kept if "vqmodel" in name} <= still and len(still) < len(kept)
    assert (tmp_path / "out/step-60/generation_config.json").read_bytes() == (
        weights / kind / "generation_config.json"
    ).read_bytes()


def test_the_same_is_the_same_bytes_and_another_seed_is_not(weights: Path, tmp_path: Path, store: Path) -> None:
    model, how = tiny_unified.model(weights / "emu3"), recipe(["q_proj"], [3])
    for place, seed in (("one", 0), ("two", 0), ("three", 1)):
        train(model, weights / "emu3", how, both_ways(32), tmp_path / place, seed=seed)
    one, two, three = (digest(tmp_path / place) for place in ("one", "two", "three"))
    assert one == two != three
    assert not [*(store / "trainings").iterdir()]


def test_a_line_says_how_far_it_is(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_OF_A_PACE", 0)
    train(
        tiny_unified.model(weights / "emu3"), weights / "emu3", recipe(["q_proj"], [2]), both_ways(32), tmp_path / "o"
    )
    first, second = [line for line in capsys.readouterr().err.splitlines() if " of 2 steps" in line]
    assert re.fullmatch(r"model \(tiny\): 1 of 2 steps, [\d.]+/s, \d s left, loss \d\.\d+", first)
    assert second.startswith("model (tiny): 2 of 2 steps, ")


def test_all_examples_are_drawn_before_any_comes_again() -> None:
    order = order_of_examples(5, 12, seed=3)
    assert sorted(order[:5]) == sorted(order[5:10]) == [*range(5)] and order[:5] != order[5:10]
    assert len(order) == 12 and len({*order[10:]}) == 2
    assert order_of_examples(5, 12, seed=4) != order == order_of_examples(5, 12, seed=3)


def test_a_large_release_is_read_as_far_as_it_is_drawn(weights: Path, tmp_path: Path) -> None:
    read: Counter[int] = Counter()

    class Release(list[Example]):
        def __len__(self) -> int:
            return 1_000_000

        def __getitem__(self, position: Any) -> Example:
            read[position] += 1
            return seen("red", 32)._replace(id=str(position))

    train(
        tiny_unified.model(weights / "emu3"),
        weights / "emu3",
        recipe(["q_proj"], [2]),
        Release([seen("red", 32)]),
        tmp_path / "out",
    )
    assert len(read) == 2 * 4


def test_warmup_grows_the_learning_rate(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []
    step = torch.optim.AdamW.step
    monkeypatch.setattr(
        torch.optim.AdamW, "step", lambda self: (rates.append(self.param_groups[0]["lr"]), step(self))[1]
    )
    how = recipe(["q_proj"], [5], warmup=4, learning_rate=0.08)
    train(tiny_unified.model(weights / "emu3"), weights / "emu3", how, both_ways(32), tmp_path / "out")
    assert rates == pytest.approx([0.02, 0.04, 0.06, 0.08, 0.08])


DAMAGED = Picture(b"no picture", "image/png")
LONG = Example("long", ("Why?",), "x" * 5000)
MISTAKES = {
    "no examples": ({"examples": []}, "there are no examples to train on"),
    "target": (
        {"targets": ["q_prj"]},
        "no linear layer is named 'q_prj'; did you mean .q_proj.\\?: fix lora.targets",
    ),
    "long": (
        {"examples": [LONG]},
        "example long: the conversation is .* tokens and its answer may be 5,002, more than",
    ),
    "damaged": ({"examples": [Example("torn", ("Paint",), DAMAGED)]}, "example torn: .*: fix or leave out this"),
    "seen damaged": ({"examples": [Example("torn", (DAMAGED, "What?"), "red")]}, "example torn: picture 1 of 1 "),
    "no painting": ({"painting": None, "examples": [painted("red", 32)]}, "names no `painting` for it"),
    "size": ({"width": 64, "height": 64}, "does not use a recipe's width and height: remove them"),
    "diverges": ({"learning_rate": 1e30}, "step [1-4]: its loss or gradient is not finite: lower"),
    "float16": ({"dtype": "float16"}, "quantised or in float16 cannot be trained"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_ends_in_one_line(mistake: str, weights: Path, tmp_path: Path) -> None:
    values, line = MISTAKES[mistake]
    values = dict(values)
    examples = values.pop("examples", both_ways(32))
    targets = values.pop("targets", UNIFIED_TARGETS)
    of_model = {key: values.pop(key) for key in ("painting", "dtype") if key in values}
    model = tiny_unified.model(weights / "emu3", **of_model)
    with pytest.raises(UserError, match=line) as error:
        train(model, weights / "emu3", recipe(targets, [2, 4], **values), examples, tmp_path / "out")
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()


def test_no_gradient_that_is_no_number_ends_in_a_checkpoint(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loss of the last step is what it was before that step: nothing after it would show."""

    entropy = torch.nn.functional.cross_entropy

    def steep(*of: Any) -> Any:
        loss = entropy(*of)
        return loss + (loss - loss).sqrt()  # 0 more, with a slope of 1 / 0

    monkeypatch.setattr(torch.nn.functional, "cross_entropy", steep)
    with pytest.raises(UserError, match="step 1: its loss or gradient is not finite"):
        train(tiny_unified.model(weights / "emu3"), weights / "emu3", recipe(None, [1]), both_ways(32), tmp_path / "o")
    assert not (tmp_path / "o").exists()


def test_what_one_version_of_a_package_began_no_other_goes_on_with(
    weights: Path, tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "open_unified", lambda *_: 1 / 0)
    for versions in (training.version, lambda package: "0.0.1" if package == "peft" else "1"):
        monkeypatch.setattr(training, "version", versions)
        with pytest.raises(ZeroDivisionError):
            train(tiny_unified.model(weights / "emu3"), weights / "emu3", recipe(None, [1]), both_ways(32), tmp_path)
    assert len([*(store / "trainings").iterdir()]) == 2


def test_other_kinds_and_other_painters_cannot_be_trained(weights: Path, tmp_path: Path) -> None:
    folder = FolderModel.model_validate({"kind": "folder", "path": "x", "revision": f"sha256-{'0' * 64}"})
    with pytest.raises(UserError, match="kind folder cannot be trained, only unified and diffusers"):
        train(folder, tmp_path, recipe(None, [1]), both_ways(32), tmp_path / "out")
    img2img = tiny_models.flux(tmp_path / "other", "FluxImg2ImgPipeline")
    with pytest.raises(UserError, match="FluxImg2ImgPipeline cannot be trained, only a FluxPipeline: name"):
        train(painter(img2img), img2img, recipe(None, [1]), [painted("red", 64)], tmp_path / "out")


def test_memory_that_is_too_small_says_what_to_lower(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.optim.AdamW, "step", full)
    with pytest.raises(UserError, match="the GPU's memory is too small: lower its recipe's batch"):
        train(tiny_unified.model(weights / "emu3"), weights / "emu3", recipe(None, [1]), both_ways(32), tmp_path / "o")


def painter(folder: Path, **values: Any) -> DiffusersModel:
    sampling = {"guidance_scale": 3.5, "num_inference_steps": 2}
    fixed = {"kind": "diffusers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    return DiffusersModel.model_validate(fixed | {"sampling": sampling} | values)
