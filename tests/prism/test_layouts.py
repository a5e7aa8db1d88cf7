"""The released layout of prompts: what is written is read again, and no line is ever skipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.prism.layouts import read_captions, read_prompts, write_captions
from stages.prism.shared.items import PrismItem
from stages.prism.shared.tracks import TRACKS
from stages.project.errors import UserError

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
    assert read_captions(folder) == items(*prompts)


def test_the_files_are_the_released_ones(tmp_path: Path) -> None:
    write_captions(items(("a red cube", "红色立方体"), ("two\nlines", "两行")), tmp_path)
    assert sorted(path.name for path in (tmp_path / "zh").iterdir()) == sorted(f"{track}.jsonl" for track in TRACKS)
    expected = '{"prompt":"红色立方体"}\n{"prompt":"两行"}\n'
    assert (tmp_path / "zh/style.jsonl").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("bad", ["", "not JSON", "[]", '{"text": "x"}', '{"prompt": 3}', '{"prompt": " "}', '"x"', "{"])
def test_a_bad_line_is_an_error_and_moves_nothing(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "style.jsonl"
    path.write_text(f'{{"prompt": "a"}}\n{bad}\n{{"prompt": "b"}}\n')
    with pytest.raises(UserError, match=r"style\.jsonl, line 2: is not .* line 2 belongs to image 1"):
        read_prompts(path)


def test_two_prompts_in_one_line_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "style.jsonl"
    path.write_text('{"prompt": "a", "more": 1, "more": 2}\n{"prompt": "b", "prompt": "c"}\n')
    with pytest.raises(UserError, match=r"style\.jsonl, line 2: the key 'prompt' stands twice: keep one of the two$"):
        read_prompts(path)


def test_marks_and_ends_of_lines_are_no_prompts(tmp_path: Path) -> None:
    path = tmp_path / "style.jsonl"
    path.write_bytes('\ufeff{"prompt": "a", "more": 1}\r\n{"prompt": "b\u2028c"}\r\n\r\n'.encode())
    assert read_prompts(path) == ["a", "b\u2028c"]


def test_tracks_are_whole_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"en/imagination\.jsonl: cannot be read \(No such file or directory\)"):
        read_captions(tmp_path)
    write_captions(items(("a", "甲"), ("b", "乙")), tmp_path)
    (tmp_path / "zh/entity.jsonl").write_text('{"prompt": "甲"}\n')
    with pytest.raises(UserError, match="entity has 2 prompts in English and 1 in Chinese"):
        read_captions(tmp_path)


def test_items_out_of_order_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="imagination: items have to be numbered from 0 on"):
        write_captions(items(("a", "甲"))[:1] + items(("a", "甲")), tmp_path)
