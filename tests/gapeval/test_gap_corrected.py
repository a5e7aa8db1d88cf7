"""What people say of texts and pictures puts right how many samples are right in both settings, and on neither."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gamut.evaluation.boards.agree import agree
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.measures import OfSums, ends_of
from gamut.evaluation.running import answers, judging
from gamut.evaluation.scoring.board import Layout, rank_contestants
from gamut.evaluation.scoring.estimates import Estimate, estimates
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.values import value_of
from gamut.project.validation import check_values
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from stages.gapeval.shared.benchmark import GAPEVAL, Params
from stages.gapeval.shared.items import CATEGORIES, SETTINGS
from stages.gapeval.shared.judging import RIGHT
from stages.gapeval.shared.metrics import ACROSS, MEASURES, both_settings_metric, items_by_category, right_shares
from tests import fakes
from tests.gapeval.small_items import item_of, painted

EACH = 6
"""Items of each category."""
ITEMS = [item_of(category, id=f"{category}_{n}") for category in CATEGORIES for n in range(EACH)]
LABELS = Path("datasets/labels/gapeval/v1.csv")
UND, GEN = SETTINGS
WORLD = np.random.default_rng(1).random((2, len(ITEMS)))
TRUE = {UND: (WORLD[0] < 0.7).astype(int), GEN: (WORLD.mean(axis=0) < 0.5).astype(int)}
"""What is right, each by item."""
REFUSED = 7
"""The item whose picture was refused."""


@pytest.fixture
def params(project: Path) -> Params:
    pictures = [painted(), painted("three red cars")]
    freeze_edition("gapeval", "v1", ITEMS, {sha256(one).hexdigest(): one for one in pictures})
    made, seen = list[Row](), list[Row]()
    for setting in SETTINGS:
        for n, item in enumerate(ITEMS):
            there = (setting, n) != (GEN, REFUSED)
            where = {"id": f"{setting}-0-{n:08d}", "item": item.id, "setting": setting, "sample": 0, "replies": []}
            status = "ok" if there else "refused_generation"
            made.append(dict.fromkeys(answers.SCHEMA.names) | where | {"status": status})
            if there:
                own = {"part": 0, "question": RIGHT, "repeat": 0, "status": "ok", "value": float(said(setting, n))}
                seen.append(dict.fromkeys(judging.SCHEMA.names) | where | own)
    for folder, schema, rows in (
        (GAPEVAL.answers / "mine", answers.SCHEMA, made),
        (GAPEVAL.answer_judgments("mine", "one"), judging.SCHEMA, seen),
    ):
        with TableWriter(folder, schema) as table:
            table.write("a-0-00000", rows)
    values = fakes.values()
    block = {"edition": "v1", "judges": ["one"], "controls_of": [], "judge": {"max_failures": 0}}
    block |= {"answer": {"width": 128, "height": 128, "max_failures": 0}}
    models = values["models"] | {"one": {"kind": "openai", "id": "one"}}
    mine = {"class": "unified", "model": {"kind": "openai", "id": "mine"}}
    whole = values | {"models": models, "contestants": {"mine": mine}, "gapeval": block}
    return check_values(Params, fakes.measuring(whole), Path("params.yaml"))


def said(setting: str, n: int) -> int:
    return int(TRUE[setting][n]) ^ ((n + SETTINGS.index(setting)) % 4 == 0)


def found(params: Params, labelled: Callable[[str, int], bool]) -> dict[str, float | str]:
    LABELS.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"mine,{item.id},{setting},{RIGHT},ann,{TRUE[setting][n]}"
        for setting in SETTINGS
        for n, item in enumerate(ITEMS)
        if (setting, n) != (GEN, REFUSED) and labelled(setting, n)
    ]
    LABELS.write_text("\n".join(["contestant,item,setting,measure,person,score", *lines, ""]))
    agree(GAPEVAL, params)
    return json.loads(Path("metrics/gapeval/v1/corrected.json").read_text())  # type: ignore[no-any-return]


def is_there(setting: str) -> np.ndarray:
    return np.array([(setting, n) != (GEN, REFUSED) for n in range(len(ITEMS))])


def test_where_all_have_labels_people_alone_say_what_is_right_on_both(params: Params) -> None:
    keys = found(params, lambda setting, n: True)
    text, image = (TRUE[setting] * is_there(setting) for setting in SETTINGS)  # what is refused is not right
    start = "both_settings.one.mine."
    assert keys[f"{start}und.corrected"] == pytest.approx(100 * text.mean(), abs=2e-3)
    assert keys[f"{start}gen.corrected"] == pytest.approx(100 * image.mean(), abs=2e-3)
    assert keys[f"{start}succ.corrected"] == pytest.approx(100 * (text * image).mean(), abs=2e-3)
    assert keys[f"{start}fail.corrected"] == pytest.approx(100 * ((1 - text) * (1 - image)).mean(), abs=2e-3)
    judged = [np.array([said(setting, n) for n in range(len(ITEMS))]) * is_there(setting) for setting in SETTINGS]
    assert keys[f"{start}succ.raw"] == pytest.approx(100 * (judged[0] * judged[1]).mean(), abs=2e-3)
    assert keys[f"{start}succ.labels"] == len(ITEMS) - 1 and keys[f"{start}und.labels"] == len(ITEMS)


def test_the_gap_is_resampled_and_says_that_labels_do_not_correct_it(params: Params) -> None:
    keys = found(params, lambda setting, n: True)
    for name in ("gap", "delta_theta"):
        start = f"both_settings.one.mine.{name}."
        assert "not an average" in str(keys[f"{start}not_corrected"]) and f"{start}raw" in keys
        assert f"{start}corrected" not in keys and f"{start}labels" not in keys


def test_labels_of_other_samples_on_either_setting_say_nothing_of_both(params: Params) -> None:
    keys = found(params, lambda setting, n: n % 2 == SETTINGS.index(setting))
    assert "both_settings.one.mine.und.corrected" in keys and "both_settings.one.mine.gen.corrected" in keys
    for name in ("succ", "fail"):
        assert (
            keys[f"both_settings.one.mine.{name}.not_corrected"] == "fewer than 10 samples have labels in both settings"
        )


def test_joint_values_fit_those_of_the_settings(params: Params) -> None:
    """With the same samples labelled in both settings, right on neither is what is left: 100 - und - gen + succ."""
    keys = found(params, lambda setting, n: n % 2 == 0)
    und, gen, succ, fail = (
        float(keys[f"both_settings.one.mine.{name}.corrected"]) for name in ("und", "gen", "succ", "fail")
    )
    assert fail == pytest.approx(100 - und - gen + succ, abs=5e-3)
    assert keys["both_settings.one.mine.fail.corrected_lo"] < fail < keys["both_settings.one.mine.fail.corrected_hi"]  # type: ignore[operator]


def test_a_metric_without_labels_says_so(params: Params) -> None:
    keys: Collection[str] = found(params, lambda setting, n: setting == UND)
    assert "gen.one.not_corrected" in keys and "und.one.not_corrected" not in keys


Setting = int | None
"""Of a sample: right (1), wrong (0), or not there."""
Sample = tuple[Setting, Setting]
METRIC = both_settings_metric()


def laid(items: list[list[Sample]]) -> NDArray[np.float64]:
    low = np.full((len(items), len(ACROSS) * len(CATEGORIES)), np.nan)
    for number, samples in enumerate(items):
        own = slice(len(ACROSS) * (number % 4), len(ACROSS) * (number % 4 + 1))
        text, image = (np.array([sample[setting] or 0 for sample in samples]) for setting in range(2))
        low[number, own] = text.mean(), image.mean(), (text * image).mean()
    return low


def reported(items: list[list[Sample]]) -> dict[str, Estimate]:
    low = laid(items)
    strata = np.arange(len(items)) % 4
    return estimates(Bounds(low, low), strata, METRIC.reported, ends_of(METRIC, MEASURES))


def test_shares_of_samples_and_what_is_missing_is_right_on_neither_setting() -> None:
    low = laid([[(1, 1), (1, None)], [(1, 0), (0, 1)], [(0, 0), (None, None)], [(1, 1), (0, 1)]])
    found = {name: value_of(low, one) for name, one in right_shares(CATEGORIES).items()}
    # succ .5, 0, 0, .5; und 1, .5, 0, .5; gen .5, .5, 0, 1; neither setting right 0, 0, 1, 0
    assert found == pytest.approx({"succ": 25, "und": 50, "gen": 50, "fail": 25})
    assert value_of(low, right_shares(("reasoning",))["fail"]) == 0
    cells = [rows[0].tolist() for rows, _ in items_by_category(low)]
    assert cells == [[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1], [0.5, 0, 0.5, 0]]


def test_a_gap_is_of_the_items_of_its_category_and_says_which_setting_is_ahead() -> None:
    found = reported([[(1, 0)], [(1, 1)], [(0, 0)], [(0, 1)], [(1, 0)]] * 4)
    assert found["world_knowledge.gap"].n == 5 and found["gap"].n == 20, "20 items in the four categories in turn"
    one_sided = reported([[(1, 0)]] * 40)
    assert one_sided["delta_theta"].low is not None and one_sided["delta_theta"].low > 2
    turned = reported([[(0, 1)]] * 40)
    assert turned["delta_theta"].value == pytest.approx(-one_sided["delta_theta"].value, abs=0.3)
    assert turned["gap"].value == pytest.approx(one_sided["gap"].value, abs=1) and turned["gap"].low > 70  # type: ignore[operator]


def test_a_category_without_items_has_no_gap_and_no_mean_stands_for_all() -> None:
    found = reported([[(1, 0)], [(1, 1)], [(0, 0)]])  # nothing of the fourth
    assert "gap" not in found and "delta_theta" not in found and "reasoning.gap" not in found
    assert {f"{category}.gap" for category in CATEGORIES[:3]} <= found.keys()


def test_more_apart_is_a_larger_gap() -> None:
    alike, apart = (reported([samples] * 24) for samples in ([(1, 1), (0, 0)], [(1, 0), (1, 0)]))
    assert all(apart[name].value > alike[name].value + 20 for name in apart if name.endswith("gap"))


def test_what_is_wrong_on_both_moves_with_means_as_its_slopes_say() -> None:
    scores = np.random.default_rng(5).random((64, len(ACROSS) * len(CATEGORIES))) / 2
    for one in (right_shares(CATEGORIES)["fail"], right_shares(CATEGORIES[1:2])["fail"]):
        assert isinstance(one, OfSums) and one.slopes is not None
        for column, slope in enumerate(one.slopes):
            after = scores + 0.1 * (np.arange(scores.shape[1]) == column)
            assert value_of(after, one) - value_of(scores, one) == pytest.approx(0.1 * slope, abs=1e-9)


LAYOUT = Layout([f"i{n}" for n in range(80)], np.arange(80) % 4, METRIC, ends_of(METRIC, MEASURES), seed=0)


def rows_of(items: list[list[Sample]]) -> list[Row]:
    rows: list[Row] = []
    for number, scores in enumerate(laid(items)):
        for place in range(3 * (number % 4), 3 * (number % 4) + 3):
            group, setting, measure = METRIC.columns[place]
            value = float(scores[place])
            rows.append(
                {"item": f"i{number}", "stratum": group, "groups": [group], "setting": setting, "measure": measure}
                | {"judge": "j", "value": value, "low": value, "high": value, "scored": 1, "left_out": []}
            )
    return rows


def test_nobody_gains_by_answering_the_better_setting_wrongly() -> None:
    """The best of all, honest and with its texts degraded until both settings are alike: its gap falls, and its rank
    too.
    """
    chance = np.random.default_rng(4)
    best: list[list[Sample]] = [[(int(chance.random() < 0.95), int(chance.random() < 0.6))] for _ in range(80)]
    other: list[list[Sample]] = [[(int(chance.random() < 0.7), int(chance.random() < 0.4))] for _ in range(80)]
    degraded: list[list[Sample]] = [[(text and int(chance.random() < 0.65), image)] for [(text, image)] in best]
    perfect: list[list[Sample]] = [[(1, 1)]] * 80
    board = rank_contestants({"best": rows_of(best), "other": rows_of(other), "perfect": rows_of(perfect)}, LAYOUT)
    assert [row.name for row in board] == ["perfect", "best", "other"] and board[0].estimates["gap"].value < 0.001
    after = rank_contestants({"best": rows_of(degraded), "other": rows_of(other), "perfect": rows_of(perfect)}, LAYOUT)
    honest, made = (next(row for row in rows if row.name == "best") for rows in (board, after))
    assert made.estimates["gap"].value < honest.estimates["gap"].value - 20
    assert honest.rank is not None and made.rank is not None
    assert made.rank.best >= honest.rank.best and made.rank.worst >= honest.rank.worst
