"""The dataset's steps of this project. Only this module of the library imports them.

Other modules get the list of steps, their parameters, or a single step from here; `gamut.pipeline` defines what a step
is.
"""

from __future__ import annotations

from stages.dataset import embed_items as embed_items
from stages.dataset import prompts as prompts
from stages.dataset import resemble as resemble
from stages.dataset import safety as safety
from stages.dataset import same_test as same_test
from stages.dataset import synthesize as synthesize
from stages.dataset.choosing import NOT_CHOSEN, SCORING
from stages.dataset.lengths import LENGTHS
from stages.dataset.pipeline import ASKING, CALIBRATE, DECIDING, SHOWN, STAGES, STATISTICS, STEPS, Params, filters
from stages.dataset.release import CAPTION_COLUMNS
from stages.dataset.release import SCHEMA as RELEASE_SCHEMA
from stages.dataset.select import REPEATED

__all__ = [
    "ASKING",
    "CALIBRATE",
    "CAPTION_COLUMNS",
    "DECIDING",
    "LENGTHS",
    "NOT_CHOSEN",
    "RELEASE_SCHEMA",
    "REPEATED",
    "SCORING",
    "SHOWN",
    "STAGES",
    "STATISTICS",
    "STEPS",
    "Params",
    "filters",
]
