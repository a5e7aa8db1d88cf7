"""One contestant paints every prompt of the edition, in each language that it knows."""

from __future__ import annotations

from stages.evaluation.bodies import answer
from stages.prism.benchmark import PRISM

if __name__ == "__main__":
    answer.run(PRISM)
