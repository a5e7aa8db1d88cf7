"""Where nothing was refused and nothing failed, values are digit for digit those of before refusals counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from stages.evaluation.bodies.score import metrics, scores_of
from stages.evaluation.defining.editions import freeze
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS, PrismItem
from tests import fakes

ITEMS = [
    PrismItem(id=f"{track}/{n}", track=track, prompt=f"{track} {n}", prompt_zh="中")
    for track in TRACKS
    for n in range(4)
]
OF_BEFORE = {
    "en.world.overall": 49.94,
    "en.world.overall_n": 28,
    "en.world.alignment": 50.476,
    "en.world.style": 51.25,
    "en.world.entity.aesthetic": 52.5,
    "en.world.entity.aesthetic_n": 4,
    "en.world.coverage": 1.0,
}
"""Of the table below, by the code of before."""


def test_metrics_of_a_fixed_table(project: Path) -> None:
    freeze("prism", "small", ITEMS)
    answers = [{"item": item.id, "side": "en", "sample": 0, "status": "ok", "replies": [{}]} for item in ITEMS]
    observed = [
        {"item": item.id, "side": "en", "sample": 0, "question": axis, "status": "ok"}
        | {"value": float((7 * n + 5 * a + 3 * r) % 11)}
        for n, item in enumerate(ITEMS)
        for a, axis in enumerate(AXES)
        for r in range(3)
    ]
    params = fakes.params(prism=fakes.values()["prism"] | {"repeats": 3})
    scores = scores_of(PRISM, params, ITEMS, answers, {"world": observed}, PRISM.expected)
    rows = [row | {"spec": "s"} for row in scores]
    found = metrics(PRISM, params, rows, ITEMS)
    new = {f"en.world.{name}" for name in ("overall_scored", "judged_share")}
    assert {key: value for key, value in found.items() if key in OF_BEFORE} == OF_BEFORE
    # one track, four items: its interval is the textbook's
    of_entity = [row["value"] for row in rows if row["stratum"] == "entity" and row["measure"] == "aesthetic"]
    half = 10 * t.ppf(0.975, 3) * np.std(of_entity, ddof=1) / 2
    ends = [found[f"en.world.entity.aesthetic_{end}"] for end in ("lo", "hi")]
    assert ends == pytest.approx([52.5 - half, min(100, 52.5 + half)], abs=6e-4)
    assert found["en.world.overall_scored"] == found["en.world.overall"] and found["en.world.judged_share"] == 1
    assert len(found) == 4 * (1 + 2 + 7 + 14) + 2 + len(new)  # each with _lo, _hi, _n; coverage and spec
