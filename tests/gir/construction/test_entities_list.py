from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gamut.project.errors import UserError
from gamut.texts.names import words_of
from gamut.texts.near_duplicate_search import find_near_duplicates
from gamut.world.vocabulary import COLOURS, KINDS, LETTERING
from stages.gir.construction import draw_quantity, draw_spatial
from stages.gir.construction.draw_lettering import Riddle, letterings, read_riddles, riddle_prompt
from stages.gir.construction.entities import read_entities
from stages.gir.construction.words import POOLS
from stages.gir.shared.items import SUBSETS
from tests.constructing import folded_name


@pytest.mark.parametrize("folder", [POOLS, POOLS / "world"], ids=["general", "world"])
def test_pools_have_enough_to_choose_among(folder: Path) -> None:
    entities = read_entities(folder)
    for domain in (entities.zoology, entities.botany, entities.geography):
        assert len(domain) >= 4
        for entity in domain:
            assert entity.accepted[0] == entity.name


PUBLISHED = 100
"""Cases of each domain of entities, and of each kind of riddle (sections 3.1 and 3.2)."""


def test_the_pool_has_what_a_whole_edition_takes() -> None:
    """Descriptions too, so that role `writer` is asked for none."""
    descriptions = read_entities(POOLS).descriptions
    assert all(descriptions.values())
    for task in SUBSETS["ugc"]:
        assert sum(domain == task for domain, _ in descriptions) >= PUBLISHED
    assert len(list(draw_quantity.quantities(1, PUBLISHED, draw_quantity.read_pools(POOLS)))) == PUBLISHED
    assert len(list(draw_spatial.spatials(1, PUBLISHED, draw_spatial.read_pools(POOLS)))) == PUBLISHED
    assert len(list(letterings(1, PUBLISHED, GENERAL))) == PUBLISHED


def test_no_description_nearly_repeats_another(tmp_path: Path) -> None:
    descriptions = [text for text in read_entities(POOLS).descriptions.values() if text]
    found = find_near_duplicates(descriptions, 0.7, tmp_path / "texts")
    assert [text for position, text in enumerate(descriptions) if found.reason(position)] == []
    assert len({" ".join(text.split()[:5]) for text in descriptions}) == len(descriptions)  # each begins in its own way


@pytest.mark.parametrize("task", SUBSETS["ugc"])
def test_whoever_says_a_name_means_one_entity(task: str) -> None:
    """In any case, form of letters or number."""
    listed = getattr(read_entities(POOLS), task)
    names = Counter(name for entity in listed for name in {folded_name(name) for name in entity.accepted})
    assert [name for name, times in names.items() if times > 1] == []


def test_the_world_can_paint_its_pool() -> None:
    entities = read_entities(POOLS / "world")
    for entity in (*entities.zoology, *entities.botany, *entities.geography):
        article, colour, kind = entity.name.split(" ", 2)
        assert (article, colour in COLOURS, kind in KINDS) == ("a", True, True)
        assert kind in entity.names


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ("{name: A}", "'a' occurs 2 times"),
        ("{name: e, names: [B]}", "'b' occurs 2 times"),
        ("{name: e, other: 1}", "unknown key"),
        ("{name: ' e'}", "zoology.4.name"),
        ("{name: eel, description: One of the eels.}", "description of 'eel': 'eel' is a word of its name"),
        ("{name: eel, names: [e e], description: It swims}", "a sentence is expected, with a full stop"),
        ("{name: e, description: It is.}, {name: f, description: It is.}", "'It is.' occurs 2 times"),
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


GENERAL, WORLD = read_riddles(POOLS), read_riddles(POOLS / "world")


@pytest.mark.parametrize("riddles", [GENERAL, WORLD], ids=["general", "world"])
def test_a_run_has_every_phrase_at_most_once(riddles: list[Riddle]) -> None:
    cases = list(letterings(1, len(riddles), riddles))
    assert sorted(case.text for case in cases) == sorted(riddle.text for riddle in riddles)
    assert len({case.prompt for case in cases}) == len(cases)
    assert list(letterings(1, 10, riddles)) == cases[:10]
    assert list(letterings(2, 10, riddles)) != cases[:10]


def test_more_than_the_pool_has_is_an_error() -> None:
    with pytest.raises(UserError, match=f"text: 1,000 are expected, lettering.yaml of gir.pools has {len(WORLD)}: add"):
        letterings(1, 1000, WORLD)


def test_the_prompt_says_how_long_the_words_are_and_not_what_they_are() -> None:
    case = next(case for case in letterings(1, 50, GENERAL) if case.text == "Row row row your boat")
    assert case.prompt.endswith("five words of three, three, three, four and four letters or characters.")
    for case in letterings(1, 40, WORLD):
        assert not {word for word in words_of(case.text) if len(word) > 3} & set(words_of(case.prompt))


def test_one_word_is_told_as_one() -> None:
    riddle = Riddle(clue="What you breathe.", text="AIR")
    assert riddle_prompt(riddle).endswith(": one word of three letters or characters.")


def test_the_world_can_write_what_its_pool_asks_for() -> None:
    assert {riddle.text for riddle in WORLD} <= set(LETTERING)


def test_the_pool_has_many_scripts() -> None:
    texts = "".join(riddle.text for riddle in GENERAL)
    ranges = {"Latin": "az", "Cyrillic": "ая", "Greek": "αω", "Hebrew": "את", "Arabic": "اي", "Han": "一龥"}
    ranges |= {"Devanagari": "अह", "Hangul": "가힣", "Kana": "ぁん"}
    assert [name for name, (low, high) in ranges.items() if not any(low <= sign <= high for sign in texts)] == []


@pytest.mark.parametrize(
    ("riddles", "why"),
    [
        ("[{clue: Look at what you open., text: OPEN}]", "the clue to 'OPEN' contains open: reword it"),
        ("[{clue: Say 你好 to me., text: 你好}]", "the clue to '你好' contains it"),
        ("[{clue: One., text: A}, {clue: one., text: B}]", "'one.' occurs 2 times"),
        ("[{clue: One., text: A b}, {clue: Two., text: a B}]", "'a b' occurs 2 times"),
    ],
)
def test_riddles_that_tell_or_come_twice(tmp_path: Path, riddles: str, why: str) -> None:
    (tmp_path / "lettering.yaml").write_text(f"riddles: {riddles}")
    with pytest.raises(UserError, match=why):
        read_riddles(tmp_path)
