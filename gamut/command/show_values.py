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
    tables = dict[Path, list[Row]]()
    found: dict[str, Any]
    if of in NAMES:
        benchmark = curation_of(of).benchmark
        params = load(benchmark.params)
        item, records = find_item(benchmark, params, record)
        found = {"benchmark": of, "edition": str(benchmark.edition(params)), "item": item.model_dump(mode="json")}
        raters = benchmark.raters(benchmark.block(params))
        for who in benchmark.contestants(params):
            for table in (benchmark.answers / who, *(benchmark.answer_judgments(who, rater) for rater in raters)):
                tables[table] = [row for one in records for row in rows_of(table, one["id"])]
            scores = benchmark.scores / who
            if manifest_path(scores).exists():
                tables[scores] = [row for row in read_rows(scores) if row["item"] == str(item.id)]
    else:
        stage = named_stage(of)
        table, failed = pipeline.table_of(stage), [one for one in failed_rows(stage) if one["id"] == record]
        tables = {one: rows_of(one, record) for one in (*input_tables(stage), table)}
        if not tables[table] and not failed:
            raise UserError(unknown_record(stage, table, record))
        found = {"stage": stage, "record": record, "failed": failed}
    rows = {str(table): some for table, some in tables.items() if some}
    return found | {"tables": plain_value(rows, folder_of(out, of, record) / "values")}


def plain_value(value: Any, stem: Path) -> Any:
    """Return what JSON holds; bytes are written, and their path stands in their place."""
    if isinstance(value, bytes):
        return str(picture_file(value, stem)[0])
    if isinstance(value, dict):
        return {key: plain_value(one, stem.with_name(f"{stem.name}-{file_name(key)}")) for key, one in value.items()}
    if isinstance(value, list):
        return [plain_value(one, stem.with_name(f"{stem.name}-{n}")) for n, one in enumerate(value, start=1)]
    return value
