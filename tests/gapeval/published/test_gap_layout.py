"""The published folders come in whole, go out the same, and what is wrong with them is told by item."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from stages.asking.requests import Picture
from stages.evaluation.curating.freeze import export_items, import_items
from stages.evaluation.curating.layout import Imported
from stages.evaluation.defining.editions import Item, origin_path, read_edition, read_origin
from stages.evaluation.defining.pictures import missing_pictures, pictures_of
from stages.gapeval.layout import FOLDER
from stages.gapeval.published.folders import in_order, plain
from stages.gapeval.room import ROOM, made
from stages.gapeval.shared.items import GapItem
from stages.project.errors import UserError
from tests.evaluation.small_pictures import ORIGIN
from tests.fakes import claiming
from tests.gapeval.published.gap_folders import ROOT, TEXTS, put, put_all, put_answers
from tests.gapeval.small_items import painted

COUNTING = TEXTS | {"category": "counting", "subcategory": "objects"}
PAIR: dict[str, bytes | int] = {"image/1.jpg": 0, "ref/1.jpg": 1}


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GapItem]:
    """The items of the frozen edition by id."""
    list(import_items(ROOM, path, version))
    return {item.id: item for item in read_edition("gapeval", version, GapItem)}


def read() -> tuple[Imported[GapItem], list[tuple[Any, ...]]]:
    """What is read, and its findings as tuples."""
    found = FOLDER.read(ROOT, None)
    return found, [(one.id, one.field, one.defect, one.fix) for one in found.findings or ()]


def refused() -> str:
    """Why the one entry can be no item."""
    found, _ = read()
    [odd] = found.odd
    return odd.said


def without_origins(item: GapItem) -> dict[str, object]:
    """An item but for where its pictures were taken from."""
    return item.model_dump(exclude={"images": {"__all__": {"origin"}}})


def here(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


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
    assert made(list(items.values())).startswith("Items were imported")


def test_what_goes_out_comes_in_the_same_and_twice_the_same_bytes(project: Path) -> None:
    put_all()
    put("data_11", COUNTING | {"note": [1, {"a": None}], "problem": "Another."})  # no picture: unusable
    pictures: dict[str, bytes | int] = {f"image/{number}.jpg": number % 5 for number in range(11)}
    put("data_12", COUNTING | {"reference": ["a", "b"]}, pictures)
    put("own-00000001", COUNTING | {"category": "numerical", "drawn": True})
    put("own-00000002", COUNTING | {"category": "world_knowledge"}, PAIR)
    put("own-00000003", COUNTING | {"category": "world_knowledge"}, {"ref/1.jpg": 0})
    ROOT.with_name("published.origin.json").write_text(ORIGIN.model_dump_json())
    first = imported()
    assert read_origin(origin_path("gapeval", "v1")) == ORIGIN
    assert export_items(ROOM, "v1", Path("out")) == "out/gapeval: 10 items"
    second = imported("v2", Path("out/gapeval"))
    assert [*map(without_origins, first.values())] == [*map(without_origins, second.values())]
    assert read_origin(origin_path("gapeval", "v2")) == ORIGIN
    export_items(ROOM, "v2", Path("again"))
    assert here(Path("again")) == here(Path("out"))
    written = here(Path("out/gapeval"))
    assert json.loads(written["data_10/prompt.json"])["category"] == "physics" and "data_12/image/11.jpg" in written
    assert written["data_2/image/1.jpg"] == painted("three red cars", 1)


def test_what_is_mended_or_assumed_is_told(project: Path) -> None:
    put("data_1", [COUNTING | {"category": "Counting", "reference": {"objects": ["a"], "number": [2]}}, {}], PAIR)
    put("data_2", {**TEXTS, "category": "multi  hop", "seen": 1}, {"image/a.jpg": 0, "inage/b.jpg": 1})
    put("data_3", COUNTING | {"category": "reasoning", "subcategory": "mmlu/mmmu"}, PAIR | {"image/2.jpg": 2})
    put("notes")
    found, told = read()
    assert not found.odd
    assert told == [
        (None, "notes", "key", None),
        ("data_1", "prompt.json", "count", "the first"),
        ("data_1", "category", "term", "counting"),
        ("data_2", "category", "term", "Multi Hop"),
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
        put(name, COUNTING | {"reference": reference}, PAIR)
    found, told = read()
    assert (told, len(found.items), list(found.odd)) == ([], 7, [])
    assert [item.reference_text for item in found.items[-2:]] == ['{"number":[2,3],"objects":["duck","bird"]}', "a\nb"]


UGLY = {
    "no file": (None, "prompt.json: None: there is no such file"),
    "broken": (b'{"category": "counting"', 'prompt.json: \'{"category": "counting"\': not JSON'),
    "empty": (b"", "prompt.json: '': not JSON"),
    "empty list": (b"[]", "prompt.json: '[]': no object, and no list of one"),
    "a list of texts": (b'["a"]', "no object, and no list of one"),
    "a number": (b"7", "no object"),
    "no UTF-8": (b'{"category": "\xff"}', "not JSON"),
    "twice": (b'{"category": "counting", "category": "physics"}', "the key stands twice in an object"),
    "nested": (b'{"a": ' + b"[" * 500 + b"]" * 500 + b"}", "not JSON"),
    "no category": (TEXTS, "category: None"),
    "a category of another type": (COUNTING | {"category": ["counting"]}, "category: ['counting']"),
    "an unknown category": (COUNTING | {"category": "poetry"}, "category: 'poetry'"),
    "no prompt": ({**COUNTING, "gen_prompt": None}, "gen_prompt: None"),
    "a blank prompt": (COUNTING | {"gen_prompt": "  "}, "gen_prompt: '  '"),
    "a prompt that is a number": (COUNTING | {"und_prompt": 3}, "und_prompt: 3"),
    "no question": ({**COUNTING, "und_prompt": ""}, "und_prompt: ''"),
    "no reference": ({**COUNTING, "reference": None}, "reference: None"),
    "a blank reference": (COUNTING | {"reference": [" "]}, None),
    "true": (COUNTING | {"reference": True}, "reference: True"),
    "a subcategory of another type": (COUNTING | {"subcategory": 3}, "subcategory: 3"),
    "drawn in words": (COUNTING | {"drawn": "yes"}, "drawn: 'yes'"),
}


@pytest.mark.parametrize(("entry", "why"), UGLY.values(), ids=UGLY)
def test_what_can_be_no_item_is_an_entry_that_is_put_to_nobody(project: Path, entry: Any, why: str | None) -> None:
    put("data_1", COUNTING, PAIR)
    put("data_2", entry, PAIR)
    if why is None:
        assert not read()[0].odd
        return
    assert refused().startswith("data_2: ") and why in refused()
    assert list(imported()) == ["data_1"]
    odd = read_edition("gapeval", "v1", Item)[-1]
    assert odd.id == "data_2" and why in str(odd.unusable)


def jpeg_in_cmyk() -> bytes:
    """A picture as printers have it."""
    out = io.BytesIO()
    Image.new("CMYK", (40, 30), (0, 200, 200, 0)).save(out, "JPEG")
    return out.getvalue()


def animated() -> bytes:
    """A picture that moves."""
    out = io.BytesIO()
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "known format"),
        (painted()[:200], "truncated"),
        (b"<svg/>", "known format"),
        (animated(), "is animated"),
        (claiming(20_000, 20_000), "claims"),
    ],
    ids=["empty", "cut off", "drawing", "animated", "huge"],
)
def test_an_item_without_a_usable_picture_stays_and_is_put_to_nobody(project: Path, data: bytes, why: str) -> None:
    put("data_1", COUNTING, PAIR)
    put("data_2", COUNTING, PAIR | {"image/1.jpg": data})
    put("data_3", COUNTING, PAIR | {"ref/1.jpg": data})
    put("data_4", COUNTING, {"ref/1.jpg": 0})
    items = imported()
    assert items["data_2"].unusable == "pictures cannot be used: image/1.jpg"
    assert items["data_4"].unusable == "its picture is missing"
    assert items["data_1"].unusable is None and items["data_3"].unusable is None
    assert [picture.role for picture in items["data_3"].images] == ["question"]
    pictures = [one for one in read()[0].findings or () if one.defect == "picture"]
    assert [one.id for one in pictures] == ["data_2", "data_3", "data_4"] and why in str(pictures[0].found).lower()
    with pytest.raises(UserError, match="--strict: defects, 3: 3 picture"):
        list(import_items(ROOM, ROOT, "v2", strict=True))


def test_a_picture_for_print_is_kept_byte_for_byte(project: Path) -> None:
    data = jpeg_in_cmyk()
    put("data_1", COUNTING, PAIR | {"image/1.jpg": data})
    [item] = imported().values()
    assert pictures_of("gapeval", "v1")[item.images[0].sha256].data == data


def test_nothing_is_read_out_of_the_folder(project: Path) -> None:
    outside = project / "elsewhere.jpg"
    outside.write_bytes(painted())
    folder = put("data_1", COUNTING, {"ref/1.jpg": 0})
    (folder / "image").mkdir()
    (folder / "image/1.jpg").symlink_to(outside.resolve())
    put("data_2", COUNTING | {"category": "physics", "img": "../../elsewhere.jpg"}, {"ref/1.jpg": 1})
    put("data_3", COUNTING | {"category": "physics", "img": str(outside.resolve())}, {"ref/1.jpg": 1})
    found, _ = read()
    assert [item.unusable is not None for item in found.items] == [True] * 3
    why = [str(one.found) for one in found.findings or () if one.defect == "picture"]
    assert ["lies outside of" in one for one in why] == [True, True, False] and "there is no file" in why[2]
    entry = project / "prompt.json"
    entry.write_text(json.dumps(COUNTING))
    (put("data_4") / "prompt.json").symlink_to(entry.resolve())
    assert "leads out of the folder" in refused()


def test_names_of_pictures_that_are_not_there_make_an_item_unusable(project: Path) -> None:
    put("data_1", COUNTING | {"gen_prompt": "Join <image1> and <image2>."}, PAIR)
    put("data_2", COUNTING | {"gen_prompt": "Turn <image1> and <image:question_1>."}, PAIR)
    found, told = read()
    assert [item.unusable for item in found.items] == ["prompt names <image2>", None]
    assert told == [("data_1", "prompt", "placeholder", None)]


def test_a_folder_that_could_not_be_told_from_another_is_no_item(project: Path) -> None:
    for name in ("data_7", "data_10", "data_100", "data_07"):
        put(name, COUNTING, PAIR)
    said = refused()
    assert "id: 'data_" in said and "cannot be told from 'data_" in said
    put("data_1\n", COUNTING, PAIR)
    assert (None, "'published/data_1\\n'", "key", None) in read()[1]


def test_what_is_no_folder_of_items_is_told(project: Path) -> None:
    with pytest.raises(UserError, match=r"^nowhere: is no folder: "):
        FOLDER.read(Path("nowhere"), None)
    ROOT.mkdir()
    with pytest.raises(UserError, match=r"^published: there are no items in it: folders data_<n>"):
        FOLDER.read(ROOT, None)
    with pytest.raises(UserError, match=r"^--images published: pictures lie in the items' folders: leave it out$"):
        FOLDER.read(ROOT, ROOT)


@pytest.mark.parametrize("ids", [("a/b",), (".a",), ("a", "A"), ("data_1", "data_01")])
def test_ids_that_can_be_no_folders_are_not_written(tmp_path: Path, ids: tuple[str, ...]) -> None:
    items = [
        GapItem(id=id, category="numerical", subcategory="s", prompt="p", question="q", reference_text="r")
        for id in ids
    ]
    with pytest.raises(ValueError, match="folder"):
        FOLDER.write(items, {}, None, tmp_path / "out")


def test_numbers_in_names_are_numbers() -> None:
    assert in_order(["data_10", "data_9", "b", "data_1a2"]) == ["b", "data_1a2", "data_9", "data_10"]
    assert plain("Data_007") == "data_7" and plain("data_100") == "data_100" and plain("data_0") == "data_0"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(
    ["category", "subcategory", "und_prompt", "gen_prompt", "reference", "img", "drawn", "unusable", "x"]
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(KEYS, JSON, max_size=4))
def test_whatever_stands_there_is_an_item_or_said_to_be_none(project: Path, changed: dict[str, Any]) -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    put("data_1", COUNTING | changed, {"ref/1.jpg": 1})
    found, _ = read()
    assert len(found.items) + len(found.odd) == 1
    for item in found.items:
        shutil.rmtree("out", ignore_errors=True)
        FOLDER.write([item], {sha256: Picture(data) for sha256, data in found.pictures.items()}, None, Path("out"))
        assert without_origins(FOLDER.read(Path("out"), None).items[0]) == without_origins(item)
