"""Labels of both origins meet scores: what is counted, what is written, what a person is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gamut.dataset.calibration.calibrate import CURVES, METRICS, SUMMARY, calibrate
from gamut.dataset.calibration.filters import FILTERS, rows_shown
from gamut.dataset.calibration.labels import BAD, GOOD, TASK, known_ids, read_labels, true_labels
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.dataset.steps import CALIBRATE
from gamut.project.decisions import path_of
from gamut.project.errors import UserError
from gamut.world import legacy, truth
from stages.dataset import align, examine, find_text, follow, proofread, safety, score, synthesize
from tests import fakes
from tests.dataset.calibrated import (
    CAPTIONED,
    CLARITY,
    LABELS,
    PICTURES,
    labels,
    measured,
    named,
    w,
    write,
)
from tests.embedded_world import captions, commission


def test_every_threshold_of_the_parameters_is_calibrated() -> None:
    values = fakes.values()
    sections = ("legible", "admit", "categorize", "select", "originals")
    assert {f.parameter for f in FILTERS} == {f"{name}.{key}" for name in sections for key in values[name]}
    stages = {
        table_of("find_text"): find_text,
        table_of("examine"): examine,
        table_of("score"): score,
        table_of("proofread"): proofread,
        table_of("follow"): follow,
        table_of("safety"): safety,
        table_of("align"): align,
    }
    assert all(f.column in stages[f.table].STEP.schema.names for f in FILTERS)


@pytest.mark.usefixtures("tables")
def test_people_see_the_text_that_was_judged_with_the_picture() -> None:
    wanted = {"clarity": None, "sense": f"prompt {w(0)}", "follows": f"prompt {w(0)}", "alignment": f"original {w(0)}"}
    found = {filter_.name: rows_shown(filter_, [w(0)]) for filter_ in FILTERS if filter_.name in wanted}
    assert {name: [one.text for one in shown] for name, shown in found.items()} == {n: [x] for n, x in wanted.items()}


# A person's labels


@pytest.mark.usefixtures("tables")
def test_labels_of_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    # Clarity 2 4 are bad, 6 7 9 good, w-00005001 has no score; at threshold 7 the good 6 is a false alarm.
    lines = [f"{i},clarity,{int(value > 5)}" for i, value in CLARITY.items()]
    calibrate(labels("\n".join([*lines, f"{w(5001)},clarity,0", f"{w(0)},style,", ""])))
    assert measured("clarity") == {
        "labels": 5,
        "unscored": 1,
        "threshold": 7,
        "positives": 2,
        "found": 2,
        "missed": 0,
        "false_alarms": 1,
        "precision": 0.666667,  # 2 of 3
        "precision_low": 0.094299,  # Clopper and Pearson's of 2 of 3
        "precision_high": 0.991596,  # two or fewer of three come with 1 - p^3, which is .025 at .975^(1/3)
        "recall": 1.0,
        "recall_low": 0.158114,  # 2 of 2: .025^(1/2)
        "recall_high": 1.0,
        # Each label is a fold. Without 2, 7 or 9 the others choose 5, without 4 4, without 6 today's 7. So 2, 7 and 9
        # judge 5: 1 of 1, at least .025.
        "candidate": 5,
        "candidate_precision": 1.0,
        "candidate_precision_low": 0.025,
        "candidate_precision_high": 1.0,
        "candidate_recall": 1.0,
        "candidate_recall_low": 0.025,
        "candidate_recall_high": 1.0,
        "enough_labels": 200,  # of the 2 bad ones below 5 72 are wanted: 36 times as many; 2^(21/4) = 38 are tried
        "unsure": 6,  # nobody drew them
    }
    assert (CURVES / "clarity.csv").read_text().splitlines() == [
        "threshold,precision,recall",
        "3,1.0,0.5",
        "4,1.0,0.5",
        "5,1.0,1.0",
        "6,1.0,1.0",
        "7,0.666667,1.0",
        "8,0.5,1.0",
        "9,0.5,1.0",
        "10,0.4,1.0",
    ]
    said = capsys.readouterr().out
    assert f"calibrate: {LABELS}: rows without a label yet: 1" in said
    assert "│ clarity       │      5 │   7 │ 0.667 0.09–0.99 │ 1.000 0.16–1.00 │         - │" in said
    assert "Labels of rows that have no score: 1 clarity." in said
    assert "so nothing is suggested: 6 clarity." in said and "there are no labels" not in said


def test_another_file_of_labels_beside_the_first(tables: Path) -> None:
    """What is kept of a shard is kept of the rows that a file names."""
    entry = {"cmd": "", "params": ["calibrate"], "deps": CALIBRATE.dependencies()}
    (tables / "dvc.yaml").write_text(json.dumps({"stages": {"calibrate": entry}}))
    (tables / "params.yaml").write_text(json.dumps({"calibrate": {"labels": "either"}}))
    found = []
    first, second = labels(f"{w(0)},clarity,0\n{w(3)},clarity,1"), LABELS.with_name("second.csv")
    second.write_text(f"id,filter,label,weight\n{w(1)},clarity,0,1\n{w(0)},alignment,1,1\n")
    for params in (first, named(second), first):
        calibrate(params)
        found.append({name: one["labels"] for name, one in json.loads(METRICS.read_text()).items() if one["labels"]})
    assert found == [{"clarity": 2}, {"clarity": 1, "alignment": 1}, {"clarity": 2}]


@pytest.mark.usefixtures("tables")
def test_a_characteristic_is_found_where_it_belongs(capsys: pytest.CaptureFixture[str]) -> None:
    zeros = dict.fromkeys((f"score_{name}" for name in CHARACTERISTICS), 0)
    scores = {w(0): 9, w(1): 8, w(2): 6, w(3): 2}
    write(
        table_of("score"),
        score.STEP.schema,
        [{"id": i, "status": "ok", **zeros, "score_style": s} for i, s in scores.items()],
    )
    calibrate(labels(f"{w(0)},style,1\n{w(1)},style,0\n{w(2)},style,1\n{w(3)},style,0\n"))
    style = measured("style")
    # From 7 up are 9 (belongs) and 8 (does not); 6, which belongs, is missed.
    assert (style["positives"], style["found"], style["missed"], style["false_alarms"]) == (2, 1, 1, 1)
    assert (style["precision"], style["recall"]) == (0.5, 0.5)
    assert "│ 0.500 0.01–0.99 │ 0.500 0.01–0.99 │         - │" in capsys.readouterr().out


@pytest.mark.usefixtures("tables")
def test_dvc_shows_the_mean_over_filters_with_labels() -> None:
    zeros = dict.fromkeys((f"score_{name}" for name in CHARACTERISTICS), 0)
    scores = {w(0): 9, w(1): 8, w(2): 6, w(3): 2}
    write(
        table_of("score"),
        score.STEP.schema,
        [{"id": i, "status": "ok", **zeros, "score_style": s} for i, s in scores.items()],
    )
    # For clarity 2, 4 and 6 are rejected, but 4 should pass: precision 2/3, recall 1. Style belongs from 7 up, where 9
    # and 8 lie, and to 6, which is missed: precision 1, recall 2/3. Of the other filters nothing is known.
    clarity = "".join(f"{w(n)},clarity,{label}\n" for n, label in enumerate((0, 1, 0, 1)))
    calibrate(labels(f"{clarity}{w(0)},style,1\n{w(1)},style,1\n{w(2)},style,1\n{w(3)},style,0\n"))
    assert json.loads(SUMMARY.read_text()) == pytest.approx({"precision": 5 / 6, "recall": 5 / 6}, abs=1e-6)
    calibrate(labels(""))
    assert json.loads(SUMMARY.read_text()) == {}


@pytest.mark.usefixtures("tables")
def test_the_same_labels_in_another_order_give_the_same_bytes() -> None:
    lines = [f"{i},clarity,{int(value > 5)}" for i, value in CLARITY.items()]
    outputs = []
    for order in (lines, lines[::-1]):
        calibrate(labels("\n".join(order)))
        outputs.append(fakes.contents(Path("metrics")))
    assert outputs[0] == outputs[1] and len(outputs[0]) == 2 + len(FILTERS)  # numbers, few of them, curves


@pytest.mark.usefixtures("tables")
def test_every_mistake_in_a_labels_file_is_a_line() -> None:
    text = f"""\
{w(0)},clarity,yes
{w(9)},clarity,1
{w(1)},clarty,1
{w(1)},clarity,1
 {w(1)} , clarity ,1
{w(1)},clarity,0
elsewhere,clarity,1
{w(2)}
"""
    with pytest.raises(UserError) as error:
        calibrate(labels(text))
    names = ", ".join(sorted(filter_.name for filter_ in FILTERS))
    assert str(error.value).splitlines() == [
        f"{LABELS}, line 2: label 'yes': 1 (it should pass) or 0 (it should not) is expected",
        f"{LABELS}, line 3: there is no row 'w-00000009' in datasets/source_rows",
        f"{LABELS}, line 4: there is no filter 'clarty'; did you mean 'clarity'?",
        f"{LABELS}, line 6: repeats line 5, which labels w-00000001 for clarity",
        f"{LABELS}, line 7: contradicts line 5, which labels w-00000001 for clarity",
        f"{LABELS}, line 8: there is no row 'elsewhere' in datasets/source_rows",
        f"{LABELS}, line 9: there is no filter ''; known are: {names}",
    ]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "its first line must name the columns id,filter,label: 'id' is missing"),
        (
            b"id,filter,label\nw-00000000,clarity,1\n",
            "there is no column weight, the number of rows that each labelled row stands for: if all rows are "
            "labelled, or all were equally likely to be drawn, write 1 in each row",
        ),
        (None, "no such file (calibrate.labels in params.yaml): put it there, or set it to null"),
    ],
)
def test_no_labels_file(content: bytes | None, message: str) -> None:
    if content is not None:
        LABELS.parent.mkdir(parents=True)
        LABELS.write_bytes(content)
    with pytest.raises(UserError) as error:
        read_labels(LABELS, known_ids)
    assert str(error.value) == f"{LABELS}: {message}"


@pytest.mark.usefixtures("tables")
def test_weights(capsys: pytest.CaptureFixture[str]) -> None:
    params = labels("")
    header = "\ufeffid,filter,stratum,weight,label\n"  # as Excel begins its files
    # Bad are one of weight 1, found at 7, and one that stands for 6 above: recall 1/7. The table has 5 rows.
    lines = [f"{w(0)},clarity,below 7,1,0", f"{w(5000)},clarity,from 7,3,0", f"{w(3)},clarity,from 7,3,", ""]
    LABELS.write_text(header + "\n".join(lines), encoding="utf-8")
    calibrate(params)
    assert (measured("clarity")["recall"], measured("clarity")["found"]) == (round(1 / 7, 6), 1)
    assert "rows or weights have changed since the labelled rows were drawn: clarity." in capsys.readouterr().out
    LABELS.write_text(f"id,filter,weight,label\n{w(0)},clarity,2,0\n")
    with pytest.raises(UserError, match="line 2: weight '2': without a column stratum, the weight of every row is 1"):
        calibrate(params)
    for wrong in ("0", "nan", "1e9", "0.999999", ""):
        LABELS.write_text(f"{header}{w(0)},clarity,below 7,{wrong},0\n", encoding="utf-8")
        with pytest.raises(UserError, match=f"line 2: weight '{wrong}': a number of 1 or more is expected"):
            calibrate(params)


@pytest.mark.usefixtures("tables")
def test_strata_of_a_file() -> None:
    header = "id,filter,stratum,weight,label\n"
    LABELS.parent.mkdir(parents=True)
    lines = [f"{w(0)},clarity,below 6,2,0", f"{w(2)},clarity,from 7,2,1", f"{w(3)},clarity,above,2,1"]
    LABELS.write_text(header + "\n".join([*lines, f"{w(0)},alignment,from 8,2,1", ""]))
    with pytest.raises(UserError) as error:
        calibrate(named(LABELS))
    assert str(error.value).splitlines() == [
        f"{LABELS}, line 3: stratum 'from 7': earlier rows of clarity are from another sample",
        f"{LABELS}, line 4: stratum 'above': one such as 'below 6' or 'from 6' is expected",
    ]


@pytest.mark.usefixtures("tables")
def test_labels_of_several_people(capsys: pytest.CaptureFixture[str]) -> None:
    params = labels("".join(f"{i},clarity,{'' if value == 9 else int(value > 5)}\n" for i, value in CLARITY.items()))
    for reviewer, said in {"ann": {w(0): "0", w(1): "1", w(5000): "1"}, "bob": {w(0): "0", w(2): "1"}}.items():
        path = path_of(reviewer, TASK)
        path.parent.mkdir(parents=True)
        lines = [json.dumps({"id": f"clarity/{row_id}", "decision": words}) for row_id, words in said.items()]
        path.write_text("".join(f"{line}\n" for line in lines))
    calibrate(params)
    # Clarity 2 is bad by all three, 6 good by two; of 4 the file says bad and Ann good; 9 is good by Ann alone.
    clarity = measured("clarity")
    assert [clarity[key] for key in ("labels", "disputed", "positives", "found", "twice")] == [5, 1, 1, 1, 3]
    # Below 7 are a bad 2, a good 6 and a disputed 4: at least 1 of 3, at most 2 of 3.
    assert clarity["precision"] == 0.5
    assert (clarity["precision_low"], clarity["precision_high"]) == (0.008404, 0.991596)
    # The file and Ann say 00 and 01, kappa 0; the file and Bob 00 and 11, kappa 1; Ann and Bob 00, undefined.
    assert clarity["kappa"] == 0.5
    # 7 labels, 00 0 | 01 | 11: disagreement 2 / 7 observed, 2 · 4 · 3 / (7 · 6) expected.
    assert clarity["alpha"] == 0.5
    assert "Rows with as many labels 1 as 0: 1 clarity." in capsys.readouterr().out
    calibrate(fakes.params(roles=fakes.values()["roles"] | {"painter": "gpt"}, sources=[REWRITTEN]))
    assert "calibrate: the labels of ann, bob are not counted: at calibrate.labels in" in capsys.readouterr().out


# The truth of the embedded world


FAULTS = {"blur": 0.5}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A world in which every picture with an odd seed is blurred and all captions but those of seed 1 are true."""
    asked: list[Any] = []

    def picture_truth(prompt: str, seed: int, faults: Any, width: int, height: int) -> dict[str, bool]:
        asked.append((prompt, seed, dict(faults), width, height))
        return {"clarity": seed % 2 == 0, "style": True}

    def alignment_truth(caption: str, prompt: str, seed: int, faults: Any) -> bool | None:
        assert caption.startswith("original") and dict(faults) == FAULTS
        return None if seed == 2 else seed != 1

    def legacy_rows(count: int, seed: int, *, paint: bool, **shares: Any) -> Iterator[Any]:
        assert (count, seed, paint) == (2, 7, False)
        assert shares == {"without_image": 0.25, "mismatched": 0.5, "duplicates": 0.0, "faults": {"noise": 0.125}}
        yield from (SimpleNamespace(truth=SimpleNamespace(legible=legible)) for legible in (True, False))

    monkeypatch.setattr(truth, "picture_truth", picture_truth)
    monkeypatch.setattr(truth, "alignment_truth", alignment_truth)
    monkeypatch.setattr(legacy, "legacy_rows", legacy_rows)
    return asked


