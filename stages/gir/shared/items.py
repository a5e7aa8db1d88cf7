"""Cases of GIR-Bench: what has to be painted, edited or named, and what is right, as far as a program can check it.

Three subsets (sections 3.1 to 3.3): UGC (entities by name and description), T2I (riddles), Edit (puzzles' pictures).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from gamut.evaluation.defining.editions import Item, Text
from gamut.evaluation.running.recognition import LETTERS
from stages.gir.shared.measures.spatial import Relation
from stages.gir.shared.measures.text import words_of

Task = Literal["zoology", "botany", "geography", "quantity", "spatial", "text", "jigsaw", "sudoku", "perception"]
Subset = Literal["ugc", "t2i", "edit"]
TASKS: tuple[Task, ...] = get_args(Task)
SUBSETS: Mapping[Subset, tuple[Task, ...]] = {
    "ugc": ("zoology", "botany", "geography"),
    "t2i": ("quantity", "spatial", "text"),
    "edit": ("jigsaw", "sudoku", "perception"),
}
"""Tasks by subset. The tasks of UGC are the domains of its entities."""
SUBSET_OF: Mapping[Task, Subset] = {task: subset for subset, tasks in SUBSETS.items() for task in tasks}
DISTRACTORS = 3
"""How many other entities of the same domain are options besides the right one."""
Label = Annotated[str, StringConstraints(pattern=r"^\S(.*\S)?$")]
Digits = Annotated[str, StringConstraints(pattern=r"^[0-9]*$")]


class Placing(BaseModel):
    """One thing, or group of things, is in a direction from another. Things are named by labels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    subject: Annotated[tuple[Label, ...], Field(min_length=1)]
    direction: Literal["left", "right", "above", "below"]
    object: Annotated[tuple[Label, ...], Field(min_length=1)]

    @property
    def relation(self) -> Relation:
        return Relation(self.subject, self.direction, self.object)


class Frame(NamedTuple):
    """The outer edges of a grid, as shares of its picture's width and height."""

    left: float
    top: float
    right: float
    bottom: float


class GirItem(Item):
    """A case. `prompt`: the request; for an entity, the description that names neither it nor a synonym.

    * Entities: `entity`, its name for contestants; `names`, all right names in an answer; `distractors`, other entities
      of its domain. Pictures of role `reference` show it.
    * Quantity: `objects`, labels, and `numbers`, how many of each, also 0; `absent`, labels of things not in the
      prompt, so that other things are noticed. Spatial: `objects` and `relations`. Text: `lettering`.
    * Jigsaw: `rows` and `columns` of tiles. Sudoku: `puzzle`, digits row by row, 0 for an empty cell; `answer`, the
      same filled in; `frame`, the grid's place in the picture. Edits have a picture of role `input`, jigsaw and Sudoku
      one of role `solution`, perception one of role `mask`, as large as its input.
    """

    task: Task
    entity: str = ""
    names: tuple[Text, ...] = ()
    distractors: tuple[Text, ...] = ()
    objects: tuple[Label, ...] = ()
    numbers: tuple[Annotated[int, Field(ge=0)], ...] = ()
    absent: tuple[Label, ...] = ()
    relations: tuple[Placing, ...] = ()
    lettering: str = ""
    rows: Annotated[int, Field(ge=0, le=100)] = 0
    columns: Annotated[int, Field(ge=0, le=100)] = 0
    puzzle: Digits = ""
    answer: Digits = ""
    frame: Frame | None = None

    @property
    def subset(self) -> Subset:
        return SUBSET_OF[self.task]

    @model_validator(mode="after")
    def _has_what_its_task_needs(self) -> Self:
        if self.unusable is None and (lacking := shortcoming(self)):
            raise ValueError(f"{self.task}: {lacking}")
        return self


def shortcoming(item: GirItem) -> str | None:
    match item.task:
        case "zoology" | "botany" | "geography":
            return entity_shortcoming(item)
        case "quantity":
            both = {*item.objects} & {*item.absent}
            said = f"{min(both)!r} is both in objects and in absent" if both else None
            return said or quantity_shortcoming(item.objects, item.numbers)
        case "spatial":
            return spatial_shortcoming(item)
        case "text":
            return None if words_of(item.lettering) else "lettering has no word"
        case "jigsaw":
            small = item.rows < 1 or item.columns < 1 or item.rows * item.columns < 2
            return "rows and columns give less than two tiles" if small else picture_shortcoming(item, "solution")
        case "sudoku":
            return sudoku_shortcoming(item) or picture_shortcoming(item, "solution")
        case "perception":
            return picture_shortcoming(item, "mask")


def entity_shortcoming(item: GirItem) -> str | None:
    if not item.entity.strip() or item.entity not in item.names:
        return "its entity has to be one of its names"
    if both := {*item.names} & {*item.distractors}:
        return f"{min(both)!r} is both a name and a distractor"
    if wordless := [name for name in (*item.names, *item.distractors) if not words_of(name)]:
        return f"{wordless[0]!r} has no word, so answers cannot name it"
    if len({*item.distractors}) >= len(LETTERS):
        return f"{len({*item.distractors})} distractors, but letters only for {len(LETTERS) - 1}"
    return None if item.of_role("reference") else "there is no picture of role reference"


def quantity_shortcoming(objects: Sequence[str], numbers: Sequence[int]) -> str | None:
    if len(objects) != len(numbers) or not objects:
        return f"{len(objects)} objects and {len(numbers)} numbers"
    return "an object occurs twice" if len({*objects}) < len(objects) else None


def spatial_shortcoming(item: GirItem) -> str | None:
    if not item.objects or not item.relations:
        return "without objects and relations nothing can be checked"
    if len({*item.objects}) < len(item.objects):
        return "an object occurs twice"
    named = {label for one in item.relations for label in (*one.subject, *one.object)}
    return f"{min(unknown)!r} is not one of its objects" if (unknown := named - {*item.objects}) else None


def sudoku_shortcoming(item: GirItem) -> str | None:
    side = math.isqrt(len(item.puzzle))
    if side * side != len(item.puzzle) or side not in (4, 6, 9):
        return f"a puzzle of {len(item.puzzle)} cells is not a grid of side 4, 6 or 9"
    if len(item.answer) != len(item.puzzle) or "0" in item.answer:
        return "its answer is not a full grid of the same size"
    if any(given not in ("0", right) for given, right in zip(item.puzzle, item.answer, strict=True)):
        return "its answer alters a given digit"
    if "0" not in item.puzzle:
        return "its puzzle has no empty cell"
    if item.frame is None:
        return "its grid has no frame"
    left, top, right, bottom = item.frame
    within = 0 <= left < right <= 1 and 0 <= top < bottom <= 1
    return None if within else f"the frame {left:g}, {top:g}, {right:g}, {bottom:g} is not inside the picture"


def picture_shortcoming(item: GirItem, role: str) -> str | None:
    for wanted in ("input", role):
        if len(item.of_role(wanted)) != 1:
            return f"{len(item.of_role(wanted))} pictures of role {wanted}, but one is expected"
    return None
