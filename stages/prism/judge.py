"""One judge looks at every picture of one contestant: how well it fits its prompt, and how it looks."""

from __future__ import annotations

from stages.evaluation.bodies import judge
from stages.prism.benchmark import PRISM

if __name__ == "__main__":
    judge.run(PRISM)
