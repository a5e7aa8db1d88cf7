"""`gamut pipeline`: what is committed is what it writes, what a person wrote it leaves alone; nobody else lists the
dataset's steps, and a new filter is one file and one word.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamut.command import pipeline_files
from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import Makes, module_of
from gamut.project.code import files_of
from gamut.project.errors import UserError
from gamut.project.validation import read_yaml
from stages.dataset.pipeline import STAGES, STEPS
from tests.diffs import FILTER, apply_diff
from tests.paths import ROOT

LISTS = ("stages/dataset/pipeline.py", "stages/dataset/filters.py")
MANY = 5
"""Names of steps that make a list of them."""


def test_a_step_that_starts_imports_its_own_record_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What decides imports nothing that asks; four have the records of filters."""
    monkeypatch.chdir(ROOT)
    for step in STEPS:
        files = {*files_of(module_of(step))}
        others = {f"stages/dataset/{one.name}.py" for one in STEPS} & files - {f"stages/dataset/{step.name}.py"}
        assert not files & {LISTS[0]}, step.name
        if step.name not in ("select", "same_pictures", "preferences", "scores"):
            assert not others and LISTS[1] not in files, step.name
            assert isinstance(step, Asks | Makes) or "gamut/asking/run.py" not in files, step.name


def test_nobody_else_lists_the_steps() -> None:
    """But for a step, which names the tables that it reads."""
    steps = {f"stages/dataset/{step.name}.py" for step in STEPS}
    names = {step.name for step in STAGES}
    found = {
        f"{path}:{line}"
        for path in (
            str(file.relative_to(ROOT)) for code in ("gamut", "stages") for file in (ROOT / code).rglob("*.py")
        )
        if path not in {*LISTS, *steps}
        for line in listing(ast.parse((ROOT / path).read_text()), names)
    }
    assert not found


def listing(tree: ast.AST, names: set[str]) -> Iterator[int]:
    """The lines where a tuple, list, set or dictionary begins that names many, as they are or in a call each."""
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.expr)):
        parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else []
        parts = [key for key in node.keys if key] if isinstance(node, ast.Dict) else parts
        parts = [one for part in parts for one in (part.args if isinstance(part, ast.Call) else [part])]
        texts = {str(part.value).removeprefix("datasets/") for part in parts if isinstance(part, ast.Constant)}
        if len(texts & names) >= MANY:
            yield node.lineno


KNOWN = f"""\
import json
from pathlib import Path

from docs import questions
from gamut.command import pipeline_files
from gamut.command.estimate.asks import dataset_asks
from gamut.command.estimate.flow import expected_flow
from stages.dataset import pipeline
from gamut.dataset.calibration.filters import FILTERS
from gamut.dataset.reporting.figures import SCORES, TABLES, reasons_by_step
from gamut.project.parameters import load
from gamut.report.dataset import records

params = load(pipeline.Params)
Path("dvc.yaml").write_text(pipeline_files.root_text())
fates = {{table.name: {{"kept": 9}} for table in TABLES}} | {{"withheld": {{"pictures_without_detail": 0}}}}
fates |= {{"{FILTER}": {{"ok": 9}}, "select": {{"kept": 7, "{FILTER}_{FILTER}": 2}}}}
rows = expected_flow(params, {{s.wave: 100 for s in params.sources}})
asked = {{ask.stage: ask.requests for ask in dataset_asks(params, rows)}}
print(json.dumps({{
    "threshold": [one.threshold(params) for one in FILTERS if one.name == "{FILTER}"],
    "scores": SCORES[Path("datasets/{FILTER}")],
    "shown": "structure" in records.SHOWN_SCORES and "datasets/{FILTER}" in map(str, records.TABLES),
    "reasons": reasons_by_step(fates)["{FILTER}"],
    "asked": [asked["score"], asked["{FILTER}"]],
    "questions": [name for module, name in questions.questions() if module == "mine.{FILTER}"],
}}))
"""


def test_a_new_filter_is_known_wherever_filters_are(tmp_path: Path) -> None:
    for name in ("gamut", "stages", "docs/questions.py", "params.yaml", "dvc.yaml"):
        source, copied = ROOT / name, tmp_path / name
        copied.parent.mkdir(exist_ok=True)
        shutil.copytree(source, copied) if source.is_dir() else shutil.copy(source, copied)
    apply_diff("filter", tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", KNOWN], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    known = json.loads(done.stdout)
    scored, whole = known.pop("asked")
    assert scored == whole > 0  # both are about the pictures that are admitted
    assert known == {
        "threshold": [9],
        "scores": ["structure"],
        "shown": True,
        "reasons": {"kept": 7, f"{FILTER}_{FILTER}": 2},
        "questions": ["examine"],
    }
    written = read_yaml(tmp_path / "dvc.yaml")
    assert f"stages/mine/{FILTER}.py" in written["stages"][FILTER]["deps"]
    for stage in ("select", "calibrate", "statistics", "report"):
        assert f"datasets/{FILTER}" in written["stages"][stage]["deps"]
    drawn = json.dumps(written["plots"])
    assert f"metrics/precision_recall/{FILTER}.csv" in drawn and '"structure"' in drawn


def test_committed_files_are_few_and_short_and_what_the_records_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    committed = {file: file.read_text() for file in (Path("dvc.yaml"), *Path("stages").glob("**/dvc.yaml"))}
    assert committed == pipeline_files.pipeline_texts(), "run `gamut pipeline`"
    assert len(committed) == 10 and sum(len(text.splitlines()) for text in committed.values()) <= 660


def test_git_ignores_what_stages_of_the_dataset_write() -> None:
    """DVC would add what is missing, in each project."""
    outs = {f"/{out}" for stage in read_yaml(ROOT / "dvc.yaml")["stages"].values() for out in cached(stage)}
    ignored = Path(ROOT, "datasets/.gitignore").read_text().splitlines()
    assert {out.removeprefix("/datasets") for out in outs if out.startswith("/datasets/")} <= {*ignored}


def cached(stage: dict[str, Any]) -> list[str]:
    return [out for out in stage.get("outs", ()) if isinstance(out, str)]


def test_what_differs_is_written_and_what_a_person_wrote_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "# Written by `gamut pipeline` from a.py: …\nstages: {}\n"
    wanted = {Path("dvc.yaml"): text, Path("b/dvc.yaml"): text}
    monkeypatch.setattr(pipeline_files, "pipeline_texts", lambda: wanted)
    with pytest.raises(UserError, match=r"dvc\.yaml, b/dvc\.yaml: not up to date with the stages"):
        pipeline_files.write_pipelines(check=True)
    assert pipeline_files.write_pipelines(check=False) == ["dvc.yaml: written", "b/dvc.yaml: written"]
    assert {file: file.read_text() for file in wanted} == wanted
    assert pipeline_files.write_pipelines(check=True) == ["2 files are up to date with the stages"]
    Path("b/dvc.yaml").write_text("stages: {own: {cmd: echo}}\n")
    with pytest.raises(UserError, match=r"^b/dvc\.yaml was written by hand"):
        pipeline_files.write_pipelines(check=False)
