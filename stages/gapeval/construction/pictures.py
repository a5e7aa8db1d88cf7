"""The pictures of cases: painted or a person's own, counted, edited, and counted again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel

from gamut.asking.making import Creating
from gamut.asking.material import enclose
from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation
from gamut.asking.parts import Created
from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.requests import Create, Detect
from gamut.asking.seeing import Detecting
from gamut.evaluation.construction.own_pictures import OwnPictures
from gamut.evaluation.construction.slots import Slots, digest_of, unpack_case
from gamut.tables.columns import Row
from gamut.tables.images import require_picture, upright_rgb
from stages.gapeval.construction import numbers
from stages.gapeval.construction.cases import Prompts, case_columns
from stages.gapeval.construction.numbers import Amount, Pair, read_countable
from stages.gapeval.construction.parameters import Params

QUESTION, REFERENCE = "question_1", "reference_1"
STEPS_BEFORE = ("list_cases", "show_cases", "count_things", "write_edits")
RIGHT = "right"


def own_pictures(slots: Slots[Params], places: Sequence[tuple[str, str]]) -> OwnPictures:
    found = [slots.own_pictures(role) for role in sorted({name.rpartition("_")[0] for _, name in places})]
    return OwnPictures({place: one for some in found for place, one in some.items() if place in places})


def show_cases(slots: Slots[Params]) -> None:
    """Make the first picture of each case: a person's own, or painted. For an entity it is the reference."""
    rows = [
        row | {"name": REFERENCE if row["category"] == "world_knowledge" else QUESTION, "described": row["painted"]}
        for row in slots.usable("list_cases")
    ]
    pictures = own_pictures(slots, [(row["id"], row["name"]) for row in rows])
    slots.paint(rows, pictures, lambda row: slots.seed(f"{row['id']} first"))


def count_things(slots: Slots[Params]) -> None:
    """Have a detector count what was painted. The question then asks about what is there."""
    pool = read_countable(Path(slots.params.propose.pools))

    def reply_columns(row: Row, value: Any) -> Row:
        found = numbers.count_pair([one.label for one in value], pair_of(row))
        if why := numbers.pair_mistake(found, pool.most):
            return {"status": "unusable", "reason": why}
        case = case_columns(numbers.pair_prompts(found, pool.plurals), {"proof": {"pair": [*map(list, found)]}})
        return case | {"painted": numbers.pair_text(numbers.exchange_numbers(found), pool.plurals)}

    rows = [row for row in slots.usable("list_cases", "show_cases") if row["category"] == "numerical"]
    slots.ask("detector", rows, detection_in(slots, "show_cases", QUESTION), reply_columns)


Challenge = Literal["explicit", "implicit"]
CHALLENGES: tuple[Challenge, ...] = get_args(Challenge)
CHALLENGE_NOUN: Mapping[Challenge, str] = {"explicit": "change", "implicit": "rule"}
LONGEST_EDIT = 400
"""Largest number of characters of an edit."""


class Edit(BaseModel):
    """The reply: what has to change, and what the picture then shows, as far as it differs."""

    edit: str
    reference_text: str


def objection(reply: Edit, fields: Mapping[str, str]) -> str | None:
    for name, text in (("edit", reply.edit), ("reference_text", reply.reference_text)):
        if not text.strip().endswith((".", "!")) or "\n" in text.strip():
            return f"`{name}` is to be one line that ends with a full stop"
        if len(text) > LONGEST_EDIT:
            return f"`{name}` has more than {LONGEST_EDIT} characters"
    return None


WRITE_EDIT = Question(
    "write_edit",
    "You write tasks for a test of models that see, write and edit pictures.",
    """\
Look at the picture in <picture> and write one edit of it. What <challenge> says is wanted: explicit, a change that \
names what is to be changed, where it is and into what; or implicit, a rule that does not name what is to be changed: \
whoever applies it has to find out from the picture what it concerns ("Whatever can fly disappears."). Everything that \
the edit needs is to be seen in the picture, exactly one thing or group of things changes, and it is plain for \
everybody whether it was done.

Answer with a JSON object with `edit`, one sentence or two in a line, then `reference_text`, a sentence that says what \
the picture shows where it has changed.""",
    Edit,
    objection,
)


