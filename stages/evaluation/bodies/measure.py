"""Rules look at every answer of one contestant: what follows from pixels or words alone, nobody is asked."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa

from stages.asking.outcomes import Outcome
from stages.asking.visiting import Answer, Visit
from stages.evaluation.bodies.observe import look, looked_at
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.parameters import RULES, Params
from stages.evaluation.running.answers import answer_of, answered
from stages.evaluation.running.observations import SCHEMA
from stages.evaluation.running.spec import OF_RULES
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import shard_names
from stages.tables.writing import TableWriter


def measure(benchmark: AnyBenchmark, params: Params, contestant: str) -> None:
    folder, concerned = benchmark.answers / contestant, looked_at(benchmark, params, RULES)
    records = {shard: filter(concerned, answered(benchmark, contestant, shard)) for shard in shard_names(folder)}
    visit = look(benchmark, params, RULES, OF_RULES, answer_of(folder))
    write_measured(
        f"{benchmark.name}.measure@{contestant}", records, visit, SCHEMA, benchmark.observations / contestant / RULES
    )


def write_measured(
    stage: str, records: Mapping[str, Iterable[Row]], visit: Visit, schema: pa.Schema, folder: Path
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
    print(f"{stage}: {said or 'there is nothing for rules to decide'}")


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


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    main(f"{benchmark.name}.measure", partial(measure, benchmark), benchmark.params, *sys.argv[2:])
