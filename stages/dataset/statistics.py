"""What became of every candidate, and what the release holds: metrics, plots, data card and contact sheet.

FLUX-Reason-6M, section 2 and figure 4.
"""

from __future__ import annotations

from gamut.dataset.reporting.statistics import statistics
from gamut.pipeline.steps import start
from stages.dataset.pipeline import STATISTICS

if __name__ == "__main__":
    start(STATISTICS, statistics)
