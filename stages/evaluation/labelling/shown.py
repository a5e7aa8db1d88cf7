"""What a person is shown of an answer, question by question, and what stands for it in a log: nothing counts that was
said of another answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stages.asking.requests import Part, tagged
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required, stand_ins
from stages.evaluation.labelling.drawing import Given
from stages.evaluation.labelling.questions import Line
from stages.evaluation.labelling.sheets import asked_about
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
) -> Callable[[Collection[str]], Iterator[Put]]:
    """Return what reads some questions by their codes, in the order in which tables have the answers; `drawn`: by code.

    An answer is in memory while it is asked about.
    """
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)
    read = {name: answer_of(benchmark.answers / name) for name in {one.contestant for one in drawn.values()}}

    def questions(ids: Collection[str]) -> Iterator[Put]:
        codes = {one.rpartition("-")[0] for one in ids} & drawn.keys()
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
                    if (name := f"{code}-{number}") in ids:
                        yield Put(name, line, shown)

    return questions


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
