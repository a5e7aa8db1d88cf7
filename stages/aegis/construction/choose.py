"""Of every slot the first clear prompt that is unlike all that were chosen before (section 3.2)."""

import sys

from stages.aegis.construction.tables import slots_of
from stages.aegis.shared.parameters import Params
from stages.evaluation.curating.choosing import chosen
from stages.project.stage import main
from stages.tables.columns import Row


def choose(params: Params, edition: str) -> None:
    """Choose a clear prompt for every slot."""
    slots, attempts = slots_of(params, edition), dict[str, list[Row]]()
    for row in slots.rows("draft"):
        attempts.setdefault(row["id"], []).append(row)
    slots.write("choose", chosen(attempts, "clear_prompt", params.aegis.propose.similarity, params.seed))


if __name__ == "__main__":
    main("aegis.choose", choose, Params, *sys.argv[1:])
