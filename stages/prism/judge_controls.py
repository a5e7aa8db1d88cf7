"""One judge looks at degraded twins of one contestant's pictures: how far it can be trusted shows in what it says."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.questions import Conversation
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.running.controls import CONTROLS, DEGRADATIONS, degraded, mismatches
from stages.evaluation.running.observations import SCHEMA
from stages.prism.judge import judged, painted
from stages.prism.shared import items
from stages.prism.shared.items import ANSWERS, items_of
from stages.prism.shared.parameters import Params
from stages.project.model_kinds import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import manifest, shard_names

CONTROL_SCHEMA = SCHEMA.insert(1, pa.field("control", pa.string()))


def judge_controls(params: Params, contestant: str, judge: str) -> None:
    """Ask one judge about every control of one contestant's pictures."""
    answers = ANSWERS / contestant
    controls = {f"{control}-{shard}": (control, shard) for control in CONTROLS for shard in shard_names(answers)}
    job = Job(
        f"prism.judge_controls@{contestant}-{judge}",
        RoleModel("judge", judge, params.models[judge]),
        shards=list(controls),
        records=lambda shard: controlled(contestant, *controls[shard]),
        total=len(CONTROLS) * int(manifest(answers)["statuses"].get("ok", 0)),
        visit=look_at_control(params),
        schema=CONTROL_SCHEMA,
        folder=items.CONTROLS / contestant / judge,
        max_failures=params.prism.judge.max_failures,
    )
    ask(job)


def controlled(contestant: str, control: str, shard: str) -> Iterator[Row]:
    """Yield the pictures of one shard's answers, degraded in one way; their ids begin with the control's name."""
    if control in DEGRADATIONS:
        twins = ((row, degraded(control, row["picture"])) for row in painted(contestant, shard))
    else:
        rows = {row["id"]: row for row in painted(contestant, shard)}
        twins = ((rows[one], rows[other]["picture"]) for one, other in mismatches(list(rows)).items())
    for row, picture in twins:
        names = {"id": f"{control}-{row['id']}", "control": control, "record": f"{control}/{row['record']}"}
        yield row | names | {"picture": picture}


def look_at_control(params: Params) -> Visit:
    """Return the visit to one control: what is asked of a picture, as often as of the picture itself."""
    edition = {item.id: item for item in items_of(params)}

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        rows = yield from judged(record, edition, params.prism.repeats, params.seed)
        return [row | {"control": record["control"]} for row in rows]

    return visit


if __name__ == "__main__":
    main("prism.judge_controls", judge_controls, Params, *sys.argv[1:])
