"""Draws for curated prompts: the same for a seed, none twice, built as published; pools; what a prompt lacks."""

from __future__ import annotations

import re
from collections import Counter
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.project.errors import UserError
from stages.prism.construction.samples import (
    ATTRIBUTES,
    FOLDER,
    TRACKS,
    Emotions,
    Families,
    Lettering,
    Sample,
    Styles,
    draw_samples,
    missing,
    pools,
)
from stages.prism.shared.items import TRACKS as PUBLISHED

WORLD = FOLDER / "world"
SEEDS = st.integers(0, 2**32)
ANY = st.sampled_from(sorted(TRACKS))
EMOTIONAL = r"\b(seren|joy|ecsta|accept|trust|admir|apprehen|fear|terr[io]|distract|surpris|amaz|pensive|sad|grie[fv]|\
bored|boring|disgust|loath|annoy|ang[er]r|rag(e|ing)\b|interest|anticipat|vigilan|happ|cry|weep|smil|laugh|afraid|lonel)"
SMALL = {
    "entity": "families: {animal: [okapi, orca], plant: [ginkgo]}",
    "style": "style: {medium: [watercolor, oil painting]}\nsubject: [cat, dog, owl]",
}


def written(folder: Path, track: str, text: str) -> Path:
    (folder / f"{track}.yaml").write_text(text, encoding="utf-8")
    return folder


def composed(draw: Sample) -> str:
    return ", ".join(f"“{text}”" if role == "content" else text for role, text in draw.elements)


def families(track: str) -> dict[str, list[str]]:
    found = pools(track)
    assert isinstance(found, Families)
    return found.families


def test_tracks_are_the_published_ones_without_long_text() -> None:
    assert [*TRACKS, "long_text"] == list(PUBLISHED)
    for folder in (FOLDER, WORLD):
        assert {path.name for path in folder.glob("*.yaml")} == {f"{track}.yaml" for track in TRACKS}


@settings(max_examples=30)
@given(ANY, SEEDS, st.integers(0, 60))
def test_no_repeats_and_fewer_are_the_first_of_more(track: str, seed: int, count: int) -> None:
    found = draw_samples(track, 60, seed)
    assert draw_samples(track, count, seed) == found[:count]
    assert [(draw.track, draw.number) for draw in found] == [(track, number) for number in range(60)]
    assert len({frozenset(draw.elements) for draw in found}) == 60
    assert all(len({text for _, text in draw.elements}) == len(draw.elements) for draw in found)


@pytest.mark.parametrize("track", TRACKS)
def test_another_seed_draws_others(track: str) -> None:
    assert draw_samples(track, 50, 0) != draw_samples(track, 50, 1)


@pytest.mark.parametrize("track", ["imagination", "entity"])
def test_one_to_three_of_one_or_several_families(track: str) -> None:
    found = draw_samples(track, 200, 0)
    assert {len(draw.elements) for draw in found} == {1, 2, 3}
    several = [draw for draw in found if len(draw.elements) > 1]
    assert {len({family for family, _ in draw.elements}) for draw in several} == {1, 2, 3}
    assert all(text in families(track)[family] for draw in found for family, text in draw.elements)


def test_text_is_content_font_and_surface() -> None:
    found = draw_samples("text_rendering", 50, 0)
    assert {tuple(role for role, _ in draw.elements) for draw in found} == {("content", "font", "surface")}
    assert len({draw.elements[0] for draw in found}) == 50


@settings(max_examples=20)
@given(SEEDS)
def test_each_style_has_two_of_fifty(seed: int) -> None:
    found = Counter(draw.elements[0] for draw in draw_samples("style", 50, seed))
    assert {role for role, _ in found} == {"style"} and list(found.values()) == [2] * 25


@settings(max_examples=20)
@given(SEEDS)
def test_the_last_two_of_fifty_are_the_emotions_that_come_a_third_time(seed: int) -> None:
    # 50 = 2 * 24 + 2
    found = [draw.elements[0] for draw in draw_samples("affection", 50, seed)]
    assert list(Counter(found[:48]).values()) == [2] * 24
    assert {emotion for emotion, times in Counter(found).items() if times == 3} == set(found[48:])
    assert len(set(found[48:])) == 2


def test_a_composition_reads_in_order() -> None:
    attributes = rf"({'|'.join(ATTRIBUTES)})"
    thing = rf"({attributes} ){{1,3}}object"
    for draw in draw_samples("composition", 200, 0):
        roles = " ".join(role for role, _ in draw.elements)
        assert re.fullmatch(rf"{thing}( relation {thing}){{1,3}}", roles), roles
        for words in re.split("relation|object", roles):
            assert [*words.split()] == [role for role in ATTRIBUTES if role in words.split()]
    objects = {sum(role == "object" for role, _ in draw.elements) for draw in draw_samples("composition", 200, 0)}
    assert objects == {2, 3, 4}


