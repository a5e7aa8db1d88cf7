"""GENIUS's curation: how its items are reviewed, proposed and imported."""

from __future__ import annotations

from collections.abc import Sequence

from gamut.evaluation.curating.curation import Curation
from gamut.evaluation.defining.editions import Item
from stages.genius.construction import parameters as proposing
from stages.genius.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, REPEATABLE, TEXTS, item_of, objections
from stages.genius.layout import FOLDER
from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.items import TASKS


def is_proposed(item: Item) -> bool:
    """Return whether an item was proposed here: imported ones are named by the folders of their tasks."""
    return str(item.id).partition("/")[0] not in TASKS


def why_withheld(items: Sequence[Item]) -> str | None:
    """Return why items may not be published: some were, for non-commercial research, whatever their origin says."""
    if not (found := [item for item in items if not is_proposed(item)]):
        return None
    return (
        f"{len(found):,} of its items were published for non-commercial research (CC BY-NC 4.0), such as "
        f"{found[0].id!r}: leave them out"
    )


CURATION = Curation(
    benchmark=GENIUS,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=FOLDER,
    withheld=why_withheld,
    is_proposed=is_proposed,
)
