"""The pages of items: each with all its answers and judgments, and the orders of going through items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from gamut.asking.progress import Pace
from gamut.asking.requests import Part, Picture
from gamut.evaluation.defining.editions import Item, item_count
from gamut.evaluation.defining.parameters import BY_ITSELF
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import JudgeQuestion
from gamut.evaluation.defining.settings import rewriter_of
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.running.rewritings import with_rewriting
from gamut.evaluation.scoring.estimates import round_value
from gamut.project.plain_text import shorten_to_line
from gamut.report.benchmarks import item_scores
from gamut.report.benchmarks.answers import Answer, Block, blocks, table_exists
from gamut.report.benchmarks.checks import masks_of
from gamut.report.benchmarks.index import MOST_CHARACTERS, Entry, Index
from gamut.report.benchmarks.results import Results
from gamut.report.site.folder import Folder
from gamut.report.site.pages import script_of, write_page
from gamut.report.site.texts import Cut, address, cut
from gamut.report.site.thumbnails import Thumbnail
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

SCORE_COLUMNS = ["item", "groups", "setting", "judge", "measure", "value", "low"]


class GivenPrompt(NamedTuple):
    """The prompt of a setting: texts and pictures in order, and the `wanted` answer; or `why` it cannot be asked."""

    parts: Sequence[Cut | Thumbnail]
    wanted: str = ""
    why: str = ""


class AskedQuestion(NamedTuple):
    """A question to a judge or another observer. `fields` has the content of the request's blocks."""

    name: str
    by: str
    measures: Sequence[str]
    fields: Mapping[str, str]


class Setting(NamedTuple):
    """A setting. `prompt` is for all contestants, `prompts` if each has its own; `statements`: by measure and part."""

    name: str
    anchor: str
    prompt: GivenPrompt | None
    prompts: Mapping[str, GivenPrompt]
    questions: Sequence[AskedQuestion]
    reference: GivenPrompt
    statements: Mapping[tuple[str, int], str]
    answers: Mapping[str, Sequence[Answer]]


def write_items(folder: Folder, results: Results) -> Index:
    """Write a page for every item, one with all items, and the orders; return the index of all answers."""
    index = Index(scores=all_scores(results))
    rewritten = rewritten_prompts(results)
    names = [address(item.id) for item in results.items]
    pace = Pace(f"{results.name}.pages", len(names), "items")
    for block in blocks(results, folder):
        for place, item in enumerate(block.items, block.first):
            answers = block.answers[str(item.id)]
            for one in answers:
                index.add(one.contestant, entry_of(place, one))
            scores = index.scores.get(str(item.id), {})
            index.summaries.append(item_scores.summarise([*scores.values()], sum(one.missing for one in answers)))
            write_page(
                folder,
                f"items/{names[place]}.html",
                "item.html",
                f"{shorten_to_line(str(item.id), 60)}: {results.benchmark.title}",
                "items",
                results=results,
                item=item,
                place=results.benchmark.place(item),
                number=place,
                previous=names[place - 1] if place else None,
                following=names[place + 1] if place + 1 < len(names) else None,
                edition_says=json.dumps(item.model_dump(mode="json"), ensure_ascii=False, indent=1),
                pictures=block.pictures,
                masks=masks_of(item, block.pictures),
                scores=scores,
                observers=results.raters,
                settings=[
                    setting_of(results, item, setting, block, rewritten)
                    for setting in results.benchmark.settings_with_prompt(item, results.settings)
                ],
            )
            pace.moved()
    write_item_list(folder, results, index, names)
    return index


def all_scores(results: Results) -> dict[str, dict[tuple[str, str, str], item_scores.Score]]:
    found: dict[str, dict[tuple[str, str, str], item_scores.Score]] = {}
    observed = results.benchmark.observed  # joint measures add nothing about an item
    for contestant in results.contestants:
        table = results.benchmark.scores / contestant
        if table_exists(table):
            rows = (
                row
                for row in read_rows(table, SCORE_COLUMNS)
                if row["judge"] in results.judges and row["measure"] in observed
            )
            for item, score in item_scores.scores_of(contestant, rows, results.metrics, observed):
                found.setdefault(item, {})[score.setting, score.judge, contestant] = score
    return found


