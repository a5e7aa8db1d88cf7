"""A judge says of every statement whether it holds."""

from stages.evaluation.bodies import judge
from stages.toy.benchmark import TOY

if __name__ == "__main__":
    judge.run(TOY)
