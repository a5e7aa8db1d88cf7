"""How far PRISM-Bench's judges agree with each other, with themselves and with people."""

from __future__ import annotations

from stages.evaluation.bodies import agree
from stages.prism.benchmark import PRISM

if __name__ == "__main__":
    agree.run(PRISM)
