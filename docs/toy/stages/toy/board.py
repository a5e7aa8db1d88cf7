"""The board of all contestants."""

from stages.evaluation.bodies import board
from stages.toy.benchmark import TOY

if __name__ == "__main__":
    board.run(TOY)
