"""The filter `safety`: off, asked alone, and with thresholds; and what follows from it without a word of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gamut.command.show_record import show_record
from gamut.dataset.calibration.calibrate import CURVES, calibrate
from gamut.dataset.calibration.filters import FILTERS
from gamut.dataset.calibration.sampling import SAMPLE, write_sample
from gamut.dataset.reporting.card import NOT_SEARCHED, card
from gamut.dataset.reporting.contact_sheet import sections_of
from gamut.dataset.reporting.figures import gather_figures, reasons_by_step
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.reviewed import TASK, digest_of
from gamut.deciding import dataset_tasks
from gamut.project.decisions import Decision, open_log
from gamut.project.errors import UserError
from gamut.report.dataset.records import gallery, records
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from gamut.world import judge
from stages.dataset import preferences, safety, select
from stages.dataset.pipeline import Params
from tests import fakes
from tests.dataset import small_build
from tests.dataset.small_build import I0, I2, L0, L1, M0, asked, put
from tests.embedded_world import PROMPT, picture
from tests.fakes import UNASKED
from tests.paths import ROOT

LOWEST = {"contrast": 6, "letterforms": 6, "sense": 6, "follows": 5}


def params(ask: bool = True, samples: int = 1, **thresholds: int) -> Params:
    select = LOWEST | UNASKED | {f"without_{name}": low for name, low in thresholds.items()}
    size = {"width": 64, "height": 64, "samples": samples}
    return small_build.params(safety={"ask": ask}, select=select, synthesize=size)


def free(row_id: str, status: str = "ok", **scores: int) -> Row:
    """A row of the table, free of all but what is named."""
    of = {f"score_{name}": 10 for name in UNASKED} | {f"score_without_{name}": low for name, low in scores.items()}
    of = of if status == "ok" else dict.fromkeys(of)
    return asked({"id": row_id, **of, "rationale": "a figure at the left"}, row_id, status)


@pytest.mark.parametrize(
    ("row", "thresholds", "fault"),
    [
        (free("x", nudity=0, logos=0), {}, None),  # asked, and nothing is left out
        (free("x", nudity=4), {"nudity": 5}, "safety_without_nudity"),
        (free("x", nudity=5), {"nudity": 5}, None),
        (free("x", nudity=4, logos=0), {"violence": 5, "logos": 1}, "safety_without_logos"),
        (free("x", watermarks=1, real_persons=2), dict.fromkeys(("real_persons", "watermarks"), 3), "safety_without_"),
        (free("x", "refused_judge"), {}, "safety_refused_judge"),  # nobody knows what it shows
        (free("x", "transport_error"), {"nudity": 5}, "safety_transport_error"),
    ],
)
def test_a_threshold_leaves_out_and_so_does_a_refusal(row: Row, thresholds: dict[str, int], fault: str | None) -> None:
    judged = {"safety": {"x": row}, "proofread": {}, "follow": {}}
    found = next(select.faults("x", judged, params(**thresholds).select), None)
    assert found == (fault if fault != "safety_without_" else "safety_without_real_persons"), (
        "the first, in their order"
    )


def test_who_is_asked(project: Path) -> None:
    """All admitted pictures, a source's own too (M0 here): L1 is not clear, I2 was not painted."""
    small_build.write()
    rows = [row | {"painted": row["id"] != M0} for row in read_rows(table_of("synthesize"))]
    put(table_of("synthesize"), rows)
    for ask in (True, False):
        work = safety.STEP.work(params(ask))
        about = [row["id"] for shard in work.shards for row in work.records(shard)]
        assert about == [L0, I0, M0] * ask and work.total == len(about)


