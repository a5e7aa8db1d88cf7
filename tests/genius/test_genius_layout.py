"""The published folders come in whole, and what is wrong with them is told by item."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.asking.models.folder.answers import unmatched_entries
from gamut.asking.models.folder.contents import contents_of
from gamut.asking.models.weights import digest
from gamut.asking.requests import Picture
from gamut.evaluation.bodies import answer
from gamut.evaluation.curating.findings import Findings
from gamut.evaluation.curating.freeze import import_apart, import_items
from gamut.evaluation.curating.layout import ImportedItems
from gamut.evaluation.defining.editions import Item, Origin, origin_path, read_edition, read_origin
from gamut.evaluation.defining.pictures import missing_pictures, pictures_of
from gamut.project.errors import UserError
from gamut.publish import products
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.genius.curation import CURATION
from stages.genius.layout import FOLDER, hint_of, mend_names, names_in
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.prompts import FORMS, prompt
from tests.genius.genius_folders import DATASET, ROOT, drawn, entry, params, put_all, put_list, put_pictures, put_task

TASK = "implicit_pattern"


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GeniusItem]:
    list(import_items(CURATION, path, version))
    return {item.id: item for item in read_edition("genius", version, GeniusItem)}


def read() -> tuple[ImportedItems[GeniusItem], list[tuple[Any, ...]]]:
    found = FOLDER.read(ROOT, None)
    told = [(one.id, one.field, one.defect, one.found, one.fix) for one in found.findings or ()]
    return found, [one for one in told if one[3] != "there is no such file"]


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
    assert hints["symbolic_constraint/7"] == [("a.png", "It stays."), ("c.png", "The house of <image:c.png> stays.")]
    assert [hints[id] for id in (*items,)[3:]] == [[]] * 4
    first = items["implicit_pattern/002"]
    assert [(one.name, one.role, one.origin) for one in first.images] == [
        (f"{name}.png", "input", f"dataset/implicit_pattern/images/{name}.png") for name in "abc"
    ]
    assert (first.prompt, first.rule_hint) == ("Draw this as I like it. <image:c.png>", "It is drawn as the first.")
    assert not any(item.unusable or hasattr(item, "released") for item in items.values())
    assert missing_pictures(items.values(), pictures_of("genius", "v1")) == {}
    assert CURATION.origins([*items.values()]).startswith("Items were imported")
    assert read()[1] == []  # all of this is as published


def test_the_folder_itself_or_the_one_that_it_lies_in(project: Path) -> None:
    put_all()
    found = [FOLDER.read(path, None) for path in (ROOT, DATASET)]
    told = [[(item.id, [one.sha256 for one in item.images]) for item in one.items] for one in found]
    assert told[0] == told[1] and found[0].origin == found[1].origin


def test_an_imported_item_can_be_put_in_every_form(project: Path) -> None:
    put_all()
    for item in imported().values():
        pictures = {one.name: pictures_of("genius", "v1")[one.sha256] for one in item.images}
        for setting in FORMS:
            given_here = [part for part in prompt(item, setting, pictures).parts if isinstance(part, Picture)]
            assert given_here == [pictures[name] for name in ("a.png", "b.png", "c.png")]


def test_what_is_mended_or_assumed_is_told(project: Path) -> None:
    put_list(
        TASK,
        [
            entry("1", context="<Image:a.png> and <image a.png>", hidden=1),
            entry("2", vc_hint=["<image:a.png> It stays.", " ", "What stays?"], VC_hint="<image:b.png> Another."),
            entry("3", context="<image:a> <image:D.png> <image:e>"),
            entry("4", context="<image:e\u0301.png>"),
        ],
    )
    put_pictures(TASK, "a.png", "b.png", "c.png", "d.png", "e.jpg", "unnamed.png", "\u00e9.png")
    (DATASET / "notes").mkdir()
    found, told = read()
    assert found.unread == []
    images = f"dataset/{TASK}/images"
    assert told == [
        (None, "notes", "key", "not the folder of a task", None),
        ("implicit_pattern/1", "context", "placeholder", "<Image:a.png>", "<image:a.png>"),
        ("implicit_pattern/1", "context", "placeholder", "<image a.png>", None),
        ("implicit_pattern/1", "hidden", "key", 1, None),
        ("implicit_pattern/2", "vc_hint", "blank", "['<image:a.png> It stays.', ' ', 'What stays?']", None),
        ("implicit_pattern/2", "vc_hint", "placeholder", "What stays?", None),
        ("implicit_pattern/2", "VC_hint", "key", "<image:b.png> Another.", None),
        ("implicit_pattern/3", "images", "assumed", f"D.png: {images}/d.png", f"{images}/d.png"),
        ("implicit_pattern/4", "images", "assumed", f"e\u0301.png: {images}/\u00e9.png", f"{images}/\u00e9.png"),
        (None, f"{images}/unnamed.png", "count", "a picture that no item names", None),
    ]
    assert [one.name for one in found.items[2].images] == ["a", "D.png", "e", "c.png"]
    assert found.items[1].released == {  # type: ignore[attr-defined]
        "VC_hint": "<image:b.png> Another.",
        "vc_hint": ["<image:a.png> It stays.", " ", "What stays?"],
    }
    missing = [one.field for one in FOLDER.read(ROOT, None).findings or () if one.found == "there is no such file"]
    assert missing == [f"dataset/{task}/test_data.json" for task in TASKS[1:]]


UGLY = {
    "no id": ({**entry(), "id": None}, "implicit_pattern.id: None: it can be no file's name"),
    "a long id": (entry("x" * 201), "can be no file's name"),
    "an id that leads elsewhere": (entry("../1"), "'../1': it can be no file's name"),
    "no entry": ("text", "'text': it can be no file's name"),
    "no context": (entry(context=None), "implicit_pattern/002: context: None"),
    "a blank context": (entry(context=" "), "context: ' ': a text is expected"),
    "a number for what stays": (entry(vc_hint=3), "vc_hint: 3"),
    "a list of numbers for what stays": (entry(vc_hint=[3]), "vc_hint: [3]: a text is expected, or a list of texts"),
}


@pytest.mark.parametrize(("ugly", "why"), UGLY.values(), ids=UGLY)
def test_what_can_be_no_item_is_an_entry_that_is_put_to_nobody(project: Path, ugly: Any, why: str) -> None:
    put_task(TASK, entry("1"), ugly)
    [odd] = read()[0].odd
    assert why in odd.said
    assert list(imported()) == ["implicit_pattern/1"]
    assert why.rpartition("002: ")[2] in str(read_edition("genius", "v1", Item)[-1].unusable)


@pytest.mark.parametrize("ids", [("1", 1), (7, 7), ("1", "1"), ("é", "e\u0301")])
def test_ids_whose_outputs_could_not_be_told_apart_are_one_item(project: Path, ids: tuple[str | int, ...]) -> None:
    put_task(TASK, *(entry(id) for id in ids))
    found, told = read()
    [odd] = found.odd
    assert len(found.items) == 1 and "cannot be told apart from" in odd.said
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


def test_an_item_without_a_usable_picture_stays_and_is_put_to_nobody(project: Path) -> None:
    put_pictures(TASK, "b.png", "c.png")
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
    assert pictures[0].found == "there is no 'a.png' in dataset/implicit_pattern/images"
    with pytest.raises(UserError, match=r"published has defects, 3 \(3 picture\): fix them, or leave --strict out"):
        list(import_items(CURATION, ROOT, "v2", strict=True))


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
    DATASET.mkdir(parents=True)
    for prepare in (lambda: None, lambda: put_list(TASK, [])):
        prepare()
        with pytest.raises(UserError, match=r"^published has no items: <task>/test_data\.json is expected"):
            FOLDER.read(ROOT, None)


def test_a_list_that_cannot_be_read_stops_the_import_and_hides_no_other(project: Path) -> None:
    put_task("multi_semantic", entry("1", vc_hint="What stays?"))
    put_list(TASK, b"{}")
    put_list("implicit_patterns", [entry()])
    found, told = read()
    assert found.unread == [
        "dataset/implicit_patterns: there is no such task; did you mean 'implicit_pattern'?",
        "dataset/implicit_pattern/test_data.json: is not a list: a list of JSON objects is expected",
    ]
    assert len(found.items) == 1 and len(told) == 3
    with pytest.raises(UserError, match=r"^published: dataset/implicit_patterns: [^\n]*$"):
        imported()
    with pytest.raises(UserError, match=r"; looked/lint\.json lists them$"):
        list(import_apart(CURATION, ROOT, Path("looked")))
    assert len(json.loads(Path("looked/lint.json").read_bytes())) == 3 + 3  # with three tasks that are missing


def test_what_was_published_says_where_it_comes_from_and_is_not_published_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_all()
    imported()
    origin = read_origin(origin_path("genius", "v1"))
    assert origin is not None and not origin.redistributable
    assert (origin.source, origin.licence) == ("https://github.com/arctanxarc/GENIUS", "cc-by-nc-4.0")
    assert products.withheld_reason("genius", "v1", []) == (
        "datasets/editions/genius/v1.origin.json says that https://github.com/arctanxarc/GENIUS (cc-by-nc-4.0) may not "
        "be redistributed"
    )
    monkeypatch.setattr(products, "curations", lambda: {"genius": CURATION})
    monkeypatch.setattr(products, "require_known", lambda name: None)
    params: Any = SimpleNamespace(publication=lambda name: None, edition=lambda name: "v1")
    for said in (origin, Origin(source="mine", revision="1", licence="mit", redistributable=True), None):
        path = origin_path("genius", "v1")  # whatever is said of the edition, or nothing
        path.unlink(missing_ok=True)
        if said is not None:
            path.write_text(said.model_dump_json())
        with pytest.raises(UserError) as error:
            products.find_product("genius", params)
        assert str(error.value) == (
            "datasets/editions/genius/v1.jsonl may not be published: 7 of its items were published for non-commercial "
            "research (CC BY-NC 4.0), such as 'implicit_pattern/002': leave them out"
        )
    put_task(TASK, entry("003"))
    assert (FOLDER.read(ROOT, None).origin or origin).revision != origin.revision
    own = GeniusItem(id="1", task=TASK, context="c", prompt="p", rule_hint="r")
    assert CURATION.withheld([own]) is None and CURATION.origins([own]).startswith("Rules were drawn")


PIECES = ["<image:a.png>", "<image: b >", "<Image:c>", "<image1>", "<image 4>", "<image:gone>", "<image: >", "x", ":"]
TEXT = st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["id", "context", "instruction", "rc_hint", "vc_hint", "VC_hint", "x"])


@settings(max_examples=60)
@given(st.dictionaries(KEYS, JSON, max_size=4))
def test_whatever_stands_there_is_an_item_or_said_to_be_none(project: Path, changed: dict[str, Any]) -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    put_task(TASK, entry() | changed)
    found, _ = read()
    assert len(found.items) + len(found.odd) == 1


@pytest.mark.parametrize(
    ("text", "whole", "told"),
    [
        ("see <image:a.png>, <image: a b.png > and <image1>", None, []),
        ("see <Image:a>", "see <image:a>", [("<Image:a>", "<image:a>")]),
        ("see < image ： 图 1.png >", "see <image:图 1.png>", [("< image ： 图 1.png >", "<image:图 1.png>")]),
        ("see <image a.png>", None, [("<image a.png>", None)]),
        ("see <image:>", None, [("<image:>", None)]),
        ("see <IMAGE: >", None, [("<IMAGE: >", None)]),
        ("see </image:a>", None, [("</image:a>", None)]),
        ("<imagery> 1 < 2 > image:a", None, []),
    ],
)
def test_names_that_are_misspelt_are_told(text: str, whole: str | None, told: list[tuple[str, str | None]]) -> None:
    said = Findings("1")
    assert mend_names("context", text, said) == (text if whole is None else whole)
    assert said == [("1", "context", "placeholder", found, fix) for found, fix in told]


def test_names_stand_once_in_the_order_in_which_they_are_named() -> None:
    assert names_in("<image:b> <image: a >", "<image:b> <image:c.png>") == ["b", "a", "c.png"]
    assert names_in("<image: >") == [""] and names_in("<image1> image:a") == []


@pytest.mark.parametrize(
    ("text", "hint", "reference"),
    [
        ("<image:a.png> The dog stays.", "The dog stays.", "a.png"),
        ("  <image: a.png >：The dog stays. ", "The dog stays.", "a.png"),
        ("<image:a.png>狗不变", "狗不变", "a.png"),
        ("The dog of <image:a.png> stays.", "The dog of <image:a.png> stays.", "a.png"),
        ("<image:a> It stays as in <image:b>.", "It stays as in <image:b>.", "a"),
        ("<image:a><image:a> stays", "<image:a> stays", "a"),
        ("<image: > <image:b> stays", "<image: > <image:b> stays", "b"),
        ("The dog stays.", "The dog stays.", None),
        ("<image1> The dog stays.", "<image1> The dog stays.", None),
        ("<image:a.png> : ", "", "a.png"),
        ("", "", None),
    ],
)
def test_a_hint_is_about_the_first_picture_that_it_names(text: str, hint: str, reference: str | None) -> None:
    assert hint_of(text) == (hint, reference)


@given(st.text(st.sampled_from("<>imageIMAGE:： /1a\n"), max_size=30))
def test_whatever_is_mended_stays_mended(text: str) -> None:
    first, said = Findings("1"), Findings("1")
    once = mend_names("context", text, first)
    assert mend_names("context", once, said) == once
    assert [one.found for one in said] == [one.found for one in first if one.fix is None]


MADE = Path("outputs/mine")
IDS = ("implicit_pattern/002", "implicit_pattern/010", "symbolic_constraint/7")


@pytest.fixture
def edition(project: Path) -> None:
    put_all()
    list(import_items(CURATION, ROOT, "v1"))


def put_outputs(*names: str) -> None:
    for number, name in enumerate(names):
        (MADE / name).parent.mkdir(parents=True, exist_ok=True)
        (MADE / name).write_bytes(drawn(500 + number))


def answered(max_failures: int = 0) -> dict[str, Row]:
    model = {"kind": "folder", "path": str(MADE), "revision": digest(MADE)}
    answer.answer(CURATION.benchmark, params(model, max_failures), "mine")
    return {row["item"]: row for row in read_rows(Path("datasets/genius/answers/mine"))}


def test_pictures_are_found_by_task_and_id_and_what_is_of_no_item_is_named(edition: None) -> None:
    others = ("visual_constraint/1.webp", "visual_constraint/2.jpg", "prior_conflicting/1.png", "multi_semantic/9.jpeg")
    put_outputs("implicit_pattern/002.png", "implicit_pattern/010.png", "symbolic_constraint/007.png", *others)
    rows = answered(max_failures=1)
    assert [rows[id]["parts"][0]["image"]["bytes"] for id in IDS] == [drawn(500), drawn(501), drawn(502)]
    assert {id: row["status"] for id, row in rows.items() if row["status"] != "ok"} == {
        "multi_semantic/1": "missing_output"
    }
    assert len(rows) == 7 and unmatched_entries(contents_of("x", MADE), rows) == ["multi_semantic/9.jpeg"]
