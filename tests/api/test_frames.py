"""`import gamut`: tables as data frames, with the numbers of the files; what is not there is said."""

from __future__ import annotations

import csv
import gc
import os
import re
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import gamut
from gamut.api import frames
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.running import answers, judging
from gamut.evaluation.scoring.tables import TIDY, tidy_rows, write_tables
from gamut.project.errors import UserError
from gamut.project.files import write_csv
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM
from tests.command.test_compare import BOTH, OTHER, compared, params, scored
from tests.evaluation.scoring.test_board_tables import METRIC, ROWS, standing
from tests.evaluation.scoring.test_board_tables import board as board_of

FOLDER = Path("metrics/prism/v1")
BOARDS = [
    board_of("en", [*ROWS, standing("null", 12.3456789, 1), standing("control_grey", 0.5, None)])._replace(
        metric=METRIC, judge="gpt-5", trusted=True
    ),
    board_of("zh", [standing("null", 1e-3, 1)])._replace(trusted=False),
]


@pytest.fixture(autouse=True)
def contestants(project: Path) -> Path:
    """A project with the scores of two contestants, and with boards on which somebody is called null."""
    Path("dvc.yaml").write_text("stages: {}\n")
    params("careful", "hasty")
    scored("careful", 0.5, BOTH)
    scored("hasty", 0, BOTH)
    scales = {board.metric.name: {"overall": Scale(0, 100)} for board in BOARDS}
    write_csv(FOLDER / "board.csv", TIDY, tidy_rows(BOARDS, scales))
    write_tables(FOLDER / "tables", "PRISM-Bench, edition v1", BOARDS)
    return project


def test_a_boards_csv_latex_and_data_frame_hold_the_same_numbers() -> None:
    whole = gamut.board("prism")
    assert [*whole.columns] == [*TIDY] and len(whole) == 3 + 1 + 3 + 1 + 1 + 1  # values of each row of the boards
    with (FOLDER / "board.csv").open(newline="") as file:
        for row, line in zip(whole.itertuples(index=False), csv.DictReader(file), strict=True):
            cells = ["" if pd.isna(one) else int(one) if isinstance(one, bool) else one for one in row]
            assert cells == [type(one)(line[name]) for name, one in zip(TIDY, cells, strict=True)]
    for board in BOARDS:
        path = FOLDER / "tables" / f"{board.metric.name}.{board.judge}.tex"
        latex = path.read_text().replace("$-$", "-").replace("--", "–").replace(r"\_", "_")
        rows = {cells[1].rstrip("*").replace(r"\&", "&"): cells for cells in table_cells(latex)}
        own = whole[(whole["metric"] == board.metric.name) & ~whole["contestant"].str.startswith("control_")]
        assert len(own) == sum(cell != "–" for cells in rows.values() for cell in cells[2:])
        for row in own.itertuples():
            column = 2 + [*board.metric.tabled].index(row.name)
            assert rows[row.contestant][column].split()[0] == f"{row.value:.1f}"


def table_cells(latex: str) -> list[list[str]]:
    return [line.removesuffix(r" \\").split(" & ") for line in re.findall(r"^.* & .*$", latex, re.MULTILINE)[1:]]


def test_what_is_not_there_is_missing_and_not_0() -> None:
    whole = gamut.board("prism")
    one = whole[(whole["contestant"] == "a&b") & (whole["name"] == "overall")].iloc[0]
    assert one["value"] == 10 and np.isnan(one["low"]) and one["rank_best"] is pd.NA
    assert [*whole.groupby("metric")["trusted"].unique().explode()] == [True, False]


def test_of_all_boards_there_is_what_ranks_and_no_control() -> None:
    found = gamut.boards()
    assert [*found["benchmark"].unique()] == ["prism"] and [*found["edition"].unique()] == ["v1"]
    assert [*zip(found["metric"], found["contestant"], strict=True)] == [
        *(("both_settings", name) for name in ("careful_1", "a&b", "null")),
        ("zh", "null"),
    ]
    (FOLDER / "board.csv").unlink()
    with (
        pytest.warns(UserWarning, match=r"prism is left out: metrics/prism/v1/board.csv: no such file: `dvc repro "),
        pytest.raises(UserError, match=r"^no board has been built here: `dvc repro leaderboard` builds"),
    ):
        gamut.boards()


