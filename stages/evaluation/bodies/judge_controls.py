"""One judge looks at controls, made of one contestant's answers: how far it can be trusted shows in what it says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.limits import NOT_REACHED
from stages.asking.outcomes import Conversation
from stages.asking.requests import Part
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.bodies.judge import look_at_answer
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.inquiries import Inquiry, Put
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required
from stages.evaluation.running.answers import Shown, answer_of, answered
from stages.evaluation.running.controls import PRAISE, REFERENCE, drawn_controls, sources_of, twin
from stages.evaluation.running.observations import SCHEMA
from stages.evaluation.running.rewritings import rewritings_for
from stages.project.roles import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row, place
from stages.tables.reading import shard_names

CONTROL_SCHEMA = SCHEMA.insert(1, pa.field("control", pa.string()))


def judge_controls(benchmark: AnyBenchmark, params: Params, contestant: str, judge: str) -> None:
    played, answer = RoleModel("judge", judge, params.models[judge]), answer_of(benchmark.answers / contestant)
    visit = look_at_answer(benchmark, params, played, control_of(benchmark, params, contestant), by_rules(answer))
    shards = control_shards(benchmark, params, contestant)
    ask_about(benchmark, params, f"judge_controls@{contestant}-{judge}", played, shards, visit, f"{contestant}/{judge}")


def ask_about(
    benchmark: AnyBenchmark,
    params: Params,
    stage: str,
    played: RoleModel,
    shards: Mapping[str, Sequence[Row]],
    look: Visit,
    place: str,
) -> None:
    """Have somebody look at controls, by shard; `place`: where what comes of it lies below the controls."""
    job = Job(
        f"{benchmark.name}.{stage}",
        played,
        shards=list(shards),
        records=lambda shard: iter(shards[shard]),
        total=sum(map(len, shards.values())),
        visit=of_control(look),
        schema=CONTROL_SCHEMA,
        folder=benchmark.controls / place,
        max_failures=benchmark.block(params).judge.max_failures,
        counted=NOT_REACHED,
    )
    ask(job)


def control_shards(benchmark: AnyBenchmark, params: Params, contestant: str) -> dict[str, list[Row]]:
    """Return the controls of one contestant's answers, by shard; `shown`: the record of the answer that is spoilt. All
    sides of an item lie in one work slice, so that equal requests are asked once.
    """
    folder = benchmark.answers / contestant
    answers = chain.from_iterable(answered(benchmark, contestant, shard) for shard in shard_names(folder))
    drawn = drawn_controls(benchmark, benchmark.block(params), benchmark.items(params), answers, params.seed)
    shards: dict[str, list[Row]] = {}
    for kind, of, shown in drawn:
        names = {"id": f"{kind}-{of['id']}", "control": kind, "record": f"{kind}/{of['record']}", "shown": shown}
        digits = place(of["id"])[0].rpartition("-")[2]
        shards.setdefault(f"{kind}-{digits}", []).append(of | names)
    in_edition = partial(sorted, key=lambda row: (row["id"].rpartition("-")[2], row["id"]))
    return {shard: in_edition(rows) for shard, rows in shards.items()}


def control_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> Shown:
    answer, pictures = answer_of(benchmark.answers / contestant), benchmark.pictures(params)
    items = {str(item.id): item for item in benchmark.items(params)}
    block, rewriting_of = benchmark.block(params), rewritings_for(benchmark, params, contestant)

    def shown(record: Row) -> Sequence[Part]:
        made = record["shown"]
        item, rewriting = items[made["item"]], rewriting_of(made["item"], made["side"])
        sources = sources_of(benchmark, block, item, made["side"], required(pictures, item), rewriting)
        return twin(record["control"], answer(made), sources)

    return shown


def by_rules(answer: Shown) -> Callable[[Row, Put, Sequence[Inquiry]], Sequence[Inquiry]]:
    """Return how a control is judged where rules say what copies are worth: a right answer may be a copy, and words of
    praise make no other picture of one.
    """

    def asked_of(record: Row, put: Put, inquiries: Sequence[Inquiry]) -> Sequence[Inquiry]:
        if record["control"] == REFERENCE:
            return [replace(one, known=None) for one in inquiries]
        if record["control"] != PRAISE or not any(one.known for one in inquiries):
            return inquiries
        as_it_was = put.asked_for(answer(record["shown"]))
        return [decided_by(as_it_was, one) for one in inquiries]

    return asked_of


def decided_by(answer: Sequence[Part], one: Inquiry) -> Inquiry:
    known = one.known
    return replace(one, known=known and (lambda shown, pictures: known(answer, pictures)))


def of_control(look: Visit) -> Visit:
    """Return the visit to one control: what is asked of an answer, as often as of the answer itself."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        rows = yield from look(record)
        return [row | {"control": record["control"]} for row in rows]

    return visit


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    main(f"{benchmark.name}.judge_controls", partial(judge_controls, benchmark), benchmark.params, *sys.argv[2:])
