"""Labels of both origins meet scores: what is counted, what is written, what a person is told."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from stages.dataset import align, examine, find_text, proofread, score, synthesize
from stages.dataset.calibrate import CURVES, METRICS, calibrate
from stages.dataset.calibration.filters import FILTERS
from stages.dataset.calibration.labels import true_labels
from stages.dataset.calibration.labels_file import SAMPLE, draw, known_ids, read_labels, write_sample
from stages.dataset.shared.joins import ALIGNED, EXAMINED, FOUND_TEXT, PROOFREAD, SCORED, SOURCE_ROWS, SYNTHESIZED
from stages.dataset.shared.parameters import CHARACTERISTICS
from stages.project.errors import UserError
from stages.sandbox import legacy, truth
from stages.tables.columns import Row, make_id, place
from stages.tables.writing import TableWriter
from tests import fakes
from tests.world import captions, commission

CAPTIONED = pa.schema([pa.field("id", pa.string()), pa.field("caption", pa.string())])
LABELS = Path("datasets/labels/mine.csv")


def write(folder: Path, schema: pa.Schema, rows: list[Row]) -> None:
    """A table with the shards 0 and 1 of wave w and 0 of wave t, empty where no row belongs there."""
    shards: dict[str, list[Row]] = {"w-00000": [], "w-00001": [], "t-00000": []}
    for row in rows:
        shards[place(row["id"])[0]].append(row)
    with TableWriter(folder, schema) as table:
        for shard, of_shard in shards.items():
            table.write(shard, of_shard)


def w(ordinal: int) -> str:
    return make_id("w", ordinal)


def t(ordinal: int) -> str:
    return make_id("t", ordinal)


PICTURES = [w(0), w(1), w(2), w(3), w(5000), w(5001)]
CLARITY = {w(0): 2, w(1): 4, w(2): 6, w(3): 7, w(5000): 9}  # the one left over could not be judged
LEGIBILITY = {t(0): 9, t(1): 3}


def judged(column: str, scores: dict[str, int]) -> list[Row]:
    others = {"score_image_structure": 8} if column == "score_image_clarity" else {}
    return [{"id": row_id, "status": "ok", column: value, **others} for row_id, value in scores.items()]


@pytest.fixture
def tables(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six pictures, five of them judged for clarity alone; two source images searched for text."""
    monkeypatch.setenv("COLUMNS", "80")
    write(SOURCE_ROWS, CAPTIONED, [{"id": i, "caption": None if i == w(3) else f"original {i}"} for i in PICTURES])
    size = {"width": 64, "height": 48}
    painted = [{"id": i, "prompt": f"prompt {i}", "seed": n, **size, "status": "ok"} for n, i in enumerate(PICTURES)]
    write(SYNTHESIZED, synthesize.SCHEMA, [*painted, {"id": w(5002), "prompt": "strange", "status": "unsupported"}])
    unjudged = {"id": w(5001), "status": "parse_error"}
    write(EXAMINED, examine.SCHEMA, [*judged("score_image_clarity", CLARITY), unjudged])
    write(SCORED, score.SCHEMA, [])
    write(PROOFREAD, proofread.SCHEMA, [])
    write(ALIGNED, align.SCHEMA, judged("score_original", {w(0): 9, w(1): 1, w(3): 5}))
    write(FOUND_TEXT, find_text.SCHEMA, judged("score_legibility", LEGIBILITY))
    return project


def labels(text: str) -> Any:
    """Parameters that name a labels file with this text below its header."""
    LABELS.parent.mkdir(parents=True, exist_ok=True)
    LABELS.write_text("id,filter,label\n" + text)
    return fakes.params(calibrate={"labels": str(LABELS), "least_precision": 0.95})


def measured(name: str) -> Any:
    return json.loads(METRICS.read_text())[name]


def test_every_threshold_of_the_parameters_is_calibrated() -> None:
    values = fakes.values()
    sections = ("legible", "admit", "categorize", "select", "originals")
    assert {f.parameter for f in FILTERS} == {f"{name}.{key}" for name in sections for key in values[name]}
    stages = {FOUND_TEXT: find_text, EXAMINED: examine, SCORED: score, PROOFREAD: proofread, ALIGNED: align}
    assert all(f.column in stages[f.table].SCHEMA.names for f in FILTERS)


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
        "precision_low": 0.20766,
        "precision_high": 0.938508,
        "recall": 1.0,
        "recall_low": 0.34238,  # 2 of 2: 1 / (1 + z^2 / 2)
        "recall_high": 1.0,
        "average_precision": 1.0,
        "suggested": 5,  # 5 and 6 part them, of two the lower
        "suggested_precision": 1.0,
        "suggested_recall": 1.0,
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
    assert "│ clarity     │      5 │   7 │ 0.667 0.21–0.94 │ 1.000 0.34–1.00 │         5 │" in said
    assert "Labels of rows that have no score: 1 clarity." in said and "best F1" not in said
    assert "gamut calibrate --sample" not in said


