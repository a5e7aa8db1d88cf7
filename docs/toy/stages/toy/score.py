"""The scores of a contestant."""

from stages.evaluation.bodies import score
from stages.toy.benchmark import TOY

if __name__ == "__main__":
    score.run(TOY)
