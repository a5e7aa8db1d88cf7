"""Values that count only beside another one: what each judgement counts, whatever it lacks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gamut.evaluation.scoring.conditions import WHY, counted, counted_rows
from gamut.tables.columns import Row

HANGING = (1, 2)
"""Of the parts 0 to 2 these count only beside the first."""


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ((1, 1, 0), (1, 1, 0)),
        ((0, 1, 0), (0, 0, 0)),
        ((None, 1, 0), (None, None, 0)),  # whether it counts hangs on what nobody knows; 0 is 0 in any case
        ((0, None, 1), (0, None, 0)),
        ((1, None, 1), (1, None, 1)),
    ],
)
def test_what_is_conditional_counts_beside_another_one_that_is_met(
    values: Sequence[float | None], counts: Sequence[float | None]
) -> None:
    assert tuple(counted(dict(enumerate(values)), HANGING).values()) == counts
    assert tuple(counted(dict(enumerate(values)), ()).values()) == tuple(values)


def row(part: int, value: float | None, status: str = "ok", sample: int = 0, repeat: int = 0, item: str = "a") -> Row:
    place = {"item": item, "setting": "raw", "sample": sample, "repeat": repeat, "question": "met"}
    return place | {"part": part, "value": value, "status": status}


def test_each_repeat_of_each_answer_is_a_judgement_of_its_own() -> None:
    rows = [
        *(row(0, 0), row(1, 1)),
        *(row(0, 1, repeat=1), row(1, 1, repeat=1)),
        *(row(1, 1, sample=1), row(0, None, "refused_judge", sample=1)),
        row(1, 1, sample=2),  # the answer came in part, without what the first is about
        *(row(0, 0, item="b"), row(1, 1, item="b")),
    ]
    found = [(one["value"], one["status"]) for one in counted_rows(rows, {"a": {"met": HANGING}})]
    assert found == [
        *((0, "ok"), (0, "ok")),
        *((1, "ok"), (1, "ok")),
        *((None, "refused_judge"), (None, "refused_judge")),
        (0, "ok"),
        *((0, "ok"), (1, "ok")),
    ]
    assert list(counted_rows(rows, {})) == rows
    [_, turned, *_] = counted_rows(rows, {"a": {"met": HANGING}})
    assert turned["reason"] == WHY and "reason" not in rows[1], "verdicts stay as they were given"
