"""Where nothing was refused and nothing failed, metrics are digit for digit those of before refusals counted."""

from __future__ import annotations

from pathlib import Path

from stages.evaluation.bodies.score import metrics, scores_of
from stages.evaluation.defining.editions import freeze
from stages.prism.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from stages.prism.shared.tracks import AXES, TRACKS
from tests import fakes

ITEMS = [
    PrismItem(id=f"{track}/{n}", track=track, prompt=f"{track} {n}", prompt_zh="中")
    for track in TRACKS
    for n in range(4)
]
OF_BEFORE = {
    "en.world.overall": 49.94,
    "en.world.overall_lo": 46.55,
    "en.world.overall_hi": 53.393,
    "en.world.overall_n": 28,
    "en.world.alignment": 50.476,
    "en.world.alignment_lo": 45.595,
    "en.world.alignment_hi": 55.476,
    "en.world.style": 51.25,
    "en.world.style_lo": 41.667,
    "en.world.style_hi": 63.333,
    "en.world.entity.aesthetic": 52.5,
    "en.world.entity.aesthetic_lo": 30.0,
    "en.world.entity.aesthetic_hi": 63.333,
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
    assert found["en.world.overall_scored"] == found["en.world.overall"] and found["en.world.judged_share"] == 1
    assert len(found) == 4 * (1 + 2 + 7 + 14) + 2 + len(new)  # each with _lo, _hi, _n; coverage and spec
