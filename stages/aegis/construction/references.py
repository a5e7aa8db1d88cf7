"""Input pictures, and reference answers of the author (section 3.2)."""

from typing import Any

from gamut.asking.making import Creating
from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation
from gamut.asking.parts import Created
from gamut.asking.requests import Create, seed_of
from gamut.asking.seeing import Computing
from gamut.evaluation.construction.slots import Slots
from gamut.evaluation.running.placing import numbered_text, placed
from gamut.tables.columns import Row
from gamut.tables.images import as_made
from stages.aegis.construction.parameters import Params
from stages.aegis.shared.items import WANTED


def picture(slots: Slots[Params]) -> None:
    """Take a person's own input pictures, and have the author paint the others as described."""
    rows: list[Row] = [
        {"id": row["id"], "name": f"input_{number}", "described": described}
        for row in slots.usable("choose")
        for number, described in enumerate(row["pictures"], start=1)
    ]
    own = slots.own_pictures("input")
    slots.paint(rows, own, lambda row: seed_of(f"{row['id']}/{row['name']}", slots.params.seed))


def refer(slots: Slots[Params]) -> None:
    """Have the author answer the clear prompts; a person's own pictures stand before the author's."""
    propose, own = slots.params.propose, slots.own_pictures("reference")
    made_by = identity_of(slots.player("author"))["id"]

    def conversation(row: Row) -> Conversation:
        wanted, place = WANTED[row["task"]], (row["id"], "reference_1")
        if wanted == ("image",) and place in own:
            return Computing(lambda: Created((own[place].data,)))
        parts = placed(row["clear_prompt"], slots.pictures(row["id"], "picture"), "in_place")
        width, height = (propose.width, propose.height) if "image" in wanted else (0, 0)
        return Creating(Create(parts, wanted, width, height, seed_of(row["id"], slots.params.seed)), as_made)

    def made(row: Row, value: Any) -> Row:
        wanted = WANTED[row["task"]]
        text, pictures = numbered_text(value.parts if "image" in wanted else value.texts)
        if "text" not in wanted:
            text, pictures = "", pictures[:1]
        numbered = enumerate(pictures, start=1)
        images = [own.image(row["id"], f"reference_{at}", one, f"made by {made_by}") for at, one in numbered]
        return {"reference": text, "images": images}

    slots.ask("author", slots.usable("choose", "picture"), conversation, made, own)
