"""Answers of contestants: the ids of what is asked for, and parts that keep their order, whatever the benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.parts import Created
from gamut.asking.requests import Paint, Picture, Reply
from gamut.asking.visiting import Answer
from gamut.evaluation.running.answers import SCHEMA, answer_of, answer_row, parts_of, rows_to_answer
from gamut.evaluation.running.folder_answers import name_as_folders_do, require_distinct_names
from gamut.project.errors import UserError
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from tests.evaluation.small_pictures import png
from tests.fakes import jpeg

ANSWER = Answer(Outcome("ok", "x"), "model", (("mark", Reply(b"x")),))


def test_every_item_is_asked_for_on_every_setting() -> None:
    shards = rows_to_answer(["style/0", "style/1"], ["en", "zh"])
    assert {shard: [row["id"] for row in rows] for shard, rows in shards.items()} == {
        "en-0-00000": ["en-0-00000000", "en-0-00000001"],
        "zh-0-00000": ["zh-0-00000000", "zh-0-00000001"],
    }
    assert shards["zh-0-00000"][1] == {"id": "zh-0-00000001", "item": "style/1", "setting": "zh", "sample": 0}


def test_ten_samples_of_two_settings_as_gapeval_has_them() -> None:
    shards = rows_to_answer([f"wk-{n}" for n in range(147)], ["text", "image"], samples=10)
    ids = [row["id"] for rows in shards.values() for row in rows]
    assert len(ids) == len(set(ids)) == 147 * 2 * 10 and ids[-1] == "image-9-00000146"
    fewer = rows_to_answer([f"wk-{n}" for n in range(147)], ["text"], samples=3)
    assert fewer.items() <= shards.items()  # more settings and samples leave the others as they are


def test_an_interleaved_answer_keeps_its_order(tmp_path: Path) -> None:
    [record] = rows_to_answer(["aegis-1"], ["raw"])["raw-0-00000"]
    made = Created(("First mix.", b"\xff\xd8picture", "Then bake.", b"\x89PNG"), "Let me see.")
    row = answer_row(record | {"record": "elsewhere"}, made, ANSWER)
    with TableWriter(tmp_path / "answers", SCHEMA) as table:
        table.write("raw-0-00000", [row])
    [read] = read_rows(tmp_path / "answers")
    assert [part["text"] for part in read["parts"]] == ["First mix.", None, "Then bake.", None]
    assert parts_of(read["parts"]) == ["First mix.", b"\xff\xd8picture", "Then bake.", b"\x89PNG"]
    assert read["thinking"] == "Let me see."  # no part of the answer
    assert (read["item"], read["status"]) == ("aegis-1", "ok")


def test_the_parts_of_one_answer_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    [rows] = rows_to_answer(["a", "b"], ["en"]).values()
    one, other = Picture(jpeg()), Picture(png(7), "image/png")
    answers = [["first", one, "then"], [other]]
    with TableWriter(tmp_path / "t", SCHEMA) as table:
        made = [Created(("first", one.data, "then")), Created((other.data,))]
        table.write("en-0-00000", [answer_row(row, parts, ANSWER) for row, parts in zip(rows, made, strict=True)])
    shown = answer_of(tmp_path / "t")
    assert [shown({"id": "en-0-00000001"}), shown({"id": "en-0-00000000"})] == answers[::-1]


def test_an_item_that_is_called_as_another_in_a_setting_is_refused() -> None:
    """Else `raw/7.png`, of the item of this name, would answer item `7` too."""
    rows = rows_to_answer(["7", "raw/7"], ["raw"])["raw-0-00000"]
    with pytest.raises(UserError, match="a folder cannot tell 'raw/7' from '7' in setting raw, since both would"):
        name_as_folders_do([], [(row | {"record": row["item"]}, Paint("p", 64, 64, seed=1)) for row in rows])


def test_a_folder_has_to_tell_samples_from_other_items() -> None:
    require_distinct_names({"a", "b_1", "b_x"}, 1)
    for records, samples in (({"a", "a_0"}, 1), ({"a", "a_2"}, 3)):
        with pytest.raises(UserError, match=r"^a folder cannot tell 'a_[02]' from sample [02] of 'a'"):
            require_distinct_names(records, samples)
    require_distinct_names({"a", "a_2"}, 2)
    require_distinct_names({"t/007", "t/7_1", "t/7"}, 1)
    with pytest.raises(UserError, match=r"^a folder cannot tell 'caf\\xe9' from 'cafe\\u0301'"):
        require_distinct_names({"caf\u00e9", "cafe\u0301"}, 1)
