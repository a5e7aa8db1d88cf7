"""Who is ahead: a verdict a board, all of a benchmark tested together; of equals they say level."""

from __future__ import annotations

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Scale, averages, ends_of
from gamut.evaluation.scoring.comparison import difference_at_level, differences
from gamut.evaluation.scoring.pairwise import Comparison
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.inference import LEVEL
from gamut.evaluation.scoring.verdicts import Verdict, board_verdicts

MEASURES = {"fit": Scale(0, 10)}
METRICS = {name: averages(name, ("all",), MEASURES) for name in ("en", "zh")}
ITEMS = 40


def board(metric: str, first: np.ndarray, second: np.ndarray, trusted: bool = True, start: int = 0) -> Comparison:
    """Two entrants with these scores 0..10 of items from `start` on."""
    ours, theirs = (Bounds(one[:, None], one[:, None]) for one in (first, second))
    strata, reported = np.zeros(len(first), np.int64), {"overall": METRICS[metric].reported["overall"]}
    found = differences(ours, theirs, strata, reported, ends_of(METRICS[metric], MEASURES))
    items = [f"item{n}" for n in range(start, start + len(first))]
    return Comparison("prism", "a", "b", metric, "judge", found, trusted, items)


def drawn(seed: int, gain: float = 0.0) -> list[np.ndarray]:
    """Scores of two draws of one model on the same items, the second with a gain."""
    chance = np.random.default_rng(seed)
    hard = chance.normal(6, 1, ITEMS)
    return [np.clip(hard + chance.normal(0, 1.5, ITEMS) + of, 0, 10) for of in (0.0, gain)]


def words(*boards: Comparison) -> list[str]:
    return [one.word for one in board_verdicts(boards, METRICS, 0)]


def test_of_equals_no_board_says_anything_but_level() -> None:
    """Of 400 pairs 5 % are 20, give or take twice (400 * .05 * .95) ** .5 = 4.36."""
    told = [words(board("en", *drawn(seed)), board("zh", *drawn(10_000 + seed))) for seed in range(400)]
    assert sum(one != ["level", "level"] for one in told) <= 28


def test_what_differs_is_ahead_or_behind() -> None:
    low, high = drawn(1, 1.5)
    assert words(board("en", low, high), board("zh", high, low)) == ["ahead", "behind"]


def test_the_interval_of_two_boards_together_is_wider_than_of_one_alone() -> None:
    en, zh = board("en", *drawn(2, 1)), board("zh", *drawn(3), start=20)  # half of the items are of both
    alone = difference_at_level(en.differences[0], LEVEL)
    [one], both = board_verdicts([en], METRICS, 0), board_verdicts([en, zh], METRICS, 0)
    assert one.difference is not None and both[0].difference is not None
    assert (one.difference.low, one.difference.high) == (alone.low, alone.high)
    assert both[0].difference.low < alone.low < alone.high < both[0].difference.high  # type: ignore[operator]


def test_an_interval_that_holds_0_is_level_however_small_p_is() -> None:
    """p goes down in steps: of two boards the surer one lends the other its p, and no interval."""
    near = next(seed for seed in range(1000) if is_between(board("en", *drawn(seed, 0.5))))
    en, zh = board("en", *drawn(near, 0.5)), board("zh", *drawn(7, 3))
    level, ahead = board_verdicts([en, zh], METRICS, 0)
    assert (level.word, ahead.word) == ("level", "ahead")
    assert level.difference is not None and level.difference.p_adjusted < 0.05
    assert level.difference.low < 0 < level.difference.high  # type: ignore[operator]


def is_between(one: Comparison) -> bool:
    """Known alone, and not beside a second board."""
    return 0.03 < one.differences[0].p < 0.045 and one.differences[0].difference > 0


def test_a_judge_that_failed_its_validation_gives_no_verdict_and_makes_no_interval_wider() -> None:
    low, high = drawn(1, 1.5)
    en, zh = board("en", low, high), board("zh", low, high, trusted=False)
    told, failed = board_verdicts([en, zh], METRICS, 0)
    assert told.values() == board_verdicts([en], METRICS, 0)[0].values() and told.word == "ahead"
    assert failed == Verdict("zh", "judge", why="judge failed its validation as a judge")
    assert failed.values()["verdict"] == "unknown" and failed.values()["difference"] is None


@pytest.mark.parametrize(
    ("items", "why"), [(1, "too few items for an interval"), (0, "the value that ranks is missing")]
)
def test_of_too_few_items_nothing_is_known(items: int, why: str) -> None:
    one = board("en", np.full(1, 5.0), np.full(1, 9.0))
    one = one if items else Comparison("prism", "a", "b", "en", "judge", [], items=one.items)
    [told] = board_verdicts([one], METRICS, 0)
    assert (told.word, told.why) == ("unknown", why)
