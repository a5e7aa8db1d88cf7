"""What people see of an answer: the same as judges, with headings instead of the judges' marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from gamut.asking.material import opening_tags, split_blocks
from gamut.asking.requests import Part, Picture, tag_fields
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.measures import words_of
from gamut.evaluation.defining.parameters import BenchmarkParameters, Params
from gamut.evaluation.defining.pictures import require_pictures, stand_ins
from gamut.evaluation.defining.questions import Pictures
from gamut.evaluation.labelling.drawing import GivenAnswer
from gamut.evaluation.labelling.questions import QuestionLine, check_lines, judge_lines
from gamut.evaluation.running.answers import answer_of
from gamut.evaluation.running.checklists import TAGS
from gamut.project.decisions import digest_of


class ShownPart(NamedTuple):
    """A text or a picture, under a heading ("" for none)."""

    name: str
    part: Part


Block = tuple[str, Sequence[Part]]
"""Parts that are shown together, and their name in a judge's request."""


class AnswerQuestion(NamedTuple):
    """A question about an answer, by its code. `shown`: the parts as judges see them, and the same in blocks for
    people, with the answer last.
    """

    code: str
    line: QuestionLine
    shown: Sequence[Part]
    blocks: Sequence[Block]

    @property
    def about(self) -> str:
        """A digest of what judges see. If only the form for people changes, their labels still count."""
        parts = [["", one if isinstance(one, str) else {"picture": one.digest}] for one in join_texts(self.shown)]
        return digest_of([self.line.words, parts])

    @property
    def words(self) -> str:
        """The question without a judge's marks: no number, no brackets, and blocks called by their headings."""
        words = CHECKLIST_LINE.sub(lambda line: f"{line[1]}: " if line[1] else "", self.line.words)
        for name, _ in self.blocks:
            words = words.replace(f"<{name}>", f"“{ANSWER if name == self.blocks[-1][0] else heading(name)}”")
        return words

    @property
    def given(self) -> list[ShownPart]:
        """The blocks besides the answer: the task first, a reference last."""
        blocks = sorted(self.blocks[:-1], key=lambda block: block[0].startswith("reference"))
        return [ShownPart(heading(name), part) for name, parts in blocks for part in parts]

    @property
    def answer(self) -> list[ShownPart]:
        return [ShownPart("", part) for part in self.blocks[-1][1]]


ANSWER = "Answer"
CHECKLIST_LINE = re.compile(rf"\A\d+\. (?:\[({'|'.join(TAGS)})\] )?")
"""The beginning of a line of a checklist, as `checklists` numbers and tags it."""


def heading(name: str) -> str:
    return words_of(name).capitalize()


def question_reader(
    benchmark: AnyBenchmark, params: Params, drawn: Mapping[str, GivenAnswer]
) -> Callable[[Collection[str]], Iterator[AnswerQuestion]]:
    """Return a function that reads questions by code, in the order of tables; `drawn`: by code."""
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)
    block = benchmark.block(params)
    read = {name: answer_of(benchmark.answers / name) for name in {one.contestant for one in drawn.values()}}

    def questions(ids: Collection[str]) -> Iterator[AnswerQuestion]:
        codes = {one.rpartition("-")[0] for one in ids} & drawn.keys()
        for code in sorted(codes, key=lambda code: (drawn[code].contestant, drawn[code].id)):
            one, item = drawn[code], items[drawn[code].item]
            prompt, seen = benchmark.prompt(block, item, one.setting, stand_ins(item)), require_pictures(pictures, item)
            answer = prompt.wanted_parts(read[one.contestant]({"id": one.id}))
            about = answer_questions(benchmark, block, item, one.setting, answer, seen)
            found = (AnswerQuestion(f"{code}-{number}", *question) for number, question in enumerate(about, start=1))
            yield from (question for question in found if question.code in ids)

    return questions


def answer_questions(
    benchmark: AnyBenchmark,
    block: BenchmarkParameters,
    item: Item,
    setting: str,
    answer: Sequence[Part],
    pictures: Pictures,
) -> Iterator[tuple[QuestionLine, Sequence[Part], Sequence[Block]]]:
    """Yield the lines about an answer, judges' first, then observers', with the shown parts in both forms."""
    for judge_question, lines in judge_lines(benchmark.questions_for_people(block, item, setting), benchmark.measures):
        fields = {name: text for name, text in judge_question.fields.items() if name != "checklist"}
        material = judge_question.question.shown(judge_question.material(answer, pictures), judge_question.fields)
        shown = [*material, *([tag_fields(fields)] if fields else [])]
        *beside, answer_block = blocks_of(material)
        blocks = [*beside, *((name, [text]) for name, text in fields.items()), answer_block]
        yield from ((line, shown, blocks) for line in lines)
    for check, lines in check_lines(benchmark.checks(item, setting), benchmark.measures):
        own = [part for part in answer if isinstance(part, Picture) == (check.of == "image")]
        others: Sequence[Part] = check.beside(pictures)
        shown = ["answer:\n", *own, *(("\nbeside it:\n", *others) if others else ())]
        yield from ((line, shown, [("beside_it", others), ("answer", own)]) for line in lines)


def blocks_of(material: Sequence[Part]) -> list[Block]:
    """Return a judge's material in blocks. The last holds the answer, and all parts outside of any block."""
    placed = split_blocks(material)
    blocks: dict[str, list[Part]] = {name: [] for name in opening_tags(placed)}
    tags = {tag for name in blocks for tag in (f"<{name}>\n", f"</{name}>\n")}
    for name, part in placed:
        if name:
            blocks[name].append(part.removesuffix("\n") if isinstance(part, str) else part)
    if loose := [part for name, part in placed if not name and part not in tags]:
        blocks["answer"] = [*blocks.pop("answer", []), *loose]
    return [*blocks.items()] or [("answer", [])]


def join_texts(material: Iterable[Part]) -> Iterator[Part]:
    for are_texts, parts in groupby(material, lambda part: isinstance(part, str)):
        alike = list(parts)
        yield from ["".join(map(str, alike))] if are_texts else alike
