"""How a judge errs: noise, bias and slips as large as stated, the same for the same request."""

from __future__ import annotations

import random
from statistics import mean, stdev

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from gamut.asking.models.world import sandbox
from gamut.asking.questions import Question
from gamut.asking.requests import Picture
from gamut.project.model_kinds import Judging, SandboxModel
from gamut.world import judge
from gamut.world.judge import add_errors, error_rng
from tests import embedded_world as world

MANY = 4000


class Looks(BaseModel):
    justification: str
    score: int


LOOKS = Question("prism_aesthetic", "You judge.", "How does it look?", Looks)


def scores(score: int, **errors: float) -> list[int]:
    rng = random.Random(str(errors))
    return [add_errors({"score": score}, errors, rng)["score"] for _ in range(MANY)]


def test_noise_and_bias_are_as_large_as_stated() -> None:
    found = scores(5, noise=0.7, bias=-0.5)
    # Rounding adds the variance of a uniform error of one point: sqrt(0.49 + 1/12) = 0.757. Standard errors of a mean
    # and a deviation of 4,000: 0.757 / 63 = 0.012 and 0.0085; four of each.
    assert mean(found) == pytest.approx(4.5, abs=0.05)
    assert stdev(found) == pytest.approx(0.757, abs=0.035)


def test_slips_turn_verdicts_and_make_any_score() -> None:
    rng = random.Random(1)
    verdicts = [add_errors({"verdicts": [{"verdict": "Y"}]}, {"slips": 0.1}, rng)["verdicts"] for _ in range(MANY)]
    # A share of 0.1 in 4,000 has a standard deviation of sqrt(0.09 / 4000) = 0.0047; four of them are 0.019.
    assert sum(one == [{"verdict": "N"}] for one in verdicts) / MANY == pytest.approx(0.1, abs=0.019)
    found = scores(10, slips=0.1)
    assert set(found) == set(range(11)) and found.count(10) / MANY == pytest.approx(0.9 + 0.1 / 11, abs=0.019)
    assert scores(3, slips=0.0) == [3] * MANY


@given(
    st.integers(0, 10), st.floats(0, 10), st.floats(-10, 10), st.floats(0, 1), st.sampled_from("YN"), st.integers(0, 99)
)
def test_an_erring_answer_has_the_form_of_an_exact_one(
    score: int, noise: float, bias: float, slips: float, verdict: str, seed: int
) -> None:
    values: dict[str, object] = {"reason": "10", "score": score, "verdicts": [{"reason": "N", "verdict": verdict}] * 2}
    errors = {"noise": noise, "bias": bias, "slips": slips}
    found = add_errors(values, errors, random.Random(seed))
    assert list(found) == list(values) and found["reason"] == "10"
    assert isinstance(found["score"], int) and 0 <= found["score"] <= 10
    assert all(one["reason"] == "N" and one["verdict"] in "YN" for one in found["verdicts"])  # type: ignore[attr-defined]
    assert found == add_errors(values, errors, random.Random(seed))
    assert add_errors(values, {}, random.Random(seed)) == values


def test_errors_go_by_all_that_is_asked_and_by_nothing_else() -> None:
    asked = (1, "said", {"a": "b"}, [b"picture"], {"answer": ["Two.", b"x"]})
    drawn = error_rng(*asked).random()
    assert error_rng(*asked).random() == drawn
    others = [
        error_rng(2, *asked[1:]),
        error_rng(1, "fit", *asked[2:]),
        error_rng(1, "said", {"a": "c"}, *asked[3:]),
        error_rng(1, "said", {"ab": ""}, *asked[3:]),  # where one part ends counts
        error_rng(*asked[:3], [b"other"], asked[4]),
        error_rng(*asked[:4], {"answer": ["Two.", b"y"]}),
        error_rng(*asked[:4], {"reference": ["Two.", b"x"]}),
    ]
    assert len({drawn, *(other.random() for other in others)}) == 8


def test_a_judge_errs_as_its_parameters_say_and_another_role_does_not() -> None:
    picture, errors = Picture(world.picture("two red cats")), {"noise": 3.0, "bias": -2.0}
    requests = [LOOKS.about({}, [picture], seed=0, sample=sample).request for sample in range(6)]
    exact = {sandbox.answer(request, {}, "judge").content for request in requests}
    erring = [sandbox.answer(request, {}, "judge", errors).content for request in requests]
    assert len(exact) == 1 and len(set(erring)) > 2  # a repeat is another sample
    assert erring == [sandbox.answer(request, {}, "judge", errors).content for request in requests]
    assert orjson.loads(erring[0])["justification"] == orjson.loads(exact.pop())["justification"]
    with pytest.raises(world.Unsupported):
        judge.answer("prism_aesthetic", {}, [b"no picture"], 0, None, errors)


def test_how_a_judge_errs_is_part_of_who_it_is() -> None:
    plain, strict = SandboxModel(kind="sandbox"), SandboxModel(kind="sandbox", judging=Judging(noise=0.7, bias=-0.5))
    assert sandbox.identity(plain, "judge")["sampling"] == {"faults": {}}
    assert sandbox.identity(strict, "judge")["sampling"] == {
        "faults": {},
        "judging": {"noise": 0.7, "bias": -0.5, "slips": 0.0},
    }
    for role in ("painter", "captioner", "writer"):
        assert sandbox.identity(strict, role) == sandbox.identity(plain, role)
