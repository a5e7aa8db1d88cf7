from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.gir.construction.list_entities import PLAIN, named_in, read_entities
from stages.gir.construction.words import POOLS, WORLD_POOLS
from stages.project.errors import UserError
from stages.sandbox.vocabulary import COLOURS, KINDS


@pytest.mark.parametrize(
    ("text", "names", "word"),
    [
        ("An animal that eats bamboo.", ["a panda"], None),
        ("A panda-like animal.", ["a panda"], "panda"),
        ("One of the PANDAS.", ["a panda"], "panda"),
        ("One of the cherries.", ["cherry"], "cherry"),
        ("A hat that stands on a table.", ["a cat"], None),  # words are whole
        ("The wall that emperors built.", ["Great Wall of China"], "wall"),
        ("The tower of the world's fair of 1889.", ["Louvre", "Tour of France"], None),  # "of" names nothing
        ("它是一座大城堡。", ["城堡"], "城堡"),
    ],
)
def test_a_text_that_names(text: str, names: list[str], word: str | None) -> None:
    assert named_in(text, names) == word


@given(st.text(max_size=40), st.text("abc -'", min_size=1, max_size=12))
def test_what_holds_the_name_itself_names_it(text: str, name: str) -> None:
    """But for names of plain words alone, or of no letters."""
    letters = [word for word in name.replace("-", " ").replace("'", "").split() if word]
    if any(word not in PLAIN for word in letters):
        assert named_in(f"{text} {name} {text}", [name]) is not None


@pytest.mark.parametrize("folder", [POOLS, WORLD_POOLS], ids=["general", "world"])
def test_pools_have_enough_to_choose_among(folder: Path) -> None:
    entities = read_entities(folder)
    for domain in (entities.zoology, entities.botany, entities.geography):
        assert len(domain) >= 4
        for entity in domain:
            assert entity.accepted[0] == entity.name


def test_the_world_can_paint_its_pool() -> None:
    entities = read_entities(WORLD_POOLS)
    for entity in (*entities.zoology, *entities.botany, *entities.geography):
        article, colour, kind = entity.name.split(" ", 2)
        assert (article, colour in COLOURS, kind in KINDS) == ("a", True, True)
        assert kind in entity.names


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ("{name: A}", "'a' stands there 2 times"),
        ("{name: e, names: [B]}", "'b' stands there 2 times"),
        ("{name: e, other: 1}", "unknown key"),
        ("{name: ' e'}", "zoology.4.name"),
    ],
)
def test_a_list_that_is_malformed(tmp_path: Path, second: str, why: str) -> None:
    four = ", ".join(f"{{name: {name}}}" for name in "abcd")
    lists = f"zoology: [{four}, {second}]\nbotany: [{four}]\ngeography: [{four}]\n"
    (tmp_path / "entities.yaml").write_text(lists)
    with pytest.raises(UserError, match=why):
        read_entities(tmp_path)


def test_a_domain_of_three_has_nothing_to_choose_among(tmp_path: Path) -> None:
    three = "[{name: a}, {name: b}, {name: c}]"
    (tmp_path / "entities.yaml").write_text(f"zoology: {three}\nbotany: {three}\ngeography: {three}\n")
    with pytest.raises(UserError, match="zoology"):
        read_entities(tmp_path)
