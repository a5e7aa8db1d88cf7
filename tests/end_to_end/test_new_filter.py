"""A filter of one file in a built clone: its stage runs, and what it rejects is left out, counted and told."""

from __future__ import annotations

import json

from tests.diffs import FILTER, apply_diff
from tests.end_to_end.project import Project

WRITE = "from gamut.command.pipeline_files import root_text; open('dvc.yaml', 'w').write(root_text())"
REPRO = ("dvc", "repro", "calibrate", "statistics")


def test_a_filter_is_one_file(built: Project) -> None:
    before, selected = built.asked(), {row["id"]: row for row in built.rows("select")}
    apply_diff("filter", built.folder)
    stale = built.run("python", "-m", "stages.dataset.select", check=False)
    assert stale.returncode and "differs from the stage's record: run `gamut pipeline`" in stale.stderr + stale.stdout
    built.run("python", "-c", WRITE)
    built.run(*REPRO)

    admitted = [row["id"] for row in built.rows("admit") if row["admitted"]]
    judged = {row["id"]: row["score_structure"] for row in built.rows(FILTER)}
    asked = built.asked_since(before)
    assert list(judged) == admitted and asked == {FILTER: len(admitted)}
    broken = {row_id for row_id, score in judged.items() if score < 9 and selected[row_id]["kept"]}
    assert broken, "choose another threshold: every form of this build is whole"
    for row in built.rows("select"):
        reason = f"{FILTER}_{FILTER}" if row["id"] in broken else selected[row["id"]]["reason"]
        assert row["reason"] == reason

    metrics = built.metrics()
    assert metrics[FILTER] == {"ok": len(admitted)} and metrics["select"][f"{FILTER}_{FILTER}"] == len(broken)
    assert json.loads((built.folder / "metrics/calibration.json").read_text())[FILTER]["threshold"] == 9
    assert f"| `{FILTER}` | every form is whole | {len(admitted)} |" in (built.folder / "datasets/card.md").read_text()
    assert "up to date" in built.run("dvc", "status", "calibrate", "statistics").stdout
