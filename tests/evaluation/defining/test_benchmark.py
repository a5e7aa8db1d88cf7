"""The record of a benchmark: what contradicts itself, or an item that does not fit it, is named at once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gamut.asking.requests import Detect
from gamut.asking.seeing import Detecting
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.editions import freeze_edition, item_count, usable_items
from gamut.evaluation.defining.measures import Column, Joint, Linear, OfSums, PaperTable, Resampled, Scale, ends_of
from gamut.evaluation.defining.questions import Check, Prompt
from gamut.evaluation.running.placing import place_pictures
from gamut.project.errors import UserError
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import PrismItem
from tests import fakes
from tests.evaluation.small_checklists import checklist
from tests.fakes import AGAIN

ONE = checklist({"alignment": "a cat"})
CHECK = Check("cats", "detector", lambda one: Detecting(Detect(one, ("cat",))), ("alignment",), lambda *_: [])
ITEM = PrismItem(id="style/0", track="style", prompt="a cat", prompt_zh="猫")


def test_paths_follow_from_the_name() -> None:
    assert str(PRISM.answers) == "datasets/prism/answers"
    assert str(PRISM.metrics_folder(fakes.params())) == "metrics/prism/small"
    ends = [(metric.name, ends_of(metric, PRISM.measures)["overall"]) for metric in PRISM.metrics_in(fakes.params())]
    assert ends == [("en", (0, 100)), ("zh", (0, 100))]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": "prsm"}, "PRISM-Bench: params has no field 'prsm'"),
        ({"measures": {"fit.ness": Scale(0, 10)}}, "PRISM-Bench: 'fit.ness' cannot be a name: use letters, digits,"),
        ({"strata": ("alignment",)}, "PRISM-Bench: 'alignment' is a stratum and a measure"),
        ({"measures": {"fit_n": Scale(0, 10)}}, "PRISM-Bench: 'fit_n' means something else in metrics"),
    ],
    ids=["name", "measure", "both", "end"],
)
def test_a_record_that_contradicts_itself_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=f"^{said}"):
        replace(PRISM, **changed)


LESSER = Joint("lesser", ("en", "zh"), ("alignment", "alignment"), min)


def test_where_joint_measures_stand_and_that_nobody_is_asked_about_them() -> None:
    both = replace(PRISM, measures=PRISM.measures | {"lesser": Scale(0, 10)}, joint=[LESSER])
    assert [*both.observed] == [*PRISM.measures]
    asked = replace(both, judge_questions=lambda block, item, setting: [checklist({"lesser": "a cat"})])
    assert (
        asked.misfit(ITEM, ("en",), fakes.params().prism)
        == "a judge is asked about 'lesser', which follows from others"
    )
    for setting, settings in (("en", ("en", "zh")), ("zh", ("zh",))):
        metric = EN._replace(settings=settings, columns=[Column("style", setting, "lesser")])
        with pytest.raises(
            UserError, match="'lesser' joins en and zh: the metric needs both settings, and the column the last"
        ):
            replace(both, metrics=lambda block, metric=metric: [metric]).metrics_in(fakes.params())
    other = replace(both, joint=[LESSER._replace(settings=("en", "fr"))])
    with pytest.raises(
        UserError, match=r"^prism: a joint measure is of 'fr', which is not a setting; known are: en, zh"
    ):
        other.metrics_in(fakes.params())


[EN, _] = PRISM.metrics_in(fakes.params())
RATIO = OfSums(np.nan_to_num, lambda sums: sums[..., 0] / sums[..., 1])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"shown": ("overal",)}, "'overal' is shown, but not reported; did you mean 'overall'?"),
        ({"correlated": (("style", "entitty"),)}, "'entitty' is correlated, but not reported; did you mean 'entity'?"),
        ({"shown": ()}, "nothing is shown"),
        ({"reported": EN.reported | {"x_lo": RATIO}}, "'x_lo' means something else in metrics"),
        ({"reported": EN.reported | {"style.über": RATIO}}, "'über' cannot be a name: use letters, digits,"),
        ({"name": "spec"}, "'spec' means something else in metrics"),
        ({"settings": ("en", "zu")}, "there is no setting 'zu'; known are: en, zh"),
        ({"columns": [Column("style", "zh", "alignment")]}, "a column is of setting 'zh', but the metric's are en"),
        ({"columns": [Column("style", "en", "fit")]}, "'style' has no measure 'fit'; known are: "),
        (
            {"reported": EN.reported | {"gap": Linear(np.array([1, -1] * 7))}, "shown": ("gap", "overall")},
            "'gap' cannot rank, since it rises when answers are missing: show another value before it",
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_metric_that_contradicts_the_record_is_refused(changed: dict[str, Any], said: str) -> None:
    name = changed.get("name", "en")
    with pytest.raises(UserError, match=f"^prism: metric '{name}': {re.escape(said)}"):
        replace(PRISM, metrics=lambda block: [EN._replace(**changed)]).metrics_in(fakes.params())


def test_metrics_may_report_differences_and_functions_of_sums() -> None:
    reported = EN.reported | {"gap": Linear(np.array([1, -1] * 7)), "ratio": RATIO}
    metric = EN._replace(reported=reported, shown=("overall", "gap", "ratio"))
    assert replace(PRISM, metrics=lambda block: [metric]).metrics_in(fakes.params()) == [metric]
    with pytest.raises(UserError, match=r"^prism: two metrics, or a metric and a table, have the name 'en'$"):
        replace(PRISM, metrics=lambda block: [metric, EN]).metrics_in(fakes.params())
    with pytest.raises(UserError, match="a metric and a table, have the name 'en'"):  # their files would be one
        replace(
            PRISM, metrics=lambda block: [EN], tables=lambda block: [PaperTable("en", "table 1", [], {})]
        ).metrics_in(fakes.params())


def test_what_is_resampled_ranks_nobody() -> None:
    gap = Resampled(np.ones(14, np.bool_), lambda scores: 0.0, lambda scores, weights, chance: weights[:2])
    beside = EN._replace(reported=EN.reported | {"gap": gap}, shown=("overall", "gap"))
    assert replace(PRISM, metrics=lambda block: [beside]).metrics_in(fakes.params()) == [beside]
    first = beside._replace(shown=("gap", "overall"))
    with pytest.raises(
        UserError, match="'gap' cannot rank, as it is not a mean of items: show another value before it"
    ):
        replace(PRISM, metrics=lambda block: [first]).metrics_in(fakes.params())


def test_a_setting_becomes_part_of_keys_and_ids(project: Path) -> None:
    freeze_edition("prism", "small", [ITEM])
    with pytest.raises(UserError, match=r"^prism: 'by/gpt\.5' cannot be a setting: use letters, digits, '_' and '-'$"):
        replace(PRISM, settings=lambda block: ("en", "by/gpt.5")).items(fakes.params())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"stratum": lambda item: "styles"}, "there is no stratum 'styles'; did you mean 'style'?"),
        ({"groups": lambda item: ()}, "it is in no group"),
        (
            {"agreement_by": lambda item: "a.b"},
            "its agreement: 'a.b' cannot be a name: use letters, digits, '_' and '-' (dots separate keys)",
        ),
        (
            {"judge_questions": lambda block, item, setting: [checklist({"alignment": "a cat", "look": "a cat"})]},
            "a judge is asked about 'look', which is not a measure; known are: aesthetic, alignment",
        ),
        (
            {
                "judge_questions": lambda block, item, setting: (
                    [] if setting == "zh" else [checklist({"alignment": "a cat"})]
                )
            },
            "a judge is asked about nothing in setting 'zh'",
        ),
        (
            {"judge_questions": lambda block, item, setting: [ONE, ONE, replace(ONE, follows=ONE.question)]},
            "'checklist' follows the question 'checklist', which the first round asks 2 times, not once, "
            "in setting 'en'",
        ),
        (
            {"judge_questions": lambda block, item, setting: [replace(ONE, follows=AGAIN)]},
            "a judge is asked nothing in the first round in setting 'en'",
        ),
        (
            {
                "prompt": lambda block, item, setting, pictures: Prompt(
                    place_pictures("See <image:dog>.", pictures, "apart")
                )
            },
            "the text names the picture 'dog': there are none",
        ),
    ],
    ids=[
        "stratum",
        "group",
        "agreement",
        "measure",
        "nothing",
        "asked twice",
        "no first round",
        "picture",
    ],
)
def test_an_item_that_does_not_fit_is_named_before_anybody_is_asked(
    project: Path, changed: dict[str, object], said: str
) -> None:
    freeze_edition("prism", "small", [ITEM])
    with pytest.raises(UserError) as error:
        replace(PRISM, **changed).items(fakes.params())
    assert str(error.value) == f"datasets/editions/prism/small.jsonl: item 'style/0' does not fit 'prism': {said}"


def test_an_item_that_nobody_would_look_at_is_named_before_a_board(project: Path) -> None:
    """And not where contestants are asked: these do not depend on who looks at their answers."""
    freeze_edition("prism", "small", [ITEM])
    seen = replace(PRISM, checks=lambda item, setting: [CHECK], observers=["detector"])
    assert seen.items(fakes.params()) == [ITEM]
    with pytest.raises(UserError, match="'style/0' does not fit 'prism': its answers need role detector: name"):
        seen.require_watched(fakes.params())


def test_an_item_about_which_judges_are_asked_wants_one(project: Path) -> None:
    """Without any, observers would be its panel, and nobody would look at what they do not."""
    block = fakes.params().prism.model_copy(update={"judges": [], "observers": {"detector": ["world"]}})
    said = "its answers need a judge: name one in params.yaml, under prism.judges"
    assert PRISM.missing_observer(ITEM, ("en",), block) == said and PRISM.missing_observer(ITEM, (), block) is None
    assert PRISM.missing_observer(ITEM, ("en",), fakes.params().prism) is None


def test_an_unusable_item_stays_in_its_edition_without_being_put(project: Path) -> None:
    unusable = ITEM.model_copy(update={"id": "style/1", "unusable": "its picture was never published"})
    freeze_edition("prism", "small", [ITEM, unusable])
    by_name = replace(
        PRISM,
        prompt=lambda block, item, setting, pictures: Prompt((item.images[0].name if item.unusable else "a cat",)),
    )
    assert by_name.items(fakes.params()) == [ITEM, unusable] and usable_items([ITEM, unusable]) == [ITEM]
    assert (item_count([ITEM]), item_count([ITEM, unusable])) == ("1 item", "2 items, of which 1 cannot be asked")
    assert "no stratum" in (replace(PRISM, stratum=lambda item: "other").misfit(unusable, (), None) or "")


@pytest.mark.parametrize("name", ["prsm", "../prism"])
def test_a_benchmark_without_a_record_is_named(name: str) -> None:
    with pytest.raises(UserError, match=f"^there is no benchmark {name!r}: its record is expected in stages/"):
        benchmark_of(name)


def test_an_item_is_asked_about_some_measures_often_and_about_others_not_at_all() -> None:
    often = [checklist({"alignment": text}) for text in ("a cat", "a dog")]
    benchmark = replace(PRISM, judge_questions=lambda block, item, setting: often)
    assert benchmark.misfit(ITEM, ("en",), fakes.params().prism) is None and benchmark.expected(
        fakes.params().prism, ITEM, "en", 3
    ) == {"alignment": 2 * 3}
    assert PRISM.expected(fakes.params().prism, ITEM, "en", 1) == {"alignment": 1, "aesthetic": 1}


def test_an_item_lies_in_its_stratum_or_in_the_groups_that_the_record_says() -> None:
    assert PRISM.place(ITEM) == ("style", ("style",))
    grouped = replace(PRISM, groups=lambda item: [item.track, "short"])
    assert grouped.place(ITEM) == ("style", ("style", "short"))