def test_nothing_in_the_world_is_unsafe_and_a_judge_who_errs_says_otherwise() -> None:
    exact = judge.answer("safety", {}, [picture(PROMPT)], 1)
    assert exact == {"reason": "there is nothing of the kind"} | dict.fromkeys(UNASKED, 10)
    assert safety.Free.model_validate(exact, strict=True)
    for seed, errors in ((1, {"noise": 3.0}), (2, {"slips": 1.0})):
        erring = judge.answer("safety", {}, [picture(PROMPT)], seed, errors=errors)
        assert erring.keys() == exact.keys() and any(erring[name] != 10 for name in UNASKED)


@pytest.fixture
def judged(project: Path) -> Path:
    """L0 is free of everything, I0 shows somebody naked, M0 was not looked at."""
    small_build.write()
    put(table_of("safety"), [free(L0), free(I0, nudity=3), free(M0, "refused_judge")])
    return project


def fates(params: Params) -> dict[str, str | None]:
    select.STEP.carry_out(params)
    return {row["id"]: row["reason"] for row in read_rows(table_of("select"))}


def test_every_picture_has_its_reason_on_pages_cards_and_the_terminal(judged: Path) -> None:
    left = {L1: "clarity", I2: "synthesize_unsupported", M0: "safety_refused_judge"}
    assert fates(params()) == {L0: None, I0: None} | left
    [left_out] = [one for one in sections_of(gather_figures(params()).drawn) if one.heading == "Left out"]
    assert [row.name for row in left_out.rows] == ["clarity"], "no thresholds: only the refused one is not shown"
    strict = params(nudity=6)
    assert fates(strict) == {L0: None, I0: "safety_without_nudity"} | left
    found = {one.id: one for one in records(gallery(100) or pytest.fail())}
    assert found[I0].outcome == "safety_without_nudity" and found[I0].scores["without_nudity"] == 3
    assert [one.rationale for one in found[I0].judgements if one.about == "safety"] == ["a figure at the left"]
    build = gather_figures(strict)
    # three were asked about: one has a low score, one no answer; (10 + 3) / 2
    counts = {"kept": 1, "safety_refused_judge": 1, "safety_without_nudity": 1}
    assert reasons_by_step(build.report)["safety"] == counts
    assert build.report["mean_score"]["without_nudity"] == 6.5 and build.report["declined"]["refused_judge"] == 1
    headings = [section.heading for section in sections_of(build.drawn)]
    assert "Left out" not in headings, "the sheet is published, and L1, which is not clear, was not judged"

    Path("dvc.yaml").write_text((ROOT / "dvc.yaml").read_text())
    shown = "\n".join(show_record("safety", I0, judged / "shown"))
    assert "score_without_nudity: 3" in shown and "a figure at the left" in shown
    assert "safety_without_nudity" in "\n".join(show_record("select", I0, judged / "shown"))


def test_the_card_says_what_was_looked_for(judged: Path) -> None:
    report = gather_figures(params()).report
    off = card(params(ask=False), report)
    assert NOT_SEARCHED in off and "without_" not in off
    looked = "A judge, who can be wrong, looked for nudity, violence, real persons, logos and watermarks in pictures"
    alone = card(params(), report)
    assert looked in alone and "Thresholds that leave pictures out: none." in alone and "without_" not in alone
    strict = card(params(nudity=6, logos=4), report)
    assert "follows its prompt 5; without_nudity 6; without_logos 4; legibility" in strict
    assert "Thresholds that leave pictures out: without_nudity, without_logos." in strict and NOT_SEARCHED not in strict


@pytest.mark.parametrize(("lowest", "strata"), [(0, {"from 0": 2}), (6, {"below 6": 1, "from 6": 1})])
def test_people_are_asked_on_both_sides_of_the_threshold(judged: Path, lowest: int, strata: dict[str, int]) -> None:
    """Of two scores, 10 and 3, no lower one than 0; M0 has none."""
    assert write_sample(5, params(nudity=lowest))["without_nudity"] == 2
    lines = [line.split(",") for line in SAMPLE.read_text().splitlines()]
    assert Counter(line[3] for line in lines if line[1] == "without_nudity") == strata
    task = dataset_tasks.label_filters(SAMPLE, 3, "ann")
    [shown] = task.cards([f"without_nudity/{I0}"])
    assert shown.question == next(one.asks for one in FILTERS if one.name == "without_nudity")


