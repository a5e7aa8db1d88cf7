"""The stage that corrects judges by people: from its tables to metrics and words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from gamut.evaluation.boards.agree import agree
from gamut.evaluation.boards.correct import truths_of
from gamut.evaluation.boards.score import ANSWERED, OBSERVED, score_metrics, scores_of
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.running import answers, judging
from gamut.evaluation.scoring.agreement import Rating
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS, PrismItem
from stages.prism.shared.parameters import Params
from tests import fakes

ITEMS = [
    PrismItem(id=f"{track}/{n}", track=track, prompt=track, prompt_zh="中文") for track in TRACKS for n in range(2)
]
LABELS = Path("datasets/labels/prism/small.csv")
KEY = Path("datasets/sheets/prism/small.key.csv")
METRICS = Path("metrics/prism/small/corrected.json")
WORTH = {item.id: 4 + n % 4 for n, item in enumerate(ITEMS)}


@pytest.fixture
def params(project: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.setenv("COLUMNS", "120")
    freeze_edition("prism", "small", ITEMS)
    for contestant in ("good", "poor"):
        made, seen = list[Row](), list[Row]()
        for n, item in enumerate(ITEMS):
            there = (contestant, n) != ("poor", 3)
            where = {"id": f"en-0-{n:08d}", "item": item.id, "setting": "en", "sample": 0, "replies": []}
            made.append(
                dict.fromkeys(answers.SCHEMA.names) | where | {"status": "ok" if there else "refused_generation"}
            )
            for axis in AXES if there else ():
                own = {
                    "part": 0,
                    "question": axis,
                    "repeat": 0,
                    "status": "ok",
                    "value": worth(contestant, item.id) + 1,
                }
                seen.append(dict.fromkeys(judging.SCHEMA.names) | where | own)
        for folder, schema, rows in (
            (PRISM.answers / contestant, answers.SCHEMA, made),
            (PRISM.answer_judgments(contestant, "one"), judging.SCHEMA, seen),
        ):
            with TableWriter(folder, schema) as table:
                table.write("en-0-00000", rows)
    models = fakes.values()["models"] | {"one": {"kind": "openai", "id": "one"}}
    prism = fakes.values()["prism"] | {"judges": ["one"], "controls_of": [], "edition": "small"}
    return fakes.params(models=models, contestants=fakes.two_contestants(), prism=prism)


def worth(contestant: str, item: str) -> float:
    return WORTH[item] - (contestant == "poor")


def label(*rows: tuple[str, str, str, float], more: str = "") -> None:
    LABELS.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{contestant},{item},en,{axis},ann,{value:g}" for contestant, item, axis, value in rows]
    LABELS.write_text("\n".join(["contestant,item,setting,measure,person,score", *lines, more, ""]))


def all_of(contestant: str, items: list[PrismItem]) -> list[tuple[str, str, str, float]]:
    return [(contestant, item.id, axis, worth(contestant, item.id)) for item in items for axis in AXES]


def found() -> Mapping[str, float]:
    return json.loads(METRICS.read_text())


def test_raw_values_are_those_of_the_board_and_what_is_too_kind_is_taken_back(
    params: Params, capsys: pytest.CaptureFixture[str]
) -> None:
    label(*all_of("good", ITEMS[:12]), *all_of("poor", ITEMS[:13]), more="gone,style/0,en,alignment,ann,3")
    agree(PRISM, params)
    keys = found()
    for contestant in ("good", "poor"):
        folder = PRISM.answer_judgments(contestant, "one")
        given, seen = read_rows(PRISM.answers / contestant, ANSWERED), {"one": read_rows(folder, OBSERVED)}
        scores = scores_of(PRISM, params, ITEMS, given, seen, PRISM.expected)
        board = score_metrics(PRISM, params, [row | {"spec": "of one"} for row in scores], ITEMS)
        for name in ("overall", *AXES):
            for end in ("", "_lo", "_hi"):
                assert keys[f"en.one.{contestant}.{name}.raw{end}"] == board[f"en.one.{name}{end}"]
    # a point of ten too much in every answer, of which poor lacks one of 14: 10 · 13 / 14 of 100
    for name in ("overall", *AXES):
        good, poor = f"en.one.good.{name}.", f"en.one.poor.{name}."
        assert keys[f"{good}corrected"] == pytest.approx(keys[f"{good}raw"] - 10, abs=2e-3)
        assert keys[f"{poor}corrected"] == pytest.approx(keys[f"{poor}raw"] - 10 * 13 / 14, abs=2e-3)
        assert (keys[f"{good}labels"], keys[f"{poor}labels"]) == (12, 12)  # of what poor refused there is none
        assert keys[f"{good}corrected_lo"] < keys[f"{good}corrected"] < keys[f"{good}corrected_hi"]
    assert keys["en.one.good.over_poor"] == pytest.approx(
        keys["en.one.good.overall.corrected"] - keys["en.one.poor.overall.corrected"], abs=2e-3
    )
    assert {"rank_best", "rank_worst", "tie_group"} <= {key.rpartition(".")[2] for key in keys}
    assert not any("gone" in key for key in keys)
    said = capsys.readouterr().out
    assert str(METRICS) in said
    assert "not used: 3 labels" in said and "corrections" not in said


def test_without_labels_there_is_nothing_and_nothing_is_said(
    params: Params, capsys: pytest.CaptureFixture[str]
) -> None:
    agree(PRISM, params)
    assert METRICS.read_text().strip() == "{}" and "correct" not in capsys.readouterr().out


def test_labels_of_one_tell_nothing_of_another(params: Params) -> None:
    label(*all_of("good", ITEMS[:9]))
    agree(PRISM, params)
    assert not any(key.endswith(".corrected") for key in found())
    lacking = {key.split(".")[2]: why for key, why in found().items() if key.endswith("overall.not_corrected")}
    assert lacking.keys() == {"good", "poor"} and all(
        why.startswith("fewer than 10 labels") for why in lacking.values()
    )


def draw(rows: list[tuple[str, str, str, float]]) -> None:
    KEY.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"a{n}-1,{contestant},{item},en,0,{axis},0" for n, (contestant, item, axis, _) in enumerate(rows)]
    KEY.write_text("\n".join(["code,contestant,item,setting,sample,measure,question", *lines, ""]))


def test_labels_that_somebody_chose_correct_nothing(params: Params, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = [*all_of("good", ITEMS[:12]), *all_of("poor", ITEMS[:13])]
    label(*drawn)
    agree(PRISM, params)
    before = METRICS.read_bytes()
    assert f"{KEY}, which lists the drawn answers, is missing" in capsys.readouterr().out
    draw(drawn)
    chosen = [("poor", ITEMS[13].id, axis, 10.0) for axis in AXES]  # by its owner: both are worth less
    label(*drawn, *chosen)
    agree(PRISM, params)
    assert METRICS.read_bytes() == before
    said = capsys.readouterr().out
    assert (
        f"2 truths of answers that were not drawn ({KEY}): not used as corrections" in said
        and "without a label" not in said
    )
    label(*drawn[2:])
    agree(PRISM, params)
    assert "1 answer of the draw without a label yet (`gamut label prism` asks for them)" in capsys.readouterr().out
    # All are worth what the judge says less a point of ten, so that one of 12 labels may be 0 or 10 instead of 4.
    whole, found, of_good = json.loads(before), json.loads(METRICS.read_bytes()), "en.one.good.overall"
    assert (found[f"{of_good}.labels"], found[f"{of_good}.blank"], whole[f"{of_good}.labels"]) == (11, 1, 12)
    assert found[f"{of_good}.corrected"] == whole[f"{of_good}.corrected"]
    assert found[f"{of_good}.corrected_lo"] < whole[f"{of_good}.corrected_lo"] - 100 * 0.4 / 12
    assert found[f"{of_good}.corrected_hi"] > whole[f"{of_good}.corrected_hi"] + 100 * 0.6 / 12
    assert not any(key.endswith("blank") for key in (*whole, *(key for key in found if ".poor." in key)))


def test_where_all_have_labels_nothing_was_chosen(params: Params, capsys: pytest.CaptureFixture[str]) -> None:
    label(*all_of("good", ITEMS), *all_of("poor", ITEMS))
    agree(PRISM, params)
    before = METRICS.read_bytes()
    draw(all_of("good", ITEMS[:1]))
    agree(PRISM, params)
    assert METRICS.read_bytes() == before and "draw" not in capsys.readouterr().out


def test_the_same_labels_give_the_same_bytes_in_any_order(params: Params) -> None:
    rows = [*all_of("good", ITEMS), *all_of("poor", ITEMS[::2] + ITEMS[1:9:2])]
    label(*rows)
    agree(PRISM, params)
    before = METRICS.read_bytes()
    label(*rows[::-1])
    agree(PRISM, params)
    assert METRICS.read_bytes() == before


@pytest.mark.parametrize(
    ("labels", "truth", "left"),  # a truth, or between what it lies
    [
        ([("ann", 0, 0, 1.0), ("ann", 0, 1, 0.0)], 0.5, 0),
        ([("ann", 0, 0, 1.0)], (0.5, 1.0), 0),
        ([("ann", 0, 0, 1.0), ("bob", 0, 1, 0.0)], (0.25, 0.75), 0),
        ([("ann", 0, -1, 1.0), ("ann", 0, 0, 0.0)], 1.0, 0),
        ([("ann", 0, -1, 1.0), ("bob", 0, 0, 0.0), ("bob", 0, 1, 0.0)], 0.5, 0),
        ([("ann", -1, -1, 1.0)], 1.0, 0),
        ([("ann", 1, -1, 1.0)], None, 0),
        ([("ann", 0, -1, 1.0), ("bob", 0, 1, 0.0)], 1.0, 0),
    ],
    ids=["each", "a part", "a part each", "whole", "two people", "the only sample", "no sample", "whole and in part"],
)
def test_who_labels_a_part_of_an_answer_leaves_the_rest_open(
    labels: list[tuple[str, int, int, float]], truth: float | tuple[float, float] | None, left: int
) -> None:
    """Of a checklist of two questions; of two people, one of whom is done, that one counts."""
    said = [Rating("raw", "right", who, ("good", "i", sample, part), value) for who, sample, part, value in labels]
    record = SimpleNamespace(
        items=lambda params: [SimpleNamespace(id="i")],
        block=lambda params: None,
        expected=lambda block, item, setting, repeats: Counter(right=2),
        measures={"right": Scale(0, 1)},
        conditional=lambda item: {},
    )
    rows = {"good": [{"setting": "raw", "item": "i", "sample": 0, "status": "ok", "replies": []}]}
    place = ("raw", "right", "good", "i", 0)
    assert truths_of(record, None, said, rows) == ({} if truth is None else {place: truth}, left)  # type: ignore[arg-type]