MINED = {"kind": "sandbox", "wave": "t", "route": "mine_text", "count": 2, "seed": 7, "without_image": 0.25}
MINED |= {"mismatched": 0.5, "faults": {"noise": 0.125}}
REWRITTEN = {"kind": "sandbox", "wave": "w", "route": "rewrite", "count": 5002}
MODELS = {"world": {"kind": "sandbox", "faults": FAULTS}, "gpt": {"kind": "openai", "id": "org/model"}}


@pytest.mark.usefixtures("tables")
def test_truth_of_the_world(world: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    calibrate(fakes.params(models=MODELS, sources=[REWRITTEN, MINED]))
    assert world == [
        (f"prompt {i}", n, FAULTS, 64, 48) for n, i in enumerate(PICTURES)
    ]  # no truth of what was not painted
    # Seeds 0 .. 5, odd ones blurred: bad are w1 (4), w3 (7) and w5001 (no score); good are w0 (2), w2 (6), w5000 (9).
    # At 7: found w1, false alarms w0 and w2, missed w3.
    clarity = measured("clarity")
    assert [clarity[key] for key in ("labels", "unscored", "positives", "found", "missed", "false_alarms")] == [
        *(5, 1, 2, 1, 1, 2)
    ]
    # Captions: w0 true (9), w1 false (1), w2 cannot be read, w3 has none, w5000 and w5001 true but were not compared.
    alignment = measured("alignment")
    assert [alignment[key] for key in ("labels", "unscored", "precision", "recall")] == [2, 2, 1.0, 1.0]
    legibility = measured("legibility")
    assert [legibility[key] for key in ("labels", "precision", "recall")] == [2, 1.0, 1.0]
    assert measured("style") == {"labels": 0, "unscored": 6, "threshold": 7}  # true, but nobody scored it
    assert measured("letterforms") == {"labels": 0, "unscored": 0, "threshold": 6}
    assert "6 style" in capsys.readouterr().out


@pytest.mark.usefixtures("tables", "world")
def test_without_any_labels_the_stage_ends_well_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    roles = fakes.values()["roles"] | {"painter": "gpt"}
    calibrate(fakes.params(roles=roles, sources=[REWRITTEN]))
    report = json.loads(METRICS.read_text())
    assert list(report) == [filter_.name for filter_ in FILTERS]
    assert all(measures["labels"] == 0 and "precision" not in measures for measures in report.values())
    assert {path.read_text() for path in CURVES.iterdir()} == {"threshold,precision,recall\n"}
    assert sorted(path.stem for path in CURVES.iterdir()) == sorted(report)
    assert "calibrate: there are no labels: draw rows with `gamut calibrate --sample 50`" in capsys.readouterr().out


@pytest.mark.usefixtures("tables", "world")
def test_source_images_of_the_world_have_truth_whoever_paints() -> None:
    roles = fakes.values()["roles"] | {"painter": "gpt"}
    calibrate(fakes.params(roles=roles, sources=[REWRITTEN, MINED]))
    assert (measured("legibility")["labels"], measured("clarity")["labels"]) == (2, 0)


def test_the_world_as_it_stands(project: Path) -> None:
    prompts = captions(40, seed=1)
    params = fakes.params(models=MODELS | {"world": {"kind": "sandbox", "faults": {"blur": 0.3}}}, sources=[MINED])
    write(table_of("source_rows"), CAPTIONED, [{"id": w(n), "caption": prompt} for n, prompt in enumerate(prompts)])
    rows = [{"id": w(n), "prompt": p, "seed": n, "width": 64, "height": 64} for n, p in enumerate(prompts)]
    write(table_of("synthesize"), synthesize.SCHEMA, [row | {"status": "ok"} for row in rows])
    found = {shard: labels for shard, labels in true_labels(params) if labels}
    of_pictures = found["w-00000"]
    blurred = {w(n): commission(prompt, n, {"blur": 0.3})[1].get("blur", 0.0) for n, prompt in enumerate(prompts)}
    beyond = {row_id for row_id, strength in blurred.items() if strength > 1}  # the limit of visibility
    assert {row_id for row_id, label in of_pictures["clarity"].items() if label.verdict == BAD} == beyond
    assert 0 < len(beyond) < sum(map(bool, blurred.values())) < 40
    assert of_pictures.keys() >= {"structure", "contrast", "sense", "alignment", *CHARACTERISTICS}
    assert {label.verdict for label in of_pictures["alignment"].values()} == {
        GOOD
    }  # each caption is its picture's own prompt
    shares = {"without_image": 0.25, "mismatched": 0.5, "duplicates": 0.0, "faults": {"noise": 0.125}}
    truths = [row.truth.legible for row in legacy.legacy_rows(2, 7, **shares, paint=False)]
    assert [label.verdict == GOOD for label in found["t-00000"]["legibility"].values()] == truths


# A sample to be labelled
