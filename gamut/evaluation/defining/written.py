"""What a model adds to items that lack it, such as the wrong options of a question, before they are put to anybody. The
edition's file stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from gamut.asking.questions import AskedQuestion, Question
from gamut.evaluation.defining.editions import Kind, usable_items
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import Pictures
from gamut.tables.columns import ASKED, table_schema
from gamut.tables.reading import read_rows

SCHEMA = table_schema("id item reply", *ASKED)
"""`reply`: as JSON."""


class Writing(NamedTuple):
    """`asked`: what is asked with a block about an item, its pictures and with a seed, None where it lacks nothing;
    `added`: the item with a reply; `stand_in`: a reply by which answers are counted before there is one.
    """

    question: Question
    asked: Callable[[Any, Any, Pictures, int], AskedQuestion | None]
    added: Callable[[Any, Any], Any]
    stand_in: BaseModel

    def with_replies(self, items: Sequence[Kind], folders: Sequence[Path]) -> list[Kind]:
        """Return items with what was written, where a table is there and a reply could be used."""
        rows = (row for folder in folders if folder.is_dir() for row in read_rows(folder, ["item", "reply", "status"]))
        read = self.question.reply.model_validate_json
        replies = {row["item"]: read(row["reply"]) for row in rows if row["status"] == "ok"}
        return [self.added(item, replies[str(item.id)]) if str(item.id) in replies else item for item in items]

    def lacking(self, block: Any, items: Sequence[Kind]) -> dict[str, AskedQuestion]:
        """Return by item what would be asked, with stand-ins for its pictures."""
        asked = {str(item.id): self.asked(block, item, stand_ins(item), 0) for item in usable_items(items)}
        return {item: one for item, one in asked.items() if one is not None}
