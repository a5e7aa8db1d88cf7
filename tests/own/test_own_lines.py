"""The file of own items: what comes of a line, and every mistake in one line with its number and the nearest right."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.curating import freeze
from gamut.evaluation.curating.layout import MOST_BYTES
from gamut.evaluation.defining.editions import read_edition
from gamut.project.errors import UserError
from stages.own.curation import BLOCK, CURATION
from stages.own.layout import Line, parse_line, read_lines
from stages.own.shared.items import LONGEST, OwnItem
from tests.evaluation.small_pictures import png
from tests.paths import ROOT

FILE = Path("items.jsonl")


def written(*lines: Any) -> Path:
    FILE.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return FILE


def mistakes(*lines: Any) -> list[str]:
    with pytest.raises(UserError) as caught:
        read_lines(written(*lines), None)
    return str(caught.value).splitlines()


def test_a_line_needs_nothing_but_a_prompt(project: Path) -> None:
    [item] = read_lines(written({"prompt": "two red cars"}), None).items
    assert item.model_dump(exclude_unset=True) == {"id": 1, "prompt": "two red cars", "answer": "picture"}
    assert item.measures == ("alignment",)
    assert [
        one.id for one in read_lines(written({"id": 0, "prompt": "a"}, {"id": "b", "prompt": "b"}), None).items
    ] == [
        0,
        "b",
    ]


def test_all_that_a_line_can_have(project: Path) -> None:
    for number in range(3):
        Path(f"{number}.png").write_bytes(png(number))
    line = {
        "id": "shop/1",
        "prompt": "Put <image2> into <image1>.",
        "pictures": ["0.png", "1.png"],
        "references": ["a dog in a yard", {"picture": "2.png"}],
        "checklist": ["Is there a dog?", "[image]  Is it\nday?"],
        "rubric": "2 for a dog",
        "scale": 2,
        "aesthetics": True,
        "groups": ["dogs", "yards"],
    }
    found = read_lines(written("", line), None)
    [item] = found.items
    assert [(one.name, one.role) for one in item.images] == [
        ("input_1", "input"),
        ("input_2", "input"),
        ("reference_1", "reference"),
    ]
    assert item.id == "shop/1" and item.checklist == ("[Image] Is there a dog?", "[Image] Is it day?")
    assert item.references == item.texts == ("a dog in a yard",) and len(found.pictures) == 3
    assert item.measures == ("checklist", "rubric", "aesthetics") and (item.rubric, item.scale) == ("2 for a dog", 2)


def test_an_edition_stays_what_it_is(project: Path) -> None:
    Path("0.png").write_bytes(png(0))
    lines = (
        {"prompt": "a", "pictures": ["0.png"], "groups": ["g"], "checklist": ["[Image] Is it?"]},
        {"prompt": "b", "references": [{"picture": "0.png"}, "text"], "answer": "both", "rubric": "r", "scale": 2},
    )
    list(freeze.import_items(CURATION, written(*lines), "one"))
    assert len(read_edition("own", "one", OwnItem)) == 2
    assert "unchanged" in "".join(freeze.import_items(CURATION, FILE, "one"))
    with pytest.raises(UserError, match="is already frozen with other items: choose another version"):
        list(freeze.import_items(CURATION, written(*lines[:1]), "one"))


TYPOS = [
    ({"promt": "a"}, "promt: unknown key; did you mean 'prompt'?"),
    ({"prompt": "a", "refs": ["r"]}, "refs: unknown key; known are: aesthetics, answer, checklist, groups, id, "),
    ({"prompt": "a", "answer": "pictures"}, "answer: 'pictures' is not known; did you mean 'picture'?"),
    ({"prompt": "a", "rubric": "r", "scale": 5}, "scale: 5 is not known; known are: 10, 2"),
    ({"prompt": "a", "checklist": ["[Imge] Is it?"]}, "checklist: there is no tag [Imge]; did you mean 'Image'?"),
    ({"prompt": "a", "references": ["b.png"]}, 'references.0: b.png: a picture is written {"picture": "b.png"}'),
    ({"prompt": "a", "references": [{"pic": "b"}]}, 'a text is expected, or {"picture": FILE}'),
    ({"prompt": "a", "groups": ["overall"]}, "groups.0: overall: 'overall' means something else"),
]


@pytest.mark.parametrize(("line", "said"), TYPOS, ids=lambda one: str(one)[:30])
def test_a_typo_is_one_line_with_what_is_meant(project: Path, line: Any, said: str) -> None:
    [mistake] = mistakes({"prompt": "right"}, line)
    assert mistake.startswith("items.jsonl, line 2: ") and said.replace("'", "") in mistake.replace("'", "")


UGLY = [
    ("{", "line 1: not JSON (unexpected end of data"),
    ('{"prompt": "a", "prompt": "b"}', "prompt: the key occurs twice"),
    ("[1]", 'an object such as {"prompt": "two red cars"} is expected, not [1]'),
    ({"prompt": " "}, "prompt: ' ': is blank"),
    ({"prompt": "x" * 1_000_000}, f"has 1,000,000 characters, but models are given at most {LONGEST:,}"),
    ({"prompt": "a", "checklist": "Is it?"}, "checklist: 'Is it?' is not right: input should be a valid list"),
    ({"prompt": "a", "checklist": ["Is it?", " is  IT?"]}, "checklist: question 2 repeats question 1"),
    ({"prompt": "a", "checklist": ["[Text] Is it?"]}, "checklist.0: [Text] cannot be asked: the answer is a picture"),
    ({"prompt": "a", "checklist": ["[Text]"]}, "a question is missing after the tag"),
    ({"prompt": "a", "answer": "both", "checklist": ["Is it?"]}, "begin with one of [Text], [Image], [Consistency]"),
    ({"prompt": "a", "answer": "text"}, "a judge needs a checklist or a rubric for an answer in words alone"),
    ({"prompt": "a", "answer": "text", "rubric": "r", "aesthetics": True}, "an answer in words alone has no looks"),
    ({"prompt": "a", "scale": 2}, "scale: it belongs to a rubric, but there is no rubric: leave it out"),
    ({"prompt": "a", "groups": ["g", "g"]}, "groups: one name occurs twice"),
    ({"prompt": "a", "groups": ["a.b"]}, "'a.b' cannot be a name"),
    ({"prompt": "a <image1>"}, "the text names the picture '1': there are none"),
    ({"prompt": "a", "pictures": ["none.png"]}, "there is no file 'none.png' in "),
    ({"prompt": "a", "pictures": ["../outside.png"]}, "lies outside of "),
    ({"prompt": "a", "pictures": ["link.png"]}, "'link.png' lies outside of "),
    ({"prompt": "a", "pictures": ["huge.png"]}, f"has {MOST_BYTES + 1:,} bytes, but at most"),
    ({"prompt": "a", "pictures": ["text.png"]}, "'text.png' "),
    ({"id": 1.5, "prompt": "a"}, "id: 1.5: a whole number or a short name such as shop/1, without blanks around it,"),
    ({"id": "../x", "prompt": "a"}, "id: ../x: a whole number or a short name"),
]


@pytest.mark.parametrize(("line", "said"), UGLY, ids=lambda one: str(one)[:40])
def test_what_is_ugly_is_refused_in_one_line(project: Path, line: Any, said: str) -> None:
    inside = project / "inside"
    inside.mkdir()
    os.chdir(inside)
    (project / "outside.png").write_bytes(png(1))
    Path("link.png").symlink_to(project / "outside.png")
    Path("text.png").write_text("no picture")
    with Path("huge.png").open("wb") as file:
        file.truncate(MOST_BYTES + 1)  # a hole, which takes no room
    [mistake] = mistakes(line)
    assert said in mistake.replace("'", "").replace('"', "") or said in mistake
    assert mistake.startswith("items.jsonl, line 1: ") and len(mistake) < 500


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"id": "a", "prompt": "b"}, "id 'a' is taken by line 1: choose another"),
        ({"id": "A", "prompt": "b"}, "id 'A' is taken by line 1 as 'a', which counts as the same: choose another"),
        ({"prompt": "a"}, "asks the same as line 1 and would count twice: merge the two lines"),
    ],
)
def test_no_item_stands_there_twice(project: Path, second: Any, said: str) -> None:
    assert mistakes({"id": "a", "prompt": "a"}, second) == [f"items.jsonl, line 2: {said}"]


def test_the_same_prompt_with_another_picture_is_another_item(project: Path) -> None:
    for number in range(2):
        Path(f"{number}.png").write_bytes(png(number))
    lines = [{"prompt": "Make it night.", "pictures": [f"{number}.png"]} for number in range(2)]
    assert len(read_lines(written(*lines), None).items) == 2


def test_all_mistakes_are_told_at_once_and_nothing_is_frozen(project: Path) -> None:
    told = mistakes({"promt": "a"}, {"prompt": "b"}, {"prompt": 5, "scal": 2})
    assert [one.partition(":")[0] for one in told] == [f"items.jsonl, line {number}" for number in (1, 3, 3)]
    many = mistakes(*[{"promt": "a"}] * 30)
    assert len(many) == 21 and many[-1] == "items.jsonl: there are 10 more mistakes"
    with pytest.raises(UserError):
        list(freeze.import_items(CURATION, FILE, "v1"))
    assert not Path("datasets").exists()


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf\n"])
def test_an_empty_file_has_no_items(project: Path, content: bytes) -> None:
    FILE.write_bytes(content)
    with pytest.raises(UserError, match=r"^items\.jsonl has no items: write a line such as"):
        read_lines(FILE, None)


def test_what_is_no_file(project: Path) -> None:
    for path in (Path("absent.jsonl"), project):
        with pytest.raises(UserError, match="is not a file: name a file with one JSON object per line"):
            read_lines(path, None)
    with pytest.raises(UserError, match=r"no item of items\.jsonl has a picture: leave it out"):
        read_lines(written({"prompt": "a"}), project)


def test_what_a_person_may_look_at_is_found_and_changes_nothing(project: Path) -> None:
    checklist = ["How many dogs are there?", "Does the picture show a dog?", "does the picture show the dog?"]
    found = read_lines(written({"prompt": "a", "checklist": checklist}), None)
    assert [(one.field, one.defect) for one in found.findings or ()] == [
        ("checklist.0", "open"),
        ("checklist.2", "duplicate"),
    ]
    assert [line.removeprefix("[Image] ") for line in found.items[0].checklist] == checklist
    said = list(freeze.import_items(CURATION, FILE, "v1"))
    assert said[0].startswith("items.jsonl: defects: 2 (1 ") and "use --out DIR instead of v1 to list all" in said[0]
    with pytest.raises(UserError, match=r"^items\.jsonl has defects, 2 \(1 duplicate, 1 open\): fix them"):
        list(freeze.import_items(CURATION, FILE, "v2", strict=True))


@given(st.binary(max_size=60) | st.from_regex(rb'\{"prompt": "[a-z]", "(id|groups|answer)": .{0,12}\}', fullmatch=True))
def test_any_line_is_read_or_refused(content: bytes) -> None:
    try:
        assert parse_line(content, "x, line 1").prompt
    except UserError as error:
        assert all(line.startswith("x, line 1: ") for line in str(error).splitlines())


def test_the_documents_example_is_one(project: Path) -> None:
    page = (ROOT / "docs/own.md").read_text()
    [lines] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    FILE.write_text(lines)
    found = read_lines(FILE, None)
    assert len(found.items) == 5 and not found.findings
    assert (
        BLOCK.format(edition="shop-signs", judge="world", contestants="careful, hasty", controls_of="careful") in page
    )
    [table] = re.findall(r"\| key \|.*?\n\n", page, re.DOTALL)
    assert {*re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)} == {*Line.model_fields} - {"scale"}