@pytest.mark.parametrize(("track", "most"), [("imagination", 3), ("entity", 3), ("composition", 4)])
def test_as_published_up_to_three_elements_or_four_objects_come_together(track: str, most: int) -> None:
    assert pools(track).model_dump()["at_most"] == most


def test_a_file_says_how_many_come_together(tmp_path: Path) -> None:
    folder = written(tmp_path, "entity", f"at_most: 1\n{SMALL['entity']}")
    assert pools("entity", folder).possible() == 3
    assert {len(draw.elements) for draw in draw_samples("entity", 3, 0, folder)} == {1}
    objects = [sum(role == "object" for role, _ in draw.elements) for draw in draw_samples("composition", 50, 0, WORLD)]
    assert set(objects) == {2}


def test_an_empty_pool_is_not_drawn_from() -> None:
    assert {tuple(role for role, _ in draw.elements) for draw in draw_samples("text_rendering", 50, 0, WORLD)} == {
        ("content", "surface")
    }
    roles = {role for draw in draw_samples("composition", 50, 0, WORLD) for role, _ in draw.elements}
    assert roles == {"quantity", "colour", "object", "relation"}


def test_pools_are_as_large_as_they_have_to_be() -> None:
    assert len(families("imagination")) >= 6 and min(map(len, families("imagination").values())) >= 20
    assert set(families("entity")) == {"landmark", "animal", "plant", "historical figure", "branded object"}
    assert min(map(len, families("entity").values())) >= 30
    lettering, style, affection = pools("text_rendering"), pools("style"), pools("affection")
    assert isinstance(lettering, Lettering) and isinstance(style, Styles) and isinstance(affection, Emotions)
    assert len(lettering.content) >= 50 and len(lettering.font) >= 20 and len(lettering.surface) >= 30
    assert len(style.style) == 4 and sum(map(len, style.style.values())) == 25 and len(style.subject) >= 40
    assert len(affection.emotion) == 8 and all(forms[1] == name for name, forms in affection.emotion.items())
    assert len({text for forms in affection.emotion.values() for text in forms}) == 24
    assert len({text for role, text in pools("composition").elements()[-2]}) >= 60


def test_thousands_of_draws_are_possible() -> None:
    # imagination: 8 families of 22, so 176 + C(176, 2) + C(176, 3)
    assert pools("imagination").possible() == 176 + 15_400 + 893_200
    assert pools("style").possible() == 25 * len(pools("style").elements()[1])
    quantity, _, _, colour, _, thing, relation = map(len, pools("composition").elements())
    assert pools("composition").possible() == comb(thing, 2) * comb(colour, 2) * relation and quantity >= 10
    assert min(pools(track).possible() for track in TRACKS) >= 3_000


@pytest.mark.parametrize("folder", [FOLDER, WORLD], ids=["published", "world"])
@pytest.mark.parametrize("track", TRACKS)
def test_no_element_stands_within_another(track: str, folder: Path) -> None:
    # or a prompt with the one would seem to have the other
    elements = [element for pool in pools(track, folder).elements() for element in pool]
    assert len({text.casefold() for _, text in elements}) == len(elements)
    for element in elements:
        within = [text for _, text in elements if not missing(Sample(track, 0, (element,)), text)]
        assert within == ([] if element[0] == "content" else [element[1]])


def test_contents_vary_and_can_be_quoted() -> None:
    contents = [text for _, text in pools("text_rendering").elements()[0]]
    assert not [text for text in contents if re.search('["“”„‘’«»「」『』]', text)]
    words = [len(text.split()) for text in contents]
    assert min(words) == 1 and max(words) >= 10
    assert sum(bool(re.search(r"\d", text)) for text in contents) >= 10
    assert sum(bool(re.search(r"[.!?] [A-Z]", text)) for text in contents) >= 5  # two sentences


def test_no_person_and_no_setting_names_an_emotion() -> None:
    _, persons, settings = pools("affection").elements()
    assert not [text for _, text in persons + settings if re.search(EMOTIONAL, text, re.IGNORECASE)]


def test_objects_have_plurals_that_are_recognised() -> None:
    things = [text for role, text in pools("composition").elements()[-2]]
    assert not [thing for thing in things if re.search("([^aeiou]y|fe?|us|man|mouse)$", thing)]


@settings(max_examples=30)
@given(ANY, SEEDS, st.sampled_from([str.upper, str.lower, str.title, str]))
def test_a_prompt_of_all_elements_lacks_none_and_an_empty_one_all(track: str, seed: int, case: type[str]) -> None:
    for draw in draw_samples(track, 3, seed):
        prompt = composed(draw) if track == "text_rendering" else case(composed(draw))
        assert missing(draw, prompt) == []
        assert missing(draw, "A picture.") == [text for _, text in draw.elements]


