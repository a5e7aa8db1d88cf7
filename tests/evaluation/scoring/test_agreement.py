"""Agreement of judges and people: by hand, undefined where it is, and with intervals that cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.labelling.labels import COLUMNS, LabelChoices, labels_of_scored_answers, read_labels
from gamut.evaluation.scoring.agreement import EVERY, Rating, agreements, flat_agreement, ratings_of_judge
from gamut.evaluation.scoring.agreement_measures import (
    PAIR_STATISTICS,
    bootstrap_interval,
    measure_alpha,
    measure_pair,
    measure_share,
)
from gamut.evaluation.scoring.statistics.coefficients import alpha_of_sums, krippendorff_alpha, wilson_interval
from gamut.evaluation.scoring.statistics.inference import Interval
from gamut.project.errors import UserError


def of(rater: str, scores: Sequence[float | None], repeat: int = 1, contestant: str = "c") -> list[Rating]:
    """A rater's scores of the items i0, i1, …, the same `repeat` times."""
    return [
        Rating("en", "alignment", rater, (contestant, f"i{n}", 0, 0), score)
        for n, score in enumerate(scores)
        for _ in range(repeat)
        if score is not None
    ]


def person(name: str, scores: Sequence[float | None]) -> list[Rating]:
    return [rating._replace(answer=rating.answer[:2]) for rating in of(name, scores)]


def found(judges: Sequence[Rating], people: Sequence[Rating] = ()) -> dict[str, float]:
    """Everything found of `en.alignment`, keys without that."""
    return {
        key.removeprefix("en.alignment."): value for key, value in flat_agreement(agreements(judges, people, 0)).items()
    }


def values(keys: Mapping[str, float]) -> dict[str, float]:
    return {key: value for key, value in keys.items() if not key.endswith(("_lo", "_hi"))}


def test_two_judges_by_hand() -> None:
    # Squared distances 0 1 0 1: 0.5 on average. Of all 16 pairs of a first (2 4 6 8) and a second (2 5 6 9) score:
    # variances 5 and 6.25, means 5 and 5.5: 5 + 6.25 + 0.25 = 11.5. Kappa 1 - 0.5 / 11.5 = 0.9565.
    # Alpha: each item's two ordered pairs over 2 - 1: 2 * (0 + 1 + 0 + 1) = 4. The 8 scores have sum 42 and squares
    # 266: 2 * (8 * 266 - 42 * 42) = 728. 1 - 7 * 4 / 728 = 0.9615.
    keys = found([*of("a", [2, 4, 6, 8]), *of("b", [2, 5, 6, 9])])
    assert values(keys) == {"judges.n": 4, "judges.alpha": 0.962, "judges.a.b.n": 4, "judges.a.b.kappa": 0.957}
    assert keys["judges.a.b.kappa_lo"] < 0.957 < keys["judges.a.b.kappa_hi"] <= 1


def test_repeats_of_one_judge_by_hand() -> None:
    # i0: 5 5 6: of three pairs one is identical, distances 0 1 1: 2/3. i1: 3 3 3: all identical, distance 0.
    # i2: asked once. Means: (1/3 + 1) / 2 = 2/3 and (2/3 + 0) / 2 = 1/3. Alpha, of all six:
    # observed 2 * (1 + 1) / 2 / 6 = 1/3, expected 2 (6 * 113 - 25²) / 30 = 53/15, so 1 - 5/53 = 0.906.
    one_by_one = [*of("a", [5, 3, 9]), *of("a", [5, 3]), *of("a", [6, 3])]
    assert values(found(one_by_one)) == {
        "repeats.a.n": 2,
        "repeats.a.identical": 0.667,
        "repeats.a.distance": 0.333,
        "repeats.a.alpha": 0.906,
    }


