"""UGC: resemblance to reference pictures; and means of tasks."""

from __future__ import annotations

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Linear
from stages.gir.shared.benchmark import setting_metric
from stages.gir.shared.measures.similarity import released_score, score

SIMILARITIES = {
    # answer, references, released, right
    "the same": ([3, 4], [[6, 8]], 1, 1),
    "mean of two": ([1, 0], [[1, 0], [0, 5]], 0.5, 0.5),  # (1 + 0) / 2
    "by cosines": ([3, 4], [[1, 0], [0, 1]], 0.7, 0.7),  # (3/5 + 4/5) / 2
    "across": ([1, 0], [[0, 1]], 0, 0),
    "away": ([1, 0], [[-1, 0]], -1, 0),  # the scale begins at 0
    "one away": ([1, 0], [[1, 0], [-3, 4]], 0.2, 0.2),  # (1 - 3/5) / 2: it is the mean that is cut off
}


@pytest.mark.parametrize(("answer", "references", "as_released", "right"), SIMILARITIES.values(), ids=SIMILARITIES)
def test_similarity(answer: list[float], references: list[list[float]], as_released: float, right: float) -> None:
    one, others = np.array(answer, np.float32), np.array(references, np.float32)
    assert released_score(one, others) == pytest.approx(as_released)
    assert score(one, others) == pytest.approx(right)


def test_vectors_without_a_direction() -> None:
    one, others = np.ones(3, np.float32), np.ones((2, 3), np.float32)
    for answer in (one * 0, one * np.nan, one * np.inf):
        with pytest.raises(ValueError, match="a vector is zero or not finite"):
            score(answer, others)
    for references in (others[:0], others[:, :2], one):
        with pytest.raises(ValueError, match="cannot be compared"):
            score(one, references)


def test_means_of_the_published_table() -> None:
    """(.056 + .287 + .163) / 3 = .1687; with chain of thought (.249 + .460 + .120) / 3 = .2763. `relations`, which
    stands beside, adds nothing.
    """
    overall = setting_metric("t2i").reported["overall"]
    assert isinstance(overall, Linear)
    for printed, mean in (([0.056, 0.287, 0.163], 16.867), ([0.249, 0.460, 0.120], 27.633)):
        assert overall.factors @ [*printed, 0.5] == pytest.approx(mean, abs=0.001)