@pytest.mark.usefixtures("tables")
def test_a_characteristic_is_found_where_it_belongs(capsys: pytest.CaptureFixture[str]) -> None:
    zeros = dict.fromkeys((f"score_{name}" for name in CHARACTERISTICS), 0)
    scores = {w(0): 9, w(1): 8, w(2): 6, w(3): 2}
    write(SCORED, score.SCHEMA, [{"id": i, "status": "ok", **zeros, "score_style": s} for i, s in scores.items()])
    calibrate(labels(f"{w(0)},style,1\n{w(1)},style,0\n{w(2)},style,1\n{w(3)},style,0\n"))
    style = measured("style")
    # From 7 up are 9 (belongs) and 8 (does not); 6, which belongs, is missed.
    assert (style["positives"], style["found"], style["missed"], style["false_alarms"]) == (2, 1, 1, 1)
    assert (style["precision"], style["recall"]) == (0.5, 0.5)
    # Only from 9 up is precise enough: recall 1/2.
    assert (style["suggested"], style["suggested_precision"], style["suggested_recall"]) == (9, 1.0, 0.5)
    assert "│ 0.500 0.09–0.91 │ 0.500 0.09–0.91 │         9 │" in capsys.readouterr().out


@pytest.mark.usefixtures("tables")
def test_the_best_f1_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    # Good is the lowest score, 2, alone: from below 10 on 4 of 5 are bad, precision 0.8.
    calibrate(labels("".join(f"{i},clarity,{int(value == 2)}\n" for i, value in CLARITY.items())))
    assert (measured("clarity")["suggested"], measured("clarity")["suggested_precision"]) == (10, 0.8)
    said = capsys.readouterr().out
    assert "No threshold has precision 0.95 and recall 0.5, so the best F1 is suggested: clarity." in said


@pytest.mark.usefixtures("tables")
def test_the_same_labels_in_another_order_give_the_same_bytes() -> None:
    lines = [f"{i},clarity,{int(value > 5)}" for i, value in CLARITY.items()]
    outputs = []
    for order in (lines, lines[::-1]):
        calibrate(labels("\n".join(order)))
        outputs.append(fakes.contents(Path("metrics")))
    assert outputs[0] == outputs[1] and len(outputs[0]) == 2 + len(FILTERS)  # the numbers, the picture, curves


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
        f"{LABELS}, line 2: label 'yes': 1 (it should pass) or 0 (it should not) is wanted",
        f"{LABELS}, line 3: there is no row 'w-00000009' in datasets/source_rows",
        f"{LABELS}, line 4: there is no filter 'clarty'; did you mean 'clarity'?",
        f"{LABELS}, line 6: repeats line 5, which labels w-00000001 for clarity",
        f"{LABELS}, line 7: contradicts line 5, which labels w-00000001 for clarity",
        f"{LABELS}, line 8: there is no row 'elsewhere' in datasets/source_rows",
        f"{LABELS}, line 9: there is no filter ''; known are: {names}",
    ]


@pytest.mark.usefixtures("tables")
def test_a_long_list_of_mistakes_is_cut() -> None:
    with pytest.raises(UserError, match=r"line 21: [^\n]+\ndatasets/labels/mine.csv: 5 more lines have mistakes$"):
        calibrate(labels("x,clarity,1\n" * 25))


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "its first line has to name the columns id,filter,label: no 'id'"),
        (b"id,filter\n", "its first line has to name the columns id,filter,label: no 'label'"),
        (b"id,filter,label\n\xff\n", "not UTF-8 text (invalid start byte): convert it first"),
        (b'id,filter,label\n"a"b,c\n', "not readable as CSV, in or before line 2: ',' expected after '\"'"),
        (None, "no such file (calibrate.labels in params.yaml): put it there, or say null"),
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
    header = "\ufeffid,filter,weight,label\n"  # as Excel begins its files
    # Of the bad rows one of weight 1 is found at 7, one of weight 3 is missed: recall 1/4.
    LABELS.write_text(f"{header}{w(0)},clarity,1,0\n{w(5000)},clarity,3,0\n{w(3)},clarity,,1\n", encoding="utf-8")
    calibrate(params)
    assert (measured("clarity")["recall"], measured("clarity")["found"]) == (0.25, 1)
    for wrong in ("0", "-1", "nan", "1e9", "x", "0.0"):
        LABELS.write_text(f"{header}{w(0)},clarity,{wrong},0\n", encoding="utf-8")
        with pytest.raises(UserError, match=f"line 2: weight '{wrong}': a number above 0 is wanted$"):
            calibrate(params)


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
        *(5, 1, 2, 1, 1, 2),
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
    assert "calibrate: there are no labels: `gamut calibrate --sample 50` draws rows" in capsys.readouterr().out


@pytest.mark.usefixtures("tables", "world")
def test_source_images_of_the_world_have_truth_whoever_paints() -> None:
    roles = fakes.values()["roles"] | {"painter": "gpt"}
    calibrate(fakes.params(roles=roles, sources=[REWRITTEN, MINED]))
    assert (measured("legibility")["labels"], measured("clarity")["labels"]) == (2, 0)


