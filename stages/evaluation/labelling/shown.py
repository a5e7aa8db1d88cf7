"""What a person is shown of an answer, question by question, and what stands for it in a log: nothing counts that was
said of another answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stages.asking.requests import Part, Picture, tagged
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.inquiries import Pictures
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required, stand_ins
from stages.evaluation.labelling.drawing import Given
from stages.evaluation.labelling.questions import Line, lines_of, lines_of_seen
from stages.evaluation.running.answers import answer_of
from stages.project.decisions import digest_of


class Shown(NamedTuple):
    """A text or a picture, under a heading ("" for none)."""

    name: str
    part: Part


class Put(NamedTuple):
    """A question about an answer, by its code, with what is shown of it."""

    code: str
    line: Line
    shown: Sequence[Shown]

    @property
    def about(self) -> str:
        """Return what stands for it as it is shown."""
        return digest_of_shown(self.line.words, self.shown)


def reader(
    benchmark: Benchmark[Any, Any], params: Params, drawn: Mapping[str, Given]
) -> Callable[[Collection[str] | None], Iterator[Put]]:
    """Return what reads some questions by their codes, or all (None), in the order in which tables have the answers;
    `drawn`: by code. An answer is in memory while it is asked about.
    """
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)
    read = {name: answer_of(benchmark.answers / name) for name in {one.contestant for one in drawn.values()}}

    def questions(ids: Collection[str] | None) -> Iterator[Put]:
        codes = drawn.keys() if ids is None else {one.rpartition("-")[0] for one in ids} & drawn.keys()
        for code in sorted(codes, key=lambda code: (drawn[code].contestant, drawn[code].id)):
            one = drawn[code]
            item = items[one.item]
            put, seen = benchmark.put(item, one.side, stand_ins(item)), required(pictures, item)
            answer = put.asked_for(read[one.contestant]({"id": one.id}))
            number = 0
            for material, fields, lines in asked_about(benchmark, item, one.side, answer, seen):
                shown = joined([*material, *([tagged(fields)] if fields else [])])
                for line in lines:
                    number += 1
                    name = f"{code}-{number}"
                    if ids is None or name in ids:
                        yield Put(name, line, shown)

    return questions


def asked_about(
    benchmark: Benchmark[Any, Any], item: Item, side: str, answer: Sequence[Part], pictures: Pictures
) -> Iterator[tuple[Sequence[Part], Mapping[str, str], list[Line]]]:
    """Yield what is shown of an answer, texts and pictures and then fields, and what is asked about it: what judges are
    shown and asked, then what observers look at, with the item's pictures that they hold it against.
    """
    for inquiry, lines in lines_of(benchmark.inquiries(item, side), benchmark.measures):
        fields = {name: text for name, text in inquiry.fields.items() if name != "checklist"}
        yield inquiry.question.shown(inquiry.material(answer, pictures), inquiry.fields), fields, lines
    for sighting, lines in lines_of_seen(benchmark.sightings(item, side), benchmark.measures):
        own = [part for part in answer if isinstance(part, Picture) == (sighting.of == "image")]
        material: list[Part] = ["answer:\n", *own]
        if beside := sighting.beside(pictures):
            material += ["\nbeside it:\n", *beside]
        yield material, {}, lines


def joined(material: Sequence[Part]) -> list[Shown]:
    """Return what is shown, texts that follow each other as one."""
    shown: list[Shown] = []
    for part in material:
        if isinstance(part, str) and shown and isinstance(shown[-1].part, str):
            shown[-1] = Shown("", shown[-1].part + part)
        else:
            shown.append(Shown("", part))
    return shown


def digest_of_shown(asked: str, shown: Iterable[Shown]) -> str:
    """Return what stands in a log for a card as it was shown."""
    parts = [[one.name, one.part if isinstance(one.part, str) else {"picture": one.part.digest}] for one in shown]
    return digest_of([asked, parts])
