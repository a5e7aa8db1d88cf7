"""The stages of a study, run one after the other on a model of which all is known beforehand."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from operator import itemgetter
from pathlib import Path

import pytest

from gamut.project.model_kinds import BASES, TRAINED
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from gamut.world.pictograms import KNOWN, UNKNOWN
from stages.knowledge.stages import FILES, KEPT, KNOWLEDGE, TABLES
from tests import fakes
from tests.knowledge import small_study

Levels = dict[tuple[str, str, int], set[float]]


def levels(cell: str, wording: str = "held_out") -> Levels:
    """The values of a cell by side, fact and step."""
    found = defaultdict(set)
    for row in read_rows(TABLES["measured"] / cell):
        if row["wording"] == wording:
            found[row["side"], row["fact"], row["step"]].add(row["value"])
    return found


def test_what_is_taught_on_a_side_is_found_there_and_nowhere_else(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step 1 learnt nothing, step 2 all, as `small_study.teach` has it: so every value is 0 or 1, and known."""
    small_study.run(monkeypatch, small_study.params(), [("edit", "und"), ("inject", "gen")])
    kept = json.loads(KEPT.read_text())
    assert (kept["edit.kept"], kept["inject.kept"]) == (len(KNOWN), len(UNKNOWN))
    assert kept["edit.left_out.toy.und.unknown"] == len(UNKNOWN) and kept["left_out.pictures"] == 0
    for wording in ("trained", "held_out"):
        edit = levels("toy-edit-und", wording)
        for step, new in ((0, 0.0), (1, 0.0), (2, 1.0)):
            assert edit["und", "new", step] == {new} and edit["und", "old", step] == {1 - new}
            assert edit["gen", "new", step] == {0.0} and edit["gen", "old", step] == {1.0}, "it does not cross over"
    assert all(levels("toy-edit-und")[side, "neighbour", step] == {1.0} for side in ("und", "gen") for step in range(3))
    inject = levels("toy-inject-gen")
    assert all(inject["und", "new", step] == {0.0} for step in range(3))
    assert inject["gen", "new", 0] == inject["gen", "new", 1]
    assert min(inject["gen", "new", 2]) > max(inject["gen", "new", 0])
    assert levels("toy-inject-gen", "trained").keys() > {("gen", "reference", 0)}
    rows = list(read_rows(TABLES["measured"] / "toy-edit-und"))
    assert {row["cluster"].count(" - ") for row in rows if row["fact"] != "neighbour"} == {1}
    pictures = [row["fact"] for row in rows if row["image"]]
    assert set(pictures) == {"new", "neighbour"} and all(row["reply"] for row in rows if row["side"] == "und")
    before = fakes.contents(TABLES["measured"]) | fakes.contents(FILES)
    small_study.sets(small_study.params())
    for study, strategy in (("edit", "und"), ("inject", "gen")):
        small_study.measure(small_study.params(), "toy", study, strategy)
    assert fakes.contents(TABLES["measured"]) | fakes.contents(FILES) == before, "same bytes"


def bare_wording(row: Row) -> tuple[str, str]:
    """Without the entity's name, and without names to choose from."""
    return row["kind"], row["question"].replace(row["entity"], "…").partition("? ")[0]


def test_nothing_that_is_held_out_is_trained(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a wording, about whomever, nor a picture: in tables, and in files for other trainers."""
    small_study.run(monkeypatch, small_study.params(), [])
    files = " ".join(path.read_text() for path in FILES.rglob("*.json*"))
    for study in ("edit", "inject"):
        rows = list(read_rows(TABLES["sets"] / study))
        trained, held_out = ([row for row in rows if row["split"] == split] for split in ("trained", "held_out"))
        for what in (bare_wording, itemgetter("picture")):
            seen, kept_back = {what(row) for row in trained}, {what(row) for row in held_out}
            assert seen and kept_back and not seen & kept_back
        assert not any(row["picture"] in files for row in held_out)
        own = [row for row in held_out if row["role"] == "trained"]
        assert {*Counter((row["entity"], row["kind"]) for row in own).values()} == {1}, "one in five"


def test_a_study_of_its_own_has_the_same_sets_beside_another(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a study that is added trains no other anew."""
    small_study.run(monkeypatch, small_study.params(), [])
    before = fakes.contents(TABLES["sets"] / "edit")
    small_study.sets(small_study.params(studies=["edit"]))
    assert fakes.contents(TABLES["sets"] / "edit") == before


def test_what_answers_as_a_contestant_does_not_wait_for_a_study() -> None:
    outs = [str(out) for entry in KNOWLEDGE.entries for out in entry.outs]
    assert any(out.startswith("models/") for out in outs) and not any(TRAINED in out or BASES in out for out in outs)


def test_a_network_is_trained_and_measured_on_both_sides(
    project: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tiny Emu3 with random weights knows nothing; what is looked at is that each checkpoint is asked all."""
    from tests import tiny_unified

    with monkeypatch.context() as patched:
        small_study.run(patched, small_study.params(), [])
    shutil.rmtree("models/bases/toy")
    tiny_unified.emu3(Path("models/bases/toy"))
    block = small_study.params(max_failures=0.99, most=2, recipe=small_study.BLOCK["recipe"] | {"batch": 1})
    small_study.sets(block)
    small_study.training.train(block, "toy", "edit", "both")
    small_study.measure(block, "toy", "edit", "both")
    table = TABLES["measured"] / "toy-edit-both"
    asked = Counter((row["step"], row["side"], row["fact"], row["wording"]) for row in read_rows(table))
    facts = [(fact, wording) for fact in ("new", "old") for wording in ("trained", "held_out")]
    whole = {(step, side, *about): 2 for step in range(3) for side in ("und", "gen") for about in facts}
    assert asked == whole | {(step, side, "neighbour", "held_out"): 2 for step in range(3) for side in ("und", "gen")}
    paintings = {row["step"]: row["image"] for row in read_rows(table) if row["image"]}
    assert len({*paintings.values()}) == 3, "each step has weights of its own"
    assert [
        row.split(",")[0] for row in Path("metrics/knowledge/losses/toy-edit-both.csv").read_text().splitlines()
    ] == [
        *("step", "0", "1", "2"),
    ]
    before = fakes.contents(table)
    capsys.readouterr()
    small_study.measure(block, "toy", "edit", "both")
    assert fakes.contents(table) == before and "; 0 asked in" in (said := capsys.readouterr().out)
    assert said.count("; 0 asked in") == 4, "of three steps and the judge every reply is there"
