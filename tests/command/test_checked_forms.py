"""`gamut check` reads what people filled in as its stages do: every mistake is a line, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.command import check
from gamut.dataset.calibration.sampling import SAMPLE
from gamut.evaluation.defining.editions import freeze_edition
from gamut.project.errors import UserError
from gamut.publish.parameters import Everything
from stages.prism.shared.items import TRACKS, PrismItem
from tests import fakes

SCORES = Path("datasets/labels/prism/small.csv")

FORM = {
    SAMPLE: "id,filter,place,stratum,weight,label\nw-00000000,clarity,,below 7,1,1\nw-00000000,entity,,from 7,2.5,\n",
    SCORES: (f"contestant,item,setting,measure,person,score\ngood,{TRACKS[0]}/0,en,alignment,ann,7\n"),
}
"""A right one of each."""
ROWS = {
    SAMPLE: ("w-00000001,clarity,,from 7,1,yes", "label 'yes': 1 (it should pass) or 0 (it should not) is expected"),
    SCORES: (f"good,{TRACKS[0]}/0,en,aesthetic,,7", "person is empty: who gave the score?"),
}
"""A wrong row of each, and what is said of it."""


@pytest.fixture
def parameters(project: Path) -> Everything:
    """Parameters of a project with an edition, and no table yet."""
    freeze_edition("prism", "small", [PrismItem(id=f"{TRACKS[0]}/0", track=TRACKS[0], prompt="a cat", prompt_zh="猫")])
    for path, text in FORM.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    labels = {"labels": str(SAMPLE), "least_precision": 0.95, "least_recall": 0.5}
    return fakes.everything(calibrate=labels, contestants=fakes.two_contestants())


def test_right_ones_as_spreadsheets_save_them(parameters: Everything) -> None:
    for path, text in FORM.items():
        path.write_bytes(("\ufeff" + text + "\n,,,\n\n \n").replace("\n", "\r\n").encode())
    found = [
        (Path(finding.what), finding.found)
        for finding in check.check_forms(parameters, check.all_benchmark_items(parameters))
    ]
    assert found == [(SAMPLE, True), (SCORES, True)]


def test_every_mistake_in_every_file_is_a_line(parameters: Everything) -> None:
    for path, (row, _) in ROWS.items():
        path.write_text(FORM[path] + row + "\n")
    with pytest.raises(UserError) as error:
        list(check.check_forms(parameters, check.all_benchmark_items(parameters)))
    line = {path: text.count("\n") + 1 for path, text in FORM.items()}
    assert str(error.value).splitlines() == [f"{path}, line {line[path]}: {ROWS[path][1]}" for path in FORM]


@pytest.mark.parametrize("row_id", ["", "w-1"])
def test_an_id_that_no_row_can_have(parameters: Everything, row_id: str) -> None:
    SAMPLE.write_text(f"id,filter,label,weight\n{row_id},clarity,1,1\n")
    with pytest.raises(UserError, match=rf"^{SAMPLE}, line 2: there is no row '{row_id}' in datasets/source_rows$"):
        list(check.check_forms(parameters, check.all_benchmark_items(parameters)))


def test_what_nobody_reads_is_not_looked_at(parameters: Everything) -> None:
    for path in FORM:
        path.write_text("nonsense")
    assert list(check.check_forms(fakes.everything(), check.all_benchmark_items(fakes.everything()))) == []
