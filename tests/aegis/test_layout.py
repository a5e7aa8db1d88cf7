"""The released annotations come in whole, whatever is wrong with them, and what is wrong is named."""

from __future__ import annotations

import csv
import json
import random
import re
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.evaluation.curating.checklist_lint import lint
from gamut.evaluation.curating.findings import ERRORS, REMARKS, Finding, Findings
from gamut.evaluation.curating.freeze import import_apart, import_items
from gamut.evaluation.curating.layout import ImportedItems
from gamut.evaluation.defining.editions import Item, read_edition, write_items
from gamut.project.errors import UserError
from stages.aegis.curation import CURATION
from stages.aegis.layout import ANNOTATIONS, inverted_questions, keywords_in
from stages.aegis.shared.items import AegisItem
from tests.aegis import released_file
from tests.aegis.released_file import DATA, Entry, entries, write_entries
from tests.evaluation.small_pictures import png


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> ImportedItems[AegisItem]:
    path = tmp_path_factory.mktemp("released") / "annotation.json"
    shuffled = entries()
    random.Random(1).shuffle(shuffled)
    path.write_bytes(orjson.dumps(shuffled))
    before = time.process_time()
    found = ANNOTATIONS.read(path, None)
    assert time.process_time() - before < 5, "seconds"
    return found


def one(**changes: Any) -> Entry:
    sound = {
        "id": 2,
        "task": "understanding",
        "input_type": "text",
        "prompt": "Which fox lives where it is white?",
        "clear_prompt": "Name the Arctic fox.",
        "input_image": [],
        "keywords": "fox",
        "reasoning_type": "causal reasoning",
        "category": "biology",
        "ref_text": "The Arctic fox.",
        "ref_image": [],
        "refined_keywords": "Arctic fox, [3,3]-fox",
        "refined_question": ["[Text] Does the response name the Arctic fox?"],
    }
    return sound | changes


def test_a_sound_item_has_nothing_wrong(project: Path) -> None:
    found = read(one())
    assert not found.findings and found.findings is not None and not found.odd
    assert found.items[0].keywords == ("Arctic fox", "[3,3]-fox") and found.items[0].unusable is None


def test_what_brackets_enclose_is_one_keyword(project: Path) -> None:
    said = "a (b, c), [d，e]，f(g, h"  # the last bracket is never closed: all commas part
    assert keywords_in(said.removesuffix("，f(g, h")) == ["a (b, c)", "[d，e]"]
    assert keywords_in(said) == ["a (b", "c)", "[d", "e]", "f(g", "h"]
    assert keywords_in("," * 100_000) == []


def test_a_checklist_of_ours_that_says_something_else_is_not_taken(project: Path) -> None:
    """What was released holds; nothing is dropped."""
    forged = [{"question": "Does the answer fail to be right?", "about": "image", "inverted": False}]
    for checklist in (forged, []):
        found = read(one(checklist=checklist))
        assert [question.question for question in found.items[0].checklist] == [
            "Does the response name the Arctic fox?"
        ]
        assert ("checklist", "key") in [(finding.field, finding.defect) for finding in found.findings or ()]


def read(*found: Any, images: Path | None = None) -> ImportedItems[AegisItem]:
    return ANNOTATIONS.read(write_entries(list(found)), images)


def said(found: ImportedItems[AegisItem]) -> list[tuple[Any, ...]]:
    return [(finding.field, finding.defect, finding.found, finding.fix) for finding in found.findings or ()]


