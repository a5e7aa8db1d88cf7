"""Values that count only beside others, whatever a judgement lacks; and samples in two settings at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.defining.measures import Column, Joint, Linear, Metric, Place, Scale
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.scoring.conditions import CONDITIONAL_REASON, counted_rows, counted_values, joint_scores
from gamut.evaluation.scoring.scores import (
    by_metric_and_judge,
    coverage,
    item_scores,
    judged_share,
    left_out_counts,
    parts_of_joint,
    unjudged_in_words,
)
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
    assert tuple(counted_values(dict(enumerate(values)), HANGING).values()) == counts
    assert tuple(counted_values(dict(enumerate(values)), ()).values()) == tuple(values)


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
    assert turned["reason"] == CONDITIONAL_REASON and "reason" not in rows[1], "verdicts stay as they were given"


SIDES = ("text", "picture")
JOINT = [
    Joint("both", SIDES, ("right", "right"), lambda t, i: t * i),
    Joint("text_only", SIDES, ("right", "right"), lambda t, i: t * (1 - i)),
    Joint("picture_only", SIDES, ("right", "right"), lambda t, i: (1 - t) * i),
    Joint("neither", SIDES, ("right", "right"), lambda t, i: (1 - t) * (1 - i)),
]
SCALES = dict.fromkeys(("right", *(one.measure for one in JOINT)), VERDICTS)
PLACES = {"a": Place("sums", ("sums",)), "b": Place("sums", ("sums",))}


def answer(setting: str, sample: int = 0, status: str = "ok", item: str = "a") -> Row:
    replies = [] if status == "invalid_input" else [{}]
    return {"item": item, "setting": setting, "sample": sample, "status": status, "replies": replies}


def said(setting: str, value: float | None, sample: int = 0, status: str = "ok", item: str = "a") -> Row:
    return {"item": item, "setting": setting, "sample": sample, "question": "right", "value": value, "status": status}


def of(
    answers: Sequence[Row], observed: Sequence[Row], each: int = 1, joint: Sequence[Joint] = JOINT
) -> dict[str, tuple[float | None, float | None, float | None, int, list[str]]]:
    """Value, low, high, scored and left_out of item a's joint scores, by measure."""
    rows = joint_scores(answers, {"judge": observed}, PLACES, lambda item, setting: {"right": each}, SCALES, joint)
    of_a = [row for row in rows if row["item"] == "a"]
    assert all((row["setting"], row["judge"], row["stratum"]) == ("picture", "judge", "sums") for row in of_a)
    return {row["measure"]: (row["value"], row["low"], row["high"], row["scored"], row["left_out"]) for row in of_a}


def shown(text: Sequence[float], picture: Sequence[float]) -> dict[str, float | None]:
    """The values of an item whose samples are right so."""
    settings = zip(SIDES, (text, picture), strict=True)
    observed = [said(setting, value, sample) for setting, values in settings for sample, value in enumerate(values)]
    answers = [answer(row["setting"], row["sample"]) for row in observed]
    return {measure: value for measure, (value, *_) in of(answers, observed).items()}


def test_at_equal_margins_alike_independent_and_apart_are_told_apart() -> None:
    """Half of the samples are right on either side; all averages are .5, what is right on both .5, .25 and 0."""
    names = ("both", "text_only", "picture_only", "neither")
    alike, independent, apart = [1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]
    assert shown([1, 1, 0, 0], alike) == dict(zip(names, (0.5, 0, 0, 0.5), strict=True))
    assert shown([1, 1, 0, 0], independent) == dict.fromkeys(names, 0.25)
    assert shown([1, 1, 0, 0], apart) == dict(zip(names, (0, 0.5, 0.5, 0), strict=True))


def test_repeats_and_parts_of_a_sample_are_averaged_before_settings_are_joined() -> None:
    """Sample 0: text (1 + 0)/2, picture 1; sample 1: text 1, picture 0. Both: (.5·1 + 1·0)/2 = .25."""
    observed = [said("text", 1), said("text", 0), said("picture", 1), said("picture", 1)]
    observed += [said("text", 1, 1), said("text", 1, 1), said("picture", 0, 1), said("picture", 0, 1)]
    answers = [answer(setting, sample) for setting in SIDES for sample in (0, 1)]
    found = of(answers, observed, each=2)
    assert found["both"] == (0.25, 0.25, 0.25, 2, []) and found["text_only"] == (0.5, 0.5, 0.5, 2, [])
    assert found["picture_only"] == (0.25, 0.25, 0.25, 2, []) and found["neither"] == (0, 0, 0, 2, [])


