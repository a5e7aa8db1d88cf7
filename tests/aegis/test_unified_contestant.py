"""A tiny Janus answers AEGIS' sandbox: it is asked for what it does, and has no value of what it cannot do."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("torch")

from gamut.evaluation.boards import rank, score
from gamut.evaluation.bodies import answer, judge
from gamut.evaluation.defining.settings import off_task_answers
from gamut.evaluation.running.answers import parts_of
from gamut.project.validation import check_values
from gamut.tables.reading import read_rows
from stages.aegis.shared.benchmark import AEGIS, Params
from tests import tiny_unified
from tests.fakes import values
from tests.paths import ROOT

pytestmark = pytest.mark.usefixtures("one_thread")
BLOCK = {
    "edition": "sandbox",
    "contestants": ["careful", "janus"],
    "settings": ["raw"],
    "judges": ["world"],
    "controls_of": [],
    "answer": {"width": 64, "height": 64},
}


def test_a_tiny_janus_is_measured_in_what_it_does(project: Path) -> None:
    """Of 20 items it writes 5, and paints the one of five generation items that gives no picture."""
    for part in ("editions/aegis", "edition_images/aegis"):
        shutil.copytree(ROOT / "datasets" / part, project / "datasets" / part)
    folder = tiny_unified.janus(project / "weights")
    Path("run.toml").write_text('[models.janus]\nweights = "weights"\ndevice = "cpu"\n')
    janus = {
        "class": "unified",
        "tasks": ["understanding", "generation"],
        "max_failures": 0.9,
        "model": tiny_unified.model(folder).model_dump(exclude_none=True),
    }
    careful = {"class": "unified", "model": {"kind": "sandbox"}}
    whole = values(aegis=BLOCK, contestants={"careful": careful, "janus": janus})
    params = check_values(Params, whole, Path("params.yaml"))
    assert len(off_task_answers(AEGIS, params, "janus", AEGIS.items(params))) == 14
    for name in params.contestants:
        answer.answer(AEGIS, params, name)
        judge.judge(AEGIS, params, name, "world")
        score.score(AEGIS, params, name)
    rank.rank(AEGIS, params)
    answers = list(read_rows(AEGIS.answers / "janus"))
    assert Counter(row["item"].split("/")[1] for row in answers) == {"understanding": 5, "generation": 1}
    assert "unsupported" not in {row["status"] for row in answers}
    [picture] = [row for row in answers if row["item"] == "history/generation/0"]
    assert picture["status"] == "ok" and parts_of(picture["parts"])[0].startswith(b"\x89PNG")
    board = json.loads(Path("metrics/aegis/sandbox/board.json").read_text())
    has = {key.split(".")[3] for key in board if key.startswith("raw.world.janus.")}
    assert "understanding" in has and not has & {"editing", "interleaved", "overall", "rank_best"}
    assert "raw.world.janus.generation" not in board and board["raw.world.janus.generation.from_words"] == 0
    assert {"generation", "editing", "overall"} <= {
        key.split(".")[3] for key in board if key.startswith("raw.world.careful.")
    }
