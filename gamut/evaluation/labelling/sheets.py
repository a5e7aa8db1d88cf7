"""Sheets that people fill in, drawn from the answers to an edition.

`datasets/sheets/<benchmark>/<edition>/` is handed over: `sheet.csv`, a row a question, with the pictures beside it.
Whose answer has which code stands apart from it, in `<edition>.key.csv`, which git keeps.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.asking.material import opening_tags, split_blocks
from gamut.asking.requests import Part, Picture, tag_fields
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.parameters import BenchmarkParameters, Params
from gamut.evaluation.defining.pictures import require_pictures, stand_ins
from gamut.evaluation.defining.questions import Pictures
from gamut.evaluation.labelling.drawing import GivenAnswer, answer_code, draw
from gamut.evaluation.labelling.questions import (
    KEY,
    QuestionLine,
    check_lines,
    judge_lines,
    key_path,
    question_lines,
    sheet_path,
)
from gamut.evaluation.running.answers import answer_of
from gamut.evaluation.running.checklists import TAGS
from gamut.project.csv_forms import form_rows
from gamut.project.decisions import digest_of
from gamut.project.errors import UserError
from gamut.project.files import write_csv, write_whole
from gamut.project.plain_text import amount, harmless_text
from gamut.tables.reading import read_rows


class ShownPart(NamedTuple):
    """A text or a picture, under a heading ("" for none)."""

    name: str
    part: Part


Block = tuple[str, Sequence[Part]]
"""Parts that are shown together, and their name in a judge's request."""


class AnswerQuestion(NamedTuple):
    """A question about an answer, by its code: what is `shown` of it, as judges see it, and the same in blocks for
    people, the answer's last.
    """

    code: str
    line: QuestionLine
    shown: Sequence[ShownPart]
    blocks: Sequence[Block]

    @property
    def about(self) -> str:
        """A digest of what judges see: how people see it may change, and what they said still counts."""
        return digest_of_shown(self.line.words, self.shown)

    @property
    def words(self) -> str:
        """The question without a judge's marks: neither number nor brackets, and blocks by their headings."""
        words = CHECKLIST_LINE.sub(lambda line: f"{line[1]}: " if line[1] else "", self.line.words)
        for name, _ in self.blocks:
            words = words.replace(f"<{name}>", f"“{ANSWER if name == self.blocks[-1][0] else heading(name)}”")
        return words

    @property
    def given(self) -> list[ShownPart]:
        """What stands beside the answer: what it is to be first, a reference last."""
        blocks = sorted(self.blocks[:-1], key=lambda block: block[0].startswith("reference"))
        return [ShownPart(heading(name), part) for name, parts in blocks for part in parts]

    @property
    def answer(self) -> list[ShownPart]:
        return [ShownPart("", part) for part in self.blocks[-1][1]]


ANSWER = "Answer"
CHECKLIST_LINE = re.compile(rf"\A\d+\. (?:\[({'|'.join(TAGS)})\] )?")
"""So begins a line of a checklist, as `checklists` numbers and tags them."""


def heading(name: str) -> str:
    return name.replace("_", " ").capitalize()


def question_reader(
    benchmark: AnyBenchmark, params: Params, drawn: Mapping[str, GivenAnswer]
) -> Callable[[Collection[str] | None], Iterator[AnswerQuestion]]:
    """Return a function that reads questions by code, or all (None), in the order of tables; `drawn`: by code."""
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)
    block = benchmark.block(params)
    read = {name: answer_of(benchmark.answers / name) for name in {one.contestant for one in drawn.values()}}

    def questions(ids: Collection[str] | None) -> Iterator[AnswerQuestion]:
        codes = drawn.keys() if ids is None else {one.rpartition("-")[0] for one in ids} & drawn.keys()
        for code in sorted(codes, key=lambda code: (drawn[code].contestant, drawn[code].id)):
            one, item = drawn[code], items[drawn[code].item]
            prompt, seen = benchmark.prompt(block, item, one.setting, stand_ins(item)), require_pictures(pictures, item)
            answer = prompt.wanted_parts(read[one.contestant]({"id": one.id}))
            about = answer_questions(benchmark, block, item, one.setting, answer, seen)
            found = (AnswerQuestion(f"{code}-{number}", *question) for number, question in enumerate(about, start=1))
            yield from (question for question in found if ids is None or question.code in ids)

    return questions