def test_a_person_who_was_asked_once_more_by_hand() -> None:
    # Of nine answers to nine items eight are said alike: 8/9, with Wilson's interval; where all are, it is not certain.
    people = [Rating("en", "fit", "ann", ("x", f"i{n}", 0, 0), 1.0, again) for n in range(9) for again in (0, 1)]
    all_alike = values(flat_agreement(agreements([], people, 0)))
    assert all_alike["en.fit.again.ann.identical"] == 1 and all_alike["en.fit.again.ann.n"] == 9
    [one] = [found.comparison for found in agreements([], people, 0) if found.comparison.among == "again"]
    assert (one.measures["identical"].low, one.measures["identical"].high) == wilson_interval(9, 9)
    people[1] = people[1]._replace(value=0.0)
    [one] = [found.comparison for found in agreements([], people, 0) if found.comparison.among == "again"]
    assert one.measures["identical"] == (8 / 9, *wilson_interval(8, 9))
    # What was said the second time counts for nobody else: ann and bob agree in all of the first.
    bob = [one._replace(rater="bob") for one in people if not one.repeat]
    [both] = [
        found.comparison for found in agreements([], [*people, *bob], 0) if found.comparison.raters == ("ann", "bob")
    ]
    assert both.n == 9


def test_a_judge_and_people_by_hand() -> None:
    # The people's means are 1 4 6 9 (i4 has one label, i5 none of the judge's); the judge says 2 4 6 8.
    # Mean absolute error (1 + 0 + 0 + 1) / 4 = 0.5. Deviations -3 -1 1 3 and -4 -1 1 4: products 26, squares 20 and 34:
    # r = 26 / sqrt(680) = 0.9971. Kappa 1 - 0.5 / (5 + 8.5 + 0) = 0.963.
    people = [*person("p", [1, 3, 6, 9, 4]), *person("q", [1, 5, 6, 9])]
    keys = found(of("a", [2, 4, 6, 8, None, 3]), people)
    assert values(keys) == {
        "people.n": 4,
        # Two ordered pairs of distance 2, over 1: 8. Eight scores: sum 40, squares 270: 2 * (2160 - 1600) = 1120.
        "people.alpha": round(1 - 7 * 8 / 1120, 3),
        "people.p.q.n": 4,
        "people.p.q.kappa": 0.943,  # 1 - 1 / (31.75 + 35.75 - 2 * 4.75 * 5.25), of the four that both have
        "people.a.n": 4,
        "people.a.pearson": 0.997,
        "people.a.mae": 0.5,
        "people.a.kappa": 0.963,
    }


def test_a_label_is_held_against_what_it_tells_apart() -> None:
    # The judge's verdicts of two samples with two questions each, 1 0 and 1 1, of three contestants alike.
    judged = [
        Rating("en", "holds", "a", (contestant, "i", sample, question), value)
        for contestant in "cde"
        for (sample, question), value in {(0, 0): 1, (0, 1): 0, (1, 0): 1, (1, 1): 1}.items()
    ]

    def mae(*answer: object, score: float) -> float:
        labels = [Rating("en", "holds", "ann", (contestant, "i", *answer), score) for contestant in "cde"]
        return flat_agreement(agreements(judged, labels, 0))["en.holds.people.a.mae"]

    assert mae(0, 1, score=0) == 0  # exactly this one
    assert mae(0, EVERY, score=0.5) == 0 == mae(EVERY, 1, score=0.5)  # the means of 1 0, and of 0 1
    assert mae(score=0.75) == 0  # the mean of all four


def test_verdicts_have_a_share_of_the_same_and_a_nominal_kappa() -> None:
    # 1 1 0 0 1 and 1 0 0 0 1: four of five the same. Chance: 3/5 * 2/5 + 2/5 * 3/5 = 0.48: (0.8 - 0.48) / 0.52 = 0.615.
    both = [*of("a", [1, 1, 0, 0, 1]), *of("b", [1, 0, 0, 0, 1])]
    keys = flat_agreement(agreements(both, [], 0, ["alignment"]))
    assert keys["en.alignment.judges.a.b.same"] == 0.8 and keys["en.alignment.judges.a.b.kappa"] == 0.615
    assert cohen_kappa_score([1, 1, 0, 0, 1], [1, 0, 0, 0, 1]) == pytest.approx(0.32 / 0.52)
    assert not [key for key in flat_agreement(agreements(both, [], 0)) if "same" in key]  # scores of a scale have none
    graded = flat_agreement(agreements([*of("a", [1, 0.5]), *of("b", [1, 0])], [], 0, ["alignment"]))
    assert not [key for key in graded if "same" in key]  # nor have means of several verdicts


