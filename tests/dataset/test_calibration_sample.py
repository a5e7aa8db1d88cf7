"""A sample of rows to be labelled: what is drawn, and what its labels are worth."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from scipy.stats import binomtest

from gamut.dataset.calibration.calibrate import calibrate
from gamut.dataset.calibration.filters import FILTERS, abouts_now
from gamut.dataset.calibration.labels import TASK, Label, known_ids, label_of, read_labels
from gamut.dataset.calibration.sampling import SAMPLE, draw_rows, lot_of, may_be_drawn, split_count, write_sample
from gamut.dataset.shared.joins import table_of
from gamut.project.decisions import path_of
from gamut.project.errors import UserError
from stages.dataset import examine, synthesize
from tests import fakes
from tests.dataset.calibrated import (
    CAPTIONED,
    judged,
    measured,
    named,
    t,
    w,
    write,
)

CLEAR = next(filter_ for filter_ in FILTERS if filter_.name == "clarity")


@pytest.fixture
def many(tables: Path) -> dict[str, int]:
    """300 pictures with clarity 9, twelve with 3, one with 0."""
    scores = {w(n): 9 if n < 300 else 3 if n < 312 else 0 for n in range(313)}
    write(table_of("examine"), examine.STEP.schema, judged("score_image_clarity", scores))
    write(table_of("source_rows"), CAPTIONED, [{"id": row_id} for row_id in [*scores, t(0), t(1)]])
    paint(scores)
    return scores


def paint(ids: Iterable[str], **others: int) -> None:
    """Paint pictures, some of them with a seed of their own."""
    rows = [{"id": i, "prompt": f"prompt {i}", "seed": others.get(i, 1), "status": "ok"} for i in ids]
    write(table_of("synthesize"), synthesize.SCHEMA, rows)


def test_half_is_drawn_from_below(many: dict[str, int]) -> None:
    found = draw_rows(CLEAR, 7, 10, seed=1)
    assert Counter((many[row_id] < 7, *found[row_id]) for row_id in found) == {
        (True, "below 7", 13 / 5): 5,
        (False, "from 7", 300 / 5): 5,
    }
    assert draw_rows(CLEAR, 7, 10, seed=1) == found != draw_rows(CLEAR, 7, 10, seed=2)
    everything = draw_rows(CLEAR, 7, 1000, seed=1)
    assert everything.keys() == many.keys() and {weight for _, weight in everything.values()} == {1}
    assert set(draw_rows(CLEAR, 0, 10, seed=1).values()) == {("from 0", 313 / 10)}, "nothing is below 0"
    # Each of the thirteen below is as likely as any other to be drawn: 5 of 13 in 130 draws, 50 times.
    times = Counter(row_id for seed in range(130) for row_id in draw_rows(CLEAR, 7, 10, seed) if many[row_id] < 7)
    assert len(times) == 13 and min(times.values()) > 25 and max(times.values()) < 75


@pytest.mark.parametrize(
    ("count", "sides", "taken"),
    [
        (10, (100, 100), (5, 5)),
        (11, (100, 100), (5, 6)),
        (10, (3, 100), (3, 7)),  # all of one side where it has fewer; then the rest goes to the other
        (10, (100, 3), (7, 3)),
        (10, (3, 4), (3, 4)),
        (10, (0, 100), (0, 10)),
        (2, (1, 1), (1, 1)),
    ],
)
def test_sides_share_what_is_drawn(count: int, sides: tuple[int, int], taken: tuple[int, int]) -> None:
    assert split_count(count, *sides) == taken


@pytest.mark.usefixtures("many")
def test_a_sample_can_be_labelled_and_read() -> None:
    counts = write_sample(10, fakes.params())
    assert (counts["clarity"], counts["legibility"], counts["style"]) == (10, 2, 0)
    with SAMPLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {
        "id": t(0),
        "filter": "legibility",
        "place": "datasets/source_rows/t-00000.parquet",
        "stratum": "from 7",
        "weight": "1.000000",
        "about": abouts_now([("legibility", t(0))])["legibility", t(0)],
        "label": "",
    }
    places = {row["place"] for row in rows if row["filter"] == "clarity"}
    assert places == {"datasets/synthesize/w-00000.parquet"}
    for filter_ in FILTERS:
        ids = [row["id"] for row in rows if row["filter"] == filter_.name]
        assert ids == sorted(ids) and len(ids) == counts[filter_.name]


@pytest.mark.usefixtures("tables")
def test_what_stands_for_a_row_is_what_is_shown_of_it() -> None:
    keys = [(name, w(0)) for name in ("clarity", "structure", "alignment")] + [("legibility", t(0)), ("clarity", w(9))]
    source = {"source": "mine", "source_id": "7.jpg", "caption": "a"}
    write(table_of("source_rows"), CAPTIONED, [{"id": w(0), "caption": "b"}, {"id": t(0)} | source])
    before = abouts_now(keys)
    assert {*keys} - before.keys() == {("clarity", w(9))} and len({*before.values()}) == 4, "other questions"
    assert all(re.fullmatch("p[0-9a-f]{16}", about) for about in before.values()), "no number to a spreadsheet"

    def changed() -> set[str]:
        return {key[0] for key, about in abouts_now(keys).items() if about != before[key]}

    write(
        table_of("source_rows"),
        CAPTIONED,
        [{"id": w(0), "caption": "c"}, {"id": t(0)} | source | {"source_id": "8.jpg"}],
    )
    assert changed() == {"alignment", "legibility"}
    write(table_of("source_rows"), CAPTIONED, [{"id": w(0), "caption": "b"}, {"id": t(0)} | source])
    paint([w(0)])
    assert changed() == {"clarity", "structure", "alignment"}, "another seed"


def labelled_sample(many: dict[str, int], count: int) -> int:
    """A sample in which all that score 9 are called good but every fifth row of them, and all others bad; how many of
    the nines are bad.
    """
    write_sample(count, fakes.params())
    text, nines = "", 0
    for line in SAMPLE.read_text().splitlines():
        row_id, name, *_ = line.split(",")
        good = many.get(row_id) == 9
        nines += name == "clarity" and good
        text += line + (str(int(good and nines % 5 != 0)) if name == "clarity" else "") + "\n"
    SAMPLE.write_text(text)
    return nines // 5


def test_rows_that_were_drawn_are_known_by_their_lots(many: dict[str, int]) -> None:
    for seed in range(20):
        for count in (3, 60, 400):
            found = {row_id: Label(None, *of) for row_id, of in draw_rows(CLEAR, 7, count, seed).items()}
            assert may_be_drawn("clarity", found, seed)
    found = {row_id: Label(None, *of) for row_id, of in draw_rows(CLEAR, 7, 60, 1).items()}
    assert len(found) == 60 and may_be_drawn("clarity", dict([*found.items()][::3]), 1), "a part is as likely"
    assert not may_be_drawn("clarity", found, 2) and not may_be_drawn("sense", found, 1)
    # 47 of 300 above: by lot below 47/300 and a bit. One that is none of the lowest 150 is noticed.
    above = [row_id for row_id, label in found.items() if label.stratum == "from 7"]
    others = sorted(many.keys() - found.keys(), key=lambda row_id: lot_of("clarity", row_id, 1))
    assert not may_be_drawn("clarity", {others[200] if i == above[0] else i: one for i, one in found.items()}, 1)
    for wrong in ({"weight": 1.0}, {"weight": 60.0}, {"stratum": "all"}):
        assert not may_be_drawn("clarity", {i: one._replace(**wrong) for i, one in found.items()}, 1)
    assert not may_be_drawn("clarity", found | {above[0]: found[above[0]]._replace(weight=6.0)}, 1)


def test_labels_of_pictures_that_were_painted_again_do_not_count(
    many: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    labelled_sample(many, 10)
    calibrate(named(SAMPLE))
    before = measured("clarity")
    assert before["labels"] == 10 and "unsure" not in before and "not counted" not in capsys.readouterr().out
    drawn = sorted(row_id for name, row_id in read_labels(SAMPLE, known_ids) if name == "clarity")
    paint(many, **{drawn[0]: 2, drawn[4]: 2})
    calibrate(named(SAMPLE))
    assert measured("clarity")["labels"] == 8
    assert (
        f"calibrate: {SAMPLE}: 2 labels not counted, because the picture, caption or question has changed "
        f"(clarity/{drawn[0]}, clarity/{drawn[4]}); `gamut label filters` asks again"
    ) in capsys.readouterr().out
    # Who labels the picture as it is now counts.
    about = abouts_now([("clarity", drawn[0])])["clarity", drawn[0]]
    path = path_of("ann", TASK)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"id": f"clarity/{drawn[0]}", "about": about, "decision": "1"}) + "\n")
    calibrate(named(SAMPLE))
    assert measured("clarity")["labels"] == 9 and "unsure" not in measured("clarity")
    # Without the column nobody knows of which picture the file speaks: the numbers stay, and nothing is suggested.
    SAMPLE.write_text("\n".join(",".join(line.split(",")[:5] + line.split(",")[6:]) for line in SAMPLE.open()))
    calibrate(named(SAMPLE))
    assert (measured("clarity")["labels"], measured("clarity")["unsure"]) == (10, 10)
    with pytest.raises(ValueError, match=r"about '1\.2E\+15': put back the value that was drawn, or leave it empty"):
        label_of({"id": w(0), "filter": "clarity", "label": "1", "weight": "1", "about": "1.2E+15"}, {w(0)})


def test_a_sample_of_halves_measures_the_whole(many: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    assert labelled_sample(many, 10) == 1
    read = read_labels(SAMPLE, known_ids)
    assert Counter(name for (name, _), label in read.items() if label.verdict is None) == {
        "legibility": 2,
        "structure": 10,
        "alignment": 3,
    }
    calibrate(named(SAMPLE))
    # Bad are all 13 below, of which 5 have labels, and by the sample a fifth of 300: 13 of 73 are found, not 5 of 6.
    clarity = measured("clarity")
    assert clarity["recall"] == round(13 / 73, 6)
    # 5 of 5 below, 1 of 5 above, each with a tail of .0125.
    least, most = 13 * 0.0125 ** (1 / 5), 300 * binomtest(1, 5).proportion_ci(0.975, "exact").high
    assert clarity["recall_low"] == round(least / (least + most), 6)
    assert clarity["precision_low"] == round(0.025 ** (1 / 5), 6)
    assert "Scores, rows" not in capsys.readouterr().out


def test_rows_that_came_since_are_noticed(many: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    labelled_sample(many, 10)
    write(table_of("examine"), examine.STEP.schema, judged("score_image_clarity", many | {w(400): 9}))
    calibrate(named(SAMPLE))
    assert "rows or weights have changed since the labelled rows were drawn: clarity." in capsys.readouterr().out
    clarity = measured("clarity")
    assert clarity["recall"] == round(13 / 73, 6)
    # Rightly found may be 5 of 5 below and 0 of 5 above, missed 0 of 5 and 1 of 5; each with a tail of .025 / 4.
    share = {k: binomtest(k, 5).proportion_ci(1 - 0.05 / 4, "exact") for k in (0, 1, 5)}
    least, most = 13 * share[5].low, 13 * share[0].high + 300 * share[1].high
    assert clarity["recall_low"] == round(least / (least + most), 6)


@pytest.mark.usefixtures("many")
def test_labels_are_not_written_over() -> None:
    write_sample(11, fakes.params())
    with pytest.raises(UserError, match=r"^datasets/labels/sample\.csv exists and may hold labels"):
        write_sample(11, fakes.params())
