"""Whether a picture's text is the same test as an item's, in other words or another language: pair by pair."""

from __future__ import annotations

from stages.asking.run import ask
from stages.dataset.leaks.question import asking_pairs
from stages.dataset.shared.joins import SAME_TESTS, SUSPECTED
from stages.dataset.shared.parameters import Params
from stages.project.stage import main


def same_test(params: Params) -> None:
    """Ask about every pair of texts that lie near each other."""
    judge, most = params.role_model("judge"), params.hold_out.max_failures
    ask(asking_pairs("same_test", judge, SUSPECTED, SAME_TESTS, params.seed, most))


if __name__ == "__main__":
    main("same_test", same_test, Params)
