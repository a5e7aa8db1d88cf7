"""One judge looks at every picture of one contestant: how well it fits its prompt, and how it looks.

FLUX-Reason-6M and PRISM-Bench, section 3.2. What is asked stands in judging.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Mapping, Sequence

from stages.asking.job import Job
from stages.asking.questions import Conversation
from stages.asking.requests import Picture
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.running.answers import images_of
from stages.evaluation.running.observations import SCHEMA, observation
from stages.prism.judging import questions
from stages.prism.shared.items import ANSWERS, OBSERVATIONS, PrismItem, items_of
from stages.prism.shared.parameters import Params
from stages.project.model_kinds import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import media_type
from stages.tables.reading import manifest, read_shard, shard_names, shard_rows


def judge(params: Params, contestant: str, judge: str) -> None:
    """Ask one judge about all pictures of one contestant."""
    folder = ANSWERS / contestant
    job = Job(
        f"prism.judge@{contestant}-{judge}",
        RoleModel("judge", judge, params.models[judge]),
        shards=shard_names(folder),
        records=lambda shard: painted(contestant, shard),
        total=int(manifest(folder)["statuses"].get("ok", 0)),
        visit=look_at_picture(params),
        schema=SCHEMA,
        folder=OBSERVATIONS / contestant / judge,
        max_failures=params.prism.judge.max_failures,
    )
    ask(job)


def painted(contestant: str, shard: str) -> Iterator[Row]:
    """Yield a shard's answers that have a picture, with its bytes as `picture`.

    A judge whose verdicts were made elsewhere finds them as `<question>/<contestant>/<language>/<track>/<i>.txt`.
    """
    folder = ANSWERS / contestant
    wanted = {row["id"] for row in read_shard(folder, shard, ["id", "status"]) if row["status"] == "ok"}
    for row in shard_rows(folder, shard, ["id", "item", "side", "sample", "parts"], wanted):
        [(_, picture)] = images_of(row.pop("parts"))
        yield row | {"picture": picture, "record": f"{contestant}/{row['side']}/{row['item']}"}


def look_at_picture(params: Params) -> Visit:
    """Return the visit to one picture: both questions, as often as params.yaml says, adjacently."""
    items = {item.id: item for item in items_of(params)}
    return lambda record: judged(record, items, params.prism.repeats, params.seed)


def judged(
    record: Row, items: Mapping[str, PrismItem], repeats: int, seed: int
) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Ask about one picture; the rows have a score, 0..10, and its justification as note, or a status without them."""
    item = items[record["item"]]
    picture = Picture(record["picture"], media_type(record["picture"]))
    asked = [
        (axis, repeat, conversation)
        for repeat in range(repeats)
        for axis, conversation in questions(item.track, item.prompt_in(record["side"]), picture, seed, repeat).items()
    ]
    answers = yield [conversation for _, _, conversation in asked]
    return [
        observation(
            record,
            axis,
            found,
            value=None if found.value is None else float(found.value.score),
            note=None if found.value is None else found.value.justification,
            repeat=repeat,
        )
        for (axis, repeat, _), found in zip(asked, answers, strict=True)
    ]


if __name__ == "__main__":
    main("prism.judge", judge, Params, *sys.argv[1:])