def entry_of(place: int, answer: Answer) -> Entry:
    first = next(iter(answer.pictures or answer.parts), Cut("", 0))
    shown = first if isinstance(first, Thumbnail) else shorten_to_line(first.text, MOST_CHARACTERS)
    reason = shorten_to_line(answer.reason, MOST_CHARACTERS)
    return Entry(place, answer.setting, answer.sample, answer.status, reason, shown, answer.missing)


def rewritten_prompts(results: Results) -> dict[str, dict[str, Row]]:
    tables = {rewriter: results.benchmark.rewritten / rewriter for rewriter in results.block.all_rewriters}
    columns = ["item", "prompt", "status", "reason"]
    return {
        rewriter: {row["item"]: row for row in read_rows(table, columns)}
        for rewriter, table in tables.items()
        if table_exists(table)
    }


def setting_of(
    results: Results, item: Item, setting: str, block: Block, rewritten: Mapping[str, Mapping[str, Row]]
) -> Setting:
    answers = {
        contestant: list(same)
        for contestant, same in groupby(
            (one for one in block.answers[str(item.id)] if one.setting == setting), lambda one: one.contestant
        )
    }
    own: dict[str, GivenPrompt] = {}
    given: GivenPrompt | None = None
    if setting not in results.block.rewritten_settings:
        given = given_prompt(results, item, setting, block.pictures)
    elif setting != BY_ITSELF:
        given = given_rewritten_prompt(results, item, setting, block.pictures, rewritten.get(rewriter_of(setting, "")))
    else:
        for contestant in answers:
            rows = rewritten.get(rewriter_of(setting, contestant))
            own[contestant] = given_rewritten_prompt(results, item, setting, block.pictures, rows)
    judge_questions = results.benchmark.questions_for_people(results.block, item, setting)
    return Setting(
        name=setting,
        anchor=address(setting),
        prompt=given,
        prompts=own,
        questions=[
            *(
                AskedQuestion(one.question.name, "judges", list(dict.fromkeys(one.measures)), one.fields)
                for one in judge_questions
            ),
            *(AskedQuestion(one.name, one.role, one.measures, {}) for one in results.benchmark.checks(item, setting)),
        ],
        reference=given_reference(results, item, setting, block.pictures),
        statements=statements_of(judge_questions, results),
        answers=answers,
    )


def given_prompt(results: Results, item: Item, setting: str, pictures: Mapping[str, Thumbnail]) -> GivenPrompt:
    if item.unusable is not None:
        return GivenPrompt((), why=f"it cannot be asked: {item.unusable}")
    try:
        prompt = results.benchmark.prompt(results.block, item, setting, stand_ins(item))
    except ValueError as error:
        return GivenPrompt((), why=f"it cannot be asked: {error}")
    return GivenPrompt(shown_parts(prompt.parts, pictures), " and ".join(prompt.modalities))


def given_rewritten_prompt(
    results: Results, item: Item, setting: str, pictures: Mapping[str, Thumbnail], rows: Mapping[str, Row] | None
) -> GivenPrompt:
    row = None if rows is None else rows.get(str(item.id))
    if row is None:
        return GivenPrompt((), why="its prompt was not rewritten yet")
    if row["prompt"] is None:
        return GivenPrompt((), why=f"its prompt was not rewritten: {row['status']}: {row['reason'] or ''}")
    return given_prompt(results, with_rewriting(item, row), setting, pictures)


def given_reference(results: Results, item: Item, setting: str, pictures: Mapping[str, Thumbnail]) -> GivenPrompt:
    try:
        return GivenPrompt(shown_parts(results.benchmark.reference(item, setting, stand_ins(item)), pictures))
    except ValueError as error:
        return GivenPrompt((), why=str(error))


