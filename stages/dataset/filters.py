"""The filters between a painted picture and the selection, in order. A new filter is a file with a STEP as in
`proofread`, next to this file and named here, or your own in `stages/mine`. `select` leaves out what it rejects.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import Decides, Step
from gamut.project.code import OWN, is_module, own_modules, path_of
from gamut.project.errors import UserError

# Own steps are found by name; this import makes them part of the code of all that imports the filters.
from stages import mine as mine
from stages.dataset import admit, categorize, examine, follow, proofread, safety, score


def own_steps() -> Iterator[Step]:
    """Yield the steps of `stages/mine`, in order of their modules; UserError if a step is not named like its module."""
    for name in own_modules():
        step = getattr(import_module(name), "STEP", None)
        if step is None:
            continue
        if f"{OWN}.{step.name}" != name:
            raise UserError(f"{path_of(name)}: its STEP is named {step.name!r}: give it the name of its module")
        if is_module(f"stages.dataset.{step.name}"):
            raise UserError(f"{path_of(name)}: there is a step {step.name!r} in stages/dataset: choose another name")
        yield step


FILTERS = (*(module.STEP for module in (examine, admit, score, categorize, safety, proofread, follow)), *own_steps())
SELECTING = tuple(
    step
    for step in FILTERS
    if isinstance(step, Asks) and step.filters and all(one.parameter.startswith("select.") for one in step.filters)
)
"""The filters whose scores `select` itself compares with thresholds."""
OWN_DECISIONS = tuple(
    step for step in own_steps() if isinstance(step, Decides) and {"id", "kept", "reason"} <= {*step.schema.names}
)
"""Own steps that decide about pictures without a model: `select` leaves out what they do not keep."""
