"""The boards of PRISM-Bench: one a language and judge (FLUX-Reason-6M and PRISM-Bench, tables 1 to 4)."""

from __future__ import annotations

from stages.evaluation.bodies import board
from stages.prism.benchmark import PRISM

if __name__ == "__main__":
    board.run(PRISM)
