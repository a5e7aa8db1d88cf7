"""Scores under conditions: values that count only with others, such as being free of a fault if the requested thing
exists; samples in two settings together; items that a contestant is not asked.

A joint measure compares each sample in one setting with the same sample in another, before averages over samples are
computed: the sum of what is right in each would not show what is right in both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.measures import Joint, Place, Scale
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.defining.settings import off_task_answers
from gamut.evaluation.scoring.scores import JUDGED, NOT_ASKED, OFF_TASK, OK, answer_reason, mean, score_key
from gamut.project.plain_text import amount
from gamut.tables.columns import Row


class SampleValues(NamedTuple):
    """The values of a sample in one setting, and the reason for each expected value that is missing."""

    values: Sequence[float]
    lacking: Sequence[str]

    @property
    def why(self) -> str | None:
        """The reason if there is no value at all; None if there is one."""
        return None if self.values else deciding_reason(self.lacking or [NOT_JUDGED])


NOT_JUDGED = f"{JUDGED}not_asked"
ABSENT = SampleValues((), ("answered.not_asked",))
"""A sample that exists only in the other setting."""


def joint_scores(
    answers: Iterable[Row],
    judgments: Mapping[str, Iterable[Row]],
    places: Mapping[str, Place],
    expected: Callable[[str, str], Mapping[str, int]],
    scales: Mapping[str, Scale],
    joint: Sequence[Joint],
) -> Iterator[Row]:
    """Yield the joint scores of one contestant, like `item_scores`: a row for each item that is asked in both settings.

    `scored` counts samples with a value in both. `left_out` has the reason for each other one. The lowest and highest
    value of such a sample are its possible values if anything may be true of the missing part.
    """
    observed, lasts = {place for one in joint for place in one.made_of}, {one.settings[-1] for one in joint}
    answered: dict[tuple[str, str], dict[int, str]] = {}
    for row in answers:
        answered.setdefault((row["setting"], row["item"]), {})[row["sample"]] = answer_reason(row)
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
    """Return the values of each sample. `reasons`, `judgments`: by sample; each has `each` expected judgments."""
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
    """Return the lowest possible joint value of a sample. `known`: in each setting, None for an unknown value."""
    ends = (scale if value is None else (value,) for value, scale in zip(known, scales, strict=True))
    return min(one.value(*corner) for corner in product(*ends))


def depends_on_values(one: Joint, known: Sequence[bool], scales: Sequence[Scale]) -> bool:
    """Whether the lowest joint value of a sample depends on its values in the settings that exist."""
    ends: list[Sequence[float | None]] = [scale if own else (None,) for own, scale in zip(known, scales, strict=True)]
    return len({least_joint_value(one, corner, scales) for corner in product(*ends)}) > 1


def deciding_reason(reasons: Sequence[str]) -> str:
    """Return the reason that counts: could not be asked, else the contestant's, else the judge's."""
    return NOT_ASKED if NOT_ASKED in reasons else min(reasons)


def sample_bounds(sample: SampleValues, scale: Scale) -> tuple[float, float]:
    """Return the lowest and highest possible average of a sample, whatever its missing values are."""
    lacking = len(sample.lacking) or (0 if sample.values else 1)
    least, most = ([*sample.values, *[end] * lacking] for end in scale)
    return fmean(least), fmean(most)


CONDITIONAL_REASON = "counts only where another value is above 0"
"""The reason of a row whose value counts differently from how it was given."""
Conditional = Mapping[str, Mapping[str, Collection[int]]]
"""By an item's id and a measure, the values that count only with another one."""


def conditional_in(benchmark: AnyBenchmark, items: Sequence[Item]) -> Conditional:
    return {str(item.id): found for item in items if (found := benchmark.conditional(item))}


def counted_values(values: Mapping[int, float | None], conditional: Collection[int]) -> dict[int, float | None]:
    """Return what the values of one measure in one judgement count, by part. Of `conditional` ones: 0 if none of the
    others is above 0, None if the others have no value.
    """
    others = [value for part, value in values.items() if part not in conditional]
    if not conditional or any(others):
        return dict(values)
    beside = None if None in others else 0.0
    return {part: beside if part in conditional and value else value for part, value in values.items()}


def counted_rows(rows: Iterable[Row], conditional: Conditional) -> Iterable[Row]:
    """Return one rater's judgments with the values that they count, and the reason if a value changed. A judgment
    without a value because others have none gets the status of the first of these.
    """
    if not conditional:
        return rows
    listed, judgements = list(rows), dict[tuple[str, str, str, int, int], list[int]]()
    for place, row in enumerate(listed):
        if row["question"] in conditional.get(row["item"], ()):
            key = row["item"], row["question"], row["setting"], row["sample"], row["repeat"]
            judgements.setdefault(key, []).append(place)
    for (item, measure, *_), places in judgements.items():
        parts = conditional[item][measure]
        counts = counted_values({listed[place]["part"]: listed[place]["value"] for place in places}, parts)
        own = [listed[place] for place in places]
        failed = [row["status"] for row in own if row["value"] is None and row["part"] not in parts]
        for place, row in zip(places, own, strict=True):
            if (value := counts[row["part"]]) != row["value"]:
                status = failed[0] if value is None else row["status"]
                listed[place] = row | {"value": value, "status": status, "reason": CONDITIONAL_REASON}
    return listed


NO_SCORE: Row = dict.fromkeys(("spec", "value", "low", "high")) | {"scored": 0, "off_task": True}


def off_task_scores(
    benchmark: AnyBenchmark,
    params: Params,
    contestant: str,
    items: Sequence[Any],
    judges: Sequence[str],
    settings: Collection[str],
) -> Iterator[Row]:
    """Yield the scores, all null, of items that ask a contestant for a task that it does not do."""
    by_id, block = {str(item.id): item for item in items}, benchmark.block(params)
    for judge, (name, setting) in product(judges, sorted(off_task_answers(benchmark, params, contestant, items))):
        if setting not in settings:
            continue
        place = benchmark.place(by_id[name])
        for measure, count in benchmark.expected(block, by_id[name], setting, block.repeats).items():
            yield score_key(name, place, setting, judge, measure) | NO_SCORE | {"left_out": [OFF_TASK] * count}
        for one in benchmark.joint:
            if setting in one.settings:
                yield score_key(name, place, one.settings[-1], judge, one.measure) | NO_SCORE | {"left_out": []}


def off_task_in_words(scores: Sequence[Row]) -> str | None:
    """Return how many items a contestant does not do; None if it was asked all."""
    without = {score["item"] for score in scores if score.get("off_task")}
    if not without:
        return None
    return f"{amount(len(without), 'item')} of {len({score['item'] for score in scores}):,} ask for what it does not do"
