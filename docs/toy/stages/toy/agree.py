"""How far judges and people agree."""

from stages.evaluation.bodies import agree
from stages.toy.benchmark import TOY

if __name__ == "__main__":
    agree.run(TOY)