@pytest.mark.parametrize(
    ("text", "picture", "why"),
    [
        (answer("text"), answer("picture", status="refused_generation"), "answered.refused_generation"),
        (answer("text", status="truncated"), answer("picture"), "answered.truncated"),
        (answer("text", status="truncated"), answer("picture", status="refused_generation"), "answered.refused"),
        (answer("text"), None, "answered.not_asked"),
        (None, answer("picture"), "answered.not_asked"),
    ],
)
def test_a_sample_without_one_of_its_settings_is_left_out_and_may_be_anything(
    text: Row | None, picture: Row | None, why: str
) -> None:
    """Beside a sample that is right in both settings. What is seen of the other is right."""
    answers = [answer("text", 1), answer("picture", 1), *(row for row in (text, picture) if row)]
    there = [row["setting"] for row in (text, picture) if row and row["status"] == "ok"]
    found = of(answers, [said("text", 1, 1), said("picture", 1, 1), *(said(setting, 1) for setting in there)])
    assert [found["both"][n] for n in (0, 1, 2, 3)] == [1, 0.5, 1, 1]
    assert [reason[: len(why)] for reason in found["both"][4]] == [why]
    assert found["neither"][:3] == (0, 0, 0 if there else 0.5)
    assert found["text_only"][:3] == (0, 0, 0 if there == ["picture"] else 0.5)


def test_what_the_judge_did_not_say_is_left_out_by_its_status() -> None:
    answers = [answer(setting, sample) for setting in SIDES for sample in (0, 1)]
    found = of(answers, [said("text", 0), said("picture", None, 0, "parse_error"), said("text", 1, 1)])
    reasons = ["judged.parse_error", "judged.not_asked"]
    assert found["both"] == (None, 0, 0.5, 0, reasons) and found["neither"] == (None, 0, 0.5, 0, reasons)
    [one, *_] = of(answers[::2], [said("picture", 1), said("picture", None, 0, "parse_error")], 2).values()
    assert one == (None, 0, 1, 0, ["judged.not_asked"]), "text was not asked; of the picture one of two is there"


def test_what_could_not_be_put_is_not_expected() -> None:
    answers = [answer("text"), answer("picture", status="invalid_input")]
    assert of(answers, [said("text", 1)])["both"] == (None, None, None, 0, ["not_asked.invalid_input"])


METRIC = Metric(
    "together",
    SIDES,
    [Column("sums", "picture", one.measure) for one in JOINT],
    {"both": Linear(np.eye(4)[0])},
    ("both",),
)


def test_every_observation_counts_once_in_coverage() -> None:
    """Four samples: one refused, one not judged in a setting. 8 judgments, 6 there, judged 6 of 7."""
    answers = [answer("text", n) for n in range(4)]
    answers += [answer("picture", n, "ok" if n else "refused_generation") for n in range(4)]
    observed = [said("text", 1, n) for n in range(4)] + [said("picture", 0, n) for n in (2, 3)]
    wanted = (PLACES, lambda item, setting: {"right": 1}, SCALES)
    rows = item_scores(answers, {"judge": observed}, *wanted)
    rows += joint_scores(answers, {"judge": observed}, *wanted, JOINT)
    for metric in (
        METRIC,
        METRIC._replace(columns=[*METRIC.columns, *(Column("sums", setting, "right") for setting in SIDES)]),
    ):
        own = by_metric_and_judge(rows, [metric], JOINT)["together", "judge"]
        assert len(own) == 2 + 4 and coverage(own) == 6 / 8 and judged_share(own) == 6 / 7
        assert left_out_counts(own) == {"answered.refused_generation": 1, "judged.not_asked": 1}
        assert unjudged_in_words(own, 0.1) == "14.3 % unjudged: 1 not_asked"
    alone = [row for row in rows if row["setting"] == "picture" and row["measure"] == "right"]
    assert by_metric_and_judge(alone, [METRIC], JOINT) == {}


