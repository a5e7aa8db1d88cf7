"""Precision and recall of every filter and characteristic against labels, and the thresholds that they speak for.

FLUX-Reason-6M, section 2.3. A leaf: `gamut calibrate --apply` carries suggested thresholds into params.yaml.
"""

from __future__ import annotations

from gamut.dataset.calibration.calibrate import calibrate
from gamut.pipeline.steps import start
from stages.dataset.pipeline import CALIBRATE

if __name__ == "__main__":
    start(CALIBRATE, calibrate)
