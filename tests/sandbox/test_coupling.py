"""Errors of words and pictures that hang together: shares of both, of one and of neither, at rates that are given."""

from __future__ import annotations

from itertools import product
from math import sqrt

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.asking.models import sandbox
from stages.asking.parts import unbundled
from stages.asking.requests import Create, Paint, Part, Picture
from stages.project.model_kinds import SandboxModel
from stages.sandbox.coupling import COUPLINGS, common, coupled, fails
from stages.sandbox.judge import answer
from tests import world

MANY = 4000
DUCKS = "Three red ducks to the left of two blue birds at night."
SWAP = "an image with as many ducks as this one has birds, and as many birds as it has ducks"


def shares(coupling: str, text: float, image: float) -> dict[tuple[bool, bool], float]:
    """The shares of samples by whether words and picture are right."""
    found = [
        (not fails("x", sample, "text", text, coupling), not fails("x", sample, "image", image, coupling))
        for sample in range(MANY)
    ]
    return {both: found.count(both) / MANY for both in product((True, False), repeat=2)}


@pytest.mark.parametrize(
    ("coupling", "text", "image", "both", "neither"),
    [
        ("alike", 0.5, 0.5, 0.5, 0.5),
        ("independent", 0.5, 0.5, 0.25, 0.25),
        ("apart", 0.5, 0.5, 0.0, 0.0),
        ("alike", 0.2, 0.6, 0.4, 0.2),  # what fails in words fails as a picture: 1 - 0.6 are right, 0.2 wrong in both
        ("independent", 0.2, 0.6, 0.32, 0.12),
        ("apart", 0.2, 0.6, 0.2, 0.0),  # 1 - 0.2 - 0.6
        ("apart", 0.7, 0.6, 0.0, 0.3),  # no more apart than rates allow: 0.7 + 0.6 - 1
    ],
)
def test_joint_shares_follow_from_rates_and_coupling(
    coupling: str, text: float, image: float, both: float, neither: float
) -> None:
    found = shares(coupling, text, image)
    # Four standard deviations of a share p of 4,000.
    for value, wanted in ((found[True, True], both), (found[False, False], neither)):
        assert value == pytest.approx(wanted, abs=4 * sqrt(wanted * (1 - wanted) / MANY) + 1e-9)
    assert found[True, True] + found[True, False] == pytest.approx(1 - text, abs=0.032)
    assert found[True, True] + found[False, True] == pytest.approx(1 - image, abs=0.032)


@given(st.text(max_size=9), st.integers(0, 99), st.sampled_from(("text", "image")), st.sampled_from(COUPLINGS))
def test_what_fails_at_a_lower_rate_fails_at_a_higher_one(asked: str, sample: int, side: str, coupling: str) -> None:
    found = [fails(asked, sample, side, rate, coupling) for rate in (0.0, 0.2, 0.5, 0.9, 1.0)]
    assert found == sorted(found) and not found[0] and found[-1]


def test_couplings_are_those_that_params_yaml_knows() -> None:
    for coupling in COUPLINGS:
        assert SandboxModel(kind="sandbox", coupling=coupling).coupling == coupling
    plain = sandbox.identity(SandboxModel(kind="sandbox"), "creator")
    assert plain["sampling"] == {"faults": {}}
    apart = sandbox.identity(SandboxModel(kind="sandbox", coupling="apart"), "creator")
    assert apart["sampling"]["coupling"] == "apart"


def test_other_faults_stay_and_sides_have_their_own() -> None:
    faults = {"wrong_text": 1.0, "blur": 0.5, "wrong_reasoning": 0.1}
    assert coupled(faults, "independent", ["Name it."], ("text",), 0) == {"blur": 0.5, "wrong_reasoning": 1.0}
    assert coupled(faults, "independent", ["Name it."], ("image",), 0) == {"blur": 0.5, "wrong_reasoning": 0.1}


def test_both_prompts_of_a_pair_have_what_they_mean_in_common() -> None:
    ducks, others = world.picture(DUCKS), world.picture(DUCKS.replace("two", "four"))
    question, prompt = f"How many ducks and birds are there in {SWAP}?", f"Generate {SWAP}."
    assert common([ducks, question]) == common([ducks, prompt]) != common([others, prompt])
    assert common([ducks, "What?"]) == common([ducks, "Paint!"]) != common([others, "Paint!"])
    assert common(["What?"]) != common(["Paint!"])


@pytest.mark.parametrize(("coupling", "both"), [("alike", {0, 3}), ("apart", {1, 2})])
def test_answers_are_coupled_from_request_to_judge(coupling: str, both: set[int]) -> None:
    """3: both are right, 2 and 1: one is, 0: none, of ten samples of one item."""
    ducks = world.picture(DUCKS)
    faults, reference = {"wrong_text": 0.5, "wrong_picture": 0.5}, ["Two ducks and three birds."]

    def right(side: str, asked: str, sample: int) -> int:
        parts: tuple[Part, ...] = (Picture(ducks, "image/jpeg"), asked)
        wanted = ("text",) if side == "und" else ("image",)
        request = Create(parts, wanted, 256, 256, {"und": 11, "gen": 12}[side], sample)  # type: ignore[arg-type]
        reply = sandbox.answer(request, faults, "creator", coupling=coupling)
        blocks = {"reference_text": reference, "answer": unbundled(reply.content).parts}
        return int(str(answer(f"numerical_{side}", {}, [], 0, blocks)["score"]))

    question, prompt = f"How many ducks and birds are there in {SWAP}?", f"Generate {SWAP}."
    found = [2 * right("und", question, sample) + right("gen", prompt, sample) for sample in range(10)]
    assert set(found) == both


def test_a_painter_has_none_of_these_faults_and_a_contestant_may() -> None:
    asked = Paint("Generate an image of a pet that purrs, chases mice and lands on its feet.", 256, 256, 1)
    right, wrong = (sandbox.answer(asked, faults, "creator") for faults in ({}, {"wrong_picture": 1.0}))
    assert right != wrong
    plain = Paint(DUCKS, 256, 256, 1)
    assert sandbox.answer(plain, {"wrong_picture": 1.0}, "painter") == sandbox.answer(plain, {}, "painter")
    assert orjson.loads(orjson.dumps(sandbox.painted({"wrong_text": 1.0, "blur": 0.1}))) == {"blur": 0.1}
