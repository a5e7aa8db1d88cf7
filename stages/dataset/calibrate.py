"""Precision and recall of every filter and characteristic against labels, and the thresholds that they suggest.

FLUX-Reason-6M, section 2.3. No stage depends on it; `gamut calibrate --apply` writes suggestions into params.yaml.
"""

from __future__ import annotations

from gamut.dataset.calibration.calibrate import calibrate
from gamut.pipeline.steps import start
from stages.dataset.pipeline import CALIBRATE

if __name__ == "__main__":
    start(CALIBRATE, calibrate)
