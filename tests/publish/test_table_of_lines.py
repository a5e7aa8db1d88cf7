"""The rows of an edition's file as Parquet has them."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.publish.products import parquet_file, parse_lines

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(-1, 1) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


def lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_one_type_a_key() -> None:
    table = parse_lines(b'\xef\xbb\xbf{"id": "a", "n": 1}\n\n{"id": "b", "n": null, "more": [0.5]}\n')
    assert table.schema == pa.schema([("id", pa.string()), ("n", pa.int64()), ("more", pa.list_(pa.float64()))])
    assert table.to_pylist() == [{"id": "a", "n": 1, "more": None}, {"id": "b", "n": None, "more": [0.5]}]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"pair": [["owl", 5]]}, {"pair": []}),
        ([1], {"a": 1}),
        (True, 1),
        (2**70, 1),
        ({}, {}),  # Parquet has no such type
        ("\ud800", "a"),
    ],
)
def test_what_no_other_type_holds_is_json(first: object, second: object) -> None:
    table = parse_lines(lines([{"n": 1, "odd": first}, {"n": 2, "odd": second}, {"n": 3}]))
    assert table.schema == pa.schema([("n", pa.int64()), ("odd", pa.json_())])
    assert [value and json.loads(value) for value in table["odd"].to_pylist()] == [first, second, None]


def test_texts_stay_as_they_are_written() -> None:
    rows: list[dict[str, object]] = [{"id": "2024-01-01", "n": "007"}, {"id": "2024-01-01T00:00:00Z", "n": "1e3"}]
    assert parse_lines(lines(rows)).to_pylist() == rows


@settings(max_examples=30)
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_parquet_holds_what_the_lines_hold(values: list[object]) -> None:
    file = parquet_file("data/x", parse_lines(lines([{"id": str(n), "value": one} for n, one in enumerate(values)])))
    found = pq.read_table(io.BytesIO(file.read()))
    assert file.rows == len(values) and file.path == f"data/x-{file.sha256[:8]}.parquet"
    read = found["value"].to_pylist()
    if found.schema.field("value").type == pa.json_():
        read = [None if one is None else json.loads(one) for one in read]
    assert [without_nulls(one) for one in read] == [without_nulls(one) for one in values]


def without_nulls(value: object) -> object:
    """A column of objects has the keys of all of them."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value
