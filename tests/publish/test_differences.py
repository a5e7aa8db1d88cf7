"""`gamut diff`: rows added, removed and changed, in which columns; against a comparison of plain dictionaries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.project.errors import UserError
from gamut.publish.differences import Counts, Differences, Part, find_differences
from gamut.publish.diffing import differences_record, differences_words, print_differences
from gamut.tables.columns import IMAGE, Row
from gamut.tables.reading import manifest
from gamut.tables.writing import TableWriter

TYPES: dict[str, pa.DataType] = {
    "id": pa.string(),
    "image": IMAGE,
    "caption": pa.string(),
    "score": pa.int64(),
    "kept": pa.bool_(),
    "share": pa.float64(),
    "labels": pa.list_(pa.string()),
}
FILE = "part"


def schema(columns: Sequence[str], **other_types: pa.DataType) -> pa.Schema:
    return pa.schema([(name, other_types.get(name, TYPES[name])) for name in columns])


SCHEMA = schema(list(TYPES))


def row(row_id: str, **values: Any) -> Row:
    return {
        "id": row_id,
        "image": {"bytes": row_id.encode() * 3, "path": None},
        "caption": "a fox",
        "score": 5,
        "kept": True,
        "share": 0.5,
        "labels": ["a", None],
    } | values


def written(folder: Path, shards: Mapping[str, Sequence[Row]], columns: pa.Schema = SCHEMA) -> list[Part]:
    """A version as the release is written, two rows a row group."""
    with TableWriter(folder, columns) as table:
        for shard, rows in shards.items():
            table.write(shard, [])
            for start in range(0, len(rows), 2):
                table.write(shard, rows[start : start + 2])
    return [part(folder / shard["name"], shard["rows"]) for shard in manifest(folder)["shards"]]


def part(path: Path, rows: int, bring: Callable[[], Path] | None = None) -> Part:
    return Part(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), rows, bring or (lambda: path))


def test_rows_added_removed_and_changed(tmp_path: Path) -> None:
    ids = [f"w-0000000{number}" for number in range(6)]
    before = [row(row_id) for row_id in ids[:5]]
    # Of the first five rows 0 is gone, 1 has another image, 2 no caption, 3 another caption and score; 4 stays, 5 is
    # new. So 3 rows are changed, and captions twice: 1 + 2 + 1 = 4 cells.
    after = [
        row(ids[1], image={"bytes": b"other", "path": None}),
        row(ids[2], caption=None),
        row(ids[3], caption="", score=-1),
        row(ids[4]),
        row(ids[5], caption=None),
    ]
    first = written(tmp_path / "a", {"w-00000": before})
    second = written(tmp_path / "b", {"w-00000": after})
    assert find_differences(first, second) == Differences(
        first_rows=5,
        second_rows=5,
        added=[ids[5]],
        removed=[ids[0]],
        changed=ids[1:4],
        changed_cells={"caption": 2, "image": 1, "score": 1},
        files=1,
    )


def test_values_that_python_takes_for_equal_are_not(tmp_path: Path) -> None:
    # hash(-1) == hash(-2), and 1 == True; a list of nothing, of an empty text, of a null, and no list are four things.
    pairs: list[tuple[Row, Row]] = [
        ({"score": -1}, {"score": -2}),
        ({"labels": []}, {"labels": None}),
        ({"labels": [""]}, {"labels": [None]}),
        ({"labels": ["a", "b"]}, {"labels": ["b", "a"]}),
        ({"caption": ""}, {"caption": None}),
        ({"caption": "None"}, {"caption": None}),
        ({"kept": False}, {"kept": None}),
        ({"share": 0.1 + 0.2}, {"share": 0.3}),
        ({"image": None}, {"image": {"bytes": None, "path": None}}),
        ({"image": {"bytes": b"x", "path": None}}, {"image": {"bytes": b"x", "path": "x"}}),
    ]
    ids = [f"w-{number:08d}" for number in range(len(pairs) + 1)]
    nan = row(ids[-1], share=float("nan"), caption="the same in both")
    both = [
        written(tmp_path / setting, {FILE: [*(row(i, **pair[n]) for i, pair in zip(ids, pairs, strict=False)), nan]})
        for n, setting in enumerate("ab")
    ]
    found = find_differences(*both)
    assert found.changed == ids[:-1]
    assert found.changed_cells == {"caption": 2, "image": 2, "kept": 1, "labels": 3, "score": 1, "share": 1}


def test_a_row_may_move_to_another_file(tmp_path: Path) -> None:
    first = written(tmp_path / "a", {"x": [row("w-1"), row("w-2")], "y": [row("w-3")], "gone": [row("w-4")]})
    second = written(tmp_path / "b", {"x": [row("w-3")], "y": [row("w-4"), row("w-2", score=6)], "new": [row("w-5")]})
    found = find_differences(first, second)
    assert (found.added, found.removed, found.changed) == (["w-5"], ["w-1"], ["w-2"])
    assert found.changed_cells == {"score": 1}
    assert found.files == 4  # x, y, gone, new


def test_files_that_both_have_are_never_opened_and_others_once(tmp_path: Path) -> None:
    opened: list[str] = []

    def watched(parts: Sequence[Part], version: str) -> list[Part]:
        def bring(one: Part) -> Path:
            opened.append(f"{version}/{one.name}")
            return one.open()

        return [Part(one.name, one.sha256, one.rows, lambda one=one: bring(one)) for one in parts]

    shards = {"x": [row("w-1")], "y": [row("w-2")], "empty": [], "also-empty": []}
    first = written(tmp_path / "a", shards)
    second = written(tmp_path / "b", shards | {"y": [row("w-2", kept=False)], "renamed": [row("w-9")]})
    renamed = Part("z.parquet", first[0].sha256, 1, first[0].open)  # the bytes of x, under another name
    found = find_differences(watched(first, "a"), watched([renamed, *second[1:]], "b"))
    assert opened == ["a/y.parquet", "b/y.parquet", "b/renamed.parquet"]
    assert (found.added, found.removed, found.changed) == (["w-9"], [], ["w-2"])
    opened.clear()
    assert find_differences(watched(first, "a"), watched(first, "b")) == Differences(2, 2)
    assert opened == []


def test_a_column_of_nulls_is_a_column(tmp_path: Path) -> None:
    first = written(tmp_path / "a", {FILE: [{"id": "w-1"}]}, schema(["id"]))
    second = written(tmp_path / "b", {FILE: [{"id": "w-1"}]}, schema(["id", "caption"]))
    assert find_differences(first, second) == Differences(1, 1, added_columns=["caption"], files=1)
    filled = written(tmp_path / "c", {FILE: [{"id": "w-1", "caption": ""}]}, schema(["id", "caption"]))
    assert find_differences(second, filled).changed_cells == {"caption": 1}


def test_a_column_of_another_type_changes_no_row(tmp_path: Path) -> None:
    rows = [row("w-1"), row("w-2")]
    first = written(tmp_path / "a", {FILE: rows})
    second = written(tmp_path / "b", {FILE: [rows[0], row("w-2", labels=[])]}, schema(list(TYPES), score=pa.int8()))
    found = find_differences(first, second)
    assert found.retyped == {"score": ("int64", "int8")}
    assert (found.changed, found.changed_cells) == (["w-2"], {"labels": 1})
    alone = find_differences(first, written(tmp_path / "c", {FILE: rows}, schema(list(TYPES), score=pa.int8())))
    assert alone == Differences(2, 2, retyped={"score": ("int64", "int8")}, files=1) and not alone.same


def refused(first: Sequence[Part], second: Sequence[Part]) -> str:
    with pytest.raises(UserError) as error:
        find_differences(first, second)
    [line] = str(error.value).splitlines()
    return line


def test_an_id_twice_is_one_line(tmp_path: Path) -> None:
    good = written(tmp_path / "a", {"x": [row("w-1")]})
    twice = written(tmp_path / "b", {"x": [row("w-1", score=6), row("w-2"), row("w-2")]})
    line = "id '{}' occurs twice in the {} version: its rows cannot be matched"
    assert refused(good, twice) == line.format("w-2", "second")
    assert refused(twice, good) == line.format("w-2", "first")
    apart = written(tmp_path / "c", {"x": [row("w-1", score=6)], "y": [row("w-1", score=7)], "z": [row("w-2")]})
    assert refused(good, apart) == line.format("w-1", "second")


def test_files_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    good = written(tmp_path / "a", {"x": [row("w-1")]})
    whole = (tmp_path / "a" / "x.parquet").read_bytes()
    damaged = tmp_path / "x.parquet"
    damaged.write_bytes(whole[: len(whole) // 2])
    assert refused(good, [part(damaged, 1)]).startswith(f"{damaged}: not a readable Parquet file (")
    gone = Part("x.parquet", "0", 1, lambda: tmp_path / "gone.parquet")
    assert refused(good, [gone]) == f"{tmp_path}/gone.parquet: no such file"


SOME = Differences(
    first_rows=1297,
    second_rows=1316,
    added=[f"text-{number:08d}" for number in range(22)],
    removed=["text-00000100", "wild-00000000", "wild-00000001"],
    changed=["text-00000101"],
    changed_cells={"caption": 1, "score [0]": 1},
    added_columns=["kept"],
    retyped={"share": ("double", "float")},
    files=1,
)


def test_the_summary_is_a_sentence() -> None:
    ids = ["w-1", "w-2"]
    said = {
        "v1 → v2: 22 rows added, 3 removed, 1 changed of 1,297; 1 column added, 1 of another type": SOME,
        "v1 → v2: 1 row added of 1": Differences(1, 2, added=ids[:1], files=1),
        "v1 → v2: 1 row removed, 2 changed of 3": Differences(3, 2, removed=["w-0"], changed=ids, files=1),
        "v1 → v2: 2 rows changed of 2": Differences(2, 2, changed=ids, files=1),
        "v1 → v2: 2 rows as before; 2 columns added, 1 removed": Differences(
            2, 2, added_columns=["a", "b"], removed_columns=["c"], files=1
        ),
        "v1 → v2: nothing changed in 1 row": Differences(1, 1),
        "v1 → v2: nothing changed in 2 rows, though 2 files differ": Differences(2, 2, files=2),
    }
    assert [differences_words(found, "v1", "v2") for found in said.values()] == list(said)


def test_tables_for_a_person(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_differences(SOME, "v1", "v2")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == differences_words(SOME, "v1", "v2")
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    assert cells == [
        ["caption", "1"],
        ["score [0]", "1"],
        ["kept", "new column"],
        ["share", "double → float, not compared"],
        ["text", "22", "1", "1"],
        ["wild", "0", "2", "0"],
    ]
    assert lines[-3:] == [
        "added: text-00000000, text-00000001, text-00000002, text-00000003, text-00000004 and 17 more",
        "removed: text-00000100, wild-00000000, wild-00000001",
        "changed: text-00000101",
    ]
    print_differences(Differences(2, 2), "v1", "v2")
    assert capsys.readouterr().out == "v1 → v2: nothing changed in 2 rows\n"
    print_differences(Differences(2, 2, changed=["1"], changed_cells={"prompt": 1}), "v1", "v2")
    assert "wave" not in capsys.readouterr().out  # ids that name none


def test_json_for_a_machine() -> None:
    found = differences_record(SOME)
    assert (
        json.loads(json.dumps(found))
        == found
        == {
            "same": False,
            "rows": {"first": 1297, "second": 1316},
            "added": {"count": 22, "ids": [f"text-{number:08d}" for number in range(20)]},
            "removed": {"count": 3, "ids": ["text-00000100", "wild-00000000", "wild-00000001"]},
            "changed": {"count": 1, "ids": ["text-00000101"]},
            "changed_cells": {"caption": 1, "score [0]": 1},
            "added_columns": ["kept"],
            "removed_columns": [],
            "retyped_columns": {"share": ["double", "float"]},
            "waves": {
                "text": {"added": 22, "removed": 1, "changed": 1},
                "wild": {"added": 0, "removed": 2, "changed": 0},
            },
            "files": 1,
        }
    )


VALUES = st.fixed_dictionaries(
    {
        "caption": st.sampled_from([None, "", "a fox"]),
        "score": st.sampled_from([None, -1, -2]),
        "labels": st.sampled_from([None, [], ["a"]]),
        "image": st.sampled_from([None, {"bytes": b"\0", "path": None}, {"bytes": b"\0\0", "path": None}]),
    }
)
IDS = [f"{wave}-{number:08d}" for wave in ("text", "wild") for number in range(4)]
VERSIONS = st.tuples(
    st.dictionaries(st.sampled_from(IDS), st.tuples(VALUES, st.sampled_from("xyz"))),
    st.sets(st.sampled_from(["caption", "score", "labels", "image"])),
)
"""Rows and the file that each stands in; columns that there are besides the id."""
Drawn = tuple[dict[str, tuple[Row, str]], set[str]]


def released(folder: Path, drawn: Drawn) -> tuple[list[Part], dict[str, Row]]:
    """The version as files (x, y, z, some of them empty), and as plain rows by id."""
    placed, columns = drawn
    rows = {row_id: {name: values[name] for name in columns} for row_id, (values, _) in placed.items()}
    shards = {
        shard: [{"id": row_id} | rows[row_id] for row_id, (_, where) in placed.items() if where == shard]
        for shard in "xyz"
    }
    return written(folder, shards, schema(["id", *sorted(columns)])), rows


@given(VERSIONS, VERSIONS)
def test_as_plain_dictionaries_say(tmp_path_factory: pytest.TempPathFactory, one: Drawn, other: Drawn) -> None:
    folder = tmp_path_factory.mktemp("versions")
    (first, before), (second, after) = released(folder / "a", one), released(folder / "b", other)
    found = find_differences(first, second)

    assert set(found.added) == set(after) - set(before) and set(found.removed) == set(before) - set(after)
    columns = one[1] & other[1]
    changed = {
        (row_id, name) for row_id in set(before) & set(after) for name in columns
        if before[row_id][name] != after[row_id][name]
    }  # fmt: skip
    assert set(found.changed) == {row_id for row_id, _ in changed}
    assert found.changed_cells == {
        name: count for name in columns if (count := sum(column == name for _, column in changed))
    }
    assert set(found.added_columns) == other[1] - one[1] and set(found.removed_columns) == one[1] - other[1]
    assert (found.first_rows, found.second_rows) == (len(before), len(after))
    for kind, ids in zip(Counts._fields, (found.added, found.removed, found.changed), strict=True):
        assert sum(getattr(counts, kind) for counts in found.waves.values()) == len(ids) == len(set(ids))

    back = find_differences(second, first)
    assert (back.added, back.removed, back.changed) == (found.removed, found.added, found.changed)
    assert (back.added_columns, back.removed_columns) == (found.removed_columns, found.added_columns)
    assert back.changed_cells == found.changed_cells
    assert find_differences(first, first) == Differences(len(before), len(before))
