"""Items of PRISM-Bench: ids that say track and place, texts in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.prism.shared.benchmark import PRISM
from stages.project.errors import UserError
from tests import fakes

EDITION = Path("datasets/editions/prism/small.jsonl")
RIGHT = {"id": "style/1", "track": "style", "prompt": "a cubist cat", "prompt_zh": "立体派的猫"}


def edition(**changes: object) -> None:
    """An edition of two items, the second with these changes."""
    EDITION.parent.mkdir(parents=True)
    lines = [RIGHT | {"id": "style/10"}, RIGHT | changes]
    EDITION.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.usefixtures("project")
def test_items_are_read_with_both_texts() -> None:
    edition()
    assert [(item.id, item.prompt_in("en"), item.prompt_in("zh")) for item in PRISM.items(fakes.params())] == [
        ("style/10", "a cubist cat", "立体派的猫"),
        ("style/1", "a cubist cat", "立体派的猫"),
    ]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "wrong", ["style/01", "style/", "style/-1", "style/1 ", "style/1\n", "entity/1", "1", "style/٣"]
)
def test_an_id_is_its_own_track_and_a_number(wrong: str) -> None:
    edition(id=wrong)
    with pytest.raises(UserError) as error:
        PRISM.items(fakes.params())
    assert str(error.value) == (
        f"{EDITION}, line 2: id {wrong!r}: style/0, style/1 and so on are wanted on this track: "
        "mend it, or restore it from git"
    )


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prompt": "  "}, "prompt: is blank"),
        ({"prompt_zh": "\u3000"}, "prompt_zh: is blank"),
        ({"prompt_zh": None}, "prompt_zh: Input should be a valid string"),
        ({"track": "stile"}, "track: Input should be 'imagination', 'entity'"),
    ],
)
def test_texts_and_track_are_there(changes: dict[str, object], words: str) -> None:
    edition(**changes)
    with pytest.raises(UserError) as error:
        PRISM.items(fakes.params())
    assert str(error.value).startswith(f"{EDITION}, line 2: {words}") and len(str(error.value).splitlines()) == 1
