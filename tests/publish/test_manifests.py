"""What a version's manifest may say: whatever else it says, one harmless line tells, and nothing is downloaded."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from gamut.project.errors import UserError
from gamut.publish.versions import Manifest, parse_manifest

SHARD, TABLE, ITEMS = (
    {"path": f"data/{name}", "bytes": 1, "sha256": hashlib.sha256(b"1").hexdigest(), "name": name}
    for name in ("a-00000.parquet", "_manifest.json", "v1.jsonl")
)
ORIGIN, IMAGES = (
    ITEMS | {"path": path, "name": name}
    for path, name in (("data/v1.origin-0.json", "v1.origin.json"), ("images/a.parquet", "images-00000.parquet"))
)
EDITION = r"one \*\.jsonl and nothing else but its \*\.origin\.json and pictures in images/"
PROVENANCE = [of | {"path": f"provenance/{of['name']}"} for of in (SHARD, TABLE)]
CARD = {"path": "README.md", "bytes": 1, "sha256": SHARD["sha256"]}


def read(files: list[dict[str, Any]], name: str = "dataset", **more: Any) -> Manifest:
    return parse_manifest(
        json.dumps({"name": name, "version": "0.1.0", "rows": 1, "files": files} | more).encode(), "it@v0.1.0"
    )


def refused(line: str, files: list[dict[str, Any]], name: Any = "dataset", **more: Any) -> None:
    with pytest.raises(UserError, match=rf"^it@v0\.1\.0: its manifest\.json is damaged \({line}") as error:
        read(files, name, **more)
    assert str(error.value).isprintable() and len(str(error.value)) < 500


def test_what_a_release_and_an_edition_hold() -> None:
    assert [file.name for file in read([SHARD, TABLE, CARD]).data] == ["a-00000.parquet", "_manifest.json"]
    assert [file.name for file in read([ITEMS, CARD], "prism").data] == ["v1.jsonl"]
    found = read([SHARD, TABLE, *PROVENANCE, CARD])
    assert [file.path for file in found.below("provenance/")] == [
        "provenance/a-00000.parquet",
        "provenance/_manifest.json",
    ]
    assert [file.path for file in found.rows_files] == ["data/a-00000.parquet", "data/_manifest.json"]
    found = read([ITEMS, ORIGIN, IMAGES, CARD], "prism")
    assert [file.name for file in found.images] == ["images-00000.parquet"] and len(found.data) == 3


def test_no_other_file_is_ever_written_into_a_project() -> None:
    evil = SHARD | {"path": "data/x", "name": "dvc.yaml"}
    refused(
        rf"expected in data/: {EDITION}; listed: dvc\.yaml, v1\.jsonl\)$",
        [ITEMS, evil],
        "prism",
    )
    refused(r"expected in data/: \*\.parquet and _manifest\.json; listed: _manifest\.json, dvc", [SHARD, TABLE, evil])
    refused(r"expected in data/: one \*\.jsonl", [ITEMS, ITEMS | {"path": "data/v2", "name": "v2.jsonl"}], "prism")
    refused(r"expected in data/: one \*\.jsonl", [SHARD, TABLE], "prism")
    for other in (ORIGIN | {"name": "v2.origin.json"}, IMAGES | {"name": "a.parquet"}, IMAGES | {"name": "v2.jsonl"}):
        refused(r"expected in data/: one \*\.jsonl", [ITEMS, other], "prism")
    refused(r"expected in data/: one \*\.jsonl", [IMAGES, ORIGIN], "prism")
    refused(r"expected in data/: \*\.parquet and _manifest\.json", [SHARD, TABLE, IMAGES])
    refused(r"other/a\.parquet is not in data/", [ITEMS, IMAGES | {"path": "other/a.parquet"}], "prism")
    refused(r"README\.md is not in data/", [SHARD, TABLE, CARD | {"name": "b-00000.parquet"}])


def test_provenance_has_the_names_of_the_rows() -> None:
    other = r"the files in provenance/ have other names than those in data/\)$"
    refused(other, [SHARD, TABLE, PROVENANCE[0]])
    refused(other, [SHARD, TABLE, PROVENANCE[1]])
    refused(other, [SHARD, TABLE, PROVENANCE[0] | {"name": "dvc.yaml"}, PROVENANCE[1]])
    refused(other, [ITEMS, PROVENANCE[0]], "prism")
    refused(r"a-00000\.parquet occurs twice", [SHARD, TABLE, *PROVENANCE, PROVENANCE[0] | {"path": "provenance/b"}])


def test_pairs_have_the_names_of_the_rows_too() -> None:
    pairs = [of | {"path": f"preferences/{of['name']}"} for of in (SHARD, TABLE)]
    found = read([SHARD, TABLE, *PROVENANCE, *pairs, CARD])
    assert [file.path for file in found.below("preferences/")] == [
        "preferences/a-00000.parquet",
        "preferences/_manifest.json",
    ]
    assert [file.path for file in found.rows_files] == ["data/a-00000.parquet", "data/_manifest.json"]
    refused(r"the files in preferences/ have other names than those in data/\)$", [SHARD, TABLE, pairs[0]])


def test_files_that_stand_twice() -> None:
    refused(r"a-00000\.parquet occurs twice", [SHARD, SHARD | {"path": "data/b"}, TABLE])
    refused(r"data/a-00000\.parquet occurs twice", [SHARD, SHARD | {"name": "b-00000.parquet"}, TABLE])
    refused(r"_manifest\.json occurs twice", [SHARD, TABLE, TABLE | {"path": "data/b"}])


PATHS = ["/etc/x", "../x", "data/../x", ".", "", "data//x", ".cache/huggingface/x", "data\\x", "data/x\x1b[31m"]
PATHS += ["data/x\nall is fine", "data/x\u202ey", "data/" + 200 * "a"]


@pytest.mark.parametrize("path", PATHS)
def test_paths_that_lead_elsewhere_or_say_something_else(path: str) -> None:
    refused(r"'files\.0\.path': String should ", [SHARD | {"path": path}, TABLE])
    refused(r"'files\.0\.name': String should ", [SHARD | {"name": path}, TABLE])


def test_text_that_a_terminal_would_obey() -> None:
    refused(
        r"'evil\\nline \\x1b\[31m.*…: Extra inputs are not permitted\)$",
        [SHARD, TABLE],
        **{"evil\nline \x1b[31m" * 9: 1},
    )
    with pytest.raises(UserError, match=r"^it@v0\.1\.0 holds 'a\\nb'; known are: .*: fetch it with a newer gamut$"):
        read([], "a\nb")
    refused("'name': String should have at most 100 characters", [SHARD, TABLE], 10_000 * "a")


def test_what_is_no_manifest() -> None:
    for content in (b"", b"[" * 100_000, b"\xff", b'"' + b"\x1b" * 9 + b'"'):
        with pytest.raises(UserError, match=r"^it: its manifest\.json is damaged \(it: ") as error:
            parse_manifest(content, "it")
        assert str(error.value).isprintable()
