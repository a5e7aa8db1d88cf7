"""`gamut summary`: what was built in five lines, also of a build that failed, or that never was."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from gamut.command import summary
from gamut.command.board import MeasuredBoard
from gamut.command.summary import summary_lines
from gamut.evaluation.defining.measures import Metric
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM

PIPELINE = "stages: {score: {cmd: x, outs: [datasets/score]}, other: {cmd: x, outs: [datasets/other]}}"
NOTHING = ["nothing", "none", "0 calls of models in 0 cells, at no price that run.toml names"]


@pytest.fixture
def built(project: Path) -> Path:
    (project / "dvc.yaml").write_text(PIPELINE)
    (project / "params.yaml").write_text("{}")
    return project


def said() -> list[str]:
    return [line.partition(": ")[2] for line in summary_lines()]


@pytest.mark.usefixtures("built")
def test_of_nothing() -> None:
    assert said() == [*NOTHING, "`gamut report` writes pages of what there is"]


def write_files(path: str, values: object) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(values))


def board(*groups: int | None) -> MeasuredBoard:
    """Of two, good and poor, in these groups of ties."""
    metric = Metric("en", ("en",), (), {}, ("overall",))
    line = {"name": "overall", "value": 90.5, "low": 80.0, "high": 95.25, "n": 9, "coverage": 1.0}
    ranked = [{"rank_best": group, "rank_worst": group, "tie_group": group} for group in groups]
    lines = [{"contestant": who, **line, **own} for who, own in zip(("good", "poor"), ranked, strict=True)]
    return MeasuredBoard(PRISM, "v1", metric, "j", "judged by j", [], lines)


@pytest.mark.usefixtures("built")
def test_of_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    write_files("metrics/dataset.json", {"release": {"pictures": 3, "captions_english": 1200}})
    boards: list[tuple[str, MeasuredBoard | str]] = [
        *(("p", board(1, 2)), ("q", board(1, 1)), ("r", board(None, None)), ("s", "no such file")),
    ]
    monkeypatch.setattr(summary, "headlines", lambda: iter(boards))
    with TableWriter(Path("datasets/score"), pa.schema([("id", pa.string()), ("status", pa.string())])) as table:
        rows = ["ok", "refused_judge", "parse_error", "parse_error"]
        table.write("w-00000", [{"id": f"w-{n:08d}", "status": status} for n, status in enumerate(rows)])
    entry = {"at": "2026-01-01T00:00:10+0000", "stage": "score", "asked": 5, "cost": 0.5}
    write_files(".store/log.jsonl", entry)
    with Path(".store/log.jsonl").open("a") as file:
        file.write("\n" + json.dumps(entry | {"asked": 1500, "cost": 1.25}) + "\n")
    write_files("report/index.html", "")
    assert said() == [
        "3 pictures with 1,200 captions in each language",
        "p good 90.5 80.0–95.3; q a tie of good, poor; r: no contestant has a rank; s has no board",
        "score 2 of 4 rows (2 parse_error)",
        "1,505 calls of models in 2 cells, for 1.75 at run.toml's prices",
        "report/index.html",
    ]
    write_files(".dvc/tmp/progress.json", {"began": 1e10})
    assert said()[3] == NOTHING[2], "what was asked before the last run began is not its"
