"""Answers and their judgments, as pages show them: read for one block of items at a time, pictures as thumbnails.

A block is one work slice, which is one row group of every table: it has everything that was asked about its items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, zip_longest
from pathlib import Path
from typing import NamedTuple

from gamut.asking.as_shown import bounded_parts
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.running.answers import parts_of
from gamut.evaluation.scoring.conditions import Conditional, conditional_in, counted_rows
from gamut.project.errors import UserError
from gamut.report.benchmarks.checks import Drawing, Findings, draw_findings, read_findings
from gamut.report.benchmarks.results import Results
from gamut.report.site.folder import Folder
from gamut.report.site.texts import Cut, cut
from gamut.report.site.thumbnails import Thumbnail, thumbnails
from gamut.tables.columns import Row, make_id, place
from gamut.tables.reading import manifest_path, shard_names, slice_rows

THINKING, WORDS, REPLY = 20_000, 4_000, 2_000
"""How many characters pages show of a contestant's thinking, a judge's words, and a raw reply."""
COMMON_COLUMNS = ("id", "item", "setting", "sample", "status", "reason", "model", "replies")
ANSWER_COLUMNS = (*COMMON_COLUMNS, "spec", "parts", "thinking")
JUDGMENT_COLUMNS = (*COMMON_COLUMNS, "part", "question", "repeat", "value", "note", "found")


class RawReply(NamedTuple):
    """A raw reply: its text, if any, how it ended, and its tokens (input, output)."""

    content: Cut | None
    finish: str
    tokens: tuple[int, int]


class Judgment(NamedTuple):
    """One row of judgments. `control` names the control that was judged, "" for the answer itself."""

    control: str
    measure: str
    part: int
    repeat: int
    value: float | None
    note: Cut | None
    findings: Sequence[Findings]
    status: str
    reason: str
    replies: Sequence[RawReply]


@dataclass
class Answer:
    """An answer. `parts` are those that judges see; `judgments` are by judge or observers' role; `unwritten` names
    those whose tables do not exist yet.
    """

    contestant: str
    setting: str
    sample: int
    status: str
    reason: str
    spec: str | None
    model: str | None
    parts: Sequence[Cut | Thumbnail]
    thinking: Cut | None
    replies: Sequence[RawReply]
    judgments: dict[str, list[Judgment]] = field(default_factory=dict)
    controls: dict[str, list[Judgment]] = field(default_factory=dict)
    unwritten: Sequence[str] = ()

    @cached_property
    def pictures(self) -> list[Thumbnail]:
        """Its pictures, in the order in which observers report on them."""
        return [part for part in self.parts if isinstance(part, Thumbnail)]

    def drawings(self, row: Judgment) -> list[Drawing]:
        """Return what a row says was found, picture by picture, as it is drawn on them."""
        pairs = zip_longest(row.findings, self.pictures[: len(row.findings)])
        return [draw_findings(findings, shown) for findings, shown in pairs]

    @property
    def missing(self) -> int:
        """How many things are missing: the answer itself, or judgements without a value."""
        unjudged = sum(row.status != "ok" for rows in self.judgments.values() for row in rows)
        return unjudged if self.status == "ok" else max(1, unjudged)


class Block(NamedTuple):
    """Adjacent items with all answers to each, by its id, and their pictures, by sha256."""

    first: int
    items: Sequence[Item]
    answers: Mapping[str, Sequence[Answer]]
    pictures: Mapping[str, Thumbnail]


def blocks(results: Results, folder: Folder) -> Iterator[Block]:
    """Yield an edition's items in order, with all answers; thumbnails are written into the folder."""
    numbered = ((place(make_id("", number)), number, item) for number, item in enumerate(results.items))
    for (shard, number), group in groupby(numbered, lambda one: one[0]):
        entries = list(group)
        items = [item for *_, item in entries]
        answers: dict[str, list[Answer]] = {str(item.id): [] for item in items}
        digits = shard.rpartition("-")[2]
        for row, answer in answers_in(results, folder, digits, number):
            answers_to_item(answers, row, results.benchmark.answers / answer.contestant).append(answer)
        for contestant in results.contestants:
            add_judgments(results, contestant, digits, number, answers, conditional_in(results.benchmark, items))
        yield Block(entries[0][1], items, answers, item_pictures(results, folder, items))


def answers_to_item(answers: Mapping[str, list[Answer]], row: Row, folder: Path) -> list[Answer]:
    if row["item"] not in answers:
        raise UserError(f"{folder}: row {row['id']} belongs to no item at its place in this edition: run `dvc repro`")
    return answers[row["item"]]


