"""One judge looks at every picture of one contestant, and is asked what the benchmark's record says."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from stages.asking.job import Job
from stages.asking.outcomes import Conversation
from stages.asking.requests import Picture, seed_of
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.defining.benchmark import Benchmark, Inquiry
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.measures import Scale
from stages.evaluation.defining.parameters import Params
from stages.evaluation.running.answers import images_of
from stages.evaluation.running.observations import SCHEMA, observation
from stages.project.model_kinds import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import media_type
from stages.tables.reading import manifest, read_shard, shard_names, shard_rows


def run(benchmark: Benchmark[Any, Any]) -> None:
    """Run the stage of this benchmark as a command; contestant and judge are its arguments."""
    main(f"{benchmark.name}.judge", partial(judge, benchmark), benchmark.params, *sys.argv[1:])


def judge(benchmark: Benchmark[Any, Any], params: Params, contestant: str, judge: str) -> None:
    """Ask one judge about all pictures of one contestant."""
    folder = benchmark.answers / contestant
    job = Job(
        f"{benchmark.name}.judge@{contestant}-{judge}",
        RoleModel("judge", judge, params.models[judge]),
        shards=shard_names(folder),
        records=lambda shard: painted(benchmark, contestant, shard),
        total=int(manifest(folder)["statuses"].get("ok", 0)),
        visit=look_at_picture(benchmark, params),
        schema=SCHEMA,
        folder=benchmark.observations / contestant / judge,
        max_failures=benchmark.block(params).judge.max_failures,
    )
    ask(job)


def painted(benchmark: Benchmark[Any, Any], contestant: str, shard: str) -> Iterator[Row]:
    """Yield a shard's answers that have a picture, with its bytes as `picture`.

    A judge whose verdicts were made elsewhere finds them as `<question>/<contestant>/<side>/<item>.txt`.
    """
    folder = benchmark.answers / contestant
    wanted = {row["id"] for row in read_shard(folder, shard, ["id", "status"]) if row["status"] == "ok"}
    for row in shard_rows(folder, shard, ["id", "item", "side", "sample", "parts"], wanted):
        [(_, picture)] = images_of(row.pop("parts"))
        yield row | {"picture": picture, "record": f"{contestant}/{row['side']}/{row['item']}"}


def look_at_picture(benchmark: Benchmark[Any, Any], params: Params) -> Visit:
    """Return the visit to one picture: all that is asked about it, as often as params.yaml says, adjacently."""
    items = {str(item.id): item for item in benchmark.items(params)}
    repeats = benchmark.block(params).repeats
    return lambda record: judged(record, benchmark, items, repeats, params.seed)


def judged(
    record: Row, benchmark: Benchmark[Any, Any], items: Mapping[str, Item], repeats: int, seed: int
) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Ask about one picture; a row a measure and repeat has a value and a note, or a status without them."""
    picture = Picture(record["picture"], media_type(record["picture"]))
    inquiries = benchmark.inquiries(items[record["item"]], record["side"])
    own = seed_of(f"{record['side']}/{record['item']}/{record['sample']}", seed)  # of every contestant, and of controls
    asked = [(inquiry, repeat) for repeat in range(repeats) for inquiry in inquiries]
    answers = yield [inquiry.question.about(inquiry.fields, [picture], own, repeat) for inquiry, repeat in asked]
    return [
        row
        for (inquiry, repeat), found in zip(asked, answers, strict=True)
        for row in observed(record, inquiry, found, repeat, benchmark.measures)
    ]


def observed(record: Row, inquiry: Inquiry, found: Answer, repeat: int, scales: Mapping[str, Scale]) -> Iterator[Row]:
    """Yield what one reply says, a row a measure; the first of them carries the reply.

    A value outside of its measure's scale is none: a parse error.
    """
    said = [None] * len(inquiry.measures) if found.value is None else inquiry.read(found.value)
    for number, (measure, judged) in enumerate(zip(inquiry.measures, said, strict=True)):
        value, note = (None, None) if judged is None else judged
        lowest, highest = scales[measure]
        row = observation(record, measure, found, value=value, note=note, repeat=repeat)
        if value is not None and not lowest <= value <= highest:
            reason = f"{measure} is {value}, outside of its scale {lowest:g}..{highest:g}"
            row |= {"value": None, "note": None, "status": "parse_error", "reason": reason}
        yield row if number == 0 else row | {"replies": []}
