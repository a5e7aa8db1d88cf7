"""What studies say, from rows whose truth is known."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from gamut.evaluation.defining.measures import Scale
from gamut.tables.columns import Row
from stages.knowledge import changes
from stages.knowledge.changes import levels_of
from stages.knowledge.transfer import Cell, values_of
from tests.knowledge.studied import Knows, learns, references, rows_of
from tests.paths import ROOT

ALIKE = 1 - 0.05 ** (1 / 6)
"""What all six clusters say alike may be otherwise in so large a share of others, seen from an end of the scale."""


def said(knows: Knows, **how: Any) -> dict[str, Any]:
    return said_of_rows(rows_of(knows, **how))


def said_of_rows(rows: list[Row]) -> dict[str, Any]:
    cell = Cell(*(rows[0][name] for name in Cell._fields))
    return values_of(cell, {cell: levels_of(rows)})


def both(*knows: Knows, **how: Any) -> dict[str, Any]:
    """Of the training on seeing, beside that on painting."""
    sides = [levels_of(rows_of(one, strategy=side, **how)) for one, side in zip(knows, ("und", "gen"), strict=True)]
    cells = {Cell("toy", "edit", side): one for one, side in zip(sides, ("und", "gen"), strict=True)}
    return values_of(next(iter(cells)), cells)


def test_all_that_was_taught_crosses_over() -> None:
    values = said(learns("und", 1.0))
    assert values["transfer"] == 1
    assert values["transfer_lo"] == pytest.approx(1 - ALIKE, abs=1e-3)  # the other side may be short of it
    assert values["transfer_hi"] == pytest.approx(1 / (1 - ALIKE), abs=1e-3)  # or the trained one


def test_nothing_crosses_over_and_the_old_fact_persists_there() -> None:
    values = said(learns("gen"), strategy="gen")
    assert values["transfer"] == values["progress.und"] == 0
    assert (values["transfer_lo"], values["transfer_hi"]) == pytest.approx((0, ALIKE), abs=1e-3)  # none knew it before
    assert (values["persistence.und"], values["persistence.gen"]) == (1, 0)
    assert values["damage.und"] == values["damage.gen"] == 0


def test_half_crosses_over() -> None:
    """Three of six clusters: deviation √0.3, t of 5 degrees 2.571: ± 2.571 · √(0.3 / 6) = 0.575 at least."""
    values = said(learns("und", 0.5))
    assert values["transfer"] == 0.5
    assert values["transfer_lo"] <= 0.5 - 0.574 and values["transfer_hi"] >= 1


def test_fieller_ends_where_students_t_no_longer_tells_the_difference_from_nothing() -> None:
    other, own = np.array([0.1, 0.4, 0.3, 0.0, 0.2]), np.array([0.9, 1.0, 0.6, 0.8, 1.0])
    for end in changes.fieller(other, own):
        rest = other - end * own
        assert abs(rest.mean()) == pytest.approx(stdtrit(4, 0.975) * rest.std(ddof=1) / np.sqrt(5))


def test_intervals_hold_a_known_transfer_as_often_as_they_say() -> None:
    """Beta-spread clusters, transfer 0.3 / 0.7; 500 draws of nine clusters: 95 % less three standard errors is 92 %."""
    chance, held, told = np.random.default_rng(0), 0, 0
    for _ in range(500):
        pair = chance.beta(1.5, 3.5, 9), chance.beta(5.6, 2.4, 9)
        other, own = (changes.Change({str(n): value for n, value in enumerate(one)}, Scale(0, 1)) for one in pair)
        try:
            _, low, high, _ = changes.ratio(other, own, "")
        except changes.Unsaid:
            continue
        told, held = told + 1, held + (low is not None and high is not None and low <= 3 / 7 <= high)
    assert told > 450 and held / told >= 0.92


def test_where_the_trained_side_did_not_change_no_transfer_is_said() -> None:
    values = said(learns("und", by=99))
    assert "transfer" not in values and values["no_transfer"].startswith("und: the trained side itself did not")
    alone = said(learns("und", 1.0), clusters=1)  # one cluster is no sign of others
    assert "transfer" not in alone and "no_transfer" in alone


def test_a_refusal_counts_as_the_lowest_and_what_was_not_judged_proves_nothing() -> None:
    rows = rows_of(learns("und", 1.0))
    late = [row for row in rows if row["step"] == 40 and row["side"] == "gen"]
    for row in late:
        row |= {"value": None, "status": "refused_generation"}
    refused = said_of_rows(rows)
    assert (refused["transfer"], refused["progress.gen"], refused["damage.gen"]) == (0, 0, -1)
    for row in late:
        row |= {"status": "refused_judge"}
    unjudged = said_of_rows(rows)
    assert unjudged["no_transfer"] == unjudged["no_progress.gen"]
    assert unjudged["no_transfer"].startswith("gen: of step 40 12 of 12 answers are missing or not judged")
    assert (unjudged["progress.und"], unjudged["steps.gen"]) == (1, 20), "the rest stands"
    assert "no_damage.gen" in unjudged and "damage.und" in unjudged
    few = rows_of(learns("und", 4.0), clusters=20)
    few[-3] |= {"value": None, "status": "parse_error"}  # one of 40 counts as the lowest
    assert (few[-3]["side"], few[-3]["fact"], said_of_rows(few)["progress.gen"]) == ("gen", "new", 0.975)


def test_what_the_untrained_model_did_not_answer_is_no_way_that_was_come() -> None:
    """Painting is at .6 all along, and before training nothing was painted: that is no sure step towards .725."""

    def knows(side: str, step: int, fact: str, cluster: int) -> float:
        return float(step > 0) if side == "und" else 0.6 + 0.01 * cluster

    rows = rows_of(knows, study="inject") + references(0.725)
    for row in rows:
        if (row["step"], row["side"]) == (0, "gen") and row["fact"] != "reference":
            row |= {"value": None, "status": "refused_generation"}
    values = said_of_rows(rows)
    assert values["no_transfer"].startswith("gen: of step 0 12 of 12 answers are missing")
    assert "no_damage.gen" in values and values["steps.gen"] == "> 40"


def test_without_neighbours_it_is_said_that_damage_is_unknown() -> None:
    rows = [row for row in rows_of(learns("und", 1.0)) if row["fact"] != "neighbour"]
    values = said_of_rows(rows)
    assert values["transfer"] == 1 and "damage.und" not in values
    assert values["no_damage.und"].startswith("there are no neighbours")


def test_cosines_are_shares_of_the_way_to_the_references() -> None:
    """Painting comes from .5 + .01 c to .6 + .01 c, on the way to .725: .1 of .2 on the average."""

    def knows(side: str, step: int, fact: str, cluster: int) -> float:
        return float(step > 0) if side == "und" else 0.5 + 0.01 * cluster + 0.1 * (step > 0)

    rows = rows_of(knows, study="inject") + references(0.725)
    values = said_of_rows(rows)
    assert values["transfer"] == values["progress.gen"] == pytest.approx(0.5)
    assert values["transfer_lo"] < 0.5 < values["transfer_hi"]
    assert values["steps.gen"] == "> 40"  # .6 + .025 does not reach .525 + .8 · .2
    still = rows_of(lambda *of: knows(*of) - 0.1 * (of[0] == "gen" and of[1] > 0), study="inject") + references(0.725)
    inside = 1 - 0.025 ** (1 / 12)  # twelve entities were painted just as before
    values = said_of_rows(still)
    assert (values["transfer"], values["transfer_hi"]) == pytest.approx((0, inside), abs=1e-3)
    nearer = rows_of(lambda *of: knows(*of) + 0.07 * (of[1] == 20), study="inject") + references(0.725)
    assert said_of_rows(nearer)["steps.gen"] == 20
    assert said(knows, study="inject")["no_transfer"] == "gen: there are no rows of references"
    assert said_of_rows(rows_of(knows, study="inject") + references(0.4))["no_transfer"].startswith("gen: reference")


def test_steps_are_sure_only_where_enough_entities_know() -> None:
    six, twenty = said(learns("und")), said(learns("und"), clusters=20)
    assert [six[f"steps.und{end}"] for end in ("", "_lo", "_hi")] == [20, 20, "> 40"]
    assert 0.05 ** (1 / 6) < 0.8 < 0.05 ** (1 / 20)  # what so many that all know leave possible
    assert [twenty[f"steps.und{end}"] for end in ("", "_lo", "_hi")] == [20, 20, 20]
    assert six["steps.gen"] == six["steps.gen_lo"] == "> 40"  # six that do not know leave .46 possible


def test_painting_takes_four_times_the_steps_of_seeing() -> None:
    pair = learns("und", by=10), learns("gen", by=40)
    assert both(*pair)["ratio"] == 4
    assert "ratio" not in both(pair[0], learns("gen", by=99)), "it is beyond all"
    assert "ratio" not in both(learns("und", by=0), pair[1]), "nothing was to be learnt"


def test_both_sides_taught_at_once_have_no_transfer() -> None:
    values = said(learns("und", 1.0), strategy="both")
    assert "transfer" not in values and values["progress.und"] == values["progress.gen"] == values["ratio"] == 1


def test_it_finds_transfer_in_shared_codes_and_none_in_separate_ones() -> None:
    command = [sys.executable, str(ROOT / "bench/knowledge.py"), "--pairs", "12", "--draws", "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    for side, other in (("und", "gen"), ("gen", "und")):
        shared, separate = figures["shared"], figures["separate"]
        assert shared[f"{side}.transfer"] >= 0.8 and shared[f"{side}.transfer_lo"] > 0.3
        assert abs(separate[f"{side}.transfer"]) <= 0.1
        assert separate[f"{side}.transfer_lo"] <= 0 <= separate[f"{side}.transfer_hi"]
        cheat = figures["same_name"]  # the new fact everywhere: neighbours are gone
        assert max(cheat[f"{side}.damage.{one}_hi"] for one in ("und", "gen")) < 0
        assert figures["refusing"][f"{side}.transfer"] <= 0 and figures["refusing"][f"{side}.damage.{other}_hi"] < 0
        assert f"{side}.transfer" not in figures["nothing"] and f"{side}.no_transfer" in figures["nothing"]
    assert all(of["ours"] > 0.9 > of["bootstrap"] for of in figures["coverage"].values())
