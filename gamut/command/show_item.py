"""`gamut show`: a record of a stage, or an item of a benchmark: what contestants are given and judges are asked, every
answer, and its judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from gamut.asking.failed_rows import failed_rows
from gamut.asking.requests import Part, Picture
from gamut.command.show_record import (
    file_name,
    folder_of,
    indented,
    input_tables,
    picture_file,
    picture_line,
    replies_of,
    rows_of,
    show_record,
    similar_names,
    stored_replies,
    text_lines,
    unknown_record,
    value_lines,
)
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.parameters import BY_ITSELF, RULES, STAGE_OF, BenchmarkParameters, Params
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import Pictures
from gamut.evaluation.defining.settings import cell_of, rewriter_of, samples_of, settings_of
from gamut.evaluation.labelling.questions import judge_lines
from gamut.evaluation.running.answers import parts_of, rows_to_answer
from gamut.evaluation.running.rewritings import with_rewriting
from gamut.evaluation.scoring.conditions import CONDITIONAL_REASON, conditional_in, counted_rows
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.parameters import load
from gamut.project.plain_text import harmless_text, shorten_to_line
from gamut.project.staleness import staleness
from gamut.tables.columns import Row
from gamut.tables.reading import manifest_path, read_rows

OWN = ("id", "images", "texts", "row_sha256", "unusable")
"""Fields of an item that are shown in another way, or that serve only to compare texts and rows."""
ASKED = 160
"""Characters of a question to a judge; readers of a board know the rest."""


MEASURING = ("answer", "judge", *STAGE_OF.values())
"""Stages of every benchmark whose records have the ids of answers."""


def show_lines(of: str, record: str, out: Path) -> Iterator[str]:
    """Yield the lines that show a record of a stage, or an item of a benchmark; files go below `out`. A stage goes by
    its name (`BENCHMARK.judge@careful-world`) or as `dvc repro` prints it.
    """
    if of in NAMES:
        benchmark = curation_of(of).benchmark
        return chain(show_item(benchmark, load(benchmark.params), record, out), staleness_line(f"{of}.board"))
    stage = named_stage(of)
    folder, _, cell = stage.partition(".")
    measuring = folder in NAMES and cell.partition("@")[0] in MEASURING
    more = [f"\nits item, with all answers and judgments: `gamut show {folder} {record}`"] if measuring else []
    return chain(show_record(stage, record, out), more, staleness_line(pipeline.maker_of(stage)))


def named_stage(of: str) -> str:
    """Return a stage's name; `of` may also be the address that `dvc repro` prints."""
    known = {**pipeline.stages(), **pipeline.tables()}
    stage = next((name for name in pipeline.stages() if of == pipeline.address(name)), of)
    if stage not in known and not any(name.startswith(f"{stage}@") for name in known):
        raise UserError(f"there is no stage or benchmark {of!r}{similar_names(of, [*known, *NAMES])}")
    return stage


def staleness_line(stage: str) -> Iterator[str]:
    if said := staleness([stage]):
        yield f"\n{said}"


class ItemView(NamedTuple):
    """An item, the rows that contestants answer, and the folder for its files."""

    benchmark: AnyBenchmark
    params: Params
    item: Item
    records: Sequence[Row]
    files: Path

    @property
    def block(self) -> BenchmarkParameters:
        return self.benchmark.block(self.params)