def shards_of(folder: Path, digits: str) -> list[str]:
    return [name for name in shard_names(folder) if name.endswith(f"-{digits}")] if table_exists(folder) else []


def table_exists(folder: Path) -> bool:
    return manifest_path(folder).exists()


def answers_in(results: Results, folder: Folder, digits: str, number: int) -> Iterator[tuple[Row, Answer]]:
    """Yield the answers of one block with their rows, contestant by contestant; only thumbnails of pictures stay."""
    found: list[tuple[Row, str, list[Cut | None]]] = []

    def pictures() -> Iterator[bytes]:
        for contestant in results.contestants:
            table = results.benchmark.answers / contestant
            for shard in shards_of(table, digits):
                for row in slice_rows(table, shard, number, ANSWER_COLUMNS):
                    parts = bounded_parts(parts_of(row.pop("parts") or []))
                    texts = [cut(part, len(part)) if isinstance(part, str) else None for part in parts]
                    row["thinking"] = shorten(row.get("thinking"), THINKING)
                    row["replies"] = read_replies(row.get("replies"))
                    found.append((row, contestant, texts))
                    yield from (part for part in parts if isinstance(part, bytes))

    shown = iter([*thumbnails(folder, pictures())])
    unwritten = {
        contestant: [
            who for who in results.raters if not table_exists(results.benchmark.answer_judgments(contestant, who))
        ]
        for contestant in results.contestants
    }
    for row, contestant, texts in found:
        yield (
            row,
            Answer(
                contestant=contestant,
                setting=row["setting"],
                sample=row["sample"],
                status=row["status"],
                reason=row["reason"] or "",
                spec=row.get("spec"),
                model=row.get("model"),
                parts=[next(shown) if text is None else text for text in texts],
                thinking=row["thinking"],
                replies=row["replies"],
                unwritten=unwritten[contestant],
            ),
        )


def add_judgments(
    results: Results,
    contestant: str,
    digits: str,
    number: int,
    answers: Mapping[str, Sequence[Answer]],
    conditional: Conditional,
) -> None:
    """Add judgments to answers, also those of their controls; a shard of controls has one kind."""
    known = {
        (item, one.setting, one.sample): one
        for item, several in answers.items()
        for one in several
        if one.contestant == contestant
    }
    places = [(who, results.benchmark.answer_judgments(contestant, who)) for who in results.raters]
    controls = [(judge, results.benchmark.control_judgments(contestant, judge)) for judge in results.tried]
    for of_controls, tables in ((False, places), (True, controls)):
        for who, table in tables:
            for shard in shards_of(table, digits):
                for row in counted_rows(slice_rows(table, shard, number, (*JUDGMENT_COLUMNS, "control")), conditional):
                    answer = known.get((row["item"], row["setting"], row["sample"]))
                    if answer is None:
                        raise UserError(f"{table}: the answer of row {row['id']} does not exist: run `dvc repro`")
                    said = answer.controls if of_controls else answer.judgments
                    said.setdefault(who, []).append(read_judgment(row))


def read_judgment(row: Row) -> Judgment:
    return Judgment(
        control=row.get("control") or "",
        measure=row["question"],
        part=row["part"],
        repeat=row["repeat"],
        value=row["value"],
        note=shorten(row["note"], WORDS),
        findings=read_findings(row.get("found")),
        status=row["status"],
        reason=row["reason"] or "",
        replies=read_replies(row.get("replies")),
    )


def read_replies(replies: Iterable[Row] | None) -> list[RawReply]:
    return [
        RawReply(
            shorten(one["content"], REPLY), one["finish"] or "", (one["input_tokens"] or 0, one["output_tokens"] or 0)
        )
        for one in replies or ()
    ]


def shorten(text: str | None, most: int) -> Cut | None:
    return None if text is None else cut(text, most)


def item_pictures(results: Results, folder: Folder, items: Iterable[Item]) -> dict[str, Thumbnail]:
    wanted = list(dict.fromkeys(picture.sha256 for item in items for picture in item.images))
    found: dict[str, Thumbnail] = {}

    def pictures() -> Iterator[bytes]:
        for sha256 in wanted:
            try:
                yield results.pictures[sha256].data
            except LookupError as error:
                found[sha256] = Thumbnail(why=f"is missing: {error.args[0]}")

    made = [*thumbnails(folder, pictures())]
    there = [sha256 for sha256 in wanted if sha256 not in found]
    return found | dict(zip(there, made, strict=True))
