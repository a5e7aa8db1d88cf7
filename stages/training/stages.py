"""The stages of trainings on the release, from which `gamut pipeline` writes their dvc.yaml."""

from __future__ import annotations

from gamut.pipeline.entries import Entry, uncached_output
from gamut.pipeline.studies import Study
from gamut.project.model_kinds import BASES, TRAINED
from stages.training.parameters import Params, bill, builds, players

INTRODUCTION = """\
Data against data: models are trained on the release, several times a recipe, and stand on boards as contestants.
`dvc repro leaderboard` trains what contestants are of, `dvc repro stages/training/dvc.yaml` says what recipes do."""
RELEASE, LOSSES, EFFECTS = "datasets/release", "metrics/training", "metrics/training.json"
TRAINING_OF_CELL = "${item.recipe}-${item.seed}"

BASE = Entry(
    "base",
    "stages.training.base ${item.base}",
    data=["datasets/world/pictograms"],
    params=["seed"],
    outs=[f"{BASES}/${{item.base}}"],
    matrix={"base": "${training.bases}"},
    remark="A tiny model, for a machine without weights",
)
TRAIN = Entry(
    "train",
    "stages.training.train ${item.recipe} ${item.seed}",
    data=[RELEASE, BASES],
    params=["recipes.${item.recipe}"],
    outs=[f"{TRAINED}/{TRAINING_OF_CELL}", uncached_output(f"{LOSSES}/{TRAINING_OF_CELL}.csv")],
    matrix={"recipe": "${training.recipes}", "seed": "${training.seeds}"},
    remark="models/bases as a whole: which model a recipe trains no dependency can say",
)
EFFECT = Entry(
    "effects",
    "stages.training.effects",
    data=[LOSSES, "datasets/boards"],
    params=["training", "contestants"],
    metrics=[uncached_output(EFFECTS)],
    remark="What recipes do: means over trainings and items, and differences. Scores follow their boards",
)
PLOTS = [{f"../../{LOSSES}": {"x": "step", "y": "loss", "title": "Loss of trainings"}}]

TRAINING = Study("training", Params, INTRODUCTION, [BASE, TRAIN, EFFECT], PLOTS, players, builds, bill)
