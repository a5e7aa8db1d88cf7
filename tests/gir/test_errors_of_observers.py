"""Observers of six riddles against people's labels, through the stage itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamut.evaluation.boards.agree import agree, observer_errors
from gamut.evaluation.boards.correct import unasked_measures
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.labels import all_labels
from gamut.evaluation.running.judging import SCHEMA
from gamut.evaluation.scoring.statistics.coefficients import wilson_interval
from gamut.project.errors import UserError
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.items import GirItem
from tests.gir.small_tables import ITEMS, params_of, write_edition, write_tables
from tests.gir.small_tables import ITEMS as RIDDLES

LABELS = Path("datasets/labels/gir/v1.csv")
KEY = Path("datasets/sheets/gir/v1.key.csv")
METRICS = Path("metrics/gir/v1/observer_errors.json")
GOOD = {
    "q0": {"counts": 1},
    "q1": {"counts": 1},
    "s0": {"places": 1, "relations": 1},
    "s1": {"places": None, "relations": None},
    "t0": {"words": 1},
    "t1": None,
}


@pytest.fixture
def looked_at(project: Path) -> Path:
    write_edition()
    write_tables("good", GOOD)
    write_tables("poor", {name: {"counts": 0} if name == "q0" else None for name in GOOD})
    return project


def tell_errors(params: Params) -> None:
    observer_errors(GIR, params, all_labels(GIR, params))


def label(*rows: str) -> None:
    LABELS.parent.mkdir(parents=True, exist_ok=True)
    LABELS.write_text("\n".join(["contestant,item,setting,measure,person,score,sample,question", *rows, ""]))


@pytest.mark.usefixtures("looked_at")
def test_verdicts_have_rates(capsys: pytest.CaptureFixture[str]) -> None:
    label(
        "good,q0,t2i,counts,ann,1,0,0",
        "good,q1,t2i,counts,ann,0,0,0",
        "poor,q0,t2i,counts,ann,1,0,0",
        "good,t0,t2i,words,ann,0.5,0,0",
    )
    tell_errors(params_of())
    found = json.loads(METRICS.read_text())
    told = {key.removeprefix("t2i.observers."): value for key, value in found.items()}
    # said right: q0 and q1 of good, of which q0 is; right: q0 of both, of which one was said
    assert (told["counts.precision"], told["counts.recall"], told["counts.labels"]) == (50, 50, 3)
    assert {key.split(".")[0] for key in told} == {"counts"}, "what is no verdict is right in part"
    assert str(METRICS) in (said := capsys.readouterr().out) and "not used" not in said


@pytest.mark.usefixtures("looked_at")
def test_where_people_are_undecided_anything_may_be_true() -> None:
    label("good,q0,t2i,counts,ann,1,0,0", "good,q0,t2i,counts,bob,0,0,0", "good,q1,t2i,counts,bob,1,0,0")
    tell_errors(params_of())
    found = json.loads(METRICS.read_text())
    # The observer says right of both: one is, of the other nobody knows. At least Wilson's lower end of 1 of 2.
    expected = {"labels": 1, "blank": 1, "precision": 100, "precision_lo": round(100 * wilson_interval(1, 2)[0], 3)}
    assert {name: found[f"t2i.observers.counts.{name}"] for name in expected} == expected


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("rows", [None, ["good,q0,t2i,counts,ann,,,"]])
def test_where_nothing_is_labelled_nothing_is_told_but_what_to_do(
    rows: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if rows is not None:
        label(*rows)
    tell_errors(params_of())
    assert METRICS.read_text().strip() == "{}"
    assert capsys.readouterr().out == (
        f"gir.board: no answer has a label in {LABELS}: `gamut label gir` draws some for people to look at\n"
    )


@pytest.mark.usefixtures("looked_at")
def test_labels_that_somebody_chose_count_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """One of the three counted answers was drawn; where all of them have labels, nothing was chosen."""
    KEY.parent.mkdir(parents=True, exist_ok=True)
    KEY.write_text(
        "code,contestant,item,setting,sample,measure,question\na0-1,good,q0,t2i,0,counts,0\na1-1,good,s0,t2i,0,places,0\n"
    )
    q0, q1, other = "good,q0,t2i,counts,ann,1,0,0", "good,q1,t2i,counts,ann,1,0,0", "poor,q0,t2i,counts,ann,1,0,0"
    for rows, labels, words in (
        ([q0, q1], 1, "1 truth of answers that were not drawn"),
        ([q0], 1, "1 answer of the draw without a label yet"),
        ([q0, q1, other], 3, "1 answer of the draw without a label yet"),
    ):
        label(*rows)
        tell_errors(params_of())
        said = capsys.readouterr().out
        assert json.loads(METRICS.read_text())["t2i.observers.counts.labels"] == labels and words in said
        assert (f"({KEY}): not used as corrections" in said) == ("not drawn" in words)


@pytest.mark.usefixtures("looked_at")
def test_labels_of_what_is_not_there_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    label("good,t1,t2i,counts,ann,1,0,0", "gone,q0,t2i,counts,ann,1,,", "good,q0,t2i,counts,ann,1,3,0")
    tell_errors(params_of())
    assert capsys.readouterr().out.splitlines()[0] == (
        "gir.board: not used: 3 labels of answers that do not exist: 1 of gone (t2i), 2 of good (t2i)"
    )


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("good,q0,t2i,counts,ann,0.5,0,0", "score 0.5 of counts of 'q0' (t2i, good) by ann: 0 or 1 is expected"),
        ("good,q0,t2i,counts,ann,nan,0,0", "score 'nan': a number from 0 to 1 is expected"),
        ("good,q0,t2i,counts,ann,1e999,0,0", "score '1e999': a number from 0 to 1 is expected"),
        ("good,../q0,t2i,counts,ann,1,0,0", "there is no item '../q0'"),
        ("good,q0,t2i,count,ann,1,0,0", "there is no measure 'count'"),
        ("good,q0,t2i,counts,ann,1,-1,0", "sample '-1': a whole number from 0 is expected"),
        ("good,q0,t2i,counts,,1,0,0", "person is empty"),
    ],
)
def test_hostile_labels_are_a_line(row: str, said: str) -> None:
    label(row)
    with pytest.raises(UserError) as raised:
        tell_errors(params_of())
    assert said in str(raised.value) and not METRICS.exists()


@pytest.mark.usefixtures("looked_at")
def test_the_same_labels_give_the_same_bytes_in_any_order() -> None:
    rows = ["good,q0,t2i,counts,ann,1,0,0", "good,q1,t2i,counts,ann,0,0,0", "poor,q0,t2i,counts,ann,1,0,0"]
    label(*rows)
    tell_errors(params_of())
    first = METRICS.read_bytes()
    label(*reversed(rows))
    tell_errors(params_of())
    assert METRICS.read_bytes() == first and len(ITEMS) == 6


@pytest.mark.usefixtures("looked_at")
def test_each_panel_errs_by_itself() -> None:
    """Another detector says the opposite of both counts."""
    rows = list(read_rows(GIR.answer_judgments("good", "detector/world")))
    with TableWriter(GIR.answer_judgments("good", "detector/owl"), SCHEMA) as table:
        counts = [row | {"value": 1 - row["value"]} for row in rows if row["question"] == "counts"]
        table.write("t2i-0-00000", counts)
    with TableWriter(GIR.answer_judgments("poor", "detector/owl"), SCHEMA) as table:
        table.write("t2i-0-00000", [])
    label("good,q0,t2i,counts,ann,1,0,0")
    tell_errors(params_of(detectors=("world", "owl")))
    found = json.loads(METRICS.read_text())
    assert [found[f"t2i.{panel}.counts.recall"] for panel in ("observers", "owl")] == [100, 0]


COUNT = 16
COUNTED = [
    GirItem(id=f"q{n:02}", prompt="?", task="quantity", objects=("duck",), numbers=(n,), absent=("cat",))
    for n in range(COUNT)
]
LABELLED = Path("datasets/labels/gir/v1.csv")


def test_what_a_panel_says_too_kindly_is_taken_back(project: Path) -> None:
    write_edition(COUNTED)
    write_tables("good", {item.id: {"counts": 1} for item in COUNTED})
    write_tables("poor", {item.id: {"counts": n % 2} for n, item in enumerate(COUNTED)})
    LABELLED.parent.mkdir(parents=True)
    rows = [f"good,{item.id},t2i,counts,ann,{int(n < 12)},0,0" for n, item in enumerate(COUNTED)]
    LABELLED.write_text("\n".join(["contestant,item,setting,measure,person,score,sample,question", *rows, ""]))
    agree(GIR, params_of())
    found = json.loads(Path("metrics/gir/v1/corrected.json").read_text())
    good, poor = (f"t2i.observers.{name}.quantity." for name in ("good", "poor"))
    assert (found[f"{good}raw"], found[f"{good}corrected"], found[f"{good}labels"]) == (100, 75, COUNT)
    assert found[f"{good}corrected_lo"] < 75 < found[f"{good}corrected_hi"]
    assert (found[f"{poor}raw"], found[f"{poor}labels"]) == (50, 0)
    assert found[f"{poor}not_corrected"] == "fewer than 10 labels of counts (t2i)"


@pytest.mark.usefixtures("project")
def test_about_what_the_released_scripts_count_people_are_asked_nothing() -> None:
    write_edition(RIDDLES[-1:])
    unasked = unasked_measures(GIR, params_of())
    assert "words_released" in unasked and "words" not in unasked
