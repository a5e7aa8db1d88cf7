"""The stages of editions: what they read is what they declare, and commands know their tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gamut.command.pipeline_files import constructions
from gamut.evaluation.construction.slots import Construction, Slots, Stage, Step
from gamut.evaluation.construction.stages import FILE, run_stage
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.validation import read_yaml
from tests import fakes
from tests.paths import ROOT


@pytest.mark.parametrize("construction", [*constructions()], ids=lambda one: f"{one.benchmark}-{one.stages[-1].name}")
def test_every_parameter_is_one_of_some_stage(construction: Construction) -> None:
    """But for `editions`, over which all of them go, and `max_failures`, which decides about no item; and a stage lists
    none that is not there.
    """
    [values] = [read_yaml(ROOT / pipeline.EDITIONS)[construction.benchmark]]
    listed = {
        key.partition(".")[2]
        for entry in pipeline.declared_entries(ROOT / FILE).values()
        for file, key in pipeline.parameters(entry["params"])
        if file == pipeline.EDITIONS and key.startswith(f"{construction.benchmark}.")
    }
    assert listed == values.keys() - {"editions", "max_failures"}


EDITIONS_TOO = """
vars: [../../params.yaml, params.yaml]
stages:
  prism_cluster:
    wdir: ../..
    matrix: {edition: "${prism.editions}"}
    cmd: x
    outs: ["datasets/prism/cluster/${item.edition}"]
"""


def test_commands_know_the_tables_of_steps(project: Path) -> None:
    """Also of one that failed before it had a table."""

    def fail(slots: Slots[Any]) -> None:
        raise UserError("nobody answers")

    def candidates(slots: Slots[Any]) -> None:
        slots.write([{"id": "a-00000000", "status": "ok"}])

    FILE.parent.mkdir(parents=True)
    FILE.write_text(EDITIONS_TOO)
    Path("dvc.yaml").write_text("stages: {}")
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    fakes.write_editions(editions=["v1"])
    stage = Stage("cluster", steps=(Step(candidates, {}), Step(fail, {})))
    params = fakes.proposing_prompts()
    with pytest.raises(UserError, match="nobody answers"):
        run_stage(Slots(Construction("prism", type(params), (stage,)), params, "v1"), stage)
    folder = Path("datasets/prism/cluster/v1")
    assert {name: table for name, (_, table) in pipeline.tables().items()} == {
        "prism.candidates@v1": folder / "candidates",
        "prism.fail@v1": folder / "fail",
    }
    assert pipeline.table_of("prism.fail@v1") == folder / "fail"
    assert pipeline.stage_of(folder / "candidates") == "prism.candidates@v1"
    assert pipeline.address(pipeline.maker_of("prism.fail@v1")) == "stages/editions/dvc.yaml:prism_cluster@v1"
    with pytest.raises(UserError, match=r"there is no stage 'prism\.candidate@v1'"):
        pipeline.table_of("prism.candidate@v1")