def test_nothing_is_lost(imported: ImportedItems[AegisItem]) -> None:
    """1,050 items and 7,564 questions, two of which are replies with 11 and 8: 7,562 + 19 = 7,581."""
    released = {entry["id"]: entry for entry in entries()}
    assert [item.id for item in imported.items] == sorted(released) and len(released) == 1050
    assert not imported.odd
    assert sum(len(entry["refined_question"]) for entry in released.values()) == 7564
    assert sum(len(item.checklist) for item in imported.items) == 7581
    for item in imported.items:
        entry = released[item.id]
        assert (item.prompt, item.clear_prompt) == (entry["prompt"], entry["clear_prompt"])
        assert (item.task, item.topic) == (entry["task"], entry["category"])
        assert item.texts == tuple(text for text in (item.clear_prompt, item.reference) if text)
        whole = [said for said in entry["refined_question"] if not said.startswith("parsed error")]
        assert [said.endswith(question.question) for said, question in zip(whole, item.checklist, strict=False)] == [
            True
        ] * len(whole)
        assert len(item.checklist) == (len(whole) or {576: 11, 728: 8}[item.id])


def test_what_is_found_in_the_released_file(imported: ImportedItems[AegisItem]) -> None:
    findings = imported.findings
    assert findings is not None
    counts = Counter(finding.defect for finding in findings)
    assert counts == {
        "same_prompts": 39,
        "inverted": 38,
        "term": 32,  # 31 casual, 1 comparison
        "type": 24,  # ref_text is a list
        "count": 22,
        "tag": 12,  # 2 [Imgae], 10 of an edit about its text
        "placeholder": 5,
        "blank": 3,
        "twin": 3,
        "reply": 2,
        "open": 1,
    }
    fixed = {(finding.id, finding.field): finding.fix for finding in findings}
    assert (fixed[576, "refined_question.0"], fixed[728, "refined_question.0"]) == ("11 questions", "8 questions")
    assert fixed[17, "refined_question.12"] == "[Image]" and fixed[560, "reasoning_type"] == "comparative reasoning"
    assert fixed[816, "refined_question.7"] is None, "an edit has no text: nothing safe can be made of that"
    assert {(finding.id, finding.found) for finding in findings if finding.defect == "twin"} == {
        (526, "nearly that of 346"),
        (866, "nearly that of 472"),
        (485, "nearly that of 484"),
    }
    by_id = {item.id: item for item in imported.items}
    assert by_id[332].reference.startswith("image 1 is named Hagia Sophia in Istanbul; image 2 is")
    assert [question.inverted for question in by_id[0].checklist] == [False, False, False, False, True]
    assert not any(question.inverted for question in by_id[970].checklist), "not removed, matching the reference"


def test_what_a_person_read_is_found(imported: ImportedItems[AegisItem]) -> None:
    with (DATA / "findings_read.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {
        (str(one.id), one.field, one.defect, str(one.found), str(one.fix or "")) for one in imported.findings or ()
    }
    assert {tuple(row[name] for name in Finding._fields) for row in rows} <= found
    assert len(rows) >= 30 and {row["verdict"] for row in rows} == {"right"} and all(row["reason"] for row in rows)


def test_defects_that_are_put_in_are_found(project: Path) -> None:
    chosen, expected = released_file.with_defects(20)
    found = ANNOTATIONS.read(write_entries(chosen), None)
    assert len(expected) == 160 and not found.odd
    where = {(finding.id, finding.field, finding.defect) for finding in found.findings or ()}
    assert min(released_file.recall(expected, where).values()) == 1


def test_a_shuffled_file_is_the_same_edition(project: Path) -> None:
    first = entries()[550:650]
    shuffled = random.Random(2).sample(first, len(first))
    found = [ANNOTATIONS.read(write_entries(some), None) for some in (first, shuffled)]
    for number, one in enumerate(found):
        write_items(one.items, Path(f"{number}.jsonl"))
    assert Path("0.jsonl").read_bytes() == Path("1.jsonl").read_bytes()
    assert found[0].findings == found[1].findings


