"""The search's index against looking through all texts; which rows are shown of too many."""

from __future__ import annotations

import io
import itertools
import json
import random
from pathlib import Path

import pytest

from gamut.report.dataset import word_index
from gamut.report.dataset.records import HIGHEST, digest, highest_shown
from gamut.report.dataset.word_index import WordIndex, bucket_of, words_of
from gamut.report.site.folder import Folder

TEXTS = [
    'A sign that says "OPEN", at night',
    "两只红色的鸟 over a SIGN",
    "红色的船 ＦＵＬＬ width; café, naïve_words",
    "",
    "the constructor of a sign",
]


def read(folder: Path, files: dict[str, str]) -> dict[str, list[int]]:
    """All words of an index with their rows; `files`: in which of them each bucket is."""
    found: dict[str, list[int]] = {}
    for path in sorted((folder / "index").iterdir()):
        start, _, parts = path.read_text().partition(" = ")
        assert start == f'window["index/{path.stem}"]'
        for part in json.loads(parts.removesuffix(";\n")):
            for word, steps in part.items():
                assert files[bucket_of(word)] == path.stem
                found.setdefault(word, []).extend(row - 1 for row in itertools.accumulate(steps))
    return found


def test_words_are_what_a_reader_would_type() -> None:
    assert words_of(TEXTS[0]) == {"a", "sign", "that", "says", "open", "at", "night"}
    assert words_of("红色的") == {"红色", "色的", "红", "色", "的"}
    assert words_of(TEXTS[2]) >= {"full", "café", "naïve", "words", "船", "的船"}
    assert words_of("x" * 100) == {"x" * 32}
    assert words_of("a " * 20_000 + "behind") == {"a"}  # what no page shows is not found


@pytest.mark.parametrize(
    ("word", "bucket"),  # 红 is 0x7ea2, 色 0x8272: (31 * 0x7ea2 + 0x8272) % 1024 = 16
    [("sign", "si"), ("a", "a"), ("7th", "7t"), ("é", "ue9"), ("aé", "u61"), ("红色", "d010"), ("红", "d19e")],
)
def test_words_that_begin_alike_share_a_file(word: str, bucket: str) -> None:
    assert bucket_of(word) == bucket


@pytest.mark.parametrize(("at_once", "full"), [(5, 1), (40, 600), (10**6, 10**6)])
def test_the_index_finds_what_looking_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, full: int
) -> None:
    monkeypatch.setattr(word_index, "AT_ONCE", at_once)
    monkeypatch.setattr(word_index, "FULL", full)
    chance = random.Random(1)
    texts = [*TEXTS, *(" ".join(chance.choices(["ab", "cd", "ef", "红色", "色的"], k=6)) for _ in range(200))]
    index = WordIndex(io.BytesIO())
    for row, text in enumerate(texts):
        index.add(row, [text, text])
    files = index.write(Folder(tmp_path))
    there = [path.stem for path in (tmp_path / "index").iterdir()]
    assert {*files.values()} == {*there}
    assert len(there) == {1: len(files), 10**6: 1}.get(full, len(there)) and (
        full != 600 or 1 < len(there) < len(files)
    )
    expected: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        for word in words_of(text):
            expected.setdefault(word, []).append(row)
    assert read(tmp_path, files) == expected


def test_without_rows_there_is_no_index(tmp_path: Path) -> None:
    assert WordIndex(io.BytesIO()).write(Folder(tmp_path)) == {}


def test_a_sample_is_the_same_whatever_else_there_is() -> None:
    ids = [f"wave-{n:08d}" for n in range(1000)]
    assert highest_shown(ids, 1000) == HIGHEST
    highest = highest_shown(ids, 100)
    shown = {row_id for row_id in ids if digest(row_id) <= highest}
    assert len(shown) == 100
    assert shown == set(sorted(ids, key=digest)[:100])
    fewer = highest_shown(ids[:500], 50)
    assert {row_id for row_id in ids[:500] if digest(row_id) <= fewer} & shown  # not another draw
    assert highest_shown([], 10) == HIGHEST
