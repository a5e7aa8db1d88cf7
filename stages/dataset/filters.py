"""What stands between a painted picture and the selection, in order. A new filter is a file with a STEP as in
`proofread`: beside this one and named here, or your own in `stages/mine`. `select` leaves out what it rejects.
"""

from __future__ import annotations

from importlib import import_module

from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import Step
from gamut.project.code import own_modules
from stages import mine as mine
from stages.dataset import admit, categorize, examine, proofread, score

OWN: tuple[Step, ...] = tuple(module.STEP for module in map(import_module, own_modules()) if hasattr(module, "STEP"))
"""Steps of one's own, by their modules' names."""
FILTERS = (*(module.STEP for module in (examine, admit, score, categorize, proofread)), *OWN)
SELECTING = tuple(
    step
    for step in FILTERS
    if isinstance(step, Asks) and step.filters and all(one.parameter.startswith("select.") for one in step.filters)
)
"""Those about whose scores `select` itself decides."""
