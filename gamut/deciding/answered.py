"""Answers of contestants, to be judged blindly: a card a question that judges are asked, or observers look for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gamut.deciding.cards import Card, Task, choices_of, shuffled, with_repeats
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.drawing import Given, code_of
from gamut.evaluation.labelling.labels import task_of
from gamut.evaluation.labelling.questions import key_path, lines_asked, replies_in
from gamut.evaluation.labelling.sheets import (
    Prompt,
    drawn_answers,
    given,
    keys_in,
    reader,
    told_of_number,
    write_key,
)
from gamut.project.errors import UserError
from gamut.project.plain_text import amount

USUAL_SHARE = 0.1


def drawing(
    benchmark: Benchmark[Any, Any], params: Params, share: float | None, in_all: int | None
) -> tuple[list[Given], Sequence[str]]:
    """Return the answers that people are asked about, and what to tell; the key of the draw stands then.

    They are those of the key that there is, where neither a share nor a number is wanted: so in every clone. UserError
    where answers are others by now, or another draw is wanted.
    """
    key = key_path(benchmark, params)
    if key.exists() and share is None and in_all is None:
        drawn = drawn_before(benchmark, params)
    else:
        drawn = drawn_answers(benchmark, params, USUAL_SHARE if share is None else share, in_all)
    write_key(key, key_rows(benchmark, params, drawn))
    return drawn, [*told_of_number(len(drawn), in_all), f"{key} says whose answers they are: `git add` it"]


def drawn_before(benchmark: Benchmark[Any, Any], params: Params) -> list[Given]:
    key, items = key_path(benchmark, params), {str(item.id) for item in benchmark.items(params)}
    wanted = {(row[1], row[2], row[3], row[4]): row[0] for row in keys_in(key)}
    there = {(one.contestant, one.item, one.setting, str(one.sample)): one for one in given(benchmark, params, items)}
    if missing := [wanted[where] for where in wanted if where not in there]:
        raise UserError(
            f"{key}: {amount(len(missing), 'answer')} of this draw ({missing[0]}, …) are not here: `dvc pull` or `dvc "
            "repro` brings them; or move the key away, and draw anew"
        )
    return sorted((there[where] for where in wanted), key=lambda one: code_of(one, params.seed))


def key_rows(benchmark: Benchmark[Any, Any], params: Params, drawn: Sequence[Given]) -> list[tuple[str, ...]]:
    items, block = {str(item.id): item for item in benchmark.items(params)}, benchmark.block(params)
    return [
        (f"{code_of(one, params.seed)}-{number}", one.contestant, one.item, one.setting, str(one.sample), *what)
        for one in drawn
        for number, line in enumerate(lines_asked(benchmark, block, items[one.item], one.setting), start=1)
        for what in [(line.measure, str(line.question))]
    ]


def labelling(benchmark: Benchmark[Any, Any], params: Params, drawn: Sequence[Given], reviewer: str) -> Task:
    questions: dict[str, list[str]] = {}
    for row in key_rows(benchmark, params, drawn):
        questions.setdefault(row[0].rpartition("-")[0], []).append(row[0])
    own = f"{params.seed}:{reviewer}:{benchmark.name}"
    read = reader(benchmark, params, {code_of(one, params.seed): one for one in drawn})
    places = with_repeats([one for code in shuffled(questions, own) for one in questions[code]], own)
    return Task(
        name=task_of(benchmark, params),
        title=f"{benchmark.title}: {amount(len(places), 'question')} about {amount(len(drawn), 'answer')}",
        places=places,
        cards=lambda ids: map(card_of, read(ids)),
        afterwards=["`dvc repro leaderboard` holds judges and observers against it"],
    )


def card_of(prompt: Prompt) -> Card:
    return Card(
        id=prompt.code,
        about=prompt.about,
        asked=prompt.line.words,
        shown=prompt.shown,
        choices=choices_of(replies_in(prompt.line.wanted)),
        wanted=prompt.line.wanted,
        check=prompt.line.value,
    )