def show_item(benchmark: AnyBenchmark, params: Params, name: str, out: Path) -> Iterator[str]:
    item, records = find_item(benchmark, params, name)
    view = ItemView(benchmark, params, item, records, folder_of(out, benchmark.name, str(item.id)))
    place = benchmark.place(item)
    yield f"{benchmark.title} {harmless_text(str(item.id))} ({benchmark.edition(params)})"
    yield f"  stratum: {place.stratum}; groups: {', '.join(place.groups)}"
    if item.unusable is not None:
        yield f"  not asked: {harmless_text(item.unusable)}"
    pictures, where = picture_lines(view)
    yield from indented(where)
    settings = dict.fromkeys(record["setting"] for record in records)
    prompts = {setting: prompt_parts(view, setting, pictures) for setting in settings}
    told = {part.strip() for prompt, _ in prompts.values() for part in prompt if isinstance(part, str)}
    for field, words in item.model_dump(mode="json", exclude_none=True, exclude=set(OWN)).items():
        if not isinstance(words, str) or words.strip() not in told:
            yield from indented(value_lines(harmless_text(field), words, view.files / file_name(field)))
    judges = view.block.judges
    for setting, (prompt, missing) in prompts.items():
        yield f"\n{setting}: what contestants are given"
        yield from indented([missing] if missing else part_lines(prompt, pictures, view.files / f"{setting}-given"))
        if not missing and (right := benchmark.reference(item, setting, pictures)):
            yield f"{setting}: a right answer"
            yield from indented(part_lines(right, pictures, view.files / f"{setting}-right"))
        yield f"{setting}: what {'judges are asked' if judges else 'observers look for'}"
        yield from indented(question_lines(view, setting))
    for contestant in benchmark.contestants(params):
        yield from contestant_lines(view, contestant)
    for contestant in [*benchmark.contestants(params)][:1]:
        for judge in judges[:1]:
            stage = f"{benchmark.name}.judge@{contestant}-{judge}"
            yield f"\nreplies as they came: `gamut show {stage} {records[0]['id']}`, and so on"


def find_item(benchmark: AnyBenchmark, params: Params, name: str) -> tuple[Item, list[Row]]:
    items = {str(item.id): item for item in benchmark.items(params)}
    block = benchmark.block(params)
    shards = rows_to_answer(list(items), benchmark.settings(block), block.answer.samples)
    asked = {(str(item.id), setting) for item, setting in benchmark.prompts(items.values(), benchmark.settings(block))}
    rows = [row for shard in shards.values() for row in shard if (row["item"], row["setting"]) in asked]
    if name in items:
        return items[name], [row for row in rows if row["item"] == name]
    answer = next((row for row in rows if row["id"] == name), None)
    if answer is None:
        raise UserError(f"{benchmark.edition(params)} has no item {name!r}{similar_names(name, [*items])}")
    return items[answer["item"]], [answer]


def picture_lines(view: ItemView) -> tuple[Pictures, list[str]]:
    edition, there, lines = view.benchmark.pictures(view.params), stand_ins(view.item), list[str]()
    for named in view.item.images:
        label = f"{named.role} {harmless_text(named.name)}"
        try:
            there[named.name] = edition[named.sha256]
            lines.append(picture_line(label, there[named.name].data, view.files / file_name(named.name)))
        except LookupError as error:
            lines.append(f"{label}: {harmless_text(error.args[0])}")
    return there, lines


def prompt_parts(view: ItemView, setting: str, pictures: Pictures) -> tuple[Sequence[Part], str | None]:
    if view.item.unusable is not None:
        return (), "nothing: the item cannot be asked"
    if setting not in view.block.rewritten_settings:
        return view.benchmark.prompt(view.block, view.item, setting, pictures).parts, None
    if setting == BY_ITSELF:
        return (), "the prompt in each contestant's own words, shown with its answer"
    rewriting = rewriting_of(view, setting, "")
    if rewriting is None or rewriting["status"] != "ok":
        return (), status_words(rewriting) if rewriting else missing_table(view, *cell_of(rewriter_of(setting, "")))
    return view.benchmark.prompt(view.block, with_rewriting(view.item, rewriting), setting, pictures).parts, None


def rewriting_of(view: ItemView, setting: str, contestant: str) -> Row | None:
    folder = view.benchmark.rewritten / rewriter_of(setting, contestant)
    rows = read_rows(folder) if manifest_path(folder).exists() else iter(())
    return next((row for row in rows if row["item"] == str(view.item.id)), None)


def part_lines(parts: Iterable[Part | bytes], pictures: Pictures, stem: Path) -> Iterator[str]:
    names = {known.digest: name for name, known in pictures.items()}
    for number, part in enumerate(parts, start=1):
        at = stem.with_name(f"{stem.name}-{number}")
        if isinstance(part, str):
            yield from text_lines("text", part, at)
        elif isinstance(part, Picture) and part.digest in names:
            yield f"picture: {harmless_text(names[part.digest])}, as above"
        else:
            yield picture_line("picture", part.data if isinstance(part, Picture) else part, at)


