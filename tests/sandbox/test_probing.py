"""The world writes wrong options beside a hint, checks them, and chooses among four by a context's rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from scipy.stats import binomtest

from stages.asking.models import sandbox
from stages.asking.outcomes import Outcome
from stages.asking.parts import unbundled
from stages.asking.requests import Create, Picture
from stages.evaluation.running.placing import Form, placed
from stages.genius.construction.cases import Case, rule_hint, shows
from stages.genius.construction.probes import CHECK_DISTRACTOR, checking, is_as_long, may_be_right, probe_of, writing
from stages.genius.construction.rule_book import RULES, cases
from stages.genius.construction.scenes import in_words
from stages.genius.shared.probes import LETTERS, Probe, is_right, probing
from stages.sandbox.answering import Unsupported
from stages.sandbox.authoring import answer
from stages.sandbox.probing import probed
from tests import world
from tests.genius.construction.solving import pool, seen

FORMS: tuple[Form, ...] = ("apart", "at_sentence_ends", "in_place")
CASES = [case for sub_task in RULES for case in cases(sub_task, 21, 12, pool())]


def written(hint: str, seed: int = 0, *others: str) -> list[str]:
    fields = {"rule_hint": hint, "other_readings": "\n".join(others)}
    found = answer("write_distractors", fields, {}, seed, {})["distractors"]
    assert isinstance(found, list)
    return found


def options_of(case: Case, number: int) -> Probe:
    hint = rule_hint(case, pool())
    return probe_of(hint, written(hint, number, *others_of(case)), number)


def others_of(case: Case) -> list[str]:
    return [shows(scene, pool()) for scene in case.others]


def put(case: Case, probe: Probe, form: Form) -> list[str | bytes]:
    """A probe as a contestant is given it; a picture's bytes are what it shows, in words."""
    pictures = {name: Picture(in_words(scene, pool()).encode(), "image/png") for name, scene in case.pictures}
    given = placed(probing(f"{case.context}\n{case.prompt}", probe), pictures, form)
    return [part.data if isinstance(part, Picture) else part for part in given]


def chosen(case: Case, number: int, reads: str = "both", rate: float = 0.0) -> bool:
    probe = options_of(case, number)
    said = probed(put(case, probe, FORMS[number % 3]), reads, rate, random.Random(f"{reads} {number}"), seen)
    assert said is not None
    return is_right(said, probe)


def test_what_it_writes_is_usable_and_read_by_the_engine() -> None:
    for number, case in enumerate(CASES):
        hint = rule_hint(case, pool())
        asked = writing(case.context, case.prompt, hint, others_of(case), pool(), number)
        outcome = asked.next([sandbox.answer(asked.request, {}, "writer")])
        assert isinstance(outcome, Outcome) and outcome.status == "ok", outcome
        taken = {*outcome.value.distractors} & {*others_of(case)}
        assert len(taken) == min(3, sum(is_as_long(text, asked.fields["rule_hint"]) for text in others_of(case)))
        assert not any(may_be_right(text, hint, pool()) for text in outcome.value.distractors)


def test_where_it_is_told_of_no_other_readings_it_changes_what_is_right() -> None:
    for number, case in enumerate(CASES[:40]):
        hint = rule_hint(case, pool())
        asked = writing(case.context, case.prompt, hint, others_of(case)[:2], pool(), number)
        outcome = asked.next([sandbox.answer(asked.request, {}, "writer")])
        assert isinstance(outcome, Outcome) and outcome.status == "ok", outcome
        assert len({*others_of(case)[:2]} & {*outcome.value.distractors}) == len(
            asked.fields["other_readings"].splitlines()
        )
        assert not any(may_be_right(text, hint, pool()) for text in outcome.value.distractors)


def test_another_seed_writes_others_and_the_same_the_same() -> None:
    hint = "The picture shows two red cats above a house, at night."
    assert written(hint, 1) == written(hint, 1) != written(hint, 2)


@pytest.mark.parametrize(
    ("distractor", "wrong"),
    [
        ("The picture shows three red cats above a house, at night.", "yes"),
        ("The picture shows a house below two red cats.", "no"),
        ("The picture shows two red cats above a pink house, in a calm mood.", "no"),
        ("The picture shows two red cats above a house, at noon.", "yes"),
        ("The picture shows two red cats and a house. There is no house in it.", "yes"),
        ("The picture shows two red cats.", "yes"),
    ],
)
def test_it_checks_whether_a_text_is_wrong(distractor: str, wrong: str) -> None:
    asked = checking(distractor, "The picture shows two red cats above a house, at night.", 1)
    outcome = asked.next([sandbox.answer(asked.request, {}, "writer")])
    assert isinstance(outcome, Outcome) and outcome.value.wrong == wrong
    assert asked.question is CHECK_DISTRACTOR


def test_it_says_what_it_cannot_read() -> None:
    for fields in ({}, {"rule_hint": "A worm crawls between pages."}):
        for question in ("write_distractors", "check_distractor"):
            with pytest.raises(Unsupported, match="cannot read"):
                answer(question, fields, {}, 0, {})
    with pytest.raises(Unsupported, match="knows no rule"):
        probed([probing("Paint two cats.", probe_of("a", ["b", "c", "d"], 1))], "both", 0, random.Random(0))


def test_who_reads_both_chooses_what_is_right_in_every_form() -> None:
    assert all(chosen(case, number) for number, case in enumerate(CASES))


def test_who_errs_chooses_another_letter() -> None:
    assert not any(chosen(case, number, rate=1.0) for number, case in enumerate(CASES))


@pytest.mark.parametrize("reads", ["texts", "pictures"])
def test_who_reads_one_is_right_by_luck(reads: str) -> None:
    """The options are what other readings come to: half of a context is far from enough to tell them apart."""
    right = sum(chosen(case, number, reads) for number, case in enumerate(CASES))
    assert binomtest(right, len(CASES), 1 / 2, alternative="greater").pvalue > 0.001
    assert right < 0.55 * len(CASES)


def test_who_knows_of_none_guesses_among_all() -> None:
    probe = Probe(options=("One.", "Two.", "Three.", "Four."), right="A")
    said = Counter(probed(put(CASES[0], probe, "apart"), "both", 0, random.Random(seed), seen) for seed in range(60))
    assert {*said} == {*LETTERS}


def test_it_is_silent_where_no_options_are_given() -> None:
    assert probed(["Paint two red cats in the style that I like."], "both", 0, random.Random(0), seen) is None
    assert probed([], "both", 0, random.Random(0), seen) is None


def test_a_contestant_answers_with_a_letter() -> None:
    [case] = cases("preferred_style", 2, 1, pool())
    probe = options_of(case, 2)
    pictures = {name: Picture(world.picture(in_words(scene, pool())), "image/jpeg") for name, scene in case.pictures}
    given = placed(probing(f"{case.context}\n{case.prompt}", probe), pictures, "at_sentence_ends")
    for faults, right in (({}, True), ({"wrong_text": 1.0}, False)):
        reply = sandbox.answer(Create(given, ("text",), 256, 256, 3), faults, "creator")
        [said] = unbundled(reply.content).parts
        assert isinstance(said, str) and is_right(said, probe) == right