def answer_questions(
    benchmark: AnyBenchmark,
    block: BenchmarkParameters,
    item: Item,
    setting: str,
    answer: Sequence[Part],
    pictures: Pictures,
) -> Iterator[tuple[QuestionLine, Sequence[ShownPart], Sequence[Block]]]:
    """Yield the lines about an answer, of judges, then of observers, with what is shown of it, and that in blocks."""
    for judge_question, lines in judge_lines(benchmark.questions_for_people(block, item, setting), benchmark.measures):
        fields = {name: text for name, text in judge_question.fields.items() if name != "checklist"}
        material = judge_question.question.shown(judge_question.material(answer, pictures), judge_question.fields)
        shown = join_texts([*material, *([tag_fields(fields)] if fields else [])])
        *beside, answer_block = blocks_of(material)
        blocks = [*beside, *((name, [text]) for name, text in fields.items()), answer_block]
        yield from ((line, shown, blocks) for line in lines)
    for check, lines in check_lines(benchmark.checks(item, setting), benchmark.measures):
        own = [part for part in answer if isinstance(part, Picture) == (check.of == "image")]
        others: Sequence[Part] = check.beside(pictures)
        shown = join_texts(["answer:\n", *own, *(("\nbeside it:\n", *others) if others else ())])
        yield from ((line, shown, [("beside_it", others), ("answer", own)]) for line in lines)


def blocks_of(material: Sequence[Part]) -> list[Block]:
    """Return a judge's material in its blocks, of which the last holds the answer; so does what is in no block."""
    placed = split_blocks(material)
    blocks: dict[str, list[Part]] = {name: [] for name in opening_tags(placed)}
    tags = {tag for name in blocks for tag in (f"<{name}>\n", f"</{name}>\n")}
    for name, part in placed:
        if name:
            blocks[name].append(part.removesuffix("\n") if isinstance(part, str) else part)
    if loose := [part for name, part in placed if not name and part not in tags]:
        blocks["answer"] = [*blocks.pop("answer", []), *loose]
    return [*blocks.items()] or [("answer", [])]


def join_texts(material: Sequence[Part]) -> list[ShownPart]:
    shown: list[ShownPart] = []
    for part in material:
        if isinstance(part, str) and shown and isinstance(shown[-1].part, str):
            shown[-1] = ShownPart("", shown[-1].part + part)
        else:
            shown.append(ShownPart("", part))
    return shown


def digest_of_shown(question: str, parts_shown: Iterable[ShownPart]) -> str:
    parts = [[one.name, one.part if isinstance(one.part, str) else {"picture": one.part.digest}] for one in parts_shown]
    return digest_of([question, parts])


SHEET = ("code", "shown", "asked", "wanted", "verdict", "remark")
"""`shown`: what a judge or observer is shown, at the first of its questions; `wanted`: what may stand in `verdict`."""
LONGEST = 30_000
"""Characters of what is shown: spreadsheets cut a cell at 32,767, so what is longer stands in a file."""


def write_sheet(benchmark: AnyBenchmark, params: Params, share: float, in_all: int | None = None) -> Iterator[str]:
    """Draw answers, and write the sheet, its pictures and its key; yield messages. UserError where there is a sheet,
    which comes last: killed before, it is drawn again.
    """
    sheet, key = sheet_path(benchmark, params), key_path(benchmark, params)
    if sheet.exists():
        raise UserError(f"{sheet} exists and may be filled in: read it (--read), or move {sheet.parent} away first")
    drawn = drawn_answers(benchmark, params, share, in_all)
    asked, keys = sheet_rows(benchmark, params, drawn, sheet.parent)
    write_key(key, keys)
    write_csv(sheet, SHEET, asked, "utf-8-sig")
    yield f"{sheet}: {amount(len(asked), 'question')} about {amount(len(drawn), 'answer')}"
    yield from number_messages(len(drawn), in_all)
    yield f"Hand over {sheet.parent}, not {key}, which says whose answers they are: `git add` it"
    yield f"Fill in the column verdict, then `gamut label {benchmark.name} --read {sheet} --person NAME`"


