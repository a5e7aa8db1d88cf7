"""Cases that are to be made, by rule: entities of the pool, numbers and scenes to be edited drawn by seed (2.2)."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stages.gapeval.construction import knowledge, numbers
from stages.gapeval.construction.cases import Prompts
from stages.gapeval.construction.tables import in_columns, seed_for, slots_of
from stages.gapeval.construction.write_edits import CHALLENGES
from stages.gapeval.shared.parameters import Params
from stages.project.errors import UserError
from stages.project.stage import main
from stages.tables.columns import Row, make_id

NOT_YET = Prompts("", "", "")
"""The words of a case that others are to find."""


def list_cases(params: Params, edition: str) -> None:
    rows = [*entities(params), *pairs(params, edition), *scenes(params, edition)]
    slots_of(params, edition).write("list_cases", rows)


def entities(params: Params) -> Iterator[Row]:
    """Each domain's first before any second: a person's pictures are known by that order. UserError for too few."""
    propose = params.gapeval.propose
    pool, wanted = knowledge.read_pool(Path(propose.pools)), propose.drafts.world_knowledge
    by_domain = {domain: getattr(pool, domain) for domain in knowledge.DOMAINS}
    turns = max(map(len, by_domain.values()))
    listed = [(domain, some[turn]) for turn in range(turns) for domain, some in by_domain.items() if turn < len(some)]
    if wanted > len(listed):
        raise UserError(
            f"gapeval.propose.drafts.world_knowledge: {wanted:,} are wanted, {propose.pools}/knowledge.yaml has "
            f"{len(listed):,}: add some there"
        )
    for number, (domain, entity) in enumerate(listed[:wanted]):
        case = in_columns(knowledge.asked(entity), {"proof": {"entity": entity.name}})
        yield row_of("world_knowledge", number, domain) | case | {"painted": entity.painted}


def pairs(params: Params, edition: str) -> Iterator[Row]:
    """Yield numbers of things that are to be painted; what is asked depends on what will be there."""
    propose = params.gapeval.propose
    pool = numbers.read_countable(Path(propose.pools))
    for number, pair in enumerate(numbers.pairs(seed_for(params, edition), propose.drafts.numerical, pool)):
        case = in_columns(NOT_YET, {"proof": {"pair": [*map(list, pair)]}})
        yield row_of("numerical", number, "swap") | case | {"painted": numbers.said(pair, pool.plurals)}


def scenes(params: Params, edition: str) -> Iterator[Row]:
    """Yield scenes that are to be edited, where a person has no picture of their own; every other edit is a rule."""
    propose = params.gapeval.propose
    pool = numbers.read_countable(Path(propose.pools))
    drawn = numbers.pairs(seed_for(params, edition, "scenes"), propose.drafts.instruction_following, pool)
    for number, pair in enumerate(islice(drawn, propose.drafts.instruction_following)):
        challenge = CHALLENGES[number % len(CHALLENGES)]
        case = in_columns(NOT_YET, {"proof": {}})
        yield row_of("instruction_following", number, challenge) | case | {"painted": numbers.said(pair, pool.plurals)}


def row_of(category: str, number: int, subcategory: str) -> Row:
    return {"id": make_id(category, number), "status": "ok", "category": category, "subcategory": subcategory}


if __name__ == "__main__":
    main("gapeval.list_cases", list_cases, Params, *sys.argv[1:])