def test_the_questions_that_people_read_as_inverted_are_all_there(imported: ImportedItems[AegisItem]) -> None:
    marked = {(str(item.id), one.question) for item in imported.items for one in item.checklist if one.inverted}
    listed = {(name, question) for name, own in inverted_questions().items() for question in own}
    assert marked == listed and len(listed) == 38


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": None}, "id None: id: None"),
        ({"id": "a\nb"}, r"id None: id: 'a\\nb'"),
        ({"task": "dancing"}, "id 2: task: 'dancing'"),
        ({"category": None}, "id 2: category: None"),
        ({"reasoning_type": "inductive reasoning"}, "id 2: reasoning_type: 'inductive reasoning'"),
        ({"clear_prompt": {"a": [None]}}, "id 2: clear_prompt: {'a'"),
        ({"input_image": [None]}, r"id 2: input_image: \[None\]"),
        ({"ref_text": 3}, "id 2: ref_text: 3"),
        ({"refined_question": []}, r"id 2: refined_question: \[\]"),
        ({"refined_question": ["[Text] Is it?", [[None]]]}, r"id 2: refined_question.1: \[None\]"),
        ({"refined_question": ["[Text]  "]}, "id 2: refined_question.0: ''"),
    ],
)
def test_an_entry_that_can_be_no_item_is_named(project: Path, changes: Entry, words: str) -> None:
    path = write_entries([one(id=7), one(**changes), {"id": 1}])
    said = list(import_items(CURATION, path, "v1"))
    assert said[1] == "not made into items, and not asked: 2 entries, such as 1: task: None"
    assert ": 3 items, of which 2 cannot be asked (1 understanding_" in said[2]
    assert [item.id for item in read_edition("aegis", "v1", AegisItem)] == [7]
    odd = {item.id: item for item in read_edition("aegis", "v1", Item) if item.id != 7}
    assert len(odd) == 2 and odd["1"].unusable == "task: None" and odd["1"].held_out == ["1"]
    [other] = [item for id, item in odd.items() if id != "1"]
    assert re.match(words, f"{'id None' if other.id == 'without id' else f'id {other.id}'}: {other.unusable}")
    assert "Name the Arctic fox." in other.held_out or "clear_prompt" in changes
    assert list(import_items(CURATION, path, "v1"))[2].endswith("unchanged: it was frozen before")
    assert list(import_apart(CURATION, path, Path("out")))[-1] == said[1]
    listed = json.loads(Path("out/lint.json").read_bytes())
    assert {finding["defect"] for finding in listed} & {"type", "term"}
    with pytest.raises(
        UserError, match=r"^annotation\.json: no entry can become an item, such as 1: task: None: is this the"
    ):
        list(import_items(CURATION, write_entries([{"id": 1}]), "v2"))


def test_ids_may_be_numbers_and_texts_but_stand_once(project: Path) -> None:
    found = read(one(id="b"), one(id=10), one(id="a"), one(id=9))
    assert [item.id for item in found.items] == [9, 10, "a", "b"]
    found = read(one(id="9"), one(id=9), one(id=8))
    assert [item.id for item in found.items] == [8] and [one.id for one in found.odd] == [9, "9"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"id": 2, "id": 3', "entry: 'id': the key occurs twice in an object"),
        ('"id": 2, "note": {"a": [{"b": 1, "b": 1}]}', "entry: 'b': the key occurs twice in an object"),
        ('"id": 2, "note": "\\ud800"', "half a character, too large a number, or nested too deeply"),
        ('"id": 2, "note": "caf\udce9"', "half a character, too large a number, or nested too deeply"),
        ('"id": 2, "note": ' + "9" * 30, "half a character, too large a number, or nested too deeply"),
        ('"id": 2, "note": ' + "[" * 500 + "]" * 500, "half a character, too large a number, or nested too deeply"),
    ],
)
def test_what_is_odd_in_one_entry_ends_no_import(project: Path, text: str, words: str) -> None:
    path = write_entries([one(id=7)])
    path.write_text(path.read_text().replace("[", f"[{{{text}}},", 1), encoding="utf-8", errors="surrogateescape")
    list(import_items(CURATION, path, "v1"))
    [sound, odd] = read_edition("aegis", "v1", Item)
    assert (sound.id, odd.id) == (7, "3" if text.endswith(" 3") else "2") and words in str(odd.unusable)


