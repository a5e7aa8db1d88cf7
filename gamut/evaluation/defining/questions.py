"""What contestants are given, and what judges and other observers are asked about their answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.requests import Modality, Part, Picture, Reply
from gamut.evaluation.defining.editions import Kind, usable_items
from gamut.evaluation.defining.pictures import stand_ins
from gamut.project.plain_text import can_be_seen
from gamut.project.roles import Task
from gamut.tables.reading import read_rows

Pictures = Mapping[str, Picture]
"""The pictures of an item by their names."""
About = Literal["text", "image", "consistency"]
"""The part of an answer that a checklist's question is about: its texts, its pictures, or whether these agree."""


def kind_of(part: Part) -> Modality:
    return "text" if isinstance(part, str) else "image"


class Reflection(NamedTuple):
    """How a contestant criticises its own picture and makes it `again` (`asking.making`): the words for both."""

    critique: str
    again: str
    rounds: int = 1


class Prompt(NamedTuple):
    """What a contestant is given, texts and pictures in order, and the modalities of its answer.

    `size`: pixels of wanted pictures, by default the benchmark's. `task`: needed if it does not follow from the rest.
    """

    parts: tuple[Part, ...]
    modalities: tuple[Modality, ...] = ("image",)
    size: tuple[int, int] | None = None
    reflection: Reflection | None = None
    task: Task | None = None

    def kinds_in(self, answer: Sequence[Part]) -> set[Modality]:
        """Return the wanted modalities that occur in an answer. Invisible text does not count."""
        parts = self.wanted_parts(answer)
        return {kind_of(part) for part in parts if not isinstance(part, str) or can_be_seen(part)}

    @property
    def prompt(self) -> str | None:
        """Return the text if only a text is given and one picture wanted, without reflection; else None."""
        [first, *others] = self.parts
        once = self.modalities == ("image",) and self.reflection is None
        return first if isinstance(first, str) and not others and once else None

    @property
    def has_pictures(self) -> bool:
        return any(isinstance(part, Picture) for part in self.parts)

    @property
    def tasks(self) -> set[Task]:
        """Return what a contestant must be able to do. With reflection it must see and edit its picture."""
        if self.task is not None:
            return {self.task}
        if "text" in self.modalities:
            return {"interleaved" if "image" in self.modalities else "understanding"}
        if self.reflection is not None:
            return {"understanding", "editing"}
        return {"editing" if self.has_pictures else "generation"}

    def wanted_parts(self, answer: Sequence[Part]) -> list[Part]:
        """Return the parts of an answer that are judged: those that were wanted. For a picture alone, the first one."""
        kept = [part for part in answer if kind_of(part) in self.modalities]
        return kept[:1] if self.modalities == ("image",) else kept


class MeasuredValue(NamedTuple):
    """The value of one measure in a judge's reply, on its scale, and the reason."""

    value: float
    note: str | None = None


def first_picture(answer: Sequence[Part], pictures: Pictures) -> Sequence[Part]:
    return [part for part in answer if isinstance(part, Picture)][:1]


@dataclass(frozen=True)
class JudgeQuestion:
    """One question to a judge about an answer, and the measures that get values from its reply.

    * `fields`: the request's tagged blocks.
    * `measures`: one for each value that is read. A checklist repeats one measure for every statement.
    * `read`: from the parsed reply a `MeasuredValue` for each of `measures`. A value off its scale is a parse error.
    * `material`: what the judge sees of the answer and of the item's pictures. All that contestants wrote must be added
      by `material.enclose`.
    * `about`: for each of `measures`, the kinds of parts that an answer needs. In the first round answers without a
      kind are judged for the other measures; without `about`, for none.
    * `follows`: the first-round question whose conversation this one continues in the second round. That question may
      have no measures: then its replies are stored with the replies to this one.
    * `known`: from the answer's parts and the item's pictures, a value for all `measures` and for what follows, such as
      that a copy is worth nothing; None to ask the judge. For controls with a right answer the judge is always asked.
      For controls that praise themselves `known` gets the answer without the praise.
    * `apart`: the same questions, one call for each of `measures`, if the block has `judge.one_by_one`. Nothing follows
      it.
    * `instructions`: whose words these are, if a benchmark has a choice; specs contain it.

    Specs (`running.spec`) also contain the code of `read`, `known`, `material` and the question's `check`.
    """

    question: Question
    fields: Mapping[str, str]
    measures: Sequence[str]
    read: Callable[[Any], Sequence[MeasuredValue]]
    material: Callable[[Sequence[Part], Pictures], Sequence[Part]] = first_picture
    about: Sequence[Collection[Modality]] = ()
    follows: Question | None = None
    known: Callable[[Sequence[Part], Pictures], MeasuredValue | None] | None = None
    apart: Callable[[], Sequence[JudgeQuestion]] = tuple
    instructions: str | None = None

    def goes_on_from(self, other: JudgeQuestion) -> bool:
        return self.follows is not None and self.follows.name == other.question.name and other.follows is None


