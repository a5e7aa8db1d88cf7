"""Items of PRISM-Bench: ids that say track and place, texts in both languages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.curating.freeze import import_items
from gamut.evaluation.defining.editions import Item, read_edition
from gamut.project.errors import UserError
from stages.prism.curation import CURATION
from stages.prism.layout import CAPTIONS
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS, PrismItem
from tests import fakes
from tests.prism.captions import write_captions

EDITION = Path("datasets/editions/prism/small.jsonl")
RIGHT = {"id": "style/1", "track": "style", "prompt": "a cubist cat", "prompt_zh": "立体派的猫"}


def edition(**changes: object) -> None:
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
        f"{EDITION}, line 2: id {wrong!r}: style/0, style/1 and so on are expected on this track: "
        "fix it, or restore it from git"
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


PROMPTS = st.text(min_size=1).filter(str.strip)


def items(*prompts: tuple[str, str]) -> list[PrismItem]:
    return [
        PrismItem(id=f"{track}/{number}", track=track, prompt=english, prompt_zh=chinese)
        for track in TRACKS
        for number, (english, chinese) in enumerate(prompts)
    ]


@given(st.lists(st.tuples(PROMPTS, PROMPTS), max_size=3))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, prompts: list[tuple[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("captions")
    write_captions(items(*prompts), folder)
    assert CAPTIONS.read(folder, None).items == items(*prompts)


BAD = ["", "not JSON", "[]", '{"text": "x"}', '{"prompt": 3}', '{"prompt": " "}', '"x"', "{", '{"prompt": "\\ud800"}']


def test_a_bad_line_is_an_odd_entry_and_moves_nothing(project: Path) -> None:
    write_captions(items(*[(f"a red cube {n}", f"{n} 甲") for n in range(len(BAD) + 2)]), Path("captions"))
    for language, number in (("en", 0), ("zh", 1)):
        path = Path("captions", language, "style.jsonl")
        lines = path.read_text().splitlines()
        lines[number : number + len(BAD)] = BAD
        path.write_text("\n".join(lines) + "\n")
    path = Path("captions/en/entity.jsonl")
    path.write_text(path.read_text().replace('"prompt"', '"prompt": "x", "prompt"', 1))
    said = list(import_items(CURATION, Path("captions"), "v1"))
    assert said[1].startswith("not made into items, and not asked: 11 entries, such as entity/0: en: 'prompt': the")
    found = read_edition("prism", "v1", PrismItem)
    assert [item.id for item in found if item.track == "style"] == [f"style/{len(BAD) + 1}"]
    odd = [item for item in read_edition("prism", "v1", Item) if item.unusable]
    assert len(odd) == 11 and odd[-1].held_out[0] == "a red cube 9", "its English may be trained on by nobody"
    assert 'zh: \'{"prompt": "\\\\ud800"}\': is not' in str(odd[-1].unusable)


def test_an_item_that_does_not_fit_its_benchmark_is_an_odd_entry(project: Path) -> None:
    write_captions(items(("a red cube", "甲")), Path("captions"))
    benchmark = replace(CURATION.benchmark, stratum=lambda item: "gone" if item.id == "style/0" else item.track)
    list(import_items(replace(CURATION, benchmark=benchmark), Path("captions"), "v1"))
    [odd] = [item for item in read_edition("prism", "v1", Item) if item.unusable]
    assert (odd.id, odd.held_out) == ("style/0", ["a red cube"]) and "there is no stratum 'gone'" in str(odd.unusable)


def test_marks_and_ends_of_lines_are_no_prompts(tmp_path: Path) -> None:
    write_captions(items(("a", "甲"), ("b\u2028c", "乙")), tmp_path)
    path = tmp_path / "en/style.jsonl"
    path.write_bytes('\ufeff{"prompt": "a", "more": NaN}\r\n{"prompt": "b\u2028c"}\r\n\r\n'.encode())
    assert CAPTIONS.read(tmp_path, None).items == items(("a", "甲"), ("b\u2028c", "乙"))


def test_tracks_are_whole_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"en/imagination\.jsonl: cannot be read \(No such file or directory\)"):
        CAPTIONS.read(tmp_path, None)
    write_captions(items(("a", "甲"), ("b", "乙")), tmp_path)
    (tmp_path / "zh/entity.jsonl").write_text('{"prompt": "甲"}\n')
    with pytest.raises(UserError, match="entity has 2 prompts in English, but 1 in Chinese"):
        CAPTIONS.read(tmp_path, None)
