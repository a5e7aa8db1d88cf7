"""How many things of both kinds were painted: a detector counts, and what is asked is rewritten to what is there."""

import sys
from pathlib import Path
from typing import Any

from stages.asking.outcomes import Conversation
from stages.asking.requests import Detect
from stages.asking.seeing import Detecting
from stages.gapeval.construction.numbers import Amount, Pair, asked, counted, exchanged, mistake, read_countable, said
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.tables import QUESTION, case_of, in_columns, played, slots_of
from stages.project.stage import main
from stages.tables.columns import Row


def count_things(params: Params, edition: str) -> None:
    slots, pool = slots_of(params, edition), read_countable(Path(params.propose.pools))

    def conversation(row: Row) -> Conversation:
        labels = tuple(amount.thing for amount in pair_of(row))
        return Detecting(Detect(slots.pictures(row["id"], "show_cases")[QUESTION], labels))

    def made(row: Row, value: Any) -> Row:
        found = counted([one.label for one in value], pair_of(row))
        if why := mistake(found, pool.most):
            return {"status": "unusable", "reason": why}
        case = in_columns(asked(found, pool.plurals), {"proof": {"pair": [*map(list, found)]}})
        return case | {"painted": said(exchanged(found), pool.plurals)}

    rows = [row for row in slots.usable("list_cases", "show_cases") if row["category"] == "numerical"]
    slots.put_each("count_things", played(params, "detector", "detector"), rows, conversation, made)


def pair_of(row: Row) -> Pair:
    one, other = (Amount(*amount) for amount in case_of(row)["proof"]["pair"])
    return one, other


if __name__ == "__main__":
    main("gapeval.count_things", count_things, Params, *sys.argv[1:])
