"""A training on the release, and its contestant: what DVC runs for it, and what it does not run again."""

from __future__ import annotations

import csv
import re
import sys
from typing import Any

from gamut.asking.models.weights import digest
from tests import tiny_unified
from tests.end_to_end.project import Project

ANSWER, TRAINED = "stages/prism/dvc.yaml:answer@tiny_0", "models/trained/release-0/step-2"


def test_a_training_answers_and_is_trained_again_by_another_recipe_alone(built: Project) -> None:
    model = tiny_unified.model(tiny_unified.emu3(built.folder / "tiny")).model_dump(exclude_none=True)
    lora = {"rank": 2, "alpha": 4, "targets": ["q_proj"]}
    recipe = {
        "model": model,
        "captions": ["detail", "original_cn"],
        "lora": lora,
        "checkpoints": [2],
        "largest_picture": 64,
    }

    def train(params: Any, learning_rate: float) -> None:
        params["training"] = {"bases": [], "recipes": ["release"], "seeds": [0]}
        params["recipes"] = {"release": recipe | {"batch": 1, "learning_rate": learning_rate}}
        adapter = {"path": TRAINED, "revision": "built"}
        params["contestants"]["tiny_0"] = {"class": "generation", "model": model | {"adapter": adapter}}
        params["prism"]["contestants"] = [*params["contestants"]]
        params["prism"] |= {"languages": ["en"], "answer": {"width": 64, "height": 64, "samples": 1}}

    built.edit(lambda params: train(params, 0.01))
    endpoint = 'weights = "tiny"\ndevice = "cpu"\n'
    (built.folder / "run.toml").write_text("\n".join(f"[models.{name}]\n{endpoint}" for name in ("release", "tiny_0")))
    checked = built.run(sys.executable, "-m", "gamut.command.cli", "check").stdout
    assert "training is part of the build" in checked and f"{TRAINED}, not yet built" in checked
    before = built.asked()
    stages = re.findall(r"^Running stage '(?:.*:)?(.*)':$", built.run("dvc", "repro", ANSWER).stdout, re.MULTILINE)
    assert stages == ["train@release-0", "players", "answer@tiny_0"]
    assert built.asked_since(before) == {"prism.answer@tiny_0": 14}
    player = built.folder / "datasets/players/contestants/tiny_0"
    assert player.read_text() == f"{TRAINED} {digest(built.folder / TRAINED)}\n"
    with (built.folder / "metrics/training/release-0.csv").open() as file:
        losses = [*csv.DictReader(file)]
    assert [row["step"] for row in losses if row["held_out"]] == ["0", "2"]
    said = built.run("dvc", "repro", "--single-item", "stages/training/dvc.yaml:effects").stdout
    assert "release.held_out: " in said and "one training does not show how trainings vary" in said
    assert built.metrics("training").keys() == {"release.held_out", "release.held_out_trainings"}
    assert "Data and pipelines are up to date" in built.run("dvc", "status", ANSWER).stdout
    built.edit(lambda params: train(params, 0.02))
    changed = built.run("dvc", "status").stdout
    assert "train@release-0" in changed and "recipes.release" in changed and "answer@tiny_0" not in changed
