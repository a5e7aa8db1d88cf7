"""What params.yaml says of the calibration."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from gamut.project.model_kinds import Share
from gamut.project.validation import Strict


class Calibrate(Strict):
    """A person's labels (a .csv in git; null: the truth of the embedded world), and what a threshold is known to have
    before it is suggested.
    """

    labels: Annotated[str, StringConstraints(pattern=r"^datasets/labels(/[^./][^/]*)+\.csv$")] | None
    least_precision: Share
    least_recall: Share