def drawn_answers(
    benchmark: AnyBenchmark, params: Params, share: float, in_all: int | None = None
) -> list[GivenAnswer]:
    """`in_all`: so many instead of a share of the items; UserError where there is no answer."""
    if not 0 < share <= 1:
        raise UserError(f"--share {share:g}: a share of the items above 0 and up to 1 is wanted")
    stratum = benchmark.labelled_by or benchmark.stratum
    strata = {str(item.id): stratum(item) for item in benchmark.items(params)}
    drawn = draw(given_answers(benchmark, params, strata), strata, share, params.seed, in_all)
    if not drawn:
        raise UserError(f"{benchmark.name}: there is no answer to draw: no contestant of params.yaml has given one")
    return drawn


def write_key(path: Path, keys: Sequence[tuple[str, ...]]) -> None:
    """UserError where there is the key of another draw."""
    if path.exists() and read_key_rows(path) != keys:
        raise UserError(f"{path} is of another draw, whose sheets it alone can read: read them, then move it away")
    write_csv(path, KEY, keys)


def read_key_rows(path: Path) -> list[tuple[str, ...]]:
    """UserError where the key cannot be read."""
    absent = ": `gamut label` writes it when it draws answers; restore it from git"
    return [tuple(row[name] for name in KEY) for _, row in form_rows(path, KEY, absent)]


def number_messages(drawn: int, in_all: int | None) -> Iterator[str]:
    if in_all is not None and drawn != in_all:
        why = "there are no more" if drawn < in_all else "every stratum has one in every setting"
        yield f"{amount(in_all, 'answer')} wanted, {drawn:,} drawn: {why}"


def given_answers(benchmark: AnyBenchmark, params: Params, items: Collection[str]) -> Iterator[GivenAnswer]:
    """Yield all answers about which people are asked; UserError for one that params.yaml does not measure any more."""
    block, by_id = benchmark.block(params), {str(one.id): one for one in benchmark.items(params)}
    settings = benchmark.settings(block)
    for contestant in benchmark.contestants(params):
        table = benchmark.answers / contestant
        for row in read_rows(table, ["id", "item", "setting", "sample", "status"]):
            if row["item"] not in items or row["setting"] not in settings:
                other = f"{row['item']!r}, {row['setting']}"
                raise UserError(f"{table}: of another edition or setting ({other}): run `dvc repro`")
            if row["status"] == "ok" and question_lines(benchmark, block, by_id[row["item"]], row["setting"]):
                yield GivenAnswer(contestant, row["item"], row["setting"], row["sample"], row["id"])


def sheet_rows(
    benchmark: AnyBenchmark, params: Params, drawn: Sequence[GivenAnswer], folder: Path
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Write the pictures; return the rows of the sheet and of the key, in the order of the answers drawn."""
    by_code = {answer_code(one, params.seed): one for one in drawn}
    rows: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {code: [] for code in by_code}
    files: dict[str, dict[str, str]] = {code: {} for code in by_code}
    before: Sequence[ShownPart] | None = None
    for prompt in question_reader(benchmark, params, by_code)(None):
        code = prompt.code.rpartition("-")[0]
        one, line = by_code[code], prompt.line
        shown = "" if prompt.shown is before else shown_cell(prompt.shown, folder / code, files[code])
        where = (one.contestant, one.item, one.setting, str(one.sample), line.measure, str(line.question))
        rows[code].append(((prompt.code, shown, text_cell(line.words), line.wanted, "", ""), (prompt.code, *where)))
        before = prompt.shown
    whole = [row for of_answer in rows.values() for row in of_answer]
    return [asked for asked, _ in whole], [key for _, key in whole]


def shown_cell(parts_shown: Sequence[ShownPart], start: Path, files: dict[str, str]) -> str:
    """Return a cell of the sheet, with pictures by the names of their `files`, each written once."""
    parts = [one.part for one in parts_shown]
    text = text_cell(
        "".join(part if isinstance(part, str) else f"[{write_part(part, start, files)}]\n" for part in parts)
    )
    return text if len(text) <= LONGEST else f"[{write_part(text, start, files)}]"


def write_part(part: Part, start: Path, files: dict[str, str]) -> str:
    digest = part.digest if isinstance(part, Picture) else hashlib.sha256(part.encode()).hexdigest()
    if digest not in files:
        end = part.media_type.removeprefix("image/") if isinstance(part, Picture) else "txt"
        files[digest] = f"{start.name}-{len(files) + 1}.{end}"
        write_whole(start.with_name(files[digest]), part.data if isinstance(part, Picture) else part.encode())
    return files[digest]


def text_cell(text: str) -> str:
    return "\n".join(harmless_text(line) for line in text.split("\n")).strip()
