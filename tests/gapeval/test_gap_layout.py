"""The published folders come in whole, and what is wrong with them is told by item."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamut.evaluation.curating.freeze import import_items
from gamut.evaluation.curating.layout import ImportedItems
from gamut.evaluation.defining.editions import Item, read_edition
from gamut.evaluation.defining.pictures import missing_pictures, pictures_of
from gamut.project.errors import UserError
from stages.gapeval.curation import CURATION
from stages.gapeval.layout import FOLDER
from stages.gapeval.shared.items import GapItem
from tests.gapeval.gap_folders import ROOT, TEXTS, put_all, put_answers, write_item
from tests.gapeval.small_items import painted

COUNTING = TEXTS | {"category": "counting", "subcategory": "objects"}
PAIR: dict[str, bytes | int] = {"image/1.jpg": 0, "ref/1.jpg": 1}


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GapItem]:
    list(import_items(CURATION, path, version))
    return {item.id: item for item in read_edition("gapeval", version, GapItem)}


def read() -> tuple[ImportedItems[GapItem], list[tuple[Any, ...]]]:
    found = FOLDER.read(ROOT, None)
    return found, [(one.id, one.field, one.defect, one.fix) for one in found.findings or ()]


def refused() -> str:
    found, _ = read()
    [odd] = found.odd
    return odd.said


def test_every_category_comes_in(project: Path) -> None:
    put_all()
    put_answers("bagel")
    items = imported()
    assert list(items) == ["data_1", "data_2", "data_3", "data_4", "data_10"]
    told = {
        id: (item.category, item.subcategory, [picture.name for picture in item.images], item.drawn)
        for id, item in items.items()
    }
    both = ["question_1", "reference_1"]
    assert told == {
        "data_1": ("world_knowledge", "animal", ["reference_1"], False),
        "data_2": ("numerical", "Animals Counting", both, False),
        "data_3": ("instruction_following", "explicit", both, False),
        "data_4": ("reasoning", "puzzle", both, True),
        "data_10": ("reasoning", "balance", both, False),
    }
    assert items["data_2"].images[0].origin == "data_2/inage/in.jpg"
    assert items["data_10"].images[1].origin == "data_10/after.jpg"
    assert (items["data_3"].prompt, items["data_3"].question) == ("Draw it.", "What is it?")
    assert items["data_3"].held_out == ["Draw it.", "What is it?", "answer data_3"]
    assert not any(item.unusable for item in items.values())
    assert missing_pictures(items.values(), pictures_of("gapeval", "v1")) == {}
    assert CURATION.origins(list(items.values())).startswith("Items were imported")


def test_what_is_mended_or_assumed_is_told(project: Path) -> None:
    write_item(
        "data_1", [COUNTING | {"category": "Counting", "reference": {"objects": ["a"], "number": [2]}}, {}], PAIR
    )
    write_item("data_2", {**TEXTS, "category": "Multi Hop", "seen": 1}, {"image/a.jpg": 0, "inage/b.jpg": 1})
    write_item("data_3", COUNTING | {"category": "reasoning", "subcategory": "mmlu/mmmu"}, PAIR | {"image/2.jpg": 2})
    write_item("notes")
    found, told = read()
    assert not found.odd
    assert told == [
        (None, "notes", "key", None),
        ("data_1", "prompt.json", "count", "the first"),
        ("data_1", "category", "term", "counting"),
        ("data_2", "seen", "key", None),
        ("data_2", "subcategory", "assumed", "Multi Hop"),
        ("data_2", "inage", "count", "not used"),
        ("data_3", "image", "count", "all are given"),
    ]
    assert found.items[2].drawn


def test_a_clean_folder_has_nothing_wrong(project: Path) -> None:
    put_all()
    counts = {"number": [2, 3], "objects": ["duck", "bird"]}
    for name, reference in (("data_20", counts), ("data_21", ["a", "b"])):
        write_item(name, COUNTING | {"reference": reference}, PAIR)
    found, told = read()
    assert (told, len(found.items), list(found.odd)) == ([], 7, [])
    assert [item.reference_text for item in found.items[-2:]] == ['{"number":[2,3],"objects":["duck","bird"]}', "a\nb"]


UGLY = {
    "no file": (None, "prompt.json: None: the file does not exist"),
    "an unknown category": (COUNTING | {"category": "poetry"}, "category: 'poetry'"),
    "a blank prompt": (COUNTING | {"gen_prompt": "  "}, "gen_prompt: '  '"),
    "no question": ({**COUNTING, "und_prompt": ""}, "und_prompt: ''"),
    "no reference": ({**COUNTING, "reference": None}, "reference: None"),
    "a blank reference": (COUNTING | {"reference": [" "]}, None),
    "a subcategory of another type": (COUNTING | {"subcategory": 3}, "subcategory: 3"),
}


@pytest.mark.parametrize(("entry", "why"), UGLY.values(), ids=UGLY)
def test_what_can_be_no_item_is_an_entry_that_is_put_to_nobody(project: Path, entry: Any, why: str | None) -> None:
    write_item("data_1", COUNTING, PAIR)
    write_item("data_2", entry, PAIR)
    if why is None:
        assert not read()[0].odd
        return
    assert refused().startswith("data_2: ") and why in refused()
    assert list(imported()) == ["data_1"]
    odd = read_edition("gapeval", "v1", Item)[-1]
    assert odd.id == "data_2" and why in str(odd.unusable)


def test_an_item_without_a_usable_picture_stays_and_is_put_to_nobody(project: Path) -> None:
    write_item("data_1", COUNTING, PAIR)
    write_item("data_2", COUNTING, PAIR | {"image/1.jpg": b"<svg/>"})
    write_item("data_3", COUNTING, PAIR | {"ref/1.jpg": b"<svg/>"})
    write_item("data_4", COUNTING, {"ref/1.jpg": 0})
    write_item("data_5", COUNTING | {"category": "reasoning"})
    items = imported()
    assert {id: item.unusable for id, item in items.items() if item.unusable} == {
        "data_2": "pictures cannot be used: image/1.jpg",
        "data_4": "its picture is missing",
    }
    assert [picture.role for picture in items["data_3"].images] == ["question"]
    pictures = [one for one in read()[0].findings or () if one.defect == "picture"]
    assert [one.id for one in pictures] == ["data_2", "data_3", "data_4"]
    with pytest.raises(UserError, match=r"published has defects, 3 \(3 picture\): fix them, or leave --strict out"):
        list(import_items(CURATION, ROOT, "v2", strict=True))


def test_a_picture_that_an_entry_names_lies_in_its_folder(project: Path) -> None:
    Path("elsewhere.jpg").write_bytes(painted())
    for number, name in enumerate(("../../elsewhere.jpg", str(Path("elsewhere.jpg").resolve())), start=1):
        write_item(f"data_{number}", COUNTING | {"category": "physics", "img": name}, {"ref/1.jpg": 1})
    found, _ = read()
    assert all(item.unusable for item in found.items)
    why = [str(one.found) for one in found.findings or () if one.defect == "picture"]
    assert "lies outside of" in why[0] and "there is no file" in why[1]


def test_names_of_pictures_that_are_not_there_make_an_item_unusable(project: Path) -> None:
    write_item("data_1", COUNTING | {"gen_prompt": "Join <image1> and <image2>."}, PAIR)
    write_item("data_2", COUNTING | {"gen_prompt": "Turn <image1> and <image:question_1>."}, PAIR)
    found, told = read()
    assert [item.unusable for item in found.items] == ["prompt names <image2>", None]
    assert told == [("data_1", "prompt", "placeholder", None)]


def test_a_folder_that_could_not_be_told_from_another_is_no_item(project: Path) -> None:
    for name in ("data_7", "data_10", "data_100", "data_07"):
        write_item(name, COUNTING, PAIR)
    assert refused() == "data_7: id: 'data_7': it cannot be told apart from 'data_07': rename one"


def test_what_is_no_folder_of_items_is_told(project: Path) -> None:
    ROOT.mkdir()
    with pytest.raises(UserError, match=r"^published has no items: folders data_<n>"):
        FOLDER.read(ROOT, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["category", "subcategory", "und_prompt", "gen_prompt", "reference", "img", "x"])


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(KEYS, JSON, max_size=4))
def test_whatever_stands_there_is_an_item_or_said_to_be_none(project: Path, changed: dict[str, Any]) -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    write_item("data_1", COUNTING | changed, {"ref/1.jpg": 1})
    found, _ = read()
    assert len(found.items) + len(found.odd) == 1