def question_lines(view: ItemView, setting: str) -> Iterator[str]:
    judge_questions = view.benchmark.questions_to_ask(view.block, view.item, setting)
    for judge_question, lines in judge_lines(judge_questions, view.benchmark.measures):
        if not judge_question.measures:  # another one follows it
            yield f"first: {shorten_to_line(judge_question.question.instruction, ASKED)}"
        for line in lines:
            number = numbered_measure(view, setting, line.measure, line.question)
            yield f"{number}: {shorten_to_line(line.words, ASKED)} ({line.wanted})"
    for check in view.benchmark.checks(view.item, setting):
        finds = "find" if check.role == RULES else "finds"
        yield f"{', '.join(dict.fromkeys(check.measures))}: what the {check.role} {finds} ({check.name})"


def numbered_measure(view: ItemView, setting: str, measure: str, part: int) -> str:
    expected = view.benchmark.expected(view.block, view.item, setting, 1)
    return f"{measure} {part + 1}" if expected.get(measure, 0) > 1 else measure


def contestant_lines(view: ItemView, contestant: str) -> Iterator[str]:
    table = view.benchmark.answers / contestant
    settings = settings_of(view.benchmark, view.params, contestant)
    samples = samples_of(view.benchmark, view.params, contestant)
    for record in view.records:
        if record["setting"] not in settings or record["sample"] >= samples:
            continue
        row = next(iter(rows_of(table, record["id"])), None)
        yield f"\n{contestant} {record['id']}: {row['status'] if row else 'no answer'}"
        yield from indented(answer_lines(view, contestant, record, row))


def answer_lines(view: ItemView, contestant: str, record: Row, row: Row | None) -> Iterator[str]:
    if row is None:
        made = manifest_path(view.benchmark.answers / contestant).exists()
        does = ", ".join(sorted(view.params.contestants[contestant].abilities))
        yield f"not asked: it does only {does}" if made else missing_table(view, "answer", contestant, record["id"])
        return
    if record["setting"] == BY_ITSELF and (rewriting := rewriting_of(view, BY_ITSELF, contestant)) is not None:
        prompt = rewriting["prompt"] or status_words(rewriting)
        yield from text_lines("prompt in its own words", prompt, view.files / f"{contestant}-prompt")
    if row["reason"]:
        yield f"reason: {harmless_text(row['reason'])}"
    stem = view.files / f"{contestant}-{record['id']}"
    if row["thinking"]:
        yield from text_lines("thinking", row["thinking"], stem.with_name(f"{stem.name}-thinking"))
    yield from part_lines(parts_of(row["parts"] or ()), {}, stem)
    if row["status"] != "ok":
        yield from replies_of(row, stem, stored_replies(f"{view.benchmark.name}.answer@{contestant}", record["id"]))
    for rater in view.benchmark.raters(view.block):
        yield from judgment_lines(view, contestant, record["id"], rater)
    yield from score_lines(view, contestant, record)


def stage_of(contestant: str, rater: str) -> tuple[str, str]:
    role, _, observer = rater.rpartition("/")
    if rater == RULES:
        return "board", ""
    return STAGE_OF[role] if role else "judge", f"{contestant}-{observer}"


