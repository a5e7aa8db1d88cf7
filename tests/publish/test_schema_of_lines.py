"""The columns of an edition's file, as its card tells them."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.json
from hypothesis import given
from hypothesis import strategies as st

from stages.publish.products import schema_of_lines

ONE_KIND = st.one_of(*(st.lists(kind, min_size=1, max_size=4) for kind in (st.text(), st.booleans(), st.floats(-1, 1))))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


def lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_one_type_a_key() -> None:
    schema = schema_of_lines(b'\xef\xbb\xbf{"id": "a", "n": 1}\n\n{"id": "b", "n": null, "more": [0.5]}\n')
    assert schema == pa.schema([("id", pa.string()), ("n", pa.int64()), ("more", pa.list_(pa.float64()))])


def test_what_has_several_types_is_json_and_the_rest_as_it_was() -> None:
    """Deep within too."""
    rows = b'{"id": "a", "n": 1, "proof": {"pair": [["owl", 5]]}}\n{"proof": {"pair": []}, "id": "b", "n": 2}\n'
    assert schema_of_lines(rows) == pa.schema([("id", pa.string()), ("n", pa.int64()), ("proof", pa.json_())])
    assert schema_of_lines(b'{"proof": [1]}\n{"proof": {"a": 1}}\n') == pa.schema([("proof", pa.json_())])


def test_what_stands_far_behind_counts_too() -> None:
    """Arrow looks at a megabyte at a time."""
    rows = [{"n": 1, "text": "x" * 1000}] * 1100 + [{"n": "one", "text": "", "late": True}]
    assert schema_of_lines(lines(rows)) == pa.schema([("n", pa.json_()), ("text", pa.string()), ("late", pa.bool_())])


@given(st.lists(VALUES, min_size=1, max_size=4), ONE_KIND)
def test_it_says_what_arrow_reads_where_arrow_reads_it(values: list[object], others: list[object]) -> None:
    rows = [{"id": str(n), "value": value, "other": others[n % len(others)]} for n, value in enumerate(values)]
    schema = schema_of_lines(lines(rows))
    assert schema.names == ["id", "value", "other"] and schema.field("other").type != pa.json_()
    try:
        assert pyarrow.json.read_json(io.BytesIO(lines(rows))).schema == schema
    except pa.ArrowInvalid:
        assert schema.field("value").type == pa.json_()