def shown_parts(parts: Iterable[Part], pictures: Mapping[str, Thumbnail]) -> list[Cut | Thumbnail]:
    """Return texts and pictures in order as pages show them; the pictures are `stand_ins`."""
    other = Thumbnail(why="belongs to the benchmark, not to the item")
    return [
        pictures.get(one.data.decode(errors="replace"), other) if isinstance(one, Picture) else cut(one)
        for one in parts
    ]


def statements_of(judge_questions: Sequence[JudgeQuestion], results: Results) -> dict[tuple[str, int], str]:
    """Return statements by measure and part: a judge question's field with a line for each of its measures."""
    found: dict[tuple[str, int], str] = {}
    counts: dict[str, int] = {}
    for one in judge_questions:
        lines: Any = next(
            (several for text in one.fields.values() if len(several := text.splitlines()) == len(one.measures)), None
        )
        for position, measure in enumerate(one.measures):
            part = counts[measure] = counts.get(measure, -1) + 1
            if lines is not None and results.benchmark.measures.get(measure) == VERDICTS:
                found[measure, part] = lines[position]
    return found


def write_item_list(folder: Folder, results: Results, index: Index, names: Sequence[str]) -> None:
    """Write the page of all items and its scripts; `names` are those of the items' pages, in the edition's order."""
    found, titles = item_scores.orders(index.summaries), item_scores.TITLES
    folder.write("items/orders.js", script_of("orders", {"names": names, "titles": titles, "orders": found}))
    folder.write("items/answers.js", script_of("answers", answers_of(results, index)))
    lines = (json.dumps(one, ensure_ascii=False, allow_nan=False) for one in records(results, index))
    folder.write("items.jsonl", "".join(f"{line}\n" for line in lines))
    write_page(
        folder,
        "items.html",
        "items.html",
        f"{results.benchmark.title}: items",
        "items",
        results=results,
        edition=item_count(results.items),
        rows=[*zip(results.items, names, index.summaries, strict=True)],
        places=[results.benchmark.place(item) for item in results.items],
        orders={name: names[order[0]] for name, order in found.items()},
        titles=titles,
        computed=item_scores.ORDERS_IN_WORDS,
        score=item_scores.SCORE_IN_WORDS,
        beginning=MOST_CHARACTERS,
    )


def answers_of(results: Results, index: Index) -> dict[str, Any]:
    """Return the data for the list's script. For every item and setting (by number), contestant by contestant: the
    first answer's picture or words, whether the answer exists, and its scores, one per judge.
    """
    items: list[dict[int, list[Any]]] = [{} for _ in results.items]
    there = ((key, entry) for key, entry in index.first.items() if key[1] in results.settings)
    for (place, setting, contestant), entry in there:
        scores = index.scores.get(str(results.items[place].id), {})
        own = [scores.get((setting, judge, contestant)) for judge in results.judges]
        said = [None if one is None or one.least is None else round(one.least, 2) for one in own]
        of_setting = items[place].setdefault(results.settings.index(setting), [0] * len(results.contestants))
        of_setting[results.contestants.index(contestant)] = [*entry.picture_and_words, int(entry.status == "ok"), said]
    return {
        "contestants": [[name, address(name)] for name in results.contestants],
        "settings": [[name, results.setting_words(name), address(name)] for name in results.settings],
        "judges": results.judges,
        "items": items,
    }


def records(results: Results, index: Index) -> Iterator[dict[str, Any]]:
    """Yield one record per item, with everything that the list shows."""
    for item, summary in zip(results.items, index.summaries, strict=True):
        scores = [rounded(one._asdict()) for one in index.scores.get(str(item.id), {}).values()]
        about = {"item": str(item.id), **results.benchmark.place(item)._asdict(), "prompt": item.prompt}
        yield about | rounded(summary._asdict()) | {"scores": scores}


def rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round_value(one) if isinstance(one, float) else one for name, one in values.items()}
