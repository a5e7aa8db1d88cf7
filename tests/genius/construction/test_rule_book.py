"""Cases of GENIUS: solved with both modalities, not with one; drawn by a seed, none twice."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from stages.genius.construction.cases import rule_hint
from stages.genius.construction.rule_book import RULES, cases
from stages.genius.construction.scenes import accepts, in_words
from tests.genius.construction.solving import described, pool, seen, solved

MANY = 60
FORMS = ("apart", "at_sentence_ends", "in_place")


@pytest.mark.parametrize("sub_task", RULES)
def test_is_solved_with_both_modalities_alone(sub_task: str) -> None:
    drawn = list(cases(sub_task, 7, MANY, pool()))
    assert all(solved(case, "both", 0, FORMS[number % 3]) for number, case in enumerate(drawn))
    for reads, share in (("texts", RULES[sub_task].by_texts), ("pictures", RULES[sub_task].by_pictures)):
        right = sum(solved(case, reads, number) for number, case in enumerate(drawn))
        assert binomtest(right, MANY, float(share)).pvalue > 0.0005, (reads, right, share)


@pytest.mark.parametrize("sub_task", RULES)
def test_same_seed_same_cases_and_fewer_are_the_first(sub_task: str) -> None:
    drawn = list(cases(sub_task, 3, 20, pool()))
    assert drawn == list(cases(sub_task, 3, 20, pool()))
    assert drawn[:5] == list(cases(sub_task, 3, 5, pool()))
    assert drawn != list(cases(sub_task, 4, 20, pool()))


@pytest.mark.parametrize("sub_task", RULES)
def test_says_what_the_world_understands(sub_task: str) -> None:
    for case in cases(sub_task, 5, 20, pool()):
        for _, scene in case.pictures:
            assert accepts(scene, described(seen(in_words(scene, pool()).encode())))
        wanted = described(seen(in_words(case.wanted, pool()).encode()))
        assert accepts(case.wanted, wanted)
        assert rule_hint(case, pool()).startswith(f"The picture shows {in_words(case.wanted, pool())}.")
        assert len(set(case.others)) >= 3
        assert not any(accepts(case.wanted, other) for other in case.others)
