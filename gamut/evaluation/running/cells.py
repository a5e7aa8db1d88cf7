"""What one stage asks a judge or observer about a contestant's answers and, for some contestants, about their controls
in a table next to them. Also what observers that are not judges have to find, in one role.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from gamut.asking.job import job_of_rows
from gamut.asking.limits import NOT_REACHED
from gamut.asking.outcomes import Conversation
from gamut.asking.requests import Part
from gamut.asking.run import ask
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.defining.pictures import require_pictures, stand_ins
from gamut.evaluation.running.answers import AnswerReader, answer_of, answer_records
from gamut.evaluation.running.controls import draw_controls, make_control, sources_of
from gamut.evaluation.running.judging import SCHEMA, observe_answer
from gamut.evaluation.running.rewritings import rewritings_for
from gamut.evaluation.running.spec import check_specs, code_of_values
from gamut.project.pipeline import controls_in
from gamut.project.roles import RoleModel
from gamut.tables.columns import Row, place
from gamut.tables.reading import shard_names

CONTROL_SCHEMA = SCHEMA.insert(1, pa.field("control", pa.string()))


class Observer(NamedTuple):
    """A judge or observer of a contestant's answers. `stage`: without its cell. `at`: the folder of its results
    (`Benchmark.answer_judgments`). `concerned`: answers that it looks at. `in_part`: also answers that lack a part of
    what was asked for.
    """

    stage: str
    played: RoleModel
    at: str
    concerned: Callable[[Row], bool] = lambda record: True
    in_part: bool = False


def ask_about_answers(
    benchmark: AnyBenchmark, params: Params, contestant: str, observer: Observer, visit: Visit
) -> None:
    names = shard_names(benchmark.answers / contestant)
    shards = {shard: answer_records(benchmark, contestant, shard, observer.in_part) for shard in names}
    name, folder = cell_of(benchmark, contestant, observer), benchmark.answer_judgments(contestant, observer.at)
    ask_by_shard(benchmark, params, observer, name, shards, visit, SCHEMA, folder)


def ask_about_controls(
    benchmark: AnyBenchmark, params: Params, contestant: str, observer: Observer, visit: Visit
) -> None:
    shards = control_shards(benchmark, params, contestant)
    name, folder = cell_of(benchmark, contestant, observer), benchmark.control_judgments(contestant, observer.at)
    ask_by_shard(benchmark, params, observer, controls_in(name), shards, control_visit(visit), CONTROL_SCHEMA, folder)


def cell_of(benchmark: AnyBenchmark, contestant: str, observer: Observer) -> str:
    return f"{benchmark.name}.{observer.stage}@{contestant}-{observer.played.slug}"


def ask_by_shard(
    benchmark: AnyBenchmark,
    params: Params,
    observer: Observer,
    name: str,
    shards: Mapping[str, Iterable[Row]],
    visit: Visit,
    schema: pa.Schema,
    folder: Path,
) -> None:
    own = {shard: [*filter(observer.concerned, rows)] for shard, rows in shards.items()}
    most = benchmark.block(params).judge.max_failures
    ask(job_of_rows(name, observer.played, own, visit, schema, folder, most, counted=NOT_REACHED))


def control_shards(benchmark: AnyBenchmark, params: Params, contestant: str) -> dict[str, list[Row]]:
    """Return the controls of one contestant's answers, by shard. `shown`: the record of the degraded answer. All
    settings of an item are in one work slice, so that equal requests are asked once.
    """
    folder = benchmark.answers / contestant
    answers = chain.from_iterable(answer_records(benchmark, contestant, shard) for shard in shard_names(folder))
    drawn = draw_controls(benchmark, benchmark.block(params), benchmark.items(params), answers, params.seed)
    shards: dict[str, list[Row]] = {}
    for kind, of, shown in drawn:
        names = {"id": f"{kind}-{of['id']}", "control": kind, "record": f"{kind}/{of['record']}", "shown": shown}
        digits = place(of["id"])[0].rpartition("-")[2]
        shards.setdefault(f"{kind}-{digits}", []).append(of | names)
    in_edition = partial(sorted, key=lambda row: (row["id"].rpartition("-")[2], row["id"]))
    return {shard: in_edition(rows) for shard, rows in shards.items()}


def control_reader(benchmark: AnyBenchmark, params: Params, contestant: str) -> AnswerReader:
    answer, pictures = answer_of(benchmark.answers / contestant), benchmark.pictures(params)
    items = {str(item.id): item for item in benchmark.items(params)}
    block, rewriting_of = benchmark.block(params), rewritings_for(benchmark, params, contestant)

    def read_control(record: Row) -> Sequence[Part]:
        answer_record = record["shown"]
        item, rewriting = items[answer_record["item"]], rewriting_of(answer_record["item"], answer_record["setting"])
        sources = sources_of(
            benchmark, block, item, answer_record["setting"], require_pictures(pictures, item), rewriting
        )
        return make_control(record["control"], answer(answer_record), sources)

    return read_control


def control_visit(look: Visit) -> Visit:
    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        rows = yield from look(record)
        return [row | {"control": record["control"]} for row in rows]

    return visit


def has_checks(benchmark: AnyBenchmark, params: Params, role: str) -> Callable[[Row], bool]:
    items = {str(item.id): item for item in benchmark.items(params)}
    return lambda record: any(one.role == role for one in benchmark.checks(items[record["item"]], record["setting"]))


def observer_visit(
    benchmark: AnyBenchmark, params: Params, role: str, observer: Mapping[str, Any], read_answer: AnswerReader
) -> Visit:
    """Return an observer's visit to one answer, in a role. `observer`: its identity."""
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)
    code = code_of_values(benchmark)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        checks = [one for one in benchmark.checks(item, record["setting"]) if one.role == role]
        prompt = benchmark.prompt(benchmark.block(params), item, record["setting"], stand_ins(item))
        about = record | {"answer": prompt.wanted_parts(read_answer(record))}
        rows = yield from observe_answer(about, checks, require_pictures(pictures, item), benchmark.measures)
        specs = check_specs(checks, item, observer, code)
        return [row | {"spec": specs[row["question"], row["part"]]} for row in rows]

    return visit