def edit_prompts(challenge: Challenge, edit: str, reference_text: str) -> Prompts:
    told = f"the picture after this {CHALLENGE_NOUN[challenge]}: {edit}"
    return Prompts(f"Describe {told}", f"Generate {told}", reference_text)


def write_edits(slots: Slots[Params]) -> None:
    """Have a writer that sees the pictures write edits, explicit and implicit (section 2.2)."""

    def conversation(row: Row) -> AskedQuestion:
        picture = slots.pictures(row["id"], "show_cases")[QUESTION]
        fields, seed = {"challenge": row["subcategory"]}, slots.seed(row["id"])
        return WRITE_EDIT.about(fields, enclose("picture", [picture]), seed)

    def reply_columns(row: Row, value: Any) -> Row:
        picture = digest_of(slots.pictures(row["id"], "show_cases")[QUESTION].data)
        words = edit_prompts(row["subcategory"], value.edit.strip(), value.reference_text.strip())
        return case_columns(words, {"proof": {"edit": value.edit.strip(), "picture": picture}})

    rows = [row for row in slots.usable("list_cases", "show_cases") if row["category"] == "instruction_following"]
    slots.ask("writer", rows, conversation, reply_columns)


def answer_cases(slots: Slots[Params]) -> None:
    """Make reference pictures: a person's own, or the author's. Numbers are painted from the right answer in words;
    edits are made from the given picture.
    """
    rows = [row for row in slots.usable(*STEPS_BEFORE) if row["category"] != "world_knowledge"]
    pictures = own_pictures(slots, [(row["id"], REFERENCE) for row in rows])
    made_by = identity_of(slots.player("author"))

    def conversation(row: Row) -> Conversation:
        place, seed = (row["id"], REFERENCE), slots.seed(f"{row['id']} reference")
        if place in pictures or row["category"] == "numerical":
            return slots.picture_conversation(pictures, place, row["painted"], seed)
        shown = slots.pictures(row["id"], "show_cases")[QUESTION]
        size = upright_rgb(shown.data).size
        return Creating(Create((shown, row["prompt"]), ("image",), *size, seed), require_picture)

    def reply_columns(row: Row, value: Any) -> Row:
        data = value.pictures[0] if isinstance(value, Created) else value
        return {"images": [pictures.image(row["id"], REFERENCE, data, f"made by {made_by['id']}")]}

    slots.ask("author", rows, conversation, reply_columns, pictures)


def recount_things(slots: Slots[Params]) -> None:
    """Have a detector count whether a painted reference of numbers is right."""
    plurals = read_countable(Path(slots.params.propose.pools)).plurals
    rows = [row for row in slots.usable(*STEPS_BEFORE, "answer_cases") if row["category"] == "numerical"]
    pictures = own_pictures(slots, [(row["id"], REFERENCE) for row in rows])

    def reply_columns(row: Row, value: Any) -> Row:
        wanted = numbers.exchange_numbers(pair_of(row))
        found = numbers.count_pair([one.label for one in value], wanted)
        return {"found": RIGHT if found == wanted else numbers.pair_text(found, plurals)}

    unproved = [row for row in rows if (row["id"], REFERENCE) not in pictures]
    slots.ask("detector", unproved, detection_in(slots, "answer_cases", REFERENCE), reply_columns)


def detection_in(slots: Slots[Params], step: str, name: str) -> Callable[[Row], Conversation]:

    def conversation(row: Row) -> Conversation:
        labels = tuple(amount.thing for amount in pair_of(row))
        return Detecting(Detect(slots.pictures(row["id"], step)[name], labels))

    return conversation


def pair_of(row: Row) -> Pair:
    one, other = (Amount(*amount) for amount in unpack_case(row)["proof"]["pair"])
    return one, other
