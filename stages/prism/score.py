"""One contestant's scores by item, and its averages with intervals."""

from __future__ import annotations

from stages.evaluation.bodies import score
from stages.prism.benchmark import PRISM

if __name__ == "__main__":
    score.run(PRISM)
