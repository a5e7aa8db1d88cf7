"""One contestant paints every prompt of the edition, in each language that it knows.

FLUX-Reason-6M and PRISM-Bench, section 3.2. A folder of pictures that were made elsewhere answers too: as
`<track>/<i>.png`, as the released scripts have it, or `<language>/<track>/<i>.png` for a contestant in both languages.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence

from stages.asking.job import Job
from stages.asking.questions import Conversation, Painting
from stages.asking.requests import Paint
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit, seed_of
from stages.evaluation.running.answers import SCHEMA, answer_row, rows_to_answer
from stages.prism.shared.items import ANSWERS, PrismItem, items_of
from stages.prism.shared.parameters import Params
from stages.project.model_kinds import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made

PAINTERS = ("generation", "unified")
"""The classes of contestants that are asked for pictures."""


def answer(params: Params, contestant: str) -> None:
    """Ask one contestant for its pictures; a class that paints none has no rows."""
    items = {item.id: item for item in items_of(params)}
    own_budget = params.contestants[contestant].max_failures
    shards = rows_to_answer(list(items), languages_of(params, contestant))
    several = len(languages_of(params, contestant)) > 1
    for row in (row for rows in shards.values() for row in rows):
        row["record"] = f"{row['side']}/{row['item']}" if several else row["item"]
    job = Job(
        f"prism.answer@{contestant}",
        RoleModel("painter", contestant, params.contestants[contestant].model),
        shards=list(shards),
        records=lambda shard: iter(shards[shard]),
        total=sum(map(len, shards.values())),
        visit=paint(params, items),
        schema=SCHEMA,
        folder=ANSWERS / contestant,
        max_failures=params.prism.answer.max_failures if own_budget is None else own_budget,
    )
    ask(job)


def languages_of(params: Params, contestant: str) -> list[str]:
    """Return the languages in which a contestant is put to the test, in the order of params.yaml."""
    block = params.contestants[contestant]
    if block.class_ not in PAINTERS:
        return []
    return [language for language in params.prism.languages if block.languages is None or language in block.languages]


def paint(params: Params, items: dict[str, PrismItem]) -> Visit:
    """Return the visit to one prompt in one language. The picture is kept as it came: judges see what the contestant
    made.
    """
    width, height = params.prism.answer.width, params.prism.answer.height

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        prompt = items[record["item"]].prompt_in(record["side"])
        seed = seed_of(f"{record['side']}/{record['item']}", params.seed)
        [made] = yield [Painting(Paint(prompt, width, height, seed, record["sample"]), as_made)]
        return [answer_row(record, None if made.value is None else [made.value], made)]

    return visit


if __name__ == "__main__":
    main("prism.answer", answer, Params, *sys.argv[1:])
