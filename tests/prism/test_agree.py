"""The stage that holds judges against each other and against people: from its tables to metrics and words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from gamut.evaluation.boards import agree as agreeing
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.running import answers
from gamut.evaluation.running.judging import SCHEMA
from gamut.project.errors import UserError
from gamut.report import board as boards
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS, PrismItem
from stages.prism.shared.parameters import Params
from tests import fakes

agree, forget_others = partial(agreeing.agree, PRISM), partial(boards.forget_others, PRISM)
OBSERVATIONS = PRISM.judgments
LABELS = Path("datasets/labels/prism/small.csv")
ITEMS = [PrismItem(id=f"{track}/0", track=track, prompt=track, prompt_zh="中文") for track in TRACKS[:4]]


def with_judges(*judges: str) -> Params:
    models = fakes.values()["models"] | {judge: {"kind": "openai", "id": judge} for judge in judges}
    prism = fakes.values()["prism"] | {"judges": list(judges), "controls_of": []}
    return fakes.params(models=models, contestants=fakes.two_contestants(), prism=prism)


def observed(contestant: str, judge: str, *repeats: Sequence[int | None]) -> None:
    """A judge's alignment scores of the four pictures in English, a sequence a repeat; None where it refused."""
    rows: list[Row] = [
        {"id": f"en-0-{n:08d}", "item": item.id, "setting": "en", "sample": 0, "part": 0, "question": "alignment"}
        | {"repeat": repeat, "value": scores[n], "status": "refused_judge" if scores[n] is None else "ok"}
        for n, item in enumerate(ITEMS)
        for repeat, scores in enumerate(repeats)
    ]
    with TableWriter(PRISM.answer_judgments(contestant, judge), SCHEMA) as table:
        table.write("en-0-00000", rows)


def answered(contestant: str, items: Sequence[PrismItem] = ITEMS) -> None:
    rows: list[Row] = [
        dict.fromkeys(answers.SCHEMA.names)
        | {"id": f"en-0-{n:08d}", "item": item.id, "setting": "en", "sample": 0, "status": "ok", "replies": []}
        for n, item in enumerate(items)
    ]
    with TableWriter(PRISM.answers / contestant, answers.SCHEMA) as table:
        table.write("en-0-00000", rows)


def labelled(*lines: str, path: Path = LABELS) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(["contestant,item,setting,measure,person,score", *lines, ""]))


@pytest.fixture
def edition(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    freeze_edition("prism", "small", ITEMS)
    for contestant in ("good", "poor"):
        answered(contestant)
    return project


def found() -> Mapping[str, float]:
    return json.loads(Path("metrics/prism/small/agreement.json").read_text())


@pytest.mark.usefixtures("edition")
def test_judges_and_people_are_compared_over_all_contestants(capsys: pytest.CaptureFixture[str]) -> None:
    for contestant in ("good", "poor"):
        observed(contestant, "one", [9, 7, 3, None], [9, 6, 3, 1])
        observed(contestant, "two", [9, 6.5, 3, 1])
    labelled(*(f"poor,{item.id},en,alignment,ann,{score}" for item, score in zip(ITEMS, "8631", strict=True)))
    agree(with_judges("one", "two"))
    keys = found()
    # The means of `one` are 9 6.5 3 1: those of `two`. Of three pairs of repeats one differs, by 1: 2/3 and 1/3.
    assert (keys["en.alignment.judges.n"], keys["en.alignment.judges.alpha"]) == (8, 1)
    assert (keys["en.alignment.judges.one.two.kappa"], keys["en.alignment.judges.one.two.n"]) == (1, 8)
    assert keys["en.alignment.repeats.one.n"] == 6
    assert keys["en.alignment.repeats.one.identical"] == 0.667 and keys["en.alignment.repeats.one.distance"] == 0.333
    # ann: 8 6 3 1, so 1 + 0.5 + 0 + 0 away from both: 0.375 on average.
    assert keys["en.alignment.people.one.n"] == 4 == keys["en.alignment.people.two.n"]
    assert keys["en.alignment.people.one.mae"] == 0.375
    assert "metrics/prism/small/agreement.json" in capsys.readouterr().out


@pytest.mark.usefixtures("edition")
def test_one_judge_without_repeats_and_labels_is_told_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    for contestant in ("good", "poor"):
        observed(contestant, "one", [9, 7, 3, 1])
    agree(with_judges("one"))
    assert found() == {}
    said = capsys.readouterr().out
    assert "no answer was scored twice: add a judge or an observer, ask for more repeats, or write" in said
    assert str(LABELS) in said


@pytest.mark.usefixtures("edition")
def test_a_wrong_label_is_named() -> None:
    for contestant in ("good", "poor"):
        observed(contestant, "one", [9, 7, 3, 1])
    labelled("good,style/7,en,alignment,ann,3")
    with pytest.raises(UserError, match=r"datasets/labels/prism/small\.csv, line 2: there is no item 'style/7'"):
        agree(with_judges("one"))


@pytest.mark.usefixtures("edition")
def test_labels_of_what_is_not_measured_now_stop_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for contestant in ("good", "poor"):
        observed(contestant, "one", [9, 7, None, 1])
    ids = [item.id for item in ITEMS]
    # Of these a contestant is gone, no picture in Chinese was judged, and the judge refused the third in English.
    others = [
        f"gone,{ids[0]},en,alignment,ann,3",
        f"good,{ids[0]},zh,alignment,ann,3",
        f"good,{ids[2]},en,alignment,ann,3",
    ]
    labelled(f"good,{ids[0]},en,alignment,ann,8", *others)
    agree(with_judges("one"))
    assert found()["en.alignment.people.one.n"] == 1 and not [key for key in found() if key.startswith("zh")]
    assert capsys.readouterr().out.splitlines()[0] == (
        f"prism.board: {LABELS}: not used: 3 labels of answers that no judge has scored: "
        "1 of gone (en), 1 of good (en), 1 of good (zh)"
    )


@pytest.mark.usefixtures("edition")
def test_labels_of_another_edition_are_not_used() -> None:
    for contestant in ("good", "poor"):
        observed(contestant, "one", [9, 7, 3, 1])
    labelled(f"good,{ITEMS[0].id},en,alignment,ann,8", path=Path("datasets/labels/prism/other.csv"))
    agree(with_judges("one"))
    assert found() == {}


@pytest.mark.usefixtures("edition")
def test_observations_that_no_cell_makes_any_more_are_deleted_first() -> None:
    for contestant, judge in (("good", "one"), ("good", "two"), ("gone", "one"), ("poor", "one")):
        observed(contestant, judge, [9, 7, 3, 1])
    forget_others(with_judges("one"))
    assert sorted(str(path.relative_to(OBSERVATIONS)) for path in OBSERVATIONS.glob("*/*")) == ["good/one", "poor/one"]
    assert not (OBSERVATIONS / "gone").exists()
