"""The choice among pictures of a prompt, and pairs of preferences: by hand, and by the truth of the embedded world."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.calibration.labels import GOOD, labels_of_pictures
from gamut.dataset.reporting.outputs import CARD
from gamut.dataset.shared.joins import table_of
from gamut.project.errors import UserError
from gamut.project.files import read_metric_file
from gamut.project.parameters import load
from gamut.tables.columns import Row, grouped, prompt_id, table_schema
from gamut.tables.reading import manifest, read_rows, shard_names
from gamut.tables.writing import TableWriter
from stages.dataset import examine, follow, preferences, safety, synthesize
from stages.dataset.choosing import Choose, Pair, clearest_pair, leave_best, mean_scores
from stages.dataset.pipeline import Params
from tests import fakes, in_one_process
from tests.fakes import jpeg

BY = {"follows": 2, "clarity": 1, "structure": 1}
A, B, C = "w-00000007", "w-00000007_1", "w-00000007_2"


def scores(**of: tuple[int | None, int, int]) -> Mapping[str, Mapping[str, int]]:
    """Scores of pictures A, B and C in the order of BY; without the first where it is None."""
    ids = {"a": A, "b": B, "c": C}
    given = {ids[name]: dict(zip(BY, values, strict=True)) for name, values in of.items()}
    return {row_id: {k: v for k, v in one.items() if v is not None} for row_id, one in given.items()}


@pytest.mark.parametrize(
    ("ids", "found", "names", "means"),
    [
        ([A, B], scores(a=(8, 9, 10), b=(10, 7, 7)), [*BY], [8.75, 8.5]),  # (16 + 19) / 4, (20 + 14) / 4
        ([A, B], scores(a=(8, 9, 10), b=(None, 7, 7)), ["clarity", "structure"], [9.5, 7.0]),
        ([A, B], {}, [], [0.0, 0.0]),
        ([A], scores(a=(1, 1, 2)), [*BY], [1.25]),
    ],
)
def test_means_are_of_the_scores_that_all_have(
    ids: list[str], found: Any, names: list[str], means: list[float]
) -> None:
    assert mean_scores(ids, found, BY) == (names, means)


def decided(*kept: bool) -> list[Row]:
    reasons = (None if one else "clarity" for one in kept)
    return [
        {"id": row_id, "kept": one, "reason": why} for row_id, one, why in zip((A, B, C), kept, reasons, strict=True)
    ]


@pytest.mark.parametrize(
    ("kept", "found", "reasons"),
    [
        ((True, True, True), scores(a=(8, 9, 9), b=(9, 9, 9), c=(8, 9, 10)), ["not_chosen", None, "not_chosen"]),
        # of equals the first: 8.75 and 8.75
        ((True, True, True), scores(a=(8, 9, 10), b=(9, 9, 8), c=(8, 8, 8)), [None, "not_chosen", "not_chosen"]),
        # what filters left out is not chosen, nor does it decide by which scores: C has no `follows`
        ((True, True, False), scores(a=(8, 9, 9), b=(10, 7, 8), c=(None, 10, 10)), ["not_chosen", None, "clarity"]),
        # one of those that passed has none: by the other two, 9 and 7.5
        ((True, True, False), scores(a=(None, 9, 9), b=(10, 7, 8)), [None, "not_chosen", "clarity"]),
        ((False, True, False), {}, ["clarity", None, "clarity"]),
        ((False, False, False), scores(a=(8, 9, 9)), ["clarity"] * 3),
        ((True, True, True), {}, [None, "not_chosen", "not_chosen"]),
    ],
)
def test_at_most_one_picture_of_a_prompt_stays(kept: tuple[bool, ...], found: Any, reasons: list[str | None]) -> None:
    rows = leave_best([*decided(*kept), {"id": "w-00000008", "kept": True, "reason": None}], found, BY)
    assert [row["reason"] for row in rows] == [*reasons, None]
    assert [row["kept"] for row in rows] == [reason is None for reason in (*reasons, None)]


@pytest.mark.parametrize(
    ("found", "margin", "pair"),
    [
        # means 8.75, 7.5, 7.25: both are worse by the margin, and C is worst
        (scores(a=(9, 8, 9), b=(8, 7, 7), c=(7, 8, 7)), 1, Pair(A, C, 8.75, 7.25, [*BY])),
        (scores(a=(9, 8, 9), b=(8, 7, 7), c=(7, 8, 7)), 1.5, Pair(A, C, 8.75, 7.25, [*BY])),
        (scores(a=(9, 8, 9), b=(8, 7, 7), c=(7, 8, 7)), 1.51, None),
        # C was not asked whether it follows: 8.5 and 3 over the others
        (scores(a=(9, 8, 9), b=(9, 8, 9), c=(None, 2, 4)), 1, Pair(A, C, 8.5, 3.0, ["clarity", "structure"])),
        # worse in what both have, but not by the margin; and one without any score
        (scores(a=(9, 8, 9), b=(None, 8, 8)), 1, None),
        # the better one is not worse
        (scores(a=(7, 7, 7), b=(9, 9, 9), c=(8, 8, 8)), 1, None),
    ],
)
def test_a_pair_has_the_worst_of_those_that_are_worse_by_the_margin(
    found: Any, margin: float, pair: Pair | None
) -> None:
    assert clearest_pair(A, [B, C], found, Choose(by=BY, margin=margin)) == pair


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"by": {"follow": 1}, "margin": 1}, r"choose.by.follow: 'follow' is not known; did you mean 'follows'\?"),
        ({"by": {"clarity": 0}, "margin": 1}, "choose.by.clarity: 0 is not right"),
        ({"by": {}, "margin": 1}, "choose.by: {} is not right"),
        ({"by": BY, "margin": 0}, "choose.margin: 0 is not right"),
    ],
)
def test_a_block_that_is_wrong(block: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=f"^params.yaml: {message}"):
        fakes.params(choose=block)


# Pairs of tables written by hand


def write(step: Any, schema: Any, rows: list[Row]) -> None:
    with TableWriter(step if isinstance(step, Path) else table_of(step), schema) as table:
        for wave in ("w", "x"):
            table.write(f"{wave}-00000", [row for row in rows if row["id"].startswith(wave)])


def test_pairs_of_what_is_released_and_may_be_passed_on(project: Path) -> None:
    """W 7: its second picture is released, its third was not admitted, its first was not painted. W 8: all alike. X: of
    a source whose prompts are withheld."""
    file = {"kind": "file", "path": "datasets/sources/a.csv", "columns": {"caption": "c"}}
    sources = [file | {"wave": "w"}, file | {"wave": "x", "redistributable": False}]
    params = fakes.params(sources=sources, synthesize={"width": 64, "height": 64, "samples": 3})
    colours, ids = {B: "red", C: "blue"}, [A, B, C, "w-00000008", "w-00000008_1", "x-00000000", "x-00000000_1"]
    image = {one: None if one == A else {"bytes": jpeg(colours.get(one, "white")), "path": None} for one in ids}
    rows = [{"id": one, "prompt": f"of {one[:10]}", "image": image[one], "painted": one != A} for one in ids]
    status = [{"status": "refused_generation" if one == A else "ok"} for one in ids]
    write("synthesize", synthesize.SCHEMA, [row | of for row, of in zip(rows, status, strict=True)])
    looks = {B: (9, 8), C: (3, 4), "x-00000000": (9, 9), "x-00000000_1": (1, 1)}
    names = ("score_image_clarity", "score_image_structure")
    sharp = [{"id": one, "status": "ok"} | dict(zip(names, looks.get(one, (8, 8)), strict=True)) for one in ids[1:]]
    write("examine", examine.STEP.schema, sharp)
    fit = [{"id": one, "status": "ok", "score_follows": 9} for one in ids if one not in (A, C)]
    write("follow", follow.STEP.schema, fit)
    write("safety", safety.STEP.schema, [{"id": one, "status": "ok"} for one in ids[1:]])
    write("release", table_schema("id"), [{"id": one} for one in (B, "w-00000008", "x-00000000")])
    preferences.STEP.carry_out(params)
    [pair] = read_rows(table_of("preferences"))
    assert pair == {
        "id": A,
        "prompt": "of w-00000007",
        "chosen": {"bytes": jpeg("red"), "path": None},
        "rejected": {"bytes": jpeg("blue"), "path": None},
        "chosen_id": B,
        "rejected_id": C,
        "score_chosen": 8.5,
        "score_rejected": 3.5,
        "by": "clarity, structure",
    }
    assert shard_names(table_of("preferences")) == ["w-00000", "x-00000"]
    preferences.STEP.carry_out(fakes.params(sources=sources))
    assert manifest(table_of("preferences")) == {"rows": 0, "statuses": {}, "shards": []}


# A build of the embedded world

PROMPTS, SAMPLES = 60, 3


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pictures of each prompt, from the captions to the card."""
    return in_one_process.build(
        tmp_path_factory.mktemp("several"),
        sources=[{"kind": "sandbox", "wave": "w", "route": "as_is", "count": PROMPTS}],
        synthesize={"width": 256, "height": 256, "samples": SAMPLES},
    )


