"""What the build holds out of the committed editions, which it reads without knowing their benchmarks."""

from __future__ import annotations

import json

import pytest

from gamut.dataset.leaks.items import gather_benchmarks, texts_of
from gamut.dataset.leaks.suspects import SAME_TEXT, near_duplicates
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.editions import EDITIONS, Item, read_editions, read_items
from tests.paths import ROOT


@pytest.mark.parametrize("name", [name for name in NAMES if name != "own"])  # whose items are made, not shipped
def test_texts_of_every_room_are_those_that_its_class_says(name: str) -> None:
    edition = f"{name}/sandbox"
    items = read_items(ROOT / EDITIONS / f"{edition}.jsonl", curation_of(name).benchmark.item)
    built = [(where, item) for where, item in read_editions(ROOT / EDITIONS) if where == edition]
    assert texts_of(built) == texts_of((edition, item) for item in items) != []


def test_hints_options_questions_and_right_answers_are_among_them() -> None:
    keys = {
        "gapeval": ("question", "reference_text"),
        "genius": ("context", "rule_hint", "text_hint", "multimodal_hint"),
    }
    known = {(text.edition, text.item, text.text) for text in texts_of(read_editions(ROOT / EDITIONS))}
    for name, own in keys.items():
        for line in (ROOT / EDITIONS / name / "sandbox.jsonl").read_text().splitlines():
            item = json.loads(line)
            told = [item[key] for key in own if item[key]] + item.get("probe", {}).get("options", [])
            assert {(f"{name}/sandbox", str(item["id"]), text) for text in told} <= known, item["id"]


def test_a_text_with_marks_or_look_alikes_is_the_items_own() -> None:
    items = [("prism/small", Item(id=n, prompt=text)) for n, text in enumerate(("a café at dusk", "мой кот спит"))]
    benchmarks = gather_benchmarks(texts_of(items), 0.85)
    for text, item in [
        ("a\u0301 c\u0336a\u0336f\u0336e\u0336 a\u0489t dusk", "0"),
        ("а саfе аt dusk", "0"),  # а, с and е are Cyrillic
        ("мой кот спит", "1"),
    ]:
        [found] = near_duplicates("row", [("caption", text)], benchmarks)
        assert (found["found_by"], found["item"], found["text"]) == (SAME_TEXT, item, text)
    assert not near_duplicates("row", [("caption", "мои коты спят"), ("other", "a cave at dusk")], benchmarks)


def test_what_is_no_text_is_none() -> None:
    item = Item.model_validate({"id": 1, "prompt": "a cat", "question": 7, "context": ["b", 8, ""], "probe": ["A"]})
    assert item.held_out == ["a cat", "b"]
