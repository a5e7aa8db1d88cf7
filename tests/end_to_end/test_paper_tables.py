"""One cell of each table of the papers, worked out anew from scores as they lie in Parquet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import pyarrow.parquet as pq
import pytest

from tests.end_to_end.construction_story import Story

Scores = Callable[..., Sequence[float]]
"""Scores of a setting and measure, in a group if one is named, by item."""


def scores_of(folder: Path, benchmark: str, contestant: str) -> Scores:
    paths = sorted((folder / "datasets" / benchmark / "scores" / contestant).glob("*.parquet"))
    rows = [row for path in paths for row in pq.read_table(path).to_pylist()]

    def scores(setting: str, measure: str, group: str = "") -> Sequence[float]:
        wanted = [row for row in rows if (row["setting"], row["measure"]) == (setting, measure)]
        return [row["low"] for row in wanted if not group or group in row["groups"]]

    return scores


def table_cell(folder: Path, benchmark: str, edition: str, table: str, row: str, column: str) -> str:
    """Return the value in a cell, without its interval."""
    [path] = (folder / "metrics" / benchmark / edition / "tables").glob(f"{table}.*.md")
    lines = [
        [one.strip() for one in line.strip("|").split("|")] for line in path.read_text().splitlines() if "|" in line
    ]
    [own] = [line for line in lines if line[0] == row]
    return own[lines[0].index(column)].split(" ")[0]


def overall_of_aegis(scores: Scores, setting: str) -> float:
    """Weighted by items, as tables 3 and 7 are: one mean over all."""
    return 100 * fmean(scores(setting, "met"))


def overall_of_genius(scores: Scores) -> float:
    """6 : 3.5 : 0.5 of means over all items that have it, 50 times 0..2."""
    measures = {"rule_compliance": 0.6, "visual_consistency": 0.35, "aesthetic_quality": 0.05}
    return 50 * sum(weight * fmean(scores("interleaved", measure)) for measure, weight in measures.items())


def overall_of_t2i(scores: Scores) -> float:
    """The mean of the three."""
    parts = {"quantity": "counts", "spatial": "places", "text": "words"}
    return fmean(fmean(scores("t2i", measure, task)) for task, measure in parts.items())


def generation_overall(scores: Scores) -> float:
    """The mean over domains of cosines as the released script has them."""
    return fmean(fmean(scores("prompt", "similarity_released", one)) for one in ("zoology", "botany", "geography"))


CELLS: list[tuple[str, str, str, str, int, Callable[[Scores], float]]] = [
    ("aegis", "table_3", "", "Editing Life", 1, lambda s: 100 * fmean(s("raw", "met", "editing_daily_life"))),
    ("aegis", "table_5", " + clear prompt", "Overall", 1, lambda s: overall_of_aegis(s, "clear")),
    ("aegis", "table_6", "", "Logical", 1, lambda s: 100 * fmean(s("raw", "met", "logical_reasoning"))),
    ("aegis", "table_7", " w/ clear prompt", "Overall", 1, lambda s: overall_of_aegis(s, "clear")),
    ("gir", "table_t2i", "", "Overall", 3, overall_of_t2i),
    ("gir", "table_ugc", "", "Generation Overall", 3, generation_overall),
    ("gir", "table_edit", "", "Visual Logic", 3, lambda s: fmean(s("edit", "digits_released"))),
    ("gapeval", "table_2", "", "Reasoning Succ.", 2, lambda s: 100 * fmean(s("gen", "both", "reasoning"))),
    ("gapeval", "table_2", "", "Reasoning Und.", 2, lambda s: 100 * fmean(s("und", "right", "reasoning"))),
    ("genius", "table_2", "", "Overall", 2, overall_of_genius),
]
MEASURED = {"aegis": "hasty", "gir": "thoughtless", "gapeval": "torn", "genius": "reader"}


def require_cell(folder: Path, edition: str, contestant: str, place: int) -> None:
    benchmark, table, behind, column, places, formula = CELLS[place]
    shown = float(table_cell(folder, benchmark, edition, table, contestant + behind, column))
    assert abs(shown - formula(scores_of(folder, benchmark, contestant))) <= 0.5001 * 10**-places


@pytest.mark.parametrize("place", range(len(CELLS)), ids=lambda place: "-".join(CELLS[place][:2]))
def test_a_cell_is_what_the_scores_say(constructed: Story, place: int) -> None:
    require_cell(constructed.project.folder, "v1", MEASURED[CELLS[place][0]], place)


def test_who_answers_in_words_alone_has_its_shares_and_dashes(constructed: Story) -> None:
    folder = constructed.project.folder
    assert table_cell(folder, "gapeval", "v1", "table_2", "writer", "Reasoning Succ.") == "–"
    assert table_cell(folder, "gapeval", "v1", "table_2", "writer", "Reasoning Und.") != "–"


def test_nothing_is_printed_beside_an_edition_that_is_not_the_published_one(constructed: Story) -> None:
    tables = [*(constructed.project.folder / "metrics").rglob("tables/table_*.md")]
    assert len(tables) == 9 and not any("(printed)" in path.read_text() for path in tables)
