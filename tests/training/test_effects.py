"""What recipes do, by losses of their trainings: means and differences, and of one training no difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stages.training.effects import effects
from stages.training.parameters import Params

MODEL = {"kind": "unified", "id": "x/toy", "revision": "0" * 40, "painting": {"guidance_scale": 1}}
LOSSES = {"a-0": 1.0, "a-1": 2.0, "a-2": 3.0, "b-0": 5.0, "b-1": 5.0, "b-2": 8.0}


def found(seeds: list[int], **second: Any) -> dict[str, Any]:
    recipe = {
        "model": MODEL,
        "captions": ["detail"],
        "lora": None,
        "checkpoints": [9],
        "batch": 1,
        "learning_rate": 0.1,
    }
    block = {"bases": [], "recipes": ["a", "b"], "seeds": seeds}
    params = Params.model_validate({"seed": 0, "training": block, "recipes": {"a": recipe, "b": recipe | second}})
    Path("metrics/training").mkdir(parents=True, exist_ok=True)
    for cell, loss in LOSSES.items():
        Path(f"metrics/training/{cell}.csv").write_text(f"step,loss,held_out\n0,,9\n8,4,{loss}\n9,4,\n")
    effects(params)
    return dict(json.loads(Path("metrics/training.json").read_text()))


@pytest.mark.usefixtures("project")
def test_means_over_trainings_and_their_difference() -> None:
    values = found([0, 1, 2])
    # Student's 95 % of two degrees is 4.303: 2 ± 4.303·√(1/3). Welch: 1/3 + 3/3, 1.7778/(.0556 + .5) = 3.2 degrees.
    assert (values["a.held_out"], values["a.held_out_lo"], values["a.held_out_hi"]) == (2, -0.484, 4.484)
    assert values["b.over.a.held_out"] == 4 and values["b.over.a.held_out_trainings"] == 3
    assert 0 < values["b.over.a.held_out_lo"] < 1


@pytest.mark.usefixtures("project")
def test_of_one_training_the_value_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert found([1]) == {"a.held_out": 2, "a.held_out_trainings": 1, "b.held_out": 5, "b.held_out_trainings": 1}
    assert "b.over.a.held_out: unknown: one training does not show how trainings vary\n" in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_where_no_loss_varies_nothing_is_said_of_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(f"{__name__}.LOSSES", dict.fromkeys(LOSSES, 4.0))
    assert "b.over.a.held_out" not in found([0, 1, 2])
    said = capsys.readouterr().out
    assert "a.held_out: 4.000: nothing varies\n" in said and "b.over.a.held_out: unknown: nothing varies\n" in said


@pytest.mark.usefixtures("project")
def test_losses_of_other_captions_are_not_compared() -> None:
    assert "b.over.a.held_out" in found([0, 1], learning_rate=0.2)
    assert found([0, 1], captions=["entity"]).keys() & {"a.held_out", "b.held_out", "b.over.a.held_out"} == {
        *("a.held_out", "b.held_out"),
    }