def judgment_lines(view: ItemView, contestant: str, record: str, observer: str) -> Iterator[str]:
    table = view.benchmark.answer_judgments(contestant, observer)
    stage, cell = stage_of(contestant, observer)
    if not manifest_path(table).exists():
        yield f"{observer}: {missing_table(view, stage, cell, record)}"
        return
    kept = stored_replies(f"{view.benchmark.name}.{stage}@{cell}", record)
    for number, row in enumerate(counted_rows(rows_of(table, record), conditional_in(view.benchmark, [view.item]))):
        scale = view.benchmark.measures[row["question"]]
        repeat = f", repeat {row['repeat'] + 1}" if row["repeat"] else ""
        worth = status_words(row) if row["value"] is None else f"{row['value']:g} of {scale.highest:g}"
        worth += f" ({CONDITIONAL_REASON})" if row["reason"] == CONDITIONAL_REASON else ""
        stem = view.files / f"{cell}-{record}-{number + 1}"
        measure = numbered_measure(view, row["setting"], row["question"], row["part"])
        head = f"{observer}, {measure}{repeat}: {worth}"
        yield from text_lines(head, row["note"], stem) if row["note"] else [head]
        if row["found"]:
            yield from indented(text_lines("found", row["found"], stem.with_name(f"{stem.name}-found")))
        if row["status"] != "ok":
            yield from indented(replies_of(row, stem, kept))


def score_lines(view: ItemView, contestant: str, record: Row) -> Iterator[str]:
    table = view.benchmark.scores / contestant
    by_judge: dict[str, list[str]] = {}
    columns = ["item", "setting", "judge", "measure", "low", "left_out"]
    for row in read_rows(table, columns) if manifest_path(table).exists() else ():
        if (row["item"], row["setting"]) == (record["item"], record["setting"]):
            counts = "nothing" if row["low"] is None else f"{row['low']:g}"
            missing = f" (missing: {', '.join(row['left_out'])})" if row["left_out"] else ""
            by_judge.setdefault(row["judge"], []).append(f"{row['measure']} {counts}{missing}")
    for judge, scores in by_judge.items():
        yield f"scores by {judge}: {', '.join(scores)}"


def status_words(row: Row) -> str:
    return f"{row['status']}: {harmless_text(row['reason'] or 'no reason')}"


def missing_table(view: ItemView, stage: str, cell: str, record: str | None = None) -> str:
    """Return which command makes a missing table, or shows why the record failed."""
    name = f"{view.benchmark.name}.{stage}{'@' if cell else ''}{cell}"
    if record is not None and any(f["id"] == record for f in failed_rows(name)):
        return f"failed in the last run: `gamut show {name} {record}`"
    return f"nothing yet: `dvc repro {pipeline.address(name)}`"


def shown_values(of: str, record: str, out: Path) -> dict[str, Any]:
    """Return a record of a stage, or an item of a benchmark, with the rows about it by table; files go below `out`."""
    tables = dict[Path, list[Row]]()
    found: dict[str, Any]
    if of in NAMES:
        benchmark = curation_of(of).benchmark
        params = load(benchmark.params)
        item, records = find_item(benchmark, params, record)
        found = {"benchmark": of, "edition": str(benchmark.edition(params)), "item": item.model_dump(mode="json")}
        raters = benchmark.raters(benchmark.block(params))
        for who in benchmark.contestants(params):
            for table in (benchmark.answers / who, *(benchmark.answer_judgments(who, rater) for rater in raters)):
                tables[table] = [row for one in records for row in rows_of(table, one["id"])]
            scores = benchmark.scores / who
            if manifest_path(scores).exists():
                tables[scores] = [row for row in read_rows(scores) if row["item"] == str(item.id)]
    else:
        stage = named_stage(of)
        table, failed = pipeline.table_of(stage), [one for one in failed_rows(stage) if one["id"] == record]
        tables = {one: rows_of(one, record) for one in (*input_tables(stage), table)}
        if not tables[table] and not failed:
            raise UserError(unknown_record(stage, table, record))
        found = {"stage": stage, "record": record, "failed": failed}
    rows = {str(table): some for table, some in tables.items() if some}
    return found | {"tables": plain_value(rows, folder_of(out, of, record) / "values")}


def plain_value(value: Any, stem: Path) -> Any:
    """Return a value that JSON can hold: bytes are written to a file, and replaced by its path."""
    if isinstance(value, bytes):
        return str(picture_file(value, stem)[0])
    if isinstance(value, dict):
        return {key: plain_value(one, stem.with_name(f"{stem.name}-{file_name(key)}")) for key, one in value.items()}
    if isinstance(value, list):
        return [plain_value(one, stem.with_name(f"{stem.name}-{n}")) for n, one in enumerate(value, start=1)]
    return value