def test_numbers_that_no_number_is_are_none(project: Path) -> None:
    found = read(one(note=float("nan"), more=[float("inf"), "x"]))
    assert found.items[0].released == {"keywords": "fox", "more": [None, "x"], "note": None}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{}", "is not a list: a list of JSON objects is expected"),
        (b"", "not JSON"),
        (b"[" * 300_000 + b"]" * 300_000, "not JSON"),
        ("[]".encode("utf-16"), "not JSON"),
    ],
)
def test_a_file_that_is_no_list_is_one_line(project: Path, content: bytes, words: str) -> None:
    Path("annotation.json").write_bytes(content)
    with pytest.raises(UserError, match=rf"^annotation\.json: {words}") as error:
        ANNOTATIONS.read(Path("annotation.json"), None)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read_are_one_line(project: Path) -> None:
    with pytest.raises(UserError, match=r"^none\.json: is not a file"):
        ANNOTATIONS.read(Path("none.json"), None)
    with Path("large.json").open("wb") as file:
        file.truncate(100_000_001)
    with pytest.raises(UserError, match=r"^large\.json: has 100,000,001 bytes, but at most 100,000,000 are read$"):
        ANNOTATIONS.read(Path("large.json"), None)
    Path("annotation.json").write_bytes(b"\xef\xbb\xbf[]")
    with pytest.raises(UserError, match="there is nothing to freeze"):
        list(import_items(CURATION, Path("annotation.json"), "v1"))


def test_what_nobody_knows_is_kept(project: Path) -> None:
    others = {"note": [None, {"text": "水" * 900}], "row": 7, "images": 3, "released": {"a": 1}}
    found = read(one(**others))
    [item] = found.items
    assert item.model_extra == {"released": {"keywords": "fox"} | others}
    assert (item.row, item.images) == (None, ())
    assert {finding.field for finding in found.findings or () if finding.defect == "key"} == others.keys()
    assert all(len(finding.found) <= 500 for finding in found.findings or () if isinstance(finding.found, str))


@pytest.mark.parametrize(
    ("question", "finding"),
    [
        ("[image] Is it red?", ("tag", "[Image]")),
        ("【Image】 Is it red?", ("tag", "[Image]")),
        ("[Img] Is it red?", ("tag", "[Image]")),
        ("Is it red?", ("tag", "[Image]")),
        ("[3,3]-sigmatropic: is it red?", ("tag", "[Image]")),
        ("[Image] 图中有两辆红车吗？", None),
        ("[Image] Which is red?", ("open", None)),
        ("[Image] Is it as <ref_image7>?", ("placeholder", None)),
        ('["[Image] Is it red?", "[Image] Is it 3 m \\"long\\"?"]', ("reply", "2 questions")),
        ('parsed error: ["[Image] Is it red?", __import__("os").abort()]', ("reply", None)),
        ("['[Image] Is it red?', '[Image] Is it long?']", ("reply", None)),
    ],
)
def test_what_is_made_of_a_question(project: Path, question: str, finding: tuple[str, str | None] | None) -> None:
    drawn = one(task="generation", refined_question=[question])
    found = read(drawn)
    own = [one for one in said(found) if one[0].startswith("refined_question")]
    assert [(defect, fix) for _, defect, _, fix in own][:1] == ([finding] if finding else [])
    assert all(asked.question in question.replace('\\"', '"') for asked in found.items[0].checklist)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_no_question_is_lost(questions: list[str]) -> None:
    found = lint("q", questions, ("Text", "Image"), (), Findings(1))
    assert len(found) >= len(questions)


def with_pictures(**changes: Any) -> Entry:
    pictures = {"input_image": ["a/1.png"], "ref_image": ["a/2.png"], "input_type": "single_image"}
    texts = {"prompt": "See <image1>.", "clear_prompt": "Look at <image1>.", "task": "editing"}
    return one(**pictures, **texts, refined_question=["[Image] Is it red?"]) | changes


