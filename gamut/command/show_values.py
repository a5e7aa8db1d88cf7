"""What `gamut show --json` prints: the rows of tables that `gamut show` puts into words; pictures become files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.asking.failed_rows import failed_rows
from gamut.command.show_item import find_item, named_stage
from gamut.command.show_record import file_name, folder_of, input_tables, picture_file, rows_of, unknown_record
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.parameters import load
from gamut.tables.columns import Row
from gamut.tables.reading import manifest_path, read_rows


def shown_values(of: str, record: str, out: Path) -> dict[str, Any]:
    """Return a record of a stage, or an item of a benchmark, with the rows about it by table; files go below `out`."""
    if of in NAMES:
        found, tables = item_values(of, record)
    else:
        stage = named_stage(of)
        table, failed = pipeline.table_of(stage), [one for one in failed_rows(stage) if one["id"] == record]
        tables = {str(one): rows_of(one, record) for one in (*input_tables(stage), table)}
        if not tables[str(table)] and not failed:
            raise UserError(unknown_record(stage, table, record))
        found = {"stage": stage, "record": record, "failed": failed}
    return found | {
        "tables": plain_value({one: rows for one, rows in tables.items() if rows}, folder_of(out, of, record))
    }


def item_values(name: str, record: str) -> tuple[dict[str, Any], dict[str, list[Row]]]:
    benchmark = curation_of(name).benchmark
    params = load(benchmark.params)
    item, records = find_item(benchmark, params, record)
    tables = {}
    for contestant in benchmark.contestants(params):
        raters = benchmark.raters(benchmark.block(params))
        for table in (benchmark.answers / contestant, *(benchmark.answer_judgments(contestant, one) for one in raters)):
            tables[str(table)] = [row for one in records for row in rows_of(table, one["id"])]
        scores = benchmark.scores / contestant
        rows = read_rows(scores) if manifest_path(scores).exists() else ()
        tables[str(scores)] = [row for row in rows if row["item"] == str(item.id)]
    edition = str(benchmark.edition(params))
    return {"benchmark": name, "edition": edition, "item": item.model_dump(mode="json")}, tables


def plain_value(value: Any, stem: Path) -> Any:
    """Return what JSON holds; bytes are written, and their path stands in their place."""
    if isinstance(value, bytes):
        return str(picture_file(value, stem)[0])
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        inside = {key: plain_value(one, stem.with_name(f"{stem.name}-{file_name(str(key))}")) for key, one in pairs}
        return inside if isinstance(value, dict) else [*inside.values()]
    return value