@pytest.mark.parametrize(
    ("element", "prompt", "there"),
    [
        ("red", "Two RED, round apples.", True),
        ("picture frame", "rows of picture frames", True),
        ("staircase to the moon", "Staircases\n to  the moon rise", True),
        ("the Great Wall", "a great wall", True),
        ("tilt-shift photography", "tilt shift photography of a bay", True),
        ("long exposure", "a long‑exposure photograph", True),
        ("Przewalski's horse", "Przewalski’s horses graze", True),
        ("Chanel No. 5 bottle", "a Chanel No. 5 bottle.", True),
        ("red", "a tired, weathered bird", False),
        ("picture frame", "a frame of a picture", False),
        ("bottle", "bottled water", False),
        ("Impressionism", "an Impressionist metric", False),
        ("No. 5", "No! 5", False),
        ("owls", "an owl", False),  # pools have the singular
    ],
)
def test_an_element_occurs_by_its_words(element: str, prompt: str, there: bool) -> None:
    assert missing(Sample("any", 0, (("role", element),)), prompt) == ([] if there else [element])


@pytest.mark.parametrize(
    ("content", "prompt", "there"),
    [
        ("OPEN", 'A sign reads "OPEN", in neon.', True),
        ("OPEN", "A sign reads 'OPEN'", True),
        ("Today's special: two for $8", "a board, “Today’s special: two\nfor $8”", True),
        ("Dream big. Start small.", '"Dream big. Start small."', True),
        ("R2-K9 (50%)", "«R2-K9 (50%)»", True),
        ("欢迎光临！", "木牌上写着「欢迎光临！」几个大字", True),
        ("OPEN", 'A sign reads "Open"', False),
        ("OPEN", "A sign reads OPEN", False),
        ("OPEN", 'A sign reads "WE ARE OPEN"', False),
        ("OPEN", 'A sign reads "OPEN."', False),
        ("R2-K9", '"R2 K9"', False),
        ("Wet Paint!", '"Wet Paint"', False),
        ("欢迎光临！", "写着“欢迎光临!”", False),  # another exclamation mark
        ("欢迎光临！", "写着欢迎光临！", False),
    ],
)
def test_a_content_is_quoted_letter_by_letter(content: str, prompt: str, there: bool) -> None:
    assert missing(Sample("text_rendering", 0, (("content", content),)), prompt) == ([] if there else [content])


def test_all_that_is_missing_is_named_in_order() -> None:
    draw = Sample("text_rendering", 0, (("content", "SALE"), ("font", "looping cursive"), ("surface", "on a flag")))
    assert missing(draw, "A flag with looping cursive that says SALE") == ["SALE", "on a flag"]


@pytest.mark.parametrize(("track", "all_there_are"), [("entity", 7), ("style", 6)])
def test_up_to_all_that_a_pool_allows(tmp_path: Path, track: str, all_there_are: int) -> None:
    # entity: 3 elements, 3 + 3 + 1 sets of one to three; style: 2 * 3
    folder = written(tmp_path, track, SMALL[track])
    found = draw_samples(track, all_there_are, 0, folder)
    assert len({frozenset(draw.elements) for draw in found}) == all_there_are
    with pytest.raises(ValueError, match=f"{track}: 1,000 draws are expected, the pools allow 0 to {all_there_are}"):
        draw_samples(track, 1000, 0, folder)
    with pytest.raises(ValueError, match="-1 draws are expected"):
        draw_samples(track, -1, 0, folder)


@pytest.mark.parametrize(
    ("track", "text", "said"),
    [
        ("entity", "families: {animal: [okapi, Okapi]}", "'okapi' occurs 2 times"),
        ("entity", "families: {animal: []}", r"families.animal: \[\] is not right"),
        ("entity", "families: {animal: [okapi, 5]}", "families.animal.1: 5 is not right"),
        ("entity", "families: {animal: [' okapi']}", "families.animal.0: ' okapi' does not match"),
        ("style", "style: {medium: [pastel]}", "subject: this key is missing"),
        ("affection", "{emotion: {joy: [joy]}, person: [x], setting: [y]}", r"emotion.joy: \['joy'\] is not right"),
        ("composition", "at_most: 1", "at_most: 1 is not right"),
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, track: str, text: str, said: str) -> None:
    folder = written(tmp_path, track, text)
    with pytest.raises(UserError, match=said) as error:
        draw_samples(track, 1, 0, folder)
    assert str(error.value).startswith(str(folder / f"{track}.yaml"))