def test_the_share_of_the_same_has_wilsons_interval() -> None:
    """Of ten answers to ten items, that of 8 and of 10; of answers to two items it is wider, and none of one item."""
    eight = flat_agreement(agreements([*of("a", [1] * 10), *of("b", [1] * 8 + [0] * 2)], [], 0, ["alignment"]))
    assert eight["en.alignment.judges.a.b.same_lo"] == 0.49 and eight["en.alignment.judges.a.b.same_hi"] == 0.943
    every = flat_agreement(agreements([*of("a", [1] * 10), *of("b", [1] * 10)], [], 0, ["alignment"]))
    assert every["en.alignment.judges.a.b.same"] == 1 and every["en.alignment.judges.a.b.same_lo"] == 0.722
    assert measure_share(["i", "i", "j", "j"], np.array([True, True, True, True]))[1:] == wilson_interval(2, 2)
    assert measure_share(["i", "i"], np.array([True, True])) == (1, None, None)


VERDICT, STARTS = "holds", ("words.", "both.")


def verdict(rater: str, said: Sequence[int], groups: int = 1) -> list[Rating]:
    """Verdicts on a checklist of two questions an item; items lie in x and y by turns where there are two groups."""
    answers = [(f"{'xy'[n // 2 % groups]}{n // 2}", n % 2) for n in range(len(said))]
    return [
        Rating("raw", VERDICT, rater, ("c", item, 0, part), value)
        for (item, part), value in zip(answers, said, strict=True)
    ]


def held(judges: Sequence[Rating], people: Sequence[Rating], **groups: str) -> dict[str, float]:
    return flat_agreement(agreements(judges, people, 0, [VERDICT], groups))


def test_a_judge_is_held_against_every_person_where_these_give_verdicts() -> None:
    # Of ann's six verdicts it shares five, of bob's four three: 8 of 10. In these ten pairs the judge says 1 five times
    # and they five times: chance 0.5, kappa 0.3 / 0.5. Alpha: of 20 verdicts 10 are 1, so that chance puts two unlike
    # ones together in 2 * 10 * 10 / (20 * 19): 1 - 0.2 / 0.526.
    judge = verdict("j", [1, 1, 0, 0, 1, 0])
    people = [*verdict("ann", [1, 1, 0, 0, 1, 1]), *verdict("bob", [1, 0, 0, 0])]
    keys = held(judge, people)
    assert keys["raw.holds.people.j.n"] == 10 and keys["raw.holds.people.j.same"] == 0.8
    assert keys["raw.holds.people.j.kappa"] == 0.6
    assert cohen_kappa_score([1, 1, 0, 0, 1, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 1, 1, 0, 0, 0]) == pytest.approx(0.6)
    assert keys["raw.holds.people.j.alpha"] == round(1 - 0.2 / (200 / 380), 3)
    assert keys["raw.holds.people.n"] == 4  # they themselves, on what both have labelled


def test_groups_are_compared_like_all_and_questions_are_pooled_in_them() -> None:
    judges = [*verdict("j", [1, 0, 1, 1, 1, 0, 0, 1], groups=2), *verdict("k", [1] * 8, groups=2)]
    people = verdict("ann", [1, 0, 1, 0, 1, 0, 0, 0], groups=2)
    groups = {one.answer[1]: {"x": "words", "y": "both"}[one.answer[1][0]] for one in people}
    keys = held(judges, people, **groups)
    # of two items with two questions each: the verdicts 0 1 4 5 are of x, 2 3 6 7 of y
    found = {group: [keys[f"raw.{group}holds.people.j.{name}"] for name in ("n", "same")] for group in ("", *STARTS)}
    assert found == {"": [8, 0.75], "words.": [4, 1], "both.": [4, 0.5]}
    assert keys["raw.words.holds.people.j.kappa"] == 1 and keys["raw.both.holds.judges.j.k.same"] == 0.75
    of_all = {key: value for key, value in keys.items() if key.startswith("raw.holds.")}
    assert of_all == held(judges, people)  # groups change nothing of the rest
    words = [[one for one in given if one.answer[1][0] == "x"] for given in (judges, people)]
    alone = {key.replace("raw.", "raw.words."): value for key, value in held(*words).items()}
    assert {key: value for key, value in keys.items() if ".words." in key} == alone


