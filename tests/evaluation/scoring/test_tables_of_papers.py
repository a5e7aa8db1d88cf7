"""Tables of papers: whose rows stand where, what is printed beside which editions, and that columns are reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.editions import Origin, origin_path, path_of, write_origin
from gamut.evaluation.defining.measures import PaperTable, Printed, TableColumn
from gamut.evaluation.defining.parameters import Contestant
from gamut.evaluation.scoring.board import Board, Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.paper_tables import Measured, in_families, measured_rows, printed_rows, write_paper_tables
from gamut.project.parameters import load
from gamut.project.validation import check_values, read_checked
from stages.aegis.shared.benchmark import AEGIS
from tests import fakes
from tests.paths import ROOT


def standing(name: str, coverage: float = 1, **values: float) -> Standing:
    return Standing(name, {key: Estimate(value, value - 1, value + 1, 9) for key, value in values.items()}, coverage)


def test_rows_are_contestants_in_the_ways_of_the_table_with_dashes_for_what_is_not_there() -> None:
    columns = [
        TableColumn("U", "und"),
        TableColumn("G", "gen", "pictures"),
        TableColumn("R", released="{judge}.{contestant}.r"),
    ]
    table = PaperTable("t", "table 9", columns, {"raw": "", "clear": " + clear"}, places=3, factor=0.01)
    standings = {
        ("raw", "a"): standing("a", und=35.06),
        ("clear", "a"): standing("a", 0.5, und=40),
        ("pictures", "b"): standing("b", gen=12.5),
    }
    found = [*measured_rows(table, Measured("j", standings, {"j.a.r": 7}), ["a", "b", "c"])]
    assert found == [
        ["a", "0.351 0.341–0.361", "–", "0.070"],
        ["a* + clear", "0.400 0.390–0.410", "–", "0.070"],
        ["b", "–", "0.125 0.115–0.135", "–"],
        ["b + clear", "–", "0.125 0.115–0.135", "–"],
    ]  # c has no value at all
    printed = Printed(sources=[], tables={"t": {"Model": [0.5, None, None]}})
    assert [*printed_rows(table, printed)] == [["Model (printed)", "0.500", "–", "–"]]


def test_variants_stand_below_what_they_vary() -> None:
    of = {"plan": "two", "one": None, "two": None, "deep": "plan", "gone": "else", "x": "y", "y": "x"}
    contestants: Any = {name: Contestant.model_construct(variant_of=base) for name, base in of.items()}
    assert in_families(contestants) == ["one", "two", "plan", "deep", "gone", "x", "y"]


@pytest.mark.parametrize("name", NAMES)
def test_shipped_tables_show_what_is_reported_and_printed_rows_have_their_columns(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    benchmark = curation_of(name).benchmark
    if not benchmark.printed:
        return
    params = load(benchmark.params)
    reported = {metric.name: metric.reported for metric in benchmark.metrics_in(params)}
    tables = {table.name: table for table in benchmark.tables(benchmark.block(params))}
    for table in tables.values():
        for column in table.columns:
            assert column.released or column.value in reported[column.metric or next(iter(table.rows))]
    printed = read_checked(Printed, Path(benchmark.printed))
    assert printed.sources and printed.tables.keys() == tables.keys()
    for of, rows in printed.tables.items():
        assert rows and {len(row) for row in rows.values()} == {len(tables[of].columns)}


def text_of_latex(project: Path) -> str:
    return (project / "metrics/aegis/v1/tables/table_5.world.tex").read_text()


PUBLISHED = Origin(
    source="https://huggingface.co/datasets/dongsky/aegis", revision="1", licence="mit", redistributable=True
)


@pytest.mark.parametrize(
    ("origin", "items", "shown"),
    [
        (PUBLISHED, 1050, True),
        (PUBLISHED, 900, False),  # a part of it
        (PUBLISHED.model_copy(update={"source": "mine"}), 1050, False),
        (None, 1050, False),
    ],
)
def test_what_is_printed_stands_beside_the_published_edition_alone(
    origin: Origin | None, items: int, shown: bool, project: Path
) -> None:
    (project / "stages").symlink_to(ROOT / "stages")
    if origin:
        write_origin(origin, origin_path("aegis", "v1"))
        path_of("aegis", "v1").write_bytes(b"{}\n" * items)
    block: Any = {"edition": "v1", "settings": ["raw"], "judges": ["world"], "contestants": ["one"], "controls_of": []}
    values = fakes.values(
        aegis=block | {"rewriters": [], "describers": [], "answer": {"width": 64, "height": 64}},
        contestants={"one": {"class": "unified", "model": {"kind": "sandbox"}}},
    )
    params = check_values(AEGIS.params, values, Path("params.yaml"))
    [metric] = AEGIS.metrics_in(params)
    write_paper_tables(AEGIS, params, [Board(metric, "world", [standing("one", overall=50.04, understanding=30)])])
    text = (project / "metrics/aegis/v1/tables/table_5.world.md").read_text()
    assert "| one | 30.0 29.0–31.0 | – | – | – | 50.0 49.0–51.0 |" in text
    assert ("| Gemini Nano Banana (printed) | 61.7 | 45.9 | 53.7 | 45.1 | 52.9 |" in text) == shown
    assert ("its authors measured them with their own judge" in text) == shown
    assert (r"Gemini Nano Banana (printed) & 61.7 &" in text_of_latex(project)) == shown
    assert not (project / "metrics/aegis/v1/tables/table_6.world.md").exists()  # nobody has a value
