"""One contestant paints every item."""

from stages.evaluation.bodies import answer
from stages.toy.benchmark import TOY

if __name__ == "__main__":
    answer.run(TOY)
