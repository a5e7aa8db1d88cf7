"""What follows from the dataset's records: what each step is given, on what it depends, what may be left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import Step, module_of, parameters_of_step, stage_of
from gamut.project.errors import UserError
from gamut.project.pipeline import PARAMS
from gamut.project.validation import check_values
from gamut.tables.columns import ASKED
from stages.dataset import admit, annotate, brainstorm, examine, hold_out, proofread, score, seeds
from stages.dataset.pipeline import ASKING, DECIDING, STAGES, STEPS, Params
from tests import fakes

FURTHER = {"source_rows", "hashed_pictures", "picture_hashes", "picture_versions"}
"""Tables that are not called as the step that writes them."""


def given(step: Step, **changes: Any) -> Any:
    return check_values(parameters_of_step(step), fakes.values(**changes), PARAMS)


def test_a_step_checks_its_own_block_and_no_other() -> None:
    wrong = {"clarity": 11, "structure": 6}
    assert given(seeds.STEP, admit=wrong).seeds.count == 4
    with pytest.raises(UserError, match=r"^params\.yaml: admit\.clarity: 11 "):
        given(admit.STEP, admit=wrong)
    assert not hasattr(given(admit.STEP), "models") and given(examine.STEP).role_model("judge").slug == "gpt"


def test_what_decides_nothing_may_be_left_out() -> None:
    values = fakes.values()
    for block in list(values.values()):
        if isinstance(block, dict):
            block.pop("max_failures", None)
    for step in ASKING:
        if values.get(step.name) == {} and step is not annotate.STEP:
            del values[step.name]
    params = check_values(Params, values, PARAMS)
    shares = {getattr(params, next(iter(step.parameters))).max_failures for step in ASKING if step.name != "brainstorm"}
    assert shares == {0.01} and params.brainstorm.max_failures == 0
    scoring: Any = check_values(parameters_of_step(score.STEP), values, PARAMS)
    assert scoring.score.max_failures == 0.01
    del values["admit"]
    with pytest.raises(UserError, match=r"^params\.yaml: admit: this key is missing: profiles/defaults"):
        check_values(Params, values, PARAMS)


def test_what_decides_nothing_runs_nothing_again() -> None:
    assert examine.STEP.keys() == ["seed", "roles.judge", "models.${roles.judge}"]
    assert brainstorm.STEP.keys() == ["seed", "brainstorm", "roles.seed_writer", "models.${roles.seed_writer}"]
    assert hold_out.STEP.keys() == ["hold_out", "near_duplicates"]


def test_a_table_is_called_as_its_step_and_has_what_it_says() -> None:
    outs = {one if isinstance(one, str) else next(iter(one)) for step in STEPS for one in stage_of(step).outs}
    assert {str(step.table) for step in (*ASKING, *DECIDING)} <= outs
    for step in ASKING:
        assert list(step.schema)[-len(ASKED) :] == ASKED and step.schema.names[0] == "id"
        assert {filter_.column for filter_ in step.filters} <= {*step.schema.names}
    assert all("reason" in step.schema.names for step in DECIDING)
    expected = pa.schema(
        [("id", pa.string()), ("transcription", pa.string())]
        + [(f"score_{name}", pa.int8()) for name in ("contrast", "letterforms", "sense")]
        + [("rationale", pa.string()), *((field.name, field.type) for field in ASKED)]
    )
    assert proofread.STEP.schema == expected  # as its reply has them, the reason last


@pytest.mark.parametrize("step", STAGES, ids=lambda step: step.name)
def test_a_step_reads_tables_of_steps_before_it(step: Step) -> None:
    before = {one.name for one in STAGES[: STAGES.index(step)]} | FURTHER
    assert {name for name in step.reads.split() if "/" not in name} <= before
    assert Path(*module_of(step).split(".")).with_suffix(".py").name == f"{step.name}.py"
    if isinstance(step, Asks):
        assert step.requests is not None or step.role.endswith("embedder"), "`gamut estimate` would not count it"
