"""How items are put: one context and one instruction, with their pictures in one of three forms (appendix D.1)."""

from __future__ import annotations

from collections.abc import Mapping

from stages.evaluation.defining.inquiries import Pictures, Put
from stages.evaluation.defining.pictures import of_role
from stages.evaluation.running.placing import Form, placed
from stages.genius.shared.items import GeniusItem

FORMS: Mapping[str, Form] = {"edit": "apart", "interleaved": "at_sentence_ends", "fine_grained": "in_place"}
"""Where pictures stand on each side: all before the text, which calls them by their numbers; behind the sentence that
names them; where they are named."""


def put(item: GeniusItem, side: str, pictures: Pictures) -> Put:
    """Return the context, then the instruction, with their pictures; a picture alone is wanted.

    ValueError for a text that names a picture that the item does not have.
    """
    return Put(placed(f"{item.context}\n{item.prompt}", of_role(item, pictures, "input"), FORMS[side]))
