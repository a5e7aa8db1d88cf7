"""The columns of an edition's file, as its card tells them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from stages.project.errors import UserError
from stages.publish.products import schema_of_lines


def test_one_type_a_key() -> None:
    schema = schema_of_lines(Path("v1.jsonl"), b'{"id": "a", "n": 1}\n{"id": "b", "n": null}\n')
    assert (schema.names, schema.field("n").type) == (["id", "n"], pa.int64())


def test_several_types_of_a_key_are_said_in_one_line() -> None:
    with pytest.raises(UserError, match=r"^v1\.jsonl: cannot be published: .*Column\(/proof\) changed from") as error:
        schema_of_lines(Path("v1.jsonl"), b'{"proof": [1]}\n{"proof": {"a": 1}}\n')
    assert "\n" not in str(error.value)