def test_a_comparison_is_that_of_the_command() -> None:
    found = gamut.compare("careful", "hasty")
    said = [
        (one["metric"], one["judge"], each["name"], each["first"], each["difference"], each["low"], each["p_adjusted"])
        for one in compared("careful", "hasty")["compared"]
        for each in one["differences"]
    ]
    names = ["metric", "judge", "name", "first", "difference", "low", "p_adjusted"]
    assert [*found[names].itertuples(index=False, name=None)] == said
    assert found.loc[0, "difference"] == -5 and found["trusted"].all()  # half a point of 10, as the command's test says
    assert gamut.compare("careful@workspace", "hasty@workspace").equals(found)
    scored("hasty", 0, BOTH | {("zh", "world"): OTHER})
    with pytest.warns(UserWarning, match=r"^PRISM-Bench, zh, judged by world: not compared: question differs"):
        assert [*gamut.compare("careful", "hasty")["metric"].unique()] == ["en"]
    with pytest.raises(UserError, match=r"^there is no contestant 'hasti'; did you mean 'hasty'\?$"):
        gamut.compare("careful", "hasti")
    with pytest.raises(UserError, match=r"^'hasty@' has no revision after the @: NAME or NAME@REVISION is expected$"):
        gamut.compare("careful", "hasty@")


def test_scores_answers_and_judgments_name_whose_they_are() -> None:
    found = gamut.scores("prism")
    assert [*found["contestant"].unique()] == ["careful", "hasty"] and len(found) == 2 * 2 * 14 * 2
    assert found[found["contestant"] == "careful"]["value"].mean() == 6  # 5.5 and 6.5 by turns
    row = {"id": "en-0-00000000", "item": "style/0", "setting": "en", "sample": 0, "status": "ok"}
    for name in ("careful", "hasty"):
        with TableWriter(PRISM.answers / name, answers.SCHEMA) as table:
            table.write("en-0-00000", [dict.fromkeys(answers.SCHEMA.names) | row | {"replies": [], "parts": []}])
        with TableWriter(PRISM.answer_judgments(name, "world"), judging.SCHEMA) as table:
            table.write("en-0-00000", [dict.fromkeys(judging.SCHEMA.names) | row | {"replies": [], "value": 7.0}])
    data = gamut.answers("prism").to_table(columns=["contestant", "item"]).to_pylist()
    assert data == [{"contestant": name, "item": "style/0"} for name in ("careful", "hasty")]
    said = gamut.judgments("prism")
    assert [*said["contestant"]] == ["careful", "hasty"] and {*said["judge"]} == {"world"} and {*said["value"]} == {7}
    (PRISM.answers / "hasty/en-0-00000.parquet").unlink()
    with pytest.raises(UserError, match=r"^datasets/prism/answers/hasty/en-0-00000.parquet: no such file: `dvc pull "):
        gamut.answers("prism")


def test_a_stale_board_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "staleness", lambda stages: f"not built with these parameters: {stages[0]}")
    with pytest.warns(UserWarning, match=r"^PRISM-Bench: not built with these parameters: prism\.board$"):
        gamut.board("prism")


def test_the_process_stays_as_it_was() -> None:
    before = gc.get_threshold(), dict(os.environ)
    with frames.process_unchanged():
        gc.set_threshold(1)
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    assert (gc.get_threshold(), dict(os.environ)) == before


@pytest.mark.parametrize("name", ["board", "boards", "compare", "edition", "release", "runs"])
def test_outside_a_project_it_says_so_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    arguments = {"board": ("prism",), "edition": ("prism",), "compare": ("a", "b")}.get(name, ())
    with pytest.raises(UserError, match=r"elsewhere is not the folder of a project: `os.chdir` to the folder of your"):
        getattr(gamut, name)(*arguments)


def test_another_projects_code_is_not_taken_for_its_own(contestants: Path) -> None:
    (contestants / "gamut").mkdir()
    with pytest.raises(UserError, match=r": here the code of .* runs: start Python in the environment of this folder$"):
        gamut.board("prism")


def test_runs_have_all_metrics_and_the_parameters_in_which_they_differ() -> None:
    def state(name: str, entity: int, pictures: int) -> SimpleNamespace:
        params = {"params.yaml": {"data": {"categorize": {"entity": entity, "style": 6}, "seed": 0}}}
        metrics = {"a.json": {"data": {"pictures": pictures}}, "b.json": {"data": {"pictures": 1, "rows": 2}}}
        data = SimpleNamespace(timestamp=datetime(2026, 11, 27), params=params, metrics=metrics)
        return SimpleNamespace(name=name, rev=f"{name}-rev", error=None, data=data, experiments=None)

    baseline = state("main", 7, 150)
    queued = SimpleNamespace(name=None, rev="queued-rev", error=None, data=None, experiments=None)
    ended = SimpleNamespace(state="failed")
    baseline.experiments = [
        SimpleNamespace(revs=[state("entity-9", 9, 140)], executor=None),
        SimpleNamespace(revs=[queued], executor=ended),
    ]
    found = frames.table_of_runs([baseline])
    assert [*found.columns] == [*frames.IDENTITY, "a.json:pictures", "b.json:pictures", "rows", "categorize.entity"]
    assert [*found["run"]] == ["main", "entity-9", "queued-rev"] and [*found["categorize.entity"][:2]] == [7, 9]
    assert found.loc[2, "state"] == "failed" and np.isnan(found.loc[2, "rows"])