FATES = ("shown", "refused_generation", "unjudged")
SAMPLE = st.tuples(st.booleans(), st.booleans(), st.sampled_from(FATES), st.sampled_from(FATES))


@given(st.lists(SAMPLE, min_size=1, max_size=5))
def test_the_truth_of_what_is_hidden_lies_within_the_bounds_and_can_be_told_from_the_settings(
    samples: list[tuple[bool, bool, str, str]],
) -> None:
    """Whatever is hidden, in whatever way. And with the settings' own scores all five kinds of samples that lack a
    setting can be counted: with width = high - low of a joint measure, and shares of samples that are known, right text
    without picture = text - both - text_only; nothing there = width(both) less this and the reverse; wrong picture
    without text = width(text_only) - right text without picture - nothing there.
    """
    answers, observed, truth = list[Row](), list[Row](), list[Row]()
    for number, (*values, of_text, of_picture) in enumerate(samples):
        for setting, value, fate in zip(SIDES, values, (of_text, of_picture), strict=True):
            answers.append(answer(setting, number, "ok" if fate != "refused_generation" else fate))
            truth.append(said(setting, float(value), number))
            observed += [said(setting, float(value), number)] if fate == "shown" else []
    whole = of([row | {"status": "ok"} for row in answers], truth)
    found = of(answers, observed)
    for measure, (_, low, high, scored, reasons) in found.items():
        value = whole[measure][0]
        assert low is not None and high is not None and value is not None
        assert low - 1e-9 <= value <= high + 1e-9 and scored + len(reasons) == len(samples)
    known: Mapping[str, float] = {measure: one[1] or 0.0 for measure, one in found.items()}
    width = {measure: (one[2] or 0.0) - (one[1] or 0.0) for measure, one in found.items()}
    settings = {
        setting: sum(row["value"] for row in observed if row["setting"] == setting) / len(samples) for setting in SIDES
    }
    right_text = settings["text"] - known["both"] - known["text_only"]
    right_picture = settings["picture"] - known["both"] - known["picture_only"]
    nothing = width["both"] - right_text - right_picture
    wrong_picture = width["text_only"] - right_text - nothing
    wrong_text = width["neither"] - wrong_picture - nothing

    def share(text: bool | None, picture: bool | None) -> float:
        """Of samples with this, None for what is not shown."""
        seen = [(t if a == "shown" else None, i if b == "shown" else None) for t, i, a, b in samples]
        return seen.count((text, picture)) / len(samples)

    expected = [share(True, None), share(None, True), share(None, None), share(None, False), share(False, None)]
    assert [right_text, right_picture, nothing, wrong_picture, wrong_text] == pytest.approx(expected)


def test_another_measure_is_looked_at_on_each_setting() -> None:
    """Right in words, and 2 of 0..2 as a picture: of (1, 1) it does not hold, of (1, nothing) nobody knows."""
    told = [Joint("told_alone", SIDES, ("right", "made"), lambda told, made: told * (made < 2))]
    scales = {"right": VERDICTS, "made": Scale(0, 2), "told_alone": VERDICTS}
    values = [(1, 2), (1, 1), (0, 0), (1, None)]
    observed = [said("text", text, n) for n, (text, _) in enumerate(values)]
    observed += [
        said("picture", made, n) | {"question": "made"} for n, (_, made) in enumerate(values) if made is not None
    ]
    answers = [answer(setting, n) for n in range(4) for setting in SIDES]
    wanted = {"text": {"right": 1}, "picture": {"made": 1, "looks": 1}}
    [row] = joint_scores(answers, {"judge": observed}, PLACES, lambda item, setting: wanted[setting], scales, told)
    assert (row["value"], row["low"], row["high"]) == (1 / 3, 1 / 4, 2 / 4)
    columns = [Column("sums", "picture", "told_alone")]
    assert parts_of_joint(columns, told) == {Column("sums", "text", "right"), Column("sums", "picture", "made")}