def test_the_world_as_it_stands(project: Path) -> None:
    prompts = captions(40, seed=1)
    params = fakes.params(models=MODELS | {"world": {"kind": "sandbox", "faults": {"blur": 0.3}}}, sources=[MINED])
    write(SOURCE_ROWS, CAPTIONED, [{"id": w(n), "caption": prompt} for n, prompt in enumerate(prompts)])
    rows = [{"id": w(n), "prompt": p, "seed": n, "width": 64, "height": 64} for n, p in enumerate(prompts)]
    write(SYNTHESIZED, synthesize.SCHEMA, [row | {"status": "ok"} for row in rows])
    found = {shard: labels for shard, labels in true_labels(params) if labels}
    of_pictures = found["w-00000"]
    blurred = {w(n): commission(prompt, n, {"blur": 0.3})[1].get("blur", 0.0) for n, prompt in enumerate(prompts)}
    beyond = {row_id for row_id, strength in blurred.items() if strength > 1}  # the limit of visibility
    assert {row_id for row_id, label in of_pictures["clarity"].items() if not label.good} == beyond
    assert 0 < len(beyond) < sum(map(bool, blurred.values())) < 40
    assert of_pictures.keys() >= {"structure", "contrast", "sense", "alignment", *CHARACTERISTICS}
    assert all(label.good for label in of_pictures["alignment"].values())  # each caption is its picture's own prompt
    shares = {"without_image": 0.25, "mismatched": 0.5, "duplicates": 0.0, "faults": {"noise": 0.125}}
    truths = [row.truth.legible for row in legacy.legacy_rows(2, 7, **shares, paint=False)]
    assert [label.good for label in found["t-00000"]["legibility"].values()] == truths


# A sample to be labelled


CLEAR = next(filter_ for filter_ in FILTERS if filter_.name == "clarity")


@pytest.fixture
def many(tables: Path) -> dict[str, int]:
    """300 pictures with clarity 9, twelve with 3, one with 0."""
    scores = {w(n): 9 if n < 300 else 3 if n < 312 else 0 for n in range(313)}
    write(EXAMINED, examine.SCHEMA, judged("score_image_clarity", scores))
    write(SOURCE_ROWS, CAPTIONED, [{"id": row_id} for row_id in scores])
    return scores


def test_every_score_is_drawn_and_stands_for_all_of_its_kind(many: dict[str, int]) -> None:
    weights = draw(CLEAR, 11, seed=1)
    # In turn one of each score: the only 0, then five of 3 and of 9: 1 + 5 + 5 = 11.
    assert Counter(many[row_id] for row_id in weights) == {9: 5, 3: 5, 0: 1}
    assert {many[row_id]: weight for row_id, weight in weights.items()} == {9: 300 / 5, 3: 12 / 5, 0: 1}
    assert draw(CLEAR, 11, seed=1) == weights != draw(CLEAR, 11, seed=2)
    everything = draw(CLEAR, 1000, seed=1)
    assert everything.keys() == many.keys() and set(everything.values()) == {1}


@pytest.mark.usefixtures("many")
def test_a_sample_can_be_labelled_and_read() -> None:
    counts = write_sample(11, seed=1)
    assert (counts["clarity"], counts["legibility"], counts["style"]) == (11, 2, 0)
    with SAMPLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {
        "id": t(0),
        "filter": "legibility",
        "place": "datasets/source_rows/t-00000.parquet",
        "weight": "1.000",
        "label": "",
    }
    places = {row["place"] for row in rows if row["filter"] == "clarity"}
    assert places == {"datasets/synthesized/w-00000.parquet"}
    for filter_ in FILTERS:
        ids = [row["id"] for row in rows if row["filter"] == filter_.name]
        assert ids == sorted(ids) and len(ids) == counts[filter_.name]


def test_a_stratified_sample_measures_the_whole(many: dict[str, int]) -> None:
    write(SOURCE_ROWS, CAPTIONED, [{"id": i} for i in [*many, t(0), t(1)]])
    write_sample(11, seed=1)
    # Somebody calls all that score 9 good but every fifth row drawn of them, and all others bad.
    text, nines = "", 0
    for line in SAMPLE.read_text().splitlines():
        row_id, name, *_ = line.split(",")
        good = many.get(row_id) == 9
        nines += name == "clarity" and good
        text += line + (str(int(good and nines % 5 != 0)) if name == "clarity" else "") + "\n"
    SAMPLE.write_text(text)
    read = read_labels(SAMPLE, known_ids)
    assert read.empty == 16  # 2 rows of legibility, 11 of structure and 3 of alignment
    calibrate(fakes.params(calibrate={"labels": str(SAMPLE), "least_precision": 0.95}))
    # Bad are all 13 that score 3 or 0, and by the sample a fifth of 300: 13 of 73 are found, not 6 of 7.
    assert measured("clarity")["recall"] == round(13 / 73, 6)


@pytest.mark.usefixtures("many")
def test_labels_are_not_written_over() -> None:
    write_sample(11, seed=1)
    with pytest.raises(UserError, match=r"^datasets/labels/sample\.csv exists and may hold labels"):
        write_sample(11, seed=1)
