"""What contestants are given, and what judges and other observers are asked about what they made of it."""

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
"""What of an answer a checklist's question is about: its texts, its pictures, or whether these agree."""


def kind_of(part: Part) -> Modality:
    return "text" if isinstance(part, str) else "image"


class Reflection(NamedTuple):
    """How a contestant criticises its own picture and makes it `again` (`asking.making`), in these words."""

    critique: str
    again: str
    rounds: int = 1


class Prompt(NamedTuple):
    """What a contestant is given, texts and pictures in order, and what it is to answer with.

    `size`: in pixels, of pictures wanted; the benchmark's where left out. `task`: where it does not follow from the
    rest.
    """

    parts: tuple[Part, ...]
    modalities: tuple[Modality, ...] = ("image",)
    size: tuple[int, int] | None = None
    reflection: Reflection | None = None
    task: Task | None = None

    def kinds_in(self, answer: Sequence[Part]) -> set[Modality]:
        """Return the wanted modalities that an answer has something of; invisible text is none."""
        parts = self.wanted_parts(answer)
        return {kind_of(part) for part in parts if not isinstance(part, str) or can_be_seen(part)}

    @property
    def prompt(self) -> str | None:
        """Return the text where a text alone is given and one picture wanted, without reflection; else None."""
        [first, *others] = self.parts
        once = self.modalities == ("image",) and self.reflection is None
        return first if isinstance(first, str) and not others and once else None

    @property
    def has_pictures(self) -> bool:
        return any(isinstance(part, Picture) for part in self.parts)

    @property
    def tasks(self) -> set[Task]:
        """What a contestant has to be able to do; with reflection it looks at its picture and changes it."""
        if self.task is not None:
            return {self.task}
        if "text" in self.modalities:
            return {"interleaved" if "image" in self.modalities else "understanding"}
        if self.reflection is not None:
            return {"understanding", "editing"}
        return {"editing" if self.has_pictures else "generation"}

    def wanted_parts(self, answer: Sequence[Part]) -> list[Part]:
        """Return the parts of an answer that were wanted and are judged; of a picture alone, the first."""
        kept = [part for part in answer if kind_of(part) in self.modalities]
        return kept[:1] if self.modalities == ("image",) else kept


class MeasuredValue(NamedTuple):
    """What a judge's reply says of one measure: a value on its scale, and why."""

    value: float
    note: str | None = None


def first_picture(answer: Sequence[Part], pictures: Pictures) -> Sequence[Part]:
    return [part for part in answer if isinstance(part, Picture)][:1]


@dataclass(frozen=True)
class JudgeQuestion:
    """One thing that a judge is asked about an answer, and the measures to which its reply gives values.

    `fields`: the request's tagged blocks. `measures`: one for each value that is read; a checklist has the same one for
    every statement. `read`: from the parsed reply a `MeasuredValue` for each of `measures`; a value outside of its
    scale is a parse error. `material`: what the judge sees of the answer and of the item's pictures; what contestants
    wrote goes into it by `material.enclose` alone.
    `about`: for each of `measures`, the kinds of parts that an answer must have to be judged for it. In the first round
    answers that lack a kind are judged for the other measures; where `about` is left out, for none.
    `follows`: the question of the first round whose conversation this one continues in the second. That one may have no
    measures: its replies then stand with those to this one.
    `known`: from the answer's parts and the item's pictures, what holds of all `measures` and of what follows, such as
    that a copy is worth nothing; None where the judge is to be asked. Of controls with a right answer judges are always
    asked; of those that praise themselves it looks at the answer without the praise.
    `apart`: the same in a call for each of `measures`, where the block says `judge.one_by_one`; nothing follows it.
    `instructions`: whose words these are, where a benchmark leaves the choice; specs have it as it is.
    Specs (`running.spec`) change with what `read`, `known`, `material` and the question's `check` do, by their code.
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
"""Of observers that are no judges: they find what is there, and a rule makes values of it. `rules` is no model: what is
looked for follows from the pixels or words themselves (`seeing.Computing`).
"""


class PartFinding(NamedTuple):
    part: Any
    found: Any


class Wording(NamedTuple):
    """What a person is asked in an observer's place: Y or N, or where `graded` a number on the scale."""

    words: str
    graded: bool = False


def order_mistake(judge_questions: Sequence[JudgeQuestion]) -> str | None:
    """Return why a second round cannot be asked: the question it follows is asked later, never or twice."""
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
    """What an observer is to find in the pictures of an answer, and the measures to which a rule then gives values.

    `asked`: the conversation about one picture (`asking.seeing`); its value is what was found. `beside`: pictures of
    the item in which the same is looked for. `read`: from what was found in each picture of the answer, if any, and in
    each one beside it, a `MeasuredValue` for each of `measures`. A ValueError of either is a parse error. `of`: whether
    pictures or texts of the answer are looked at. `wording`: what people who label are asked for each of `measures`,
    None where they are not. Specs have `name`, what is asked first, the pictures beside, and the code.
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
        """Return the conversation about one part; a failed one where nothing can be looked at."""
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
