"""What people decide about benchmarks, card by card.

Proposals for an edition are accepted, rejected or rewritten, one card per row. Answers of contestants are judged
blindly, one card per question for judges or observers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from gamut.asking.requests import Picture
from gamut.deciding.cards import ACCEPT, REJECT, Card, Task, add_repeats, choices_of, rows_by_ids, shuffle
from gamut.evaluation.construction import proposals
from gamut.evaluation.curating.freeze import items_of, take_pictures
from gamut.evaluation.curating.review import AnyCuration, digest_of, proposed_rows, task_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling import labels
from gamut.evaluation.labelling.drawing import GivenAnswer, answer_code, answers_of_key, drawn_answers, strata_by_item
from gamut.evaluation.labelling.questions import key_path, listed_replies, question_lines, write_key
from gamut.evaluation.labelling.shown import AnswerQuestion, ShownPart, question_reader
from gamut.project.errors import UserError, nearest_choice
from gamut.project.pipeline import EDITIONS
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import read_rows

ASKED = "Is this text clear, grammatical and consistent? It may be fantastical."
"""FLUX-Reason-6M and PRISM-Bench, section 3.1."""


def edition_under_construction(curation: AnyCuration, editions: Collection[str]) -> str:
    if len(editions) == 1:
        return next(iter(editions))
    there = f"one of {', '.join(editions)}" if editions else f"{EDITIONS} names none at {curation.name}.editions"
    raise UserError(f"name an edition of {curation.name} ({there}): `gamut review {curation.name} EDITION`")


def review_proposals(curation: AnyCuration, edition: str) -> Task:
    folder = proposals.path_of(curation.name, edition)
    others = [path.name for path in folder.parent.glob("*") if path.is_dir()]
    if others and not folder.exists():
        raise UserError(f"{folder}: there is no proposal for {edition!r}{nearest_choice(edition, others)}")
    proposed_rows(curation, edition)  # a UserError where nothing is proposed at all
    ids = [row["id"] for row in read_rows(folder, ["id", "status"]) if row["status"] == "ok"]
    if not ids:
        raise UserError(f"{folder} has no proposal to review: all failed or were left out")
    told_by = list(dict.fromkeys(["id", *curation.texts, *([curation.among] if curation.among else [])]))
    return Task(
        name=task_of(curation, edition),
        title=f"{curation.benchmark.title}, edition {edition}: {amount(len(ids), 'proposal')}",
        places=[(row_id, 0) for row_id in ids],
        cards=lambda ids: map(partial(proposal_card, curation), rows_by_ids(folder, ids)),
        abouts=lambda ids: ((row["id"], digest_of(curation, row)) for row in rows_by_ids(folder, ids, told_by)),
        afterwards=[f"`gamut freeze {curation.name} {edition}` makes an edition of what was accepted or rewritten"],
        fewer="Stop when you like and go on later: `gamut freeze` waits until all are decided",
    )


def proposal_card(curation: AnyCuration, row: Row) -> Card:
    pictures = [(f"{one['role']} {one['name']}", one["image"]["bytes"]) for one in row.get("images") or ()]
    wrong: Sequence[str] = ()
    try:
        named = take_pictures(row, {})
    except UserError as error:
        named, wrong = row | {"images": None}, str(error).splitlines()
    return Card(
        id=row["id"],
        about=digest_of(curation, row),
        question=ASKED,
        given=[ShownPart(name, str(row[name])) for name in ("id", *curation.beside) if row.get(name)],
        frame="Proposal",
        shown=[
            *(ShownPart(name, row[name]) for name in curation.texts),
            *(ShownPart(name, Picture(data)) for name, data in pictures),
        ],
        choices=choices_of([ACCEPT, REJECT]),
        texts={name: row[name] for name in curation.texts},
        objections=partial(objections, curation, named, wrong=wrong),
    )


def objections(curation: AnyCuration, row: Row, texts: Mapping[str, str], wrong: Sequence[str] = ()) -> Iterator[str]:
    """Yield what `gamut freeze` would refuse in a rewritten row, except its likeness to other rows that may still go.

    `row` has its pictures as an item names them. If anything is `wrong` with them, only that is yielded.
    """
    if wrong:
        yield from wrong
        return
    try:
        rewritten = row | {name: texts.get(name, row[name]) for name in curation.texts}
        found = list(curation.objections(rewritten, texts))
        if not found:
            items_of(curation, [rewritten])
    except UserError as error:
        found = str(error).splitlines()
    yield from found


USUAL_SHARE = 0.1


def draw_answers(
    benchmark: AnyBenchmark, params: Params, share: float | None, in_all: int | None
) -> tuple[list[GivenAnswer], Sequence[str]]:
    """Draw the answers that people are asked about and write their key. Return them, and messages for the person.

    Without a share or a number, an existing key decides, so that every clone draws the same. UserError if answers have
    changed since, or if another draw is requested.
    """
    key = key_path(benchmark, params)
    if key.exists() and share is None and in_all is None:
        drawn = drawn_before(benchmark, params)
    else:
        drawn = drawn_answers(benchmark, params, USUAL_SHARE if share is None else share, in_all)
    write_key(benchmark, params, key_rows(benchmark, params, drawn))
    lines = [f"{key} says whose answers they are: `git add` it"]
    if in_all is not None and len(drawn) != in_all:
        why = "there are no more" if len(drawn) < in_all else "every stratum needs one in every setting"
        lines.insert(0, f"{amount(in_all, 'answer')} requested, {len(drawn):,} drawn: {why}")
    return drawn, lines


def drawn_before(benchmark: AnyBenchmark, params: Params) -> list[GivenAnswer]:
    drawn = answers_of_key(benchmark, params)
    if missing := [code for code, one in drawn.items() if one is None]:
        raise UserError(
            f"{key_path(benchmark, params)}: {amount(len(missing), 'answer')} of this draw ({missing[0]}, …) cannot be "
            "found: run `dvc pull` or `dvc repro`, or move this file away and draw again"
        )
    return [one for one in drawn.values() if one is not None]


def key_rows(benchmark: AnyBenchmark, params: Params, answers: Sequence[GivenAnswer]) -> list[tuple[str, ...]]:
    items, block = {str(item.id): item for item in benchmark.items(params)}, benchmark.block(params)
    return [
        (f"{answer_code(one, params.seed)}-{number}", one.contestant, one.item, one.setting, str(one.sample), *what)
        for one in answers
        for number, line in enumerate(question_lines(benchmark, block, items[one.item], one.setting), start=1)
        for what in [(line.measure, str(line.question))]
    ]


def label_answers(benchmark: AnyBenchmark, params: Params, answers: Sequence[GivenAnswer], reviewer: str) -> Task:
    questions = grouped((row[0].rpartition("-")[0], row[0]) for row in key_rows(benchmark, params, answers))
    lots = f"{params.seed}:{reviewer}:{benchmark.name}"
    read = question_reader(benchmark, params, {answer_code(one, params.seed): one for one in answers})
    places = add_repeats([one for code in shuffle(questions, lots) for one in questions[code]], lots)
    return Task(
        name=labels.task_of(benchmark, params),
        title=f"{benchmark.title}: {amount(len(places), 'question')} about {amount(len(answers), 'answer')}",
        places=places,
        cards=lambda ids: map(answer_card, read(ids)),
        afterwards=["`dvc repro leaderboard` compares judges and observers with it"],
        fewer=fewer_answers(benchmark, params, answers, len(places) / len(answers)),
    )


def fewer_answers(benchmark: AnyBenchmark, params: Params, answers: Sequence[GivenAnswer], each: float) -> str:
    """Return how to get fewer answers (with `each` questions), if that is possible, and what stopping means."""
    strata = strata_by_item(benchmark, params)
    least = len({(one.setting, strata[one.item]) for one in answers})
    how = f"move {key_path(benchmark, params)} away, then run `gamut label {benchmark.name} --answers N` or `--share S`"
    start = f"For fewer questions, {how}. " if least < len(answers) else ""
    return (
        f"{start}At least {amount(least, 'answer')}, one of every stratum in every setting, {each:.1f} questions each. "
        "Stop when you like: what is decided counts; corrected intervals assume the worst and the best for the rest"
    )


def answer_card(prompt: AnswerQuestion) -> Card:
    return Card(
        id=prompt.code,
        about=prompt.about,
        question=prompt.words,
        given=prompt.given,
        shown=prompt.answer,
        choices=choices_of(listed_replies(prompt.line.wanted)),
        wanted=prompt.line.wanted,
        check=prompt.line.value,
    )
