"""The published folders come in whole, go out the same, and what is wrong with them is told by item."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from stages.asking.requests import Picture
from stages.evaluation.curating.freeze import export_items, import_apart, import_items
from stages.evaluation.curating.layout import Imported
from stages.evaluation.defining.editions import Item, Origin, origin_path, read_edition, read_origin
from stages.evaluation.defining.pictures import described, missing_pictures, pictures_of
from stages.genius.card import made
from stages.genius.layout import FOLDER
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.putting import FORMS, put
from stages.project.errors import UserError
from stages.publish import products
from tests.evaluation.small_pictures import ORIGIN
from tests.fakes import claiming
from tests.genius.published.genius_folders import (
    DATASET,
    ROOM,
    ROOT,
    drawn,
    entry,
    put_all,
    put_list,
    put_pictures,
    put_task,
)

TASK = "implicit_pattern"


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GeniusItem]:
    """The items of the frozen edition by id."""
    list(import_items(ROOM, path, version))
    return {item.id: item for item in read_edition("genius", version, GeniusItem)}


def read() -> tuple[Imported[GeniusItem], list[tuple[Any, ...]]]:
    """What is read, and its findings as tuples, but for tasks that are not there."""
    found = FOLDER.read(ROOT, None)
    told = [(one.id, one.field, one.defect, one.found, one.fix) for one in found.findings or ()]
    return found, [one for one in told if one[3] != "there is no such file"]


def without_origins(item: GeniusItem) -> dict[str, object]:
    """An item but for where its pictures were taken from."""
    return item.model_dump(exclude={"images": {"__all__": {"origin"}}})


def here(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_task_comes_in(project: Path) -> None:
    put_all()
    items = imported()
    assert list(items) == [
        "implicit_pattern/002",
        "implicit_pattern/010",
        "symbolic_constraint/7",
        "visual_constraint/1",
        "visual_constraint/2",
        "prior_conflicting/1",
        "multi_semantic/1",
    ]
    hints = {id: [(one.reference, one.hint) for one in item.consistency_hints] for id, item in items.items()}
    assert hints["implicit_pattern/002"] == [("c.png", "The things in it stay.")]
    assert hints["implicit_pattern/010"] == [("a.png", "It stays.")]
    assert hints["symbolic_constraint/7"] == [
        ("a.png", "It stays."),
        ("c.png", "The house of <image:c.png> stays."),
    ]
    assert [hints[id] for id in (*items,)[3:]] == [[]] * 4
    assert [item.sub_task for item in items.values()] == [None] * 5 + ["gravity", "noun_phrase"]
    first = items["implicit_pattern/002"]
    assert [(one.name, one.role, one.origin) for one in first.images] == [
        (f"{name}.png", "input", f"dataset/implicit_pattern/images/{name}.png") for name in "abc"
    ]
    assert (first.prompt, first.rule_hint) == ("Draw this as I like it. <image:c.png>", "It is drawn as the first.")
    assert not any(item.unusable or hasattr(item, "released") for item in items.values())
    assert missing_pictures(items.values(), pictures_of("genius", "v1")) == {}
    assert made([*items.values()]).startswith("Items were imported")
    told = [one for one in read()[1] if one[2] != "assumed"]
    assert told == []  # all of this is as published


def test_the_folder_itself_or_the_one_that_it_lies_in(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_all()
    whole = [without_origins(item) for item in FOLDER.read(ROOT, None).items]
    assert [without_origins(item) for item in FOLDER.read(DATASET, None).items] == whole
    monkeypatch.chdir(DATASET)
    assert [without_origins(item) for item in FOLDER.read(Path(), None).items] == whole


def test_an_imported_item_can_be_put_in_every_form(project: Path) -> None:
    put_all()
    for item in imported().values():
        pictures = {one.name: pictures_of("genius", "v1")[one.sha256] for one in item.images}
        for side in FORMS:
            given_here = [part for part in put(item, side, pictures).parts if isinstance(part, Picture)]
            assert given_here == [pictures[name] for name in ("a.png", "b.png", "c.png")]


def test_what_goes_out_comes_in_the_same_and_twice_the_same_bytes(project: Path) -> None:
    put_all()
    extra = [
        entry("3", note=[1, {"a": None}], category="unheard of", context="<image:a.png> <image:gone.png>"),
        entry("4", vc_hint=["It stays.", "<image:a.png> This too."]),  # one says not of which picture
        entry("5", vc_hint="<image:gone.png> It stays."),
        entry("9", context="<image:e.webp> <image:f> <image:2.5>"),
        entry("6", unusable="nobody may see it", prompt_zh="画", texts=["a text"]),
        entry("8", rc_hint="As in <image:d.png>.", vc_hint=["<image:d.png> a", "<image:d.png> <image:a.png> b"]),
    ]
    put_task("visual_constraint", *extra)
    put_pictures("visual_constraint", "a.png", "b.png", "c.png", "d.png", "e.webp", "f.jpg", "2.5.png")
    first = imported()
    assert first["visual_constraint/9"].unusable is None
    assert export_items(ROOM, "v1", Path("out")) == "out/dataset: 11 items"
    second = imported("v2", Path("out"))
    assert [*map(without_origins, first.values())] == [*map(without_origins, second.values())]
    assert read_origin(origin_path("genius", "v1")) == read_origin(origin_path("genius", "v2"))
    export_items(ROOM, "v2", Path("again"))
    assert here(Path("again")) == here(Path("out"))
    written = here(Path("out/dataset"))
    assert json.loads(written["implicit_pattern/test_data.json"])[0] == entry("002")
    assert json.loads(written["symbolic_constraint/test_data.json"])[0]["vc_hint"] == [
        "<image:a.png> It stays.",
        "The house of <image:c.png> stays.",
    ]
    assert written["implicit_pattern/images/b.png"] == drawn(1)
    assert {one.name: one.role for one in first["visual_constraint/8"].images}["d.png"] == "reference"


def test_own_items_go_out_with_pictures_of_one_name_told_apart(project: Path) -> None:
    items = [
        GeniusItem(
            id=f"{TASK}-{number}",
            task=TASK,
            sub_task="preferred_style",
            context="I like <image:sun>.",
            prompt="Draw <image:sun> and <image:both>.",
            rule_hint="The picture shows a dog.",
            consistency_hints=({"hint": "The style of this picture stays as it is.", "reference": "sun"},),  # type: ignore[arg-type]
            images=(described(drawn(number), "sun", "input"), described(drawn(9), "both", "input")),
        )
        for number in range(2)
    ]
    pictures = {one: Picture(data) for data in map(drawn, (0, 1, 9)) for one in [described(data, "x", "input").sha256]}
    FOLDER.write(items, pictures, ORIGIN, DATASET)
    assert list(here(DATASET / TASK)) == [
        "images/both.png",
        f"images/{TASK}-0_sun.png",
        f"images/{TASK}-1_sun.png",
        "test_data.json",
    ]
    found = FOLDER.read(ROOT, None)
    assert found.origin == ORIGIN and found.unread == []
    assert [item.context for item in found.items] == [f"I like <image:{TASK}-{number}_sun>." for number in range(2)]
    for item, own in zip(found.items, items, strict=True):
        assert [one.sha256 for one in item.images] == [one.sha256 for one in own.images]
        assert item.consistency_hints[0].hint == own.consistency_hints[0].hint


def small(**changed: Any) -> GeniusItem:
    """An item with one picture."""
    values = {"id": "1", "task": TASK, "context": "<image:a>", "prompt": "p", "rule_hint": "r"}
    return GeniusItem.model_validate(values | {"images": [described(drawn(1), "a", "input")]} | changed)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"context": "c"}, "none of its texts names its picture 'a'"),
        ({"images": [described(drawn(1), "a", "reference")]}, "'a', reference, would come in as input"),
        ({"context": "<image:../a>", "images": [described(drawn(1), "../a", "input")]}, "can be no file's name"),
        ({"context": f"<image:{'图' * 90}>", "images": [described(drawn(1), "图" * 90, "input")]}, "no file's name"),
    ],
)
def test_what_would_be_lost_is_not_written(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    item = small(**changed)
    with pytest.raises(ValueError, match=why):
        FOLDER.write([item], {one.sha256: Picture(drawn(1)) for one in item.images}, None, tmp_path / "out")


def test_what_is_mended_or_assumed_is_told(project: Path) -> None:
    put_list(
        TASK,
        [
            entry("1", context="<Image:a.png> and <image a.png>", subtask="Preferred Style", hidden=1),
            entry("2", vc_hint=["<image:a.png> It stays.", " ", "What stays?"], VC_hint="<image:b.png> Another."),
            entry("3", context="<image:a> <image:D.png> <image:e>", sub_task="gravity"),
        ],
    )
    put_pictures(TASK, "a.png", "b.png", "c.png", "d.png", "e.jpg", "unnamed.png", "deep/f.webp")
    put_pictures(TASK, "a.png", place=f"images/{TASK}")
    (DATASET / "notes").mkdir()
    found, told = read()
    assert found.unread == []
    images = f"dataset/{TASK}/images"
    assert told == [
        (None, "notes", "key", "a folder that is no task's", None),
        ("implicit_pattern/1", "context", "placeholder", "<Image:a.png>", "<image:a.png>"),
        ("implicit_pattern/1", "context", "placeholder", "<image a.png>", None),
        ("implicit_pattern/1", "images", "assumed", f"a.png: {images}/a.png, images/{TASK}/a.png", f"{images}/a.png"),
        ("implicit_pattern/1", "subtask", "assumed", "Preferred Style", "preferred_style"),
        ("implicit_pattern/1", "hidden", "key", 1, None),
        ("implicit_pattern/2", "vc_hint", "blank", "['<image:a.png> It stays.', ' ', 'What stays?']", None),
        ("implicit_pattern/2", "vc_hint", "placeholder", "What stays?", None),
        ("implicit_pattern/2", "images", "assumed", f"a.png: {images}/a.png, images/{TASK}/a.png", f"{images}/a.png"),
        ("implicit_pattern/2", "VC_hint", "key", "<image:b.png> Another.", None),
        ("implicit_pattern/3", "images", "assumed", f"a: {images}/a.png, images/{TASK}/a.png", f"{images}/a.png"),
        ("implicit_pattern/3", "images", "assumed", f"D.png: {images}/d.png", f"{images}/d.png"),
        ("implicit_pattern/3", "sub_task", "key", "gravity", None),
        (None, f"{images}/deep/f.webp", "count", "a picture that no item names", None),
        (None, f"{images}/unnamed.png", "count", "a picture that no item names", None),
    ]
    assert [one.name for one in found.items[2].images] == ["a", "D.png", "e", "c.png"]
    missing = [one.field for one in FOLDER.read(ROOT, None).findings or () if one.found == "there is no such file"]
    assert missing == [f"{task}/test_data.json" for task in TASKS[1:]]


@pytest.mark.parametrize("place", [f"dataset/{TASK}", f"dataset/images/{TASK}", f"images/{TASK}"])
def test_pictures_may_lie_in_other_places(project: Path, place: str) -> None:
    put_list(TASK, [entry()])
    put_pictures(TASK, "a.png", "b.png", "c.png", place=place)
    [item] = imported().values()
    assert item.unusable is None and item.images[0].origin == f"{place}/a.png"


UGLY = {
    "no id": ({**entry(), "id": None}, "implicit_pattern.id: None: it can be no file's name"),
    "a blank id": (entry(" "), "' ': it can be no file's name"),
    "a long id": (entry("x" * 201), "can be no file's name"),
    "an id of another type": (entry(1.5), "1.5: it can be no file's name"),  # type: ignore[arg-type]
    "true": (entry(True), "True: it can be no file's name"),
    "an id that leads elsewhere": (entry("../1"), "'../1': it can be no file's name"),
    "a hidden id": (entry(".1"), "'.1': it can be no file's name"),
    "no entry": ("text", "'text': it can be no file's name"),
    "no context": (entry(context=None), "implicit_pattern/002: context: None"),
    "a blank context": (entry(context=" "), "context: ' ': a text is wanted"),
    "a context of another type": (entry(context=["a"]), "context: ['a']"),
    "no instruction": (entry(instruction=None), "instruction: None"),
    "no hint for the rule": (entry(rc_hint=None), "rc_hint: None"),
    "a number for what stays": (entry(vc_hint=3), "vc_hint: 3"),
    "a list of numbers for what stays": (entry(vc_hint=[3]), "vc_hint: [3]: a text is wanted, or a list of texts"),
    "true for what stays": (entry(vc_hint=True), "vc_hint: True"),
    "a text of ours of another type": (entry(texts=3), "texts: 3"),
}


@pytest.mark.parametrize(("ugly", "why"), UGLY.values(), ids=UGLY)
def test_what_can_be_no_item_is_an_entry_that_is_put_to_nobody(project: Path, ugly: Any, why: str) -> None:
    put_task(TASK, entry("1"), ugly)
    [odd] = read()[0].odd
    assert why in odd.said
    assert list(imported()) == ["implicit_pattern/1"]
    assert why.rpartition("002: ")[2] in str(read_edition("genius", "v1", Item)[-1].unusable)


LISTS = {
    "broken": (b'[{"id": 1}', "not JSON"),
    "empty": (b"", "not JSON"),
    "an object": (json.dumps({"1": entry()}).encode(), "is no list"),
    "UTF-16": (json.dumps([entry()]).encode("utf-16"), "not JSON"),
}


@pytest.mark.parametrize(("content", "why"), LISTS.values(), ids=LISTS)
def test_a_list_that_cannot_be_read_stops_the_import_and_hides_no_other(
    project: Path, content: bytes, why: str
) -> None:
    put_task("multi_semantic", entry("1", vc_hint="What stays?"))
    put_list(TASK, content)
    found, told = read()
    [said] = found.unread
    assert said.startswith("implicit_pattern/test_data.json: ") and why in said and len(found.items) == 1
    assert [one[:3] for one in told] == [
        (None, "implicit_pattern/test_data.json", "type"),
        ("multi_semantic/1", "vc_hint", "placeholder"),
    ]
    with pytest.raises(UserError, match=r"^published: implicit_pattern/test_data\.json: [^\n]*$"):
        imported()
    with pytest.raises(UserError, match=r"; looked/lint\.json lists them$"):
        list(import_apart(ROOM, ROOT, Path("looked")))
    assert len(json.loads(Path("looked/lint.json").read_bytes())) == 2 + 3  # with three tasks that are missing


def test_marks_before_and_line_breaks_in_a_list_do_no_harm(project: Path) -> None:
    put_task(TASK)
    put_list(TASK, b"\xef\xbb\xbf" + json.dumps([entry(context="a\r\nb")], indent=1).replace("\n", "\r\n").encode())
    assert imported()["implicit_pattern/002"].context == "a\r\nb"


@pytest.mark.parametrize("ids", [("1", 1), (7, 7), ("1", "1"), ("é", "e\u0301")])
def test_ids_whose_outputs_could_not_be_told_apart_are_one_item(project: Path, ids: tuple[str | int, ...]) -> None:
    put_task(TASK, *(entry(id) for id in ids))
    found, told = read()
    [odd] = found.odd
    assert len(found.items) == 1 and "cannot be told from" in odd.said
    assert [one[1:3] for one in told] == [("id", "duplicate")]
    put_task(TASK, entry("007"), entry("7"))
    assert list(imported()) == ["implicit_pattern/007", "implicit_pattern/7"], "whose outputs are 007.png and 7.png"


def test_the_same_id_and_name_mean_others_in_another_task(project: Path) -> None:
    put_task(TASK, entry("1"))
    put_task("multi_semantic", entry("1"))
    items = imported()
    assert list(items) == ["implicit_pattern/1", "multi_semantic/1"]
    one, other = (item.images[0] for item in items.values())
    assert one.name == other.name and one.sha256 != other.sha256
    export_items(ROOM, "v1", Path("out"))
    assert [*map(without_origins, imported("v2", Path("out")).values())] == [*map(without_origins, items.values())]


def animated() -> bytes:
    """A picture that moves."""
    out = io.BytesIO()
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "there is no 'a.png' in dataset/implicit_pattern/images, dataset/implicit_pattern, dataset/images/"),
        (b"", "known format"),
        (drawn(1)[:60], "is truncated"),
        (b"<svg/>", "known format"),
        (animated(), "is animated"),
        (claiming(20_000, 20_000), "claims"),
    ],
    ids=["missing", "empty", "cut off", "drawing", "animated", "huge"],
)
def test_an_item_without_a_usable_picture_stays_and_is_put_to_nobody(
    project: Path, data: bytes | None, why: str
) -> None:
    put_pictures(TASK, "a.png", "b.png", "c.png")
    path = DATASET / TASK / "images/a.png"
    path.unlink() if data is None else path.write_bytes(data)
    put_list(
        TASK,
        [
            entry("1"),  # its context names it
            entry("2", context="c", vc_hint=["<image:a.png> It stays.", "<image:c.png> This too."]),
            entry("3", context="c", rc_hint="As in <image:a.png>."),
            entry("4", context="c"),
        ],
    )
    items = imported()
    assert [item.unusable for item in items.values()] == ["pictures cannot be used: a.png"] * 2 + [None] * 2
    assert [len(item.consistency_hints) for item in items.values()] == [1] * 4
    pictures = [one for one in read()[0].findings or () if one.defect == "picture"]
    assert [one.id for one in pictures] == [f"implicit_pattern/{number}" for number in (1, 2, 3)]
    assert why in str(pictures[0].found).lower()
    with pytest.raises(UserError, match="--strict: defects, 3: 3 picture"):
        list(import_items(ROOM, ROOT, "v2", strict=True))


def test_nothing_is_read_out_of_the_folder(project: Path) -> None:
    put_pictures(TASK, "b.png", "c.png")
    outside = project / "elsewhere"
    outside.mkdir()
    (outside / "a.png").write_bytes(drawn(7))
    for name in ("a.png", "gone.png"):
        (DATASET / TASK / "images" / name).symlink_to(outside.resolve() / name)
    (DATASET / TASK / "linked").symlink_to(outside.resolve())
    others = ("../../../elsewhere/a.png", str(outside.resolve() / "a.png"), "linked/a.png", "gone.png")
    put_list(TASK, [entry(str(n), context=f"<image:{name}>") for n, name in enumerate(("a.png", *others))])
    found, told = read()
    assert [item.unusable for item in found.items] == [
        f"pictures cannot be used: {name}" for name in ("a.png", *others)
    ]
    assert not any(
        described(drawn(7), "x", "input").sha256 == one.sha256 for item in found.items for one in item.images
    )
    why = [str(one[3]) for one in told if one[2] == "picture"]
    assert ["lies outside of" in one for one in why] == [True, False, False, False, True]
    (outside / "test_data.json").write_text(json.dumps([entry()]))
    (DATASET / "multi_semantic").symlink_to(outside.resolve())
    assert read()[0].unread == ["multi_semantic/test_data.json: it leads out of the folder: copy the file there"]


def test_numbers_and_blank_names_of_pictures_that_are_not_there_make_an_item_unusable(project: Path) -> None:
    put_task(
        TASK,
        entry("1", context="<image1> <image 2> <image:a.png>", instruction="<image:c.png>"),
        entry("2", context="<image2> <image:a.png>", instruction="<image3>", vc_hint=None),
        entry("3", context="<image: >"),
    )
    found, told = read()
    assert [item.unusable for item in found.items] == [
        None,
        "pictures cannot be used: <image2>, <image3>",
        "pictures cannot be used: one without a name",
    ]
    assert [one[:4] for one in told if one[0] == "implicit_pattern/2"] == [
        ("implicit_pattern/2", "context", "placeholder", "<image2>"),
        ("implicit_pattern/2", "instruction", "placeholder", "<image3>"),
    ]


def test_what_is_no_published_folder_is_told(project: Path) -> None:
    with pytest.raises(UserError, match=r"^nowhere: is no folder: name the one in which those of the tasks lie"):
        FOLDER.read(Path("nowhere"), None)
    DATASET.mkdir(parents=True)
    with pytest.raises(UserError, match=r"^published: there are no items in it: <task>/test_data\.json is wanted"):
        FOLDER.read(ROOT, None)
    put_list(TASK, [])
    with pytest.raises(UserError, match=r"^published: there are no items in it"):
        FOLDER.read(ROOT, None)
    path = put_list(TASK, [])
    path.unlink()
    path.mkdir()  # a folder, or a pipe, is no list
    assert FOLDER.read(ROOT, None).unread == [
        f"{TASK}/test_data.json: is no file: one with a list of JSON objects is wanted"
    ]
    path.rmdir()
    (DATASET / TASK / "images").mkdir()
    odd = DATASET / TASK / "images/a\nb.png"
    odd.write_bytes(drawn(1))
    put_list(TASK, [entry()])
    [said] = [one for one in FOLDER.read(ROOT, None).findings or () if one.defect == "key"]
    assert said.field.startswith("'published/") and said.found == "its name cannot be printed: rename it"
    with pytest.raises(UserError, match=r"^--images published: pictures lie in the tasks' folders: leave it out$"):
        FOLDER.read(ROOT, ROOT)
    put_list("implicit_patterns", [entry()])
    [said] = FOLDER.read(ROOT, None).unread
    assert said == "implicit_patterns: there is no such task; did you mean 'implicit_pattern'?"


def test_what_was_published_says_where_it_comes_from_and_is_not_published_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_all()
    imported()
    origin = read_origin(origin_path("genius", "v1"))
    assert origin is not None and not origin.redistributable
    assert (origin.source, origin.licence) == ("https://github.com/arctanxarc/GENIUS", "cc-by-nc-4.0")
    assert products.may_not_again("genius", "v1") == (
        "datasets/editions/genius/v1.origin.json says that https://github.com/arctanxarc/GENIUS (cc-by-nc-4.0) may not "
        "be redistributed"
    )
    monkeypatch.setattr(products, "rooms", lambda: {"genius": ROOM})
    monkeypatch.setattr(products, "require_known", lambda name: None)
    monkeypatch.setattr(products, "edition", lambda name, params: "v1")
    params: Any = SimpleNamespace(publication=lambda name: None)
    for said in (origin, Origin(source="mine", revision="1", licence="mit", redistributable=True), None):
        path = origin_path("genius", "v1")  # whatever is said of the edition, or nothing
        path.unlink(missing_ok=True)
        if said is not None:
            path.write_text(said.model_dump_json())
        with pytest.raises(UserError) as error:
            products.product("genius", params)
        assert str(error.value) == (
            "datasets/editions/genius/v1.jsonl: may not be published: 7 of its items were published for non-commercial "
            "research (CC BY-NC 4.0), such as 'implicit_pattern/002': leave them out"
        )
    put_task(TASK, entry("003"))
    assert (FOLDER.read(ROOT, None).origin or origin).revision != origin.revision
    assert ROOM.withheld([small()]) is None and made([small()]).startswith("Rules were drawn")


PIECES = ["<image:a.png>", "<image: b >", "<Image:c>", "<image1>", "<image 4>", "<image:gone>", "<image: >", "x", ":"]
TEXT = st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["id", "context", "instruction", "rc_hint", "vc_hint", "VC_hint", "category", "unusable", "x"])


@settings(max_examples=60)
@given(st.dictionaries(KEYS, JSON, max_size=4))
def test_whatever_stands_there_is_an_item_or_said_to_be_none(project: Path, changed: dict[str, Any]) -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    put_task(TASK, entry() | changed)
    found, _ = read()
    assert len(found.items) + len(found.odd) == 1
    for item in found.items:
        shutil.rmtree("out", ignore_errors=True)
        FOLDER.write(
            [item], {sha256: Picture(data) for sha256, data in found.pictures.items()}, None, Path("out/dataset")
        )
        assert without_origins(FOLDER.read(Path("out"), None).items[0]) == without_origins(item)
