"""Boards of panels are corrected by what people say, as judges' are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.evaluation.bodies.agree import agree
from stages.evaluation.bodies.correct import never_asked
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.items import GirItem
from tests.gir.small_tables import ITEMS as RIDDLES
from tests.gir.small_tables import params_of, write_edition, write_tables

COUNT = 16
ITEMS = [
    GirItem(id=f"q{n:02}", prompt="?", task="quantity", objects=("duck",), numbers=(n,), absent=("cat",))
    for n in range(COUNT)
]
LABELS = Path("datasets/labels/gir/v1.csv")


def test_what_a_panel_says_too_kindly_is_taken_back(project: Path) -> None:
    write_edition(ITEMS)
    write_tables("good", {item.id: {"counts": 1} for item in ITEMS})
    write_tables("poor", {item.id: {"counts": n % 2} for n, item in enumerate(ITEMS)})
    LABELS.parent.mkdir(parents=True)
    rows = [f"good,{item.id},t2i,counts,ann,{int(n < 12)},0,0" for n, item in enumerate(ITEMS)]
    LABELS.write_text("\n".join(["contestant,item,side,measure,person,score,sample,question", *rows, ""]))
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
    unasked = never_asked(GIR, params_of())
    assert "words_released" in unasked and "words" not in unasked
