"""What stands between a painted picture and the selection, in order. A new filter is a file beside this one, with a
STEP as in `proofread`, and a word here: `select` leaves out what it rejects.
"""

from __future__ import annotations

from gamut.pipeline.asks import Asks
from stages.dataset import admit, categorize, examine, proofread, score

FILTERS = tuple(module.STEP for module in (examine, admit, score, categorize, proofread))
SELECTING = tuple(
    step
    for step in FILTERS
    if isinstance(step, Asks) and all(filter_.parameter.startswith("select.") for filter_ in step.filters)
)
"""Those about whose scores `select` itself decides."""
