"""The same of degraded pictures."""

from stages.evaluation.bodies import judge_controls
from stages.toy.benchmark import TOY

if __name__ == "__main__":
    judge_controls.run(TOY)
