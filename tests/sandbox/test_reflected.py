"""What the world says of a picture of its own: another reading of the context, in words that it then paints by."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from scipy.stats import binomtest

from stages.asking.material import enclosed
from stages.asking.requests import Picture
from stages.evaluation.running.placing import Form
from stages.genius.construction.cases import Case
from stages.genius.construction.rule_book import RULES, cases
from stages.genius.construction.scenes import accepts
from stages.genius.shared.reflecting import AGAIN, CRITIQUE
from stages.sandbox.answering import Unsupported
from stages.sandbox.contexts import wanted_by_rule
from stages.sandbox.reflecting import reflected
from tests.genius.construction.solving import described, parts_of, pool, seen, solved

FORMS: tuple[Form, ...] = ("apart", "at_sentence_ends", "in_place")
CASES = [case for sub_task in RULES for case in cases(sub_task, 9, 12, pool())]


def with_picture(parts: Sequence[str | bytes], *behind: str) -> list[str | bytes]:
    """What was given and the picture that came of it, as `asking.reflecting` lays them out, with what stands behind."""
    opening, *rest = enclosed("picture", [Picture(b"whatever it made", "image/png")])
    shown = (f"\n{opening}", *rest, *behind)
    return [*parts, *(part.data if isinstance(part, Picture) else part for part in shown)]


def said(case: Case, number: int, reads: str = "both", rate: float = 0.0) -> str:
    parts = with_picture(parts_of(case, FORMS[number % 3]), f"{CRITIQUE}\n")
    found = reflected(parts, reads, rate, random.Random(f"critique {number}"), seen)
    assert found is not None
    return found


def painted_by(case: Case, critique: str) -> bool:
    """Whether it paints what is right by a critique, however badly it reads: that says what is wanted."""
    block = [str(part) for part in enclosed("critique", [critique])]
    parts = with_picture(parts_of(case, "at_sentence_ends"), *block, f"{AGAIN}\n")
    found = wanted_by_rule(parts, "texts", 1.0, random.Random(0), seen)
    assert found is not None
    return accepts(case.wanted, described(found))


@pytest.mark.parametrize("number", range(0, len(CASES), 12), ids=RULES)
def test_who_reads_rightly_says_what_is_wanted(number: int) -> None:
    for place, case in enumerate(CASES[number : number + 12]):
        assert painted_by(case, said(case, place))


def test_who_misreads_now_and_then_gains_as_often_as_it_loses() -> None:
    """Right with 1/2 in the first place, and again with 1/2 where it reads anew: neither is for nothing."""
    first = [rightly(case, number) for number, case in enumerate(CASES)]
    then = [painted_by(case, said(case, number, rate=0.5)) for number, case in enumerate(CASES)]
    gained = sum(late > early for early, late in zip(first, then, strict=True))
    lost = sum(late < early for early, late in zip(first, then, strict=True))
    assert min(gained, lost) > len(CASES) / 8 and binomtest(gained, gained + lost).pvalue > 0.001


def rightly(case: Case, number: int) -> bool:
    parts = parts_of(case, FORMS[number % 3])
    found = wanted_by_rule(parts, "both", 0.5, random.Random(f"first {number}"), seen)
    assert found is not None
    return accepts(case.wanted, described(found))


def test_who_reads_in_part_guesses_as_before() -> None:
    """Whoever has the texts alone is right about as often as without reflection."""
    before = sum(solved(case, "texts", number) for number, case in enumerate(CASES))
    after = sum(painted_by(case, said(case, number, "texts")) for number, case in enumerate(CASES))
    assert after < len(CASES) / 2 and binomtest(after, len(CASES), before / len(CASES)).pvalue > 0.001


def test_is_silent_where_no_critique_is_asked_for() -> None:
    given = parts_of(CASES[0], "in_place")
    for parts in ([], given, [CRITIQUE], with_picture(given, "<critique>\n", "No.\n", "</critique>\n", f"{AGAIN}\n")):
        assert reflected(parts, "both", 0.0, random.Random(0), seen) is None


def test_says_that_it_knows_no_rule() -> None:
    parts = with_picture(["Paint two red cats."], f"{CRITIQUE}\n")
    with pytest.raises(Unsupported, match="no rule"):
        reflected(parts, "both", 0.0, random.Random(0), seen)
