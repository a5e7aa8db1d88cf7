"""Frozen editions: what is frozen is read again, nothing is overwritten, a broken line is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.defining.editions import Item, freeze_edition, path_of, read_edition, read_editions
from gamut.project.errors import UserError

TEXTS = st.text(min_size=1).filter(str.strip)
OTHER = st.dictionaries(
    st.sampled_from(["track", "keywords", "origin"]), st.none() | TEXTS | st.lists(TEXTS) | st.integers(-9, 9)
)
ITEM = st.builds(
    lambda other, **own: Item(**other, **own),
    OTHER,
    id=st.integers(0, 10**9) | TEXTS,
    prompt=TEXTS,
    prompt_zh=st.none() | TEXTS,
    row=st.none() | TEXTS,
)
ITEMS = st.lists(ITEM, min_size=1, max_size=5, unique_by=lambda item: str(item.id))


def edition(name: str, *items: dict[str, Any] | str) -> None:
    path = Path("datasets/editions") / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((i if isinstance(i, str) else json.dumps(i)) + "\n" for i in items))


def test_editions_are_read_in_order(project: Path) -> None:
    edition("prism/v2", "\ufeff", {"id": 1, "prompt": "a cat"}, "")
    edition("aegis/v1", {"id": "x", "prompt": "a dog", "prompt_zh": "狗", "row": "w-00000003", "keywords": []})
    found = [(name, item.id, item.prompt_zh, item.row, item.model_extra) for name, item in read_editions()]
    assert found == [("aegis/v1", "x", "狗", "w-00000003", {"keywords": []}), ("prism/v2", 1, None, None, {})]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{broken", "line 2: not JSON"),
        ('{"id": 1}', "line 2: prompt: Field required"),
        ('{"id": 1, "prompt": "a dog"}', "line 2: an earlier line has the same id 1"),
        ('{"id": 3, "prompt": " \u3000"}', "line 2: prompt: is blank: fix it"),
        ('{"id": 3, "prompt": "a dog", "row_sha256": "5A"}', "line 2: row_sha256: String should match pattern"),
        ('{"id": 3, "prompt": "a dog", "prompt": "a cow"}', "line 2: prompt: the key occurs twice: fix it"),
    ],
)
def test_a_broken_edition_is_named(project: Path, line: str, words: str) -> None:
    edition("prism/v1", {"id": 1, "prompt": "a cat"}, line, {"id": 2, "prompt": "a dog"})
    with pytest.raises(UserError, match=f"prism/v1.jsonl, {words}"):
        list(read_editions())


@pytest.mark.parametrize("lines", [[], ["", "  "]])
def test_an_edition_without_items_is_none(project: Path, lines: list[str]) -> None:
    edition("prism/v1", *lines)
    with pytest.raises(UserError, match=r"^datasets/editions/prism/v1\.jsonl has no items: fix it, or"):
        read_edition("prism", "v1", Item)
    with pytest.raises(UserError, match="has no items"):
        list(read_editions())


@given(ITEMS)
def test_what_is_frozen_is_read_again(tmp_path_factory: pytest.TempPathFactory, items: list[Item]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("project"))
        assert freeze_edition("prism", "v1", items)
        assert read_edition("prism", "v1", Item) == items
        assert not freeze_edition("prism", "v1", read_edition("prism", "v1", Item)), "the same items are there already"


def test_a_frozen_edition_is_never_overwritten(project: Path) -> None:
    freeze_edition("prism", "v1", [Item(id=1, prompt="a cat")])
    before = path_of("prism", "v1").read_bytes()
    with pytest.raises(UserError, match=r"prism/v1\.jsonl is already frozen with other items: choose another version"):
        freeze_edition("prism", "v1", [Item(id=1, prompt="a dog")])
    assert path_of("prism", "v1").read_bytes() == before
    assert [path.name for path in path_of("prism", "v1").parent.iterdir()] == ["v1.jsonl"]


def test_line_ends_a_mark_and_blank_lines_make_no_other_edition(project: Path) -> None:
    items, path = [Item(id=n, prompt="two\r\nlines") for n in range(2)], path_of("prism", "v1")
    freeze_edition("prism", "v1", items)
    path.write_bytes(edited := b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n \r\n")
    assert read_edition("prism", "v1", Item) == items and not freeze_edition("prism", "v1", items)
    assert path.read_bytes() == edited


@pytest.mark.parametrize("items", [[], [Item(id=1, prompt="a"), Item(id="1", prompt="b")]])
def test_items_have_ids_of_their_own(project: Path, items: list[Item]) -> None:
    with pytest.raises(ValueError, match="each with its own id"):
        freeze_edition("prism", "v1", items)


def test_an_edition_that_is_not_there(project: Path) -> None:
    edition("prism/sandbox", {"id": 1, "prompt": "a cat"})
    with pytest.raises(UserError, match=r"prism/sandbo\.jsonl does not exist; did you mean 'sandbox'\?"):
        read_edition("prism", "sandbo", Item)


@pytest.mark.parametrize("version", ["", "V1", "../v1"])
def test_versions_are_names(version: str) -> None:
    with pytest.raises(UserError, match="cannot name an edition"):
        path_of("prism", version)
