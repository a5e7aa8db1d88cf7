"""Whose answer each drawn question is about: `datasets/sheets/<benchmark>/<edition>.key.csv`, which git keeps.

It stands apart from what people are shown, beside the folder that is handed over to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.labelling.questions import Line, lines_asked
from stages.project.csv_forms import form_rows

FOLDER = Path("datasets/sheets")
KEY = ("code", "contestant", "item", "side", "sample", "measure", "question")


def sheet_path(benchmark: Benchmark[Any, Any], params: Params) -> Path:
    """Return where the sheet of the edition stands that params.yaml names."""
    return FOLDER / benchmark.name / benchmark.block(params).edition / "sheet.csv"


def key_path(benchmark: Benchmark[Any, Any], params: Params) -> Path:
    """Return where it stands whose answer has which code."""
    folder = sheet_path(benchmark, params).parent
    return folder.with_name(f"{folder.name}.key.csv")


def read_key(benchmark: Benchmark[Any, Any], params: Params) -> dict[str, dict[str, str]]:
    """Return the rows of the key by code; UserError where there is none."""
    absent = f": `gamut label {benchmark.name}` writes it when it draws answers; restore it from git"
    return {row["code"]: row for _, row in form_rows(key_path(benchmark, params), KEY, absent)}


def lines_by_place(benchmark: Benchmark[Any, Any], params: Params) -> Callable[[Mapping[str, str]], Line]:
    """Return what finds the question that a row of the key is about; ValueError where the edition has no such one."""
    items, sides = {str(item.id): item for item in benchmark.items(params)}, benchmark.sides(benchmark.block(params))

    @cache
    def asked(item: str, side: str) -> Mapping[tuple[str, str], Line]:
        return {(line.measure, str(line.question)): line for line in lines_asked(benchmark, items[item], side)}

    def line_of(row: Mapping[str, str]) -> Line:
        measure = row["measure"], row["question"]
        if row["item"] not in items or row["side"] not in sides or measure not in asked(row["item"], row["side"]):
            raise ValueError(f"its code is of a question that is not asked of {row['item']!r} ({row['side']}) any more")
        return asked(row["item"], row["side"])[measure]

    return line_of
