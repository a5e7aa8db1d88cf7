"""Entities that are meant and not named: the pools, and what is asked for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gamut.project.errors import UserError
from gamut.texts.names import name_word_in
from gamut.texts.near_duplicate_search import find_near_duplicates
from stages.gapeval.construction.list_cases import DOMAINS, Entity, entity_prompts, read_pool
from tests.constructing import folded_name
from tests.paths import ROOT

POOLS = ROOT / "stages/gapeval/construction/pools"


@pytest.mark.parametrize("folder", [POOLS, POOLS / "world"])
def test_pools_have_all_domains_and_name_nothing(folder) -> None:
    listed = list(read_pool(folder).listed())
    assert {domain for domain, _ in listed} == set(DOMAINS)
    for _, entity in listed:
        made = entity_prompts(entity)
        assert name_word_in(made.question.removeprefix("Name "), [entity.name, *entity.names]) is None
        assert made.question.removeprefix("Name") == made.prompt.removeprefix("Generate an image of")


PUBLISHED = 147
"""Cases of world knowledge (section 2.2)."""


def test_the_pool_has_what_a_whole_edition_takes(tmp_path: Path) -> None:
    listed = list(read_pool(POOLS).listed())
    assert len(listed) >= PUBLISHED
    names = Counter(name for _, one in listed for name in {folded_name(name) for name in (one.name, *one.names)})
    assert [name for name, times in names.items() if times > 1] == []
    meant = [one.meant for _, one in listed]
    found = find_near_duplicates(meant, 0.7, tmp_path / "texts")
    assert [text for position, text in enumerate(meant) if found.reason(position)] == []


def test_what_is_meant_is_a_thing_with_its_article() -> None:
    """It stands behind "Name" and behind "Generate an image of"."""
    meant = [one.meant for _, one in read_pool(POOLS).listed()]
    assert [text for text in meant if text.split()[0] not in ("a", "an", "the")] == []


def test_all_names_are_right_in_words() -> None:
    mouse = Entity(name="mouse", names=["Mus musculus"], meant="the rodent of most laboratories")
    assert entity_prompts(mouse).reference_text == "Mouse (Mus musculus)."
    assert mouse.painted == "mouse"
    assert Entity(name="Moby Dick", meant="Ahab's foe", shown="a white whale").painted == "a white whale"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("animals:\n- {name: cat, meant: a small cat}", "'cat' is a word of its name"),
        ("animals:\n- {name: cat, meant: a pet}\nplants:\n- {name: Cat, meant: a shrub}", "'cat' occurs 2 times"),
        ("animals:\n- {name: cat, meant: a pet}\n- {name: dog, meant: a pet}", "'a pet' occurs 2 times"),
        ("cars:\n- {name: cat, meant: a pet}", "cars"),
        ("animals:\n- {name: cat, meant: A pet. It purrs}", "meant"),
    ],
)
def test_pools_with_mistakes_are_refused(text: str, why: str, tmp_path) -> None:
    (tmp_path / "knowledge.yaml").write_text(text)
    with pytest.raises(UserError, match=why):
        read_pool(tmp_path)
