"""The record of a benchmark: what contradicts itself, or an item that does not fit it, is named at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stages.evaluation.defining.benchmark import benchmark_of
from stages.evaluation.defining.editions import freeze
from stages.evaluation.defining.measures import Scale
from stages.evaluation.running.checklists import checklist
from stages.prism.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from stages.project.errors import UserError
from tests import fakes

ITEM = PrismItem(id="style/0", track="style", prompt="a cat", prompt_zh="猫")


def test_paths_follow_from_the_name() -> None:
    assert str(PRISM.answers) == "datasets/prism/answers"
    assert str(PRISM.metrics(fakes.params())) == "metrics/prism/small"
    assert PRISM.highest == 100


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": "prsm"}, "PRISM-Bench: params has no field 'prsm'"),
        ({"measures": {"fit.ness": Scale(0, 10)}}, "PRISM-Bench: 'fit.ness' is to be a name: letters, digits,"),
        ({"strata": ("alignment",)}, "PRISM-Bench: 'alignment' is a stratum and a measure"),
        ({"measures": {"coverage": Scale(0, 10)}}, "PRISM-Bench: 'coverage' means something else in metrics"),
        ({"measures": {"fit_n": Scale(0, 10)}}, "PRISM-Bench: 'fit_n' means something else in metrics"),
        ({"shown": ("overal",)}, "prism: 'overal' is shown, but not reported; did you mean 'overall'?"),
        ({"profile": ("styles",)}, "prism: 'styles' is shown, but not reported; did you mean 'style'?"),
        ({"strata": ("style",)}, "prism: 'overall' has no factor for each stratum and measure"),
        ({"reported": PRISM.reported | {"x": np.ones(3)}}, "prism: 'x' has no factor for each stratum and measure"),
    ],
    ids=["name", "measure", "both", "reserved", "end", "shown", "profile", "strata", "reported"],
)
def test_a_record_that_contradicts_itself_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=f"^{said}"):
        replace(PRISM, **changed)


def test_a_side_becomes_part_of_keys_and_ids(project: Path) -> None:
    freeze("prism", "small", [ITEM])
    with pytest.raises(UserError, match=r"^prism: 'by/gpt\.5' cannot be a side: letters, digits, '_' and '-' can$"):
        replace(PRISM, sides=lambda block: ("en", "by/gpt.5")).items(fakes.params())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"stratum": lambda item: "styles"}, "there is no stratum 'styles'; did you mean 'style'?"),
        (
            {"inquiries": lambda item, side: [checklist({"alignment": "a cat"})]},
            "a judge is asked about alignment, and the measures are alignment, aesthetic",
        ),
        (
            {"inquiries": lambda item, side: [checklist({"alignment": "a cat", "looks": "a cat"})]},
            "a judge is asked about alignment, looks, and the measures are alignment, aesthetic",
        ),
    ],
    ids=["stratum", "a measure too few", "another measure"],
)
def test_an_item_that_does_not_fit_is_named_before_anybody_is_asked(
    project: Path, changed: dict[str, object], said: str
) -> None:
    freeze("prism", "small", [ITEM])
    with pytest.raises(UserError) as error:
        replace(PRISM, **changed).items(fakes.params())
    assert str(error.value) == f"datasets/editions/prism/small.jsonl: item 'style/0' does not fit 'prism': {said}"


def test_a_record_is_found_by_the_name_of_its_benchmark() -> None:
    assert benchmark_of("prism") is PRISM


@pytest.mark.parametrize("name", ["prsm", "project", "../prism", "prism.shared", ""])
def test_a_benchmark_without_a_record_is_named(name: str) -> None:
    with pytest.raises(UserError, match=f"^there is no benchmark {name!r}: its record would stand in stages/"):
        benchmark_of(name)
