"""Paraphrases that are planted: a file that can be read, what is wrong with one that cannot, the world's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.leaks.embedding import WORDED_ANEW, PlantedParaphrase, planted_paraphrases
from gamut.dataset.leaks.items import ItemText, evenly_spread
from gamut.project.errors import UserError

TEXTS = [
    ItemText("zoo/v1", "1", "a corgi"),
    ItemText("zoo/v1", "2", "two red apples"),
    ItemText("a/v1", "1", "a corgi"),
]


def write(*lines: Any) -> str:
    path = Path("datasets/paraphrases/ours.jsonl")
    path.parent.mkdir(parents=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return str(path)


def test_a_file(project: Path) -> None:
    lines = [{"way": "synonym", "prompt": text, "paraphrase": said} for text, said in (("a corgi", "a dog"),)]
    assert planted_paraphrases(TEXTS, write(*lines), 0) == [PlantedParaphrase("synonym", 0, "a dog")], (
        "the first that has the text"
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "ours.jsonl, line 1: the line: Invalid JSON"),
        ({"way": "x", "prompt": "a corgi"}, "line 1: paraphrase: Field required: fix it"),
        ({"way": "x", "prompt": "a corgi", "paraphrase": " "}, "line 1: paraphrase: .*blank"),
        ({"way": "x", "prompt": "a crogi", "paraphrase": "y"}, "line 1: 'a crogi' is not a text of an item .*a corgi"),
    ],
)
def test_a_file_that_cannot_be_taken(project: Path, line: Any, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        planted_paraphrases(TEXTS, write(line), 0)


def test_the_worlds_own_say_the_same_in_other_words() -> None:
    found = planted_paraphrases(TEXTS, "world", 0)
    assert {one.of for one in found} == {1}, "of corgis it knows nothing"
    assert {one.way for one in found} >= {"prefix", "expansion", "chinese"}
    assert planted_paraphrases(TEXTS, "world", 0) == found and planted_paraphrases(TEXTS, None, 0) == []


def test_evenly() -> None:
    assert evenly_spread([1, 2, 3], 5) == [1, 2, 3] and evenly_spread([], 3) == []
    assert evenly_spread(list(range(10)), 4) == [0, 2, 5, 7]  # 0, 10/4, 20/4, 30/4
    many = [ItemText("zoo/v1", str(n), f"{word} red apples") for n, word in enumerate(["two", "three", "four"] * 20)]
    assert len({one.of for one in planted_paraphrases(many, "world", 0)}) == WORDED_ANEW
