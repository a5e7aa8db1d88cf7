"""What people say of texts and pictures puts right how many samples are right on both sides, and on neither."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from stages.evaluation.bodies.agree import agree
from stages.evaluation.defining.editions import freeze
from stages.evaluation.running import answers, observations
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.judging import MEASURE
from stages.gapeval.shared.parameters import Params
from stages.gapeval.shared.putting import SIDES
from stages.project.parameters import check
from stages.tables.columns import Row
from stages.tables.writing import TableWriter
from tests import fakes
from tests.gapeval.proposing import PROPOSE
from tests.gapeval.small_items import item_of, painted

EACH = 6
"""Items of each category."""
ITEMS = [item_of(category, id=f"{category}_{n}") for category in CATEGORIES for n in range(EACH)]
LABELS = Path("datasets/labels/gapeval/v1.csv")
UND, GEN = SIDES
WORLD = np.random.default_rng(1).random((2, len(ITEMS)))
TRUE = {UND: (WORLD[0] < 0.7).astype(int), GEN: (WORLD.mean(axis=0) < 0.5).astype(int)}
"""What is right, each by item."""
REFUSED = 7
"""The item whose picture was refused."""


@pytest.fixture
def params(project: Path) -> Params:
    """One contestant that refused one picture, and a judge who is wrong about every fourth answer."""
    pictures = [painted(), painted("three red cars")]
    freeze("gapeval", "v1", ITEMS, {sha256(one).hexdigest(): one for one in pictures})
    made, seen = list[Row](), list[Row]()
    for side in SIDES:
        for n, item in enumerate(ITEMS):
            there = (side, n) != (GEN, REFUSED)
            where = {"id": f"{side}-0-{n:08d}", "item": item.id, "side": side, "sample": 0, "replies": []}
            status = "ok" if there else "refused_generation"
            made.append(dict.fromkeys(answers.SCHEMA.names) | where | {"status": status})
            if there:
                own = {"part": 0, "question": MEASURE, "repeat": 0, "status": "ok", "value": float(said(side, n))}
                seen.append(dict.fromkeys(observations.SCHEMA.names) | where | own)
    for folder, schema, rows in (
        (GAPEVAL.answers / "mine", answers.SCHEMA, made),
        (GAPEVAL.observations / "mine" / "one", observations.SCHEMA, seen),
    ):
        with TableWriter(folder, schema) as table:
            table.write("a-0-00000", rows)
    values = fakes.values()
    block = {"edition": "v1", "judges": ["one"], "controls_of": [], "judge": {"max_failures": 0}, "propose": PROPOSE}
    block |= {"answer": {"width": 128, "height": 128, "max_failures": 0}}
    models = values["models"] | {"one": {"kind": "openai", "id": "one"}}
    mine = {"class": "unified", "model": {"kind": "openai", "id": "mine"}}
    return check(
        Params, values | {"models": models, "contestants": {"mine": mine}, "gapeval": block}, Path("params.yaml")
    )


def said(side: str, n: int) -> int:
    """What the judge says."""
    return int(TRUE[side][n]) ^ ((n + SIDES.index(side)) % 4 == 0)


def found(params: Params, labelled: Callable[[str, int], bool]) -> dict[str, float | str]:
    """What is corrected by true labels of some answers."""
    LABELS.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"mine,{item.id},{side},{MEASURE},ann,{TRUE[side][n]}"
        for side in SIDES
        for n, item in enumerate(ITEMS)
        if (side, n) != (GEN, REFUSED) and labelled(side, n)
    ]
    LABELS.write_text("\n".join(["contestant,item,side,measure,person,score", *lines, ""]))
    agree(GAPEVAL, params)
    return json.loads(Path("metrics/gapeval/v1/corrected.json").read_text())  # type: ignore[no-any-return]


def is_there(side: str) -> np.ndarray:
    return np.array([(side, n) != (GEN, REFUSED) for n in range(len(ITEMS))])


def test_where_all_have_labels_people_alone_say_what_is_right_on_both(params: Params) -> None:
    keys = found(params, lambda side, n: True)
    text, image = (TRUE[side] * is_there(side) for side in SIDES)  # what is refused is not right
    start = "both_sides.one.mine."
    assert keys[f"{start}und.corrected"] == pytest.approx(100 * text.mean(), abs=2e-3)
    assert keys[f"{start}gen.corrected"] == pytest.approx(100 * image.mean(), abs=2e-3)
    assert keys[f"{start}succ.corrected"] == pytest.approx(100 * (text * image).mean(), abs=2e-3)
    assert keys[f"{start}fail.corrected"] == pytest.approx(100 * ((1 - text) * (1 - image)).mean(), abs=2e-3)
    judged = [np.array([said(side, n) for n in range(len(ITEMS))]) * is_there(side) for side in SIDES]
    assert keys[f"{start}succ.raw"] == pytest.approx(100 * (judged[0] * judged[1]).mean(), abs=2e-3)
    assert keys[f"{start}succ.labels"] == len(ITEMS) - 1 and keys[f"{start}und.labels"] == len(ITEMS)


def test_the_gap_is_resampled_and_says_that_labels_do_not_correct_it(params: Params) -> None:
    keys = found(params, lambda side, n: True)
    for name in ("gap", "delta_theta"):
        start = f"both_sides.one.mine.{name}."
        assert "no average" in str(keys[f"{start}not_corrected"]) and f"{start}raw" in keys
        assert f"{start}corrected" not in keys and f"{start}labels" not in keys


def test_labels_of_other_samples_on_either_side_say_nothing_of_both(params: Params) -> None:
    keys = found(params, lambda side, n: n % 2 == SIDES.index(side))
    assert "both_sides.one.mine.und.corrected" in keys and "both_sides.one.mine.gen.corrected" in keys
    for name in ("succ", "fail"):
        assert keys[f"both_sides.one.mine.{name}.not_corrected"] == "fewer than 10 samples have labels on both sides"


def test_joint_values_fit_those_of_the_sides(params: Params) -> None:
    """With the same samples labelled on both sides, right on neither is what is left: 100 - und - gen + succ."""
    keys = found(params, lambda side, n: n % 2 == 0)
    und, gen, succ, fail = (
        float(keys[f"both_sides.one.mine.{name}.corrected"]) for name in ("und", "gen", "succ", "fail")
    )
    assert fail == pytest.approx(100 - und - gen + succ, abs=5e-3)
    assert keys["both_sides.one.mine.fail.corrected_lo"] < fail < keys["both_sides.one.mine.fail.corrected_hi"]  # type: ignore[operator]


def test_a_view_without_labels_says_so(params: Params) -> None:
    keys: Collection[str] = found(params, lambda side, n: side == UND)
    assert "gen.one.not_corrected" in keys and "und.one.not_corrected" not in keys
