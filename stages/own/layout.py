r"""The file of your own benchmark: one JSON object per line. Every mistake is named with its line.

    {"prompt": "a bakery with the sign FRESH BREAD", "checklist": ["Does the picture show the words \"FRESH BREAD\"?"]}

Only `prompt` is needed. Given files are `pictures`, below the folder of the file. An `answer` is `picture`, `text` or
`both`. Right answers are `references`, texts or `{"picture": FILE}`. Questions of the `checklist` have the right answer
Y, and may begin with `[Text]`, `[Image]` or `[Consistency]`. A `rubric` has a highest score, `scale`: 10 or 2. With
`aesthetics` looks are judged too. Names of groups are in `groups`. The `id` is a name or number, by default the item's
number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, Field, PlainValidator, ValidationError

from gamut.evaluation.construction.checklist_lines import duplicate_questions
from gamut.evaluation.curating.checklist_lint import OPEN
from gamut.evaluation.curating.entries import LONGEST_ID, bytes_of
from gamut.evaluation.curating.findings import Finding, Findings
from gamut.evaluation.curating.layout import ImportedItems, Layout, PictureFiles, origin_of, picture_files
from gamut.evaluation.defining.editions import EditionPicture, Role, Text, first_mistake
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.running.checklists import TAGS
from gamut.project.csv_forms import MOST_MISTAKES
from gamut.project.errors import UserError, in_one_line, nearest_choice
from gamut.project.inputs import repeated_keys
from gamut.project.validation import Strict, show_value, validate_values
from stages.own.shared.benchmark import task_parts
from stages.own.shared.items import ABOUT, LONGEST, Group, OwnItem, Wanted

NAME = "items.jsonl"
TAG = re.compile(r"^\s*\[[^\[\]\n]{1,40}\]\s*")
PICTURE_FILES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif")


def require_short(text: str) -> str:
    """ValueError for a text that is longer than any that a person wrote."""
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text):,} characters, but models are given at most {LONGEST:,}")
    return text


def known_id(value: object) -> str | int:
    """ValueError for an invalid id. Parts between slashes are folders, if answers are files."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    plain = isinstance(value, str) and value.isprintable() and len(value) <= LONGEST_ID
    if not plain or any(part.strip(" ") != part or part in ("", ".", "..") for part in str(value).split("/")):
        raise ValueError("a whole number or a short name such as shop/1, without blanks around it, is expected")
    return str(value)


def known_reference(value: object) -> str | Mapping[str, str]:
    """ValueError for a value that is neither a text nor the file of a picture."""
    if isinstance(value, dict) and [*value] == ["picture"] and isinstance(value["picture"], str):
        return value
    if not isinstance(value, str) or not value.strip():
        raise ValueError('a text is expected, or {"picture": FILE}')
    if value.lower().endswith(PICTURE_FILES) and not value.strip().count(" "):
        raise ValueError(f'a picture is written {{"picture": {orjson.dumps(value).decode()}}}')
    return require_short(value)


LongText = Annotated[Text, AfterValidator(require_short)]


class Line(Strict):
    prompt: LongText
    id: Annotated[Any, PlainValidator(known_id)] = None
    answer: Wanted = "picture"
    pictures: list[Text] = Field(default_factory=list)
    references: list[Annotated[Any, PlainValidator(known_reference)]] = Field(default_factory=list)
    checklist: list[LongText] = Field(default_factory=list)
    rubric: LongText | None = None
    scale: Literal[10, 2] = 10
    aesthetics: bool = False
    groups: list[Group] = Field(default_factory=list)


