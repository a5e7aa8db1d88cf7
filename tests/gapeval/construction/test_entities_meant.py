"""Entities that are meant and not named: the pools, and what is asked for."""

from __future__ import annotations

import pytest

from gamut.project.errors import UserError
from gamut.texts.names import name_word_in
from stages.gapeval.construction.list_cases import DOMAINS, Entity, entity_prompts, read_pool
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


def test_all_names_are_right_in_words() -> None:
    mouse = Entity(name="mouse", names=["Mus musculus"], meant="the rodent of most laboratories")
    assert entity_prompts(mouse).reference_text == "Mouse (Mus musculus)."
    assert mouse.painted == "mouse"
    assert Entity(name="Moby Dick", meant="Ahab's foe", shown="a white whale").painted == "a white whale"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("animals:\n- {name: cat, meant: a small cat}", "'cat' is a word of its name"),
        ("animals:\n- {name: cat, meant: a pet}\nplants:\n- {name: Cat, meant: a shrub}", "'cat' stands there 2 times"),
        ("animals:\n- {name: cat, meant: a pet}\n- {name: dog, meant: a pet}", "'a pet' stands there 2 times"),
        ("cars:\n- {name: cat, meant: a pet}", "cars"),
        ("animals:\n- {name: cat, meant: A pet. It purrs}", "meant"),
    ],
)
def test_pools_with_mistakes_are_refused(text: str, why: str, tmp_path) -> None:
    (tmp_path / "knowledge.yaml").write_text(text)
    with pytest.raises(UserError, match=why):
        read_pool(tmp_path)
