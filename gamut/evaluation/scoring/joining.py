"""Scores of joint measures: each sample in one setting is held against the same on another, before anything is averaged
over samples. The sum of what is right on either side would not tell who is right on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from gamut.evaluation.defining.measures import Joint, Place, Scale
from gamut.evaluation.scoring.scores import JUDGED, NOT_ASKED, OK, mean, reason, score_key
from gamut.tables.columns import Row


class SampleValues(NamedTuple):
    """The values of a sample in one setting, and why each that was expected is lacking."""

    values: Sequence[float]
    lacking: Sequence[str]

    @property
    def why(self) -> str | None:
        """Why there is no value at all; None where there is one."""
        return None if self.values else deciding_reason(self.lacking or [NOT_JUDGED])


NOT_JUDGED = f"{JUDGED}not_asked"
ABSENT = SampleValues((), ("answered.not_asked",))
"""Of a sample that is there in the other setting alone."""


def joint_scores(
    answers: Iterable[Row],
    judgments: Mapping[str, Iterable[Row]],
    places: Mapping[str, Place],
    expected: Callable[[str, str], Mapping[str, int]],
    scales: Mapping[str, Scale],
    joint: Sequence[Joint],
) -> Iterator[Row]:
    """Yield the joint scores of one contestant, like `item_scores`: a row an item that is put in both settings.

    `scored` counts samples with a value in both; `left_out` says why each other one has none. The least and the most of
    such a sample are what it could be if anything were true of what is not there.
    """
    observed, lasts = {place for one in joint for place in one.made_of}, {one.settings[-1] for one in joint}
    answered: dict[tuple[str, str], dict[int, str]] = {}
    for row in answers:
        answered.setdefault((row["setting"], row["item"]), {})[row["sample"]] = reason(row)
    wanted = {(setting, item): expected(item, setting) for setting, item in answered}
    for judge, rows in judgments.items():
        judged: dict[tuple[str, str, str], dict[int, list[Row]]] = {}
        for row in rows:
            key = row["setting"], row["item"], row["question"]
            judged.setdefault(key, {}).setdefault(row["sample"], []).append(row)
        for last, item in (key for key in answered if key[0] in lasts):
            seen = {
                (setting, of): sample_values(
                    there, judged.get((setting, item, of), {}), wanted[setting, item].get(of, 0)
                )
                for setting, of in observed
                if (there := answered.get((setting, item)))
            }
            for one in joint:
                first, second = (seen.get(place) for place in one.made_of)
                if first and second and last == one.settings[-1]:
                    values = joint_score(one, first, second, [scales[of] for of in one.of])
                    yield score_key(item, places[item], last, judge, one.measure) | values


def sample_values(
    reasons: Mapping[int, str], judgments: Mapping[int, Sequence[Row]], each: int
) -> dict[int, SampleValues]:
    """`reasons`, `judgments`: by sample, of which `each` judgments are expected."""
    if not (each or judgments):
        return {}
    found = {}
    for sample in sorted({*reasons, *judgments}):
        rows, answered = judgments.get(sample, ()), reasons.get(sample, OK)
        why = NOT_JUDGED if answered == OK else answered
        failed = [f"{JUDGED}{row['status']}" for row in rows if row["status"] != "ok"]
        values = [row["value"] for row in rows if row["status"] == "ok"]
        found[sample] = SampleValues(values, [*failed, *[why] * (each - len(rows))])
    return found


def joint_score(
    one: Joint, first: Mapping[int, SampleValues], last: Mapping[int, SampleValues], scales: Sequence[Scale]
) -> Row:
    values, least, most, left_out = list[float](), list[float](), list[float](), list[str]()
    for sample in sorted({*first, *last}):
        both = first.get(sample, ABSENT), last.get(sample, ABSENT)
        lacking = [seen.why for seen in both if seen.why is not None]
        if lacking:
            left_out.append(deciding_reason(lacking))
            if left_out[-1] == NOT_ASKED:
                continue
        else:
            values.append(one.value(*(fmean(seen.values) for seen in both)))
        whole = not lacking and not any(seen.lacking for seen in both)
        ends = (sample_bounds(seen, scale) for seen, scale in zip(both, scales, strict=True))
        could_be = values[-1:] if whole else [one.value(*corner) for corner in product(*ends)]
        least.append(min(could_be))
        most.append(max(could_be))
    return {
        "value": mean(values),
        "low": mean(least),
        "high": mean(most),
        "scored": len(values),
        "left_out": left_out,
        "off_task": False,
    }


def least_joint_value(one: Joint, known: Sequence[float | None], scales: Sequence[Scale]) -> float:
    """Return the least that a sample's joint value can be; `known`: in each setting, None for what may be anything."""
    ends = (scale if value is None else (value,) for value, scale in zip(known, scales, strict=True))
    return min(one.value(*corner) for corner in product(*ends))


def depends_on_values(one: Joint, there: Sequence[bool], scales: Sequence[Scale]) -> bool:
    """Whether the least joint value of a sample depends on what is true of the settings that are there."""
    ends: list[Sequence[float | None]] = [scale if own else (None,) for own, scale in zip(there, scales, strict=True)]
    return len({least_joint_value(one, corner, scales) for corner in product(*ends)}) > 1


def deciding_reason(reasons: Sequence[str]) -> str:
    """Return the reason that counts of several: that it could not be put, else the contestant's, else the judge's."""
    return NOT_ASKED if NOT_ASKED in reasons else min(reasons)


def sample_bounds(seen: SampleValues, scale: Scale) -> tuple[float, float]:
    """The least and the most that a sample's average can be, whatever is true of what is not there."""
    lacking = len(seen.lacking) or (0 if seen.values else 1)
    least, most = ([*seen.values, *[end] * lacking] for end in scale)
    return fmean(least), fmean(most)