Role = Literal["detector", "reader", "image_embedder", "rules"]
"""Roles of observers that are not judges: they find something, and a rule turns it into values. `rules` needs no model:
the finding follows from the pixels or words themselves (`seeing.Computing`)."""


class PartFinding(NamedTuple):
    part: Any
    found: Any


class Wording(NamedTuple):
    """The question to a person in an observer's place: Y or N, or if `graded` a number on the scale."""

    words: str
    graded: bool = False


def order_mistake(judge_questions: Sequence[JudgeQuestion]) -> str | None:
    """Return why a second round cannot be asked: the question that it follows is asked later, never or twice."""
    first = [one.question.name for one in judge_questions if one.follows is None]
    if judge_questions and not first:
        return "a judge is asked nothing in the first round"
    for one in judge_questions:
        if one.follows is not None and (times := first.count(one.follows.name)) != 1:
            name, followed = one.question.name, one.follows.name
            return f"{name!r} follows the question {followed!r}, which the first round asks {times} times, not once,"
    return None


@dataclass(frozen=True)
class Check:
    """What an observer has to find in an answer's pictures, and the measures that a rule computes from it.

    * `asked`: the conversation about one picture (`asking.seeing`). Its value is the finding.
    * `beside`: pictures of the item in which the same is searched.
    * `read`: from the findings in each picture of the answer and of the item, a `MeasuredValue` for each of `measures`.
      A ValueError in `asked` or `read` is a parse error.
    * `of`: whether pictures or texts of the answer are used.
    * `wording`: the question to people who label, for each of `measures`; None to ask no people.

    Specs contain `name`, the first request, the item's pictures, and the code.
    """

    name: str
    role: Role
    asked: Callable[[Any], Conversation]
    measures: Sequence[str]
    read: Callable[[Sequence[PartFinding], Sequence[PartFinding]], Sequence[MeasuredValue]]
    beside: Callable[[Pictures], Sequence[Picture]] = lambda pictures: ()
    of: Modality = "image"
    wording: Sequence[Wording | None] = ()

    def look(self, part: Part) -> Conversation:
        """Return the conversation about one part. It fails if there is nothing to look at."""
        try:
            return self.asked(part)
        except ValueError as error:
            return EndedConversation(str(error))


@dataclass(frozen=True)
class EndedConversation:
    why: str

    def next(self, replies: Sequence[Reply]) -> Outcome:
        return Outcome("parse_error", reason=self.why)


class Writing(NamedTuple):
    """`asked`: the request about an item with a block, pictures and a seed, None if it lacks nothing. `added`: the item
    with a reply. `stand_in`: a reply for counting answers before a real one exists.
    """

    question: Question
    asked: Callable[[Any, Any, Pictures, int], AskedQuestion | None]
    added: Callable[[Any, Any], Any]
    stand_in: BaseModel

    def with_replies(self, items: Sequence[Kind], folders: Sequence[Path]) -> list[Kind]:
        """Return items with the written parts, if a table exists and its reply can be used."""
        rows = (row for folder in folders if folder.is_dir() for row in read_rows(folder, ["item", "reply", "status"]))
        read = self.question.reply.model_validate_json
        replies = {row["item"]: read(row["reply"]) for row in rows if row["status"] == "ok"}
        return [self.added(item, replies[str(item.id)]) if str(item.id) in replies else item for item in items]

    def lacking(self, block: Any, items: Sequence[Kind]) -> dict[str, AskedQuestion]:
        """Return the requests by item, with stand-ins for its pictures."""
        asked = {str(item.id): self.asked(block, item, stand_ins(item), 0) for item in usable_items(items)}
        return {item: one for item, one in asked.items() if one is not None}