def read_lines(path: Path, images: Path | None) -> ImportedItems[OwnItem]:
    """Read all items. UserError with one line for each mistake. Pictures are below `images`, or the file's folder."""
    files, items, findings = picture_files(images, path), list[OwnItem](), list[Finding]()
    known: dict[object, tuple[int, OwnItem]] = {}
    mistakes = list[str]()
    for place, (number, content) in enumerate(lines_of(path), start=1):
        where = f"{path}, line {number}"
        try:
            line = parse_line(content, where)
            item = item_of(line, place, files)
            require_new(item, number, known)
        except UserError as error:
            mistakes += str(error).splitlines()
        except ValueError as error:
            mistakes.append(f"{where}: {error}")
        else:
            items.append(item)
            findings += checklist_findings(item)
    if len(mistakes) > MOST_MISTAKES:
        mistakes[MOST_MISTAKES:] = [f"{path}: there are {len(mistakes) - MOST_MISTAKES:,} more mistakes"]
    if mistakes:
        raise UserError("\n".join(mistakes))
    if not items:
        raise UserError(f'{path} has no items: write a line such as {{"prompt": "two red cars"}}')
    if images is not None and not files:
        raise UserError(f"--images {images}: no item of {path} has a picture: leave it out")
    return ImportedItems(items, files, origin_of(path), findings)


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers. UserError for a missing or too large file."""
    lines = bytes_of(path, "one JSON object per line").splitlines()
    yield from ((n, line) for n, line in enumerate(lines, start=1) if line.strip())


def parse_line(content: bytes, where: str) -> Line:
    """Return a line as it is. UserError with one line for each mistake."""
    try:
        values = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{where}: not JSON ({error.msg}, column {error.colno}): fix it") from None
    if not isinstance(values, dict):
        raise UserError(
            f'{where}: an object such as {{"prompt": "two red cars"}} is expected, not {show_value(values)}'
        )
    if twice := repeated_keys(content):
        raise UserError(f"{where}: {in_one_line(twice[0])}: the key occurs twice: keep one of the two")
    try:
        return validate_values(Line, values, Path(where))
    except UserError as error:
        mistakes = str(error).splitlines()
        misspelt = [key for key in Line.model_fields if any(f"; did you mean {key!r}?" in one for one in mistakes)]
        missing = {f"{where}: {key}: this key is missing" for key in misspelt}  # reported already
        raise UserError("\n".join(one for one in mistakes if one not in missing)) from None


def item_of(line: Line, place: int, files: PictureFiles) -> OwnItem:
    """Return the `place`-th line as an item. ValueError if it cannot become one."""
    if "scale" in line.model_fields_set and line.rubric is None:
        raise ValueError("scale: it belongs to a rubric, but there is no rubric: leave it out")
    texts = [one for one in line.references if isinstance(one, str)]
    right = [one["picture"] for one in line.references if not isinstance(one, str)]
    values: dict[str, Any] = {
        "texts": texts,
        "images": [*pictures_of(line.pictures, "input", files), *pictures_of(right, "reference", files)],
        "groups": line.groups,
        "references": texts,
        "checklist": [question_of(question, line.answer) for question in line.checklist],
        "rubric": line.rubric,
        "scale": None if line.scale == OwnItem.model_fields["scale"].default else line.scale,
        "aesthetics": line.aesthetics,
    }
    named = {"id": place if line.id is None else line.id, "prompt": line.prompt, "answer": line.answer}
    try:
        item = OwnItem.model_validate(named | {key: value for key, value in values.items() if value})
    except ValidationError as error:
        raise ValueError(first_mistake(error)) from None
    task_parts(item, stand_ins(item))  # ValueError if it names a missing picture
    return item


def pictures_of(paths: Sequence[str], role: Role, files: PictureFiles) -> list[EditionPicture]:
    return [files.picture(path, f"{role}_{number}", role) for number, path in enumerate(paths, start=1)]


def question_of(text: str, answer: Wanted) -> str:
    """Return a question in a judge's form, after its tag. ValueError for a wrong tag, or a missing one."""
    words, possible = " ".join(text.split()), ABOUT[answer]
    tag = TAG.match(words)
    if tag is None:
        if len(possible) > 1:
            tags = ", ".join(f"[{one}]" for one in TAGS)
            raise ValueError(f"checklist: {words!r:.80}: the answer has a text and a picture: begin with one of {tags}")
        return f"[{possible[0].capitalize()}] {words}"
    name, question = tag[0].strip()[1:-1].strip(), words[tag.end() :]
    if name.capitalize() not in TAGS:
        raise ValueError(f"checklist: there is no tag [{name}]{nearest_choice(name.capitalize(), TAGS)}")
    if not question:
        raise ValueError(f"checklist: {words!r}: a question is missing after the tag")
    return f"[{name.capitalize()}] {question}"


def require_new(item: OwnItem, number: int, known: dict[object, tuple[int, OwnItem]]) -> None:
    """Remember an item. ValueError if an earlier one has its id or asks the same."""
    given = (picture.sha256 for picture in item.of_role("input"))
    name, asked = unicodedata.normalize("NFC", str(item.id)).casefold(), (item.prompt, item.answer, *given)
    if name in known:
        line, other = known[name]
        unlike = "" if str(other.id) == str(item.id) else f" as {other.id!r}, which counts as the same"
        raise ValueError(f"id {item.id!r} is taken by line {line}{unlike}: choose another")
    if asked in known:
        raise ValueError(f"asks the same as line {known[asked][0]} and would count twice: merge the two lines")
    known |= {name: (number, item), asked: (number, item)}


def checklist_findings(item: OwnItem) -> Findings:
    """Return the questions of a checklist that Y and N do not answer, or that occur twice."""
    findings = Findings(item.id)
    for place, line in enumerate(item.checklist):
        question = line.partition("] ")[2]
        if OPEN.match(question):
            findings.say(f"checklist.{place}", "open", question)
    for earlier, later in duplicate_questions(item.checklist):
        findings.say(f"checklist.{later}", "duplicate", f"{item.checklist[later]} (as checklist.{earlier})")
    return findings


OWN_LINES: Layout[OwnItem] = Layout(NAME, read_lines)
