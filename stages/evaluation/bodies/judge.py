"""One judge is asked about every answer of one contestant what the benchmark's record says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from functools import partial

from stages.asking.job import Job
from stages.asking.limits import NOT_REACHED
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.requests import seed_of
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.inquiries import Inquiry, Put
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required, stand_ins
from stages.evaluation.running.answers import Shown, answer_of, answered
from stages.evaluation.running.judging import judged, judged_in_part
from stages.evaluation.running.observations import SCHEMA
from stages.evaluation.running.spec import of_judged
from stages.project.roles import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import shard_names


def judge(benchmark: AnyBenchmark, params: Params, contestant: str, judge: str) -> None:
    folder = benchmark.answers / contestant
    shards, played = shard_names(folder), RoleModel("judge", judge, params.models[judge])
    job = Job(
        f"{benchmark.name}.judge@{contestant}-{judge}",
        played,
        shards=shards,
        records=lambda shard: answered(benchmark, contestant, shard, in_part=True),
        total=sum(1 for shard in shards for _ in answered(benchmark, contestant, shard, in_part=True)),
        visit=look_at_answer(benchmark, params, played, answer_of(folder)),
        schema=SCHEMA,
        folder=benchmark.observations / contestant / judge,
        max_failures=benchmark.block(params).judge.max_failures,
        counted=NOT_REACHED,
    )
    ask(job)


def look_at_answer(
    benchmark: AnyBenchmark,
    params: Params,
    played: RoleModel,
    shown: Shown,
    asked_of: Callable[[Row, Put, Sequence[Inquiry]], Sequence[Inquiry]] = lambda record, put, inquiries: inquiries,
) -> Visit:
    """Return the visit to one answer. Its seed is the same of every contestant, side and control: so what is told apart
    is not luck, and equal answers are equal requests. `asked_of`: what is asked of a record, given what is asked of
    all.
    """
    items = {str(item.id): item for item in benchmark.items(params)}
    block, pictures, judge = benchmark.block(params), benchmark.pictures(params), identity_of(played)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        inquiries = benchmark.asked(block, item, record["side"])
        own = seed_of(f"{record['item']}/{record['sample']}", params.seed)
        put = benchmark.put(item, record["side"], stand_ins(item))
        asked = asked_of(record, put, inquiries)
        about, seen = record | {"answer": put.asked_for(shown(record))}, required(pictures, item)
        if record["status"] == "ok":
            rows = yield from judged(about, asked, seen, block.repeats, own, benchmark.measures)
        else:
            there = put.kinds_in(about["answer"])
            rows = yield from judged_in_part(there, about, asked, seen, block.repeats, own, benchmark.measures)
        specs = of_judged(inquiries, put, item, judge, params.seed)  # of what is asked about answers: that it tells of
        return [row | {"spec": specs[row["question"], row["part"]]} for row in rows]

    return visit


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    main(f"{benchmark.name}.judge", partial(judge, benchmark), benchmark.params, *sys.argv[2:])
