"""Whether a painted reference of numbers shows what is right: a detector counts again."""

import sys
from pathlib import Path
from typing import Any

from stages.asking.outcomes import Conversation
from stages.asking.requests import Detect
from stages.asking.seeing import Detecting
from stages.gapeval.construction.answer_cases import BEFORE
from stages.gapeval.construction.count_things import pair_of
from stages.gapeval.construction.numbers import counted, exchanged, read_countable, said
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.tables import REFERENCE, own_pictures, played, slots_of
from stages.project.stage import main
from stages.tables.columns import Row

RIGHT = "right"


def recount_things(params: Params, edition: str) -> None:
    slots, plurals = slots_of(params, edition), read_countable(Path(params.propose.pools)).plurals
    rows = [row for row in slots.usable(*BEFORE, "answer_cases") if row["category"] == "numerical"]
    own = own_pictures(params, edition, [(row["id"], REFERENCE) for row in rows])

    def conversation(row: Row) -> Conversation:
        labels = tuple(amount.thing for amount in pair_of(row))
        return Detecting(Detect(slots.pictures(row["id"], "answer_cases")[REFERENCE], labels))

    def made(row: Row, value: Any) -> Row:
        wanted = exchanged(pair_of(row))
        found = counted([one.label for one in value], wanted)
        return {"found": RIGHT if found == wanted else said(found, plurals)}

    unproved = [row for row in rows if (row["id"], REFERENCE) not in own]
    slots.put_each("recount_things", played(params, "detector", "detector"), unproved, conversation, made)


if __name__ == "__main__":
    main("gapeval.recount_things", recount_things, Params, *sys.argv[1:])