@pytest.fixture
def here(built: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(built)
    return load(Params)


def rows(table: str, *columns: str) -> list[Row]:
    return list(read_rows(table_of(table), columns or None))


def test_every_picture_is_kept_or_has_its_reason(here: Params) -> None:
    ids = [row["id"] for row in rows("synthesize", "id")]
    decisions = rows("select")
    assert ids == sorted(ids) == [row["id"] for row in decisions] and len(ids) == SAMPLES * PROMPTS
    assert all(row["kept"] or row["reason"] for row in decisions)
    kept = grouped((prompt_id(row["id"]), row["id"]) for row in decisions if row["kept"])
    assert all(len(some) == 1 for some in kept.values()) and len(kept) > PROMPTS * 0.8
    left = {prompt_id(row["id"]) for row in decisions if row["reason"] == "not_chosen"}
    assert left and left <= kept.keys(), "another picture of the prompt was chosen"
    assert any(row["id"] != prompt_id(row["id"]) for row in rows("release", "id")), "a later picture was chosen"


def test_by_the_truth_the_chosen_one_is_not_worse(here: Params) -> None:
    """In 95 % of pairs at least; and of 30 % of prompts at least there is a pair."""
    truth: dict[str, dict[str, bool]] = {}
    for shard in shard_names(table_of("synthesize")):
        for name, labels in labels_of_pictures(shard, here.models[here.roles.painter].faults).items():
            for row_id, label in labels.items():
                truth.setdefault(row_id, {})[name] = label.verdict == GOOD
    pairs = rows("preferences", "chosen_id", "rejected_id")
    assert len(pairs) >= 0.3 * PROMPTS
    good = [[sum(truth[pair[one]][name] for name in BY) for one in ("chosen_id", "rejected_id")] for pair in pairs]
    better, worse = (sum(one > other for one, other in some) for some in (good, [one[::-1] for one in good]))
    assert worse <= 0.05 * len(pairs) and better >= 0.8 * len(pairs), (better, worse, len(pairs))


def test_what_is_told_and_published_of_pairs(here: Params, tmp_path: Path) -> None:
    count = manifest(table_of("preferences"))["rows"]
    assert read_metric_file(Path("metrics/dataset.json"))["preferences"] == {"pairs": count}
    text = CARD.read_text()
    assert f"The table `preferences` has {count} pairs of pictures of the same prompt." in text
    assert "3 pictures were painted of each prompt. Of those that pass all filters the one with the highest" in text
    assert "mean of follows (weight 2), clarity (weight 1), structure (weight 1) stays." in text
    assert sum(row["id"] in text for row in rows("release", "id")) == 0


def test_datasets_reads_pairs_as_pictures(here: Params, tmp_path: Path) -> None:
    code = """
import sys
from datasets import Image, load_dataset
data = load_dataset(sys.argv[1], cache_dir=sys.argv[2], split="train")
kinds = data.features
print(data.num_rows, isinstance(kinds["chosen"], Image), data[0]["rejected"].size, kinds["score_chosen"])
"""
    arguments = [sys.executable, "-c", code, str(table_of("preferences")), str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    count = manifest(table_of("preferences"))["rows"]
    assert done.returncode == 0 and done.stdout == f"{count} True (256, 256) Value('float64')\n", done.stderr
