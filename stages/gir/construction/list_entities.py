"""Entities as cases of an edition: the first of the list, with others of the domain to choose among (section 3.1)."""

import random
import sys
from pathlib import Path

from stages.gir.construction.entities import Entities, read_entities
from stages.gir.construction.tables import packed, seed_for, slots_of
from stages.gir.shared.items import DISTRACTORS, SUBSETS, Task
from stages.gir.shared.parameters import Params
from stages.project.errors import UserError
from stages.project.stage import main
from stages.tables.columns import Row, make_id


def list_entities(params: Params, edition: str) -> None:
    """List the entities of an edition."""
    entities, slots = read_entities(Path(params.gir.propose.pools)), slots_of(params, edition)
    slots.write(
        "list_entities", [row for domain in SUBSETS["ugc"] for row in rows_of(params, edition, domain, entities)]
    )


def rows_of(params: Params, edition: str, domain: Task, entities: Entities) -> list[Row]:
    """Return the cases of a domain; UserError where the list has too few.

    Their order is the list's: so a person's own pictures of an entity are known by its place there.
    """
    propose, rows = params.gir.propose, []
    count, listed = getattr(propose.drafts, domain), getattr(entities, domain)
    if count > len(listed):
        raise UserError(
            f"gir.propose.drafts.{domain}: {count:,} are wanted, {propose.pools}/entities.yaml has {len(listed):,}: "
            "add some there"
        )
    for number, entity in enumerate(listed[:count]):
        row_id = make_id(domain, number)
        others = [other.name for other in listed if other is not entity]
        drawn = random.Random(seed_for(params, edition, f"{row_id} distractors")).sample(others, DISTRACTORS)
        case = {"entity": entity.name, "names": entity.accepted, "distractors": drawn}
        rows.append({"id": row_id, "status": "ok", "task": domain, "case": packed(case)})
    return rows


if __name__ == "__main__":
    main("gir.list_entities", list_entities, Params, *sys.argv[1:])