def test_pictures_come_in(project: Path) -> None:
    Path("pictures/a").mkdir(parents=True)
    for number in (1, 2):
        Path(f"pictures/a/{number}.png").write_bytes(png(number))
    missing = with_pictures(id=4, input_image=["a/1.png", "../a/3.png"])
    path = write_entries([missing, with_pictures(refined_question=["[Image] Is it drawn?", "[Image] Is it red?"])])
    told = list(import_items(CURATION, path, "v1", Path("pictures")))
    assert told[0].startswith("annotation.json: defects: ") and "1 picture" in told[0]
    items = read_edition("aegis", "v1", AegisItem)
    assert [(one.name, one.role, one.origin) for one in items[0].images] == [
        ("input_1", "input", "a/1.png"),
        ("reference_1", "reference", "a/2.png"),
    ]
    assert items[0].unusable is None and items[1].unusable == "pictures are missing: ../a/3.png"
    assert len(items[1].images) == 2, "what is there is kept"


def test_without_pictures_nothing_is_frozen_but_looked_at(project: Path) -> None:
    path = write_entries([with_pictures()])
    nobody = r"1 of 1 item cannot be asked, such as 2 \(pictures are missing: a/1\.png, a/2\.png\)"
    with pytest.raises(
        UserError, match=rf"{nobody}: name .* with --images, or use --out DIR instead of v1 to look at .*$"
    ):
        list(import_items(CURATION, path, "v1"))
    Path("elsewhere").mkdir()
    with pytest.raises(UserError, match=rf"{nobody}: name the folder"):
        list(import_items(CURATION, path, "v1", Path("elsewhere")))
    assert not Path("datasets").exists()
    told = list(import_apart(CURATION, path, Path("out")))
    assert told[-1] == "out/items.jsonl: 1 item"
    [row] = map(json.loads, Path("out/items.jsonl").read_text().splitlines())
    assert (row["id"], row["unusable"]) == (2, "pictures are missing: a/1.png, a/2.png")
    first = {name: Path("out", name).read_bytes() for name in ("items.jsonl", "lint.json")}
    list(import_apart(CURATION, path, Path("out")))
    assert first == {name: Path("out", name).read_bytes() for name in first}
    with pytest.raises(UserError, match=r"^--images none: this is not a folder"):
        list(import_apart(CURATION, path, Path("out"), Path("none")))


def test_the_command_takes_a_version_or_a_folder(project: Path) -> None:
    call = partial(CliRunner().invoke, app)
    write_entries([one()])
    for words in ([], ["v1", "--out", "out"]):
        said = call(["import", "aegis", "annotation.json", *words])
        assert said.exit_code == 1
        assert said.output == "name either the VERSION of the new edition, or --out DIR to make none\n"
    assert call(["import", "aegis", "annotation.json", "--out", "out"]).output == "out/items.jsonl: 1 item\n"
    assert json.loads(Path("out/lint.json").read_bytes()) == []


def test_strict_refuses_defects_and_not_remarks(project: Path) -> None:
    path = write_entries([one(prompt="Name the Arctic fox.")])
    assert any("1 same_prompts" in line for line in import_items(CURATION, path, "v1", strict=True))
    path = write_entries([one(reasoning_type="casual reasoning")])
    with pytest.raises(UserError, match=r"^annotation\.json has defects, 1 \(1 term\): fix them, or leave"):
        list(import_items(CURATION, path, "v2", strict=True))
    with pytest.raises(UserError, match=r"leave --strict out; out/lint\.json lists them$"):
        list(import_apart(CURATION, path, Path("out"), strict=True))
    assert Path("out/items.jsonl").exists(), "it is told once all is written"
    assert not ERRORS.keys() & REMARKS.keys()