def test_undefined_measures_are_left_out_but_not_their_number() -> None:
    # Both judges say 5 throughout: chance would agree as well. A person who says 5 throughout: no correlation.
    keys = found([*of("a", [5, 5, 5]), *of("b", [5, 5, 5])], person("p", [5, 5, 4]))
    assert values(keys) == {
        "judges.n": 3,
        "judges.a.b.n": 3,
        **{f"people.{judge}.n": 3 for judge in "ab"},
        **{f"people.{judge}.mae": 0.333 for judge in "ab"},
        **{f"people.{judge}.kappa": 0 for judge in "ab"},  # observed 1/3, expected 0 + 2/9 + 1/9
    }


def random_scores(raters: int = 3, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    truth = chance.normal(6, 2, size=(60, 1))
    return np.clip(np.round(truth + chance.normal(0, 1, size=(60, raters))), 0, 10)


@pytest.mark.parametrize("name", PAIR_STATISTICS)
def test_a_measure_and_its_sums_say_the_same(name: str) -> None:
    x, y, _ = random_scores().T
    statistic, terms, of_sums = PAIR_STATISTICS[name]
    assert of_sums(*(term.sum()[None] for term in terms(x, y)))[0] == pytest.approx(statistic(x, y), abs=1e-12)


def test_alpha_and_its_sums_say_the_same() -> None:
    by_hand = 8, 42, 266, 4  # as of the two judges above
    assert alpha_of_sums(*(np.array([float(value)]) for value in by_hand))[0] == 1 - 7 * 4 / 728
    scores = random_scores()
    scores[::7, 0] = scores[::5, 1] = np.nan
    n, of_all = measure_alpha([f"i{n}" for n in range(60)], list(scores.T), 0)
    value, low, high = of_all["alpha"]
    assert n == (np.isnan(scores).sum(axis=1) < 2).sum()
    assert value == pytest.approx(krippendorff_alpha(scores), abs=1e-12)
    assert low is not None and high is not None and low < value < high < low + 0.3


def test_answers_to_one_prompt_are_drawn_together() -> None:
    # Four contestants whose answers to a prompt get the very same scores say no more than one: the interval is that of
    # one contestant, where answers taken as independent would give half of it.
    x, y, _ = random_scores().T
    one = found([*of("a", x), *of("b", y)])
    copies = [
        *(r for c in "cdef" for r in of("a", x, contestant=c)),
        *(r for c in "cdef" for r in of("b", y, contestant=c)),
    ]
    four = found(copies)
    assert four["judges.a.b.n"] == 4 * one["judges.a.b.n"] == 240
    for key in ("kappa", "kappa_lo", "kappa_hi"):
        assert four[f"judges.a.b.{key}"] == one[f"judges.a.b.{key}"]


def test_verdicts_of_a_checklist_are_told_apart_and_their_repeats_are_not() -> None:
    """Three statements asked twice; of the second run's first nothing was said: the others keep their places."""
    said = {0: [1.0, 0.0, 1.0], 1: [None, 0.0, 0.0]}
    row = {"item": "i", "setting": "en", "sample": 0, "question": "holds"}
    rows = [
        row | {"part": part, "repeat": repeat, "value": value, "status": "parse_error" if value is None else "ok"}
        for repeat, values in said.items()
        for part, value in enumerate(values)
    ]
    by_answer: dict[object, list[float]] = {}
    for rating in ratings_of_judge("c", "a", rows):
        by_answer.setdefault(rating.answer[-1], []).append(rating.value)
    assert by_answer == {0: [1], 1: [0, 0], 2: [1, 0]}


# Labels files


KNOWN = LabelChoices(["style/0", "style/1"], ["en", "zh"], {"alignment": Scale(0, 10), "aesthetic": Scale(0, 10)})


def labelled(tmp_path: Path, *lines: str, header: str = ",".join(COLUMNS)) -> Path:
    path = tmp_path / "prism.csv"
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


def test_labels_are_read(tmp_path: Path) -> None:
    path = labelled(tmp_path, "careful,style/0,en,alignment,ann, 7.5", "hasty,style/1,zh,aesthetic,bob,")
    assert read_labels(path, KNOWN) == [Rating("en", "alignment", "ann", ("careful", "style/0"), 7.5)]


def test_labels_may_tell_samples_and_questions_apart(tmp_path: Path) -> None:
    header = "contestant,item,setting,measure,person,sample,score,question"
    lines = [f"careful,style/0,en,alignment,ann,{rest}" for rest in ("2,7,", ",6,1", ",5,")]
    answers = {label.answer: label.value for label in read_labels(labelled(tmp_path, *lines, header=header), KNOWN)}
    start = "careful", "style/0"
    assert answers == {(*start, 2, EVERY): 7, (*start, EVERY, 1): 6, start: 5}
    with pytest.raises(UserError, match=r"line 2: sample '1st': a whole number from 0 is expected$"):
        read_labels(labelled(tmp_path, "careful,style/0,en,alignment,ann,1st,7,", header=header), KNOWN)
    with pytest.raises(UserError, match=r"line 3: labels the same answer as line 2: keep one of them$"):
        read_labels(labelled(tmp_path, lines[0], lines[0], header=header), KNOWN)


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        (",style/0,en,alignment,ann,7", "contestant is empty: whose answer is it?"),
        ("careful,style/9,en,alignment,ann,7", "there is no item 'style/9'; did you mean 'style/1'?"),
        ("careful,style/0,en,alignment,,7", "person is empty: who gave the score?"),
        ("careful,style/0,en,alignment,ann,11", "score '11': a number from 0 to 10 is expected"),
        ("careful,style/0,en,alignment,ann,nan", "score 'nan': a number from 0 to 10 is expected"),
        ("hasty,style/0,en,alignment,ann,7", "labels the same answer as line 2: keep one of them"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(tmp_path: Path, line: str, mistake: str) -> None:
    path = labelled(tmp_path, "hasty,style/0,en,alignment,ann,3", line)
    with pytest.raises(UserError) as caught:
        read_labels(path, KNOWN)
    assert str(caught.value) == f"{path}, line 3: {mistake}"


def test_labels_of_what_no_judge_has_scored_are_passed_over_and_counted() -> None:
    labels = [
        *(Rating("en", "alignment", "ann", ("careful", f"style/{n}"), 7) for n in range(3)),
        *(Rating("zh", "alignment", person, ("careful", "style/0"), 7) for person in ("ann", "bob")),
        Rating("en", "alignment", "ann", ("gone", "style/0"), 7),
    ]
    scores = [Rating("en", "alignment", "judge", ("careful", f"style/{n}", 0, 0), 5) for n in range(2)]
    kept, said = labels_of_scored_answers(labels, scores)
    assert kept == labels[:2]
    words = "1 of careful (en), 2 of careful (zh), 1 of gone (en)"
    assert said == f"not used: 4 labels of answers that no judge has scored: {words}"
    assert labels_of_scored_answers(labels[:2], scores) == (labels[:2], None)


NAN = float("nan")


def test_the_interval_reaches_further_than_the_plain_percentiles() -> None:
    """10 items: Student's 0.975 quantile of 9 degrees is 2.26216, times √(10/9) is 2.38453, and Φ(-2.38453) is
    0.008551: quantiles of the draws 0 … 100,000 in steps of 1 stand at 855.1 and 99,144.9."""
    assert bootstrap_interval(np.arange(100_001.0), 10) == pytest.approx(Interval(855.1, 99_144.9), abs=0.1)


def test_a_statistic_that_is_undefined_in_many_draws_has_no_interval() -> None:
    """One of seven labels differs: a draw lacks it with (6/7)^7 = 34 %, and the others would all seem alike."""
    judge, people = np.array([9.0, 8, 9, 7, 9, 10, 8]), np.array([9.0, 9, 9, 9, 9, 9, 8])
    names = [f"style/{n}" for n in range(7)]
    n, found = measure_pair(names, judge, people, ("pearson", "mae"), 0)
    assert n == 7 and found["pearson"].low is None and found["mae"].low is not None


def test_draws_without_a_value_do_not_count() -> None:
    assert bootstrap_interval(np.array([1.0, NAN, 2.0, 3.0]), 50) == bootstrap_interval(np.array([1.0, 2.0, 3.0]), 50)
