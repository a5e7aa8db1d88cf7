"""`gamut summary`: what was built in five lines, also of a build that failed, or that never was."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from gamut.command.summary import summary_lines
from gamut.tables.writing import TableWriter

PIPELINE = "stages: {score: {cmd: x, outs: [datasets/score]}, other: {cmd: x, outs: [datasets/other]}}"
NOTHING = ["nothing", "no board", "none", "0 calls of models in 0 cells, at no price that run.toml names"]


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


@pytest.mark.usefixtures("built")
def test_of_a_build() -> None:
    write_files("metrics/dataset.json", {"release": {"pictures": 3, "captions_english": 1200}})
    ranks = {"p.v1.en.j.good.tie_group": 1, "p.v1.en.j.poor.tie_group": 2, "p.v1.zh.j.poor.tie_group": 1}
    overall = {"p.v1.en.j.good.overall": 90.5, "p.v1.en.j.good.overall_lo": 80, "p.v1.en.j.good.overall_hi": 95.25}
    write_files("datasets/boards/p.json", {"p.v1.en.j.good.validation": 1} | overall | ranks)
    write_files("datasets/boards/q.json", {"q.v1.j.good.tie_group": 1, "q.v1.j.poor.tie_group": 1})
    write_files("datasets/boards/r.json", {"r.v1.j.good.overall": 1})
    write_files("datasets/boards/s.left_out.json", {"s.left_out": "no edition"})
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
        "p good 90.5 (80 to 95.25); q a tie of good, poor; r: nobody has a rank; s is left out",
        "score 2 of 4 rows (2 parse_error)",
        "1,505 calls of models in 2 cells, for 1.75 at run.toml's prices",
        "report/index.html",
    ]
    write_files(".dvc/tmp/progress.json", {"began": 1e10})
    assert said()[3] == NOTHING[3], "what was asked before the last run began is not its"
