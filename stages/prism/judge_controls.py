"""One judge looks at degraded twins of one contestant's pictures."""

from __future__ import annotations

from stages.evaluation.bodies import judge_controls
from stages.prism.benchmark import PRISM

if __name__ == "__main__":
    judge_controls.run(PRISM)
