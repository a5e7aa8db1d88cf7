"""Rules look at every answer of one contestant, and at its controls: what follows from pixels or words alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from gamut.asking.outcomes import Outcome
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import RULES, Params
from gamut.evaluation.running.answers import answer_of, answered
from gamut.evaluation.running.cells import CONTROL_SCHEMA, control_of, control_shards, look, looked_at, of_control
from gamut.evaluation.running.judging import SCHEMA
from gamut.evaluation.running.spec import OF_RULES
from gamut.tables.columns import Row
from gamut.tables.reading import shard_names
from gamut.tables.writing import TableWriter


def measure(benchmark: AnyBenchmark, params: Params, contestant: str) -> None:
    folder, concerned = benchmark.answers / contestant, looked_at(benchmark, params, RULES)
    records = {shard: filter(concerned, answered(benchmark, contestant, shard)) for shard in shard_names(folder)}
    visit = look(benchmark, params, RULES, OF_RULES, answer_of(folder))
    write_measured(f"{benchmark.name}.board: {contestant}", records, visit, SCHEMA, benchmark.said(contestant, RULES))
    if contestant in benchmark.block(params).controls_of:
        drawn = control_shards(benchmark, params, contestant)
        records = {shard: filter(concerned, rows) for shard, rows in drawn.items()}
        visit = of_control(look(benchmark, params, RULES, OF_RULES, control_of(benchmark, params, contestant)))
        said, at = f"{benchmark.name}.board: controls of {contestant}", benchmark.said_of_controls(contestant, RULES)
        write_measured(said, records, visit, CONTROL_SCHEMA, at)


def write_measured(
    whose: str, records: Mapping[str, Iterable[Row]], visit: Visit, schema: pa.Schema, folder: Path
) -> None:
    statuses: Counter[str] = Counter()

    def rows_of(shard: str) -> Iterator[Row]:
        for record in records[shard]:
            rows = ruled(visit, record)
            statuses.update(row["status"] for row in rows)
            yield from rows

    with TableWriter(folder, schema) as table:
        for shard in records:
            table.write(shard, [*rows_of(shard)])
    said = ", ".join(f"{count:,} {status}" for status, count in sorted(statuses.items()))
    print(f"{whose}, by rules: {said or 'there is nothing for rules to decide'}")


def ruled(visit: Visit, record: Row) -> list[Row]:
    """Return the rows of a visit whose conversations ask nobody; ValueError for one that does."""
    rounds = visit(record)
    steps = [conversation.next([]) for conversation in next(rounds)]
    if any(not isinstance(step, Outcome) for step in steps):
        raise ValueError("a rule asks somebody: give it the role of who is asked")
    try:
        rounds.send([Answer(step, RULES, ()) for step in steps if isinstance(step, Outcome)])
    except StopIteration as end:
        rows: list[Row] = end.value
        return rows
    raise ValueError("a visit to an answer has one round")