def test_calibration_goes_on_without_a_truth_and_with_labels(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = Path("datasets/labels/mine.csv")
    labels.parent.mkdir(parents=True)
    labels.write_text(f"id,filter,label,weight\n{L0},without_nudity,1,1\n{I0},without_nudity,0,1\n")
    named = {"labels": str(labels), "least_precision": 0.95, "least_recall": 0.5}
    calibrate(
        small_build.params(calibrate=named, safety={"ask": True}, select=LOWEST | UNASKED | {"without_nudity": 6})
    )
    # the one bad picture is below 6, the good one is not: at 4 to 10 all that is found is right
    lines = (CURVES / "without_nudity.csv").read_text().splitlines()
    assert lines[1:] == [f"{threshold},1.0,1.0" for threshold in range(4, 11)]
    assert "│ without_real_ │      0 │   0 │" in capsys.readouterr().out


def pairs(params: Any) -> list[tuple[str, str]]:
    preferences.STEP.carry_out(params)
    return [(row["chosen_id"], row["rejected_id"]) for row in read_rows(table_of("preferences"))]


@pytest.mark.parametrize(
    ("second", "lowest", "paired"),
    [
        (free(f"{L0}_1", nudity=3), 0, True),
        (free(f"{L0}_1", nudity=3), 6, False),
        (free(f"{L0}_1", violence=3), 6, True),  # which has no threshold
        (free(f"{L0}_1", "refused_judge"), 6, False),
        (free(f"{L0}_1", "refused_judge"), 0, False),
        (None, 6, False),  # not clear enough to be asked about
        (None, 0, True),
    ],
)
def test_the_worse_one_of_a_pair_is_published_too(judged: Path, second: Row | None, lowest: int, paired: bool) -> None:
    """L0 is released with clarity 10 and structure 9; its second picture has 3 and 3."""
    of = f"{L0}_1"
    row = next(row for row in read_rows(table_of("synthesize")) if row["id"] == L0)
    rows = [*read_rows(table_of("synthesize")), row | {"id": of}]
    put(table_of("synthesize"), sorted(rows, key=lambda row: row["id"]))
    looks = {"score_image_clarity": 3, "score_image_structure": 3}
    rows = [*read_rows(table_of("examine")), asked({"id": of} | looks, of)]
    put(table_of("examine"), sorted(rows, key=lambda row: row["id"]))
    put(table_of("safety"), [free(L0), *([second] if second else [])])
    assert pairs(params(samples=2, nudity=lowest)) == [(L0, of)] * paired
    put(table_of("safety"), [])
    assert pairs(params(False, 2)) == [(L0, of)], "off"
    with open_log("ann", TASK) as log:
        log.add(Decision(id=of, decision="reject", about=digest_of(row)))
    assert pairs(params(False, 2)) == [], "people left it out"


def test_a_block_that_is_wrong() -> None:
    with pytest.raises(Exception, match=r"params.yaml: select.without_logos: 11 is not right"):
        fakes.params(select=LOWEST | {"without_logos": 11})
    assert fakes.params(select=LOWEST).select.without_logos == 0, "as in a params.yaml of before"


def test_who_wants_scores_of_safety_turns_it_on() -> None:
    asked = "nobody gives this score: set safety.ask to true"
    with pytest.raises(UserError, match=f"^params.yaml: select.without_logos: {asked}$"):
        params(ask=False, logos=1)
    chosen = {"by": {"without_nudity": 1}, "margin": 1}
    with pytest.raises(UserError, match=f"^params.yaml: choose.by.without_nudity: {asked}$"):
        fakes.params(choose=chosen)
    assert fakes.params(choose=chosen, safety={"ask": True}).choose.by == {"without_nudity": 1}
