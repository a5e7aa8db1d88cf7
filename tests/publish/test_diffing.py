"""`gamut diff`: which files of rows are brought and compared."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from gamut.dataset.shared.joins import table_of
from gamut.project.errors import UserError
from gamut.publish import content, diffing
from gamut.publish.parameters import load_everything
from gamut.publish.products import find_product
from gamut.tables.columns import table_schema
from gamut.tables.writing import TableWriter
from tests import fakes
from tests.hub.server import Hub
from tests.publish.bare_version import REPO, served


@pytest.fixture
def hub(project: Path) -> Iterator[Hub]:
    """A Hub with two versions of which one row of two differs; the second of them lies here."""
    publish = fakes.values()["publish"]
    publish["dataset"]["repo"] = REPO
    Path("params.yaml").write_text(json.dumps(fakes.values(publish=publish)))
    with served(project) as (hub, _):
        for number, score in (("0.1.0", 1), ("0.2.0", 2)):
            build(score)
            made = find_product("dataset", load_everything())
            files = list(content.data_files(made))
            whole = [*files, content.manifest_file("dataset", number, made.rows, files)]
            hub.repo(REPO).tags[f"v{number}"] = hub.commit(REPO, {file.path: file.read() for file in whole})
        hub.log.clear()
        yield hub


def build(score: int) -> None:
    with TableWriter(table_of("release"), pa.schema([("id", pa.string()), ("score", pa.int64())])) as table:
        table.write("a-00000", [{"id": "a-00000000", "score": 1}])
        table.write("b-00000", [{"id": "b-00000000", "score": score}])
    with TableWriter(table_of("provenance"), pa.schema([("id", pa.string()), ("prompt", pa.string())])) as table:
        table.write("a-00000", [{"id": "a-00000000", "prompt": f"prompt {score}"}])
        table.write("b-00000", [{"id": "b-00000000", "prompt": "prompt"}])


def diff(capsys: pytest.CaptureFixture[str], first: str, second: str = diffing.WORKSPACE) -> Any:
    diffing.print_diff(first, second, True, print)
    return json.loads(capsys.readouterr().out)["changed"]["ids"]


def test_only_the_shard_that_differs_is_brought(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(capsys, "v0.1.0", "v0.2.0") == diff(capsys, "v0.1.0") == ["b-00000000"]
    assert not hub.asked("GET", r"data/a-.*parquet")
    assert len(hub.asked("GET", r"data/b-.*parquet")) == 3  # of both versions, then of the first


def test_where_pictures_come_from_is_compared_too(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    diffing.print_diff("v0.1.0", "v0.2.0", True, print)
    found = json.loads(capsys.readouterr().out)
    assert found["provenance"]["changed"]["ids"] == ["a-00000000"] and found["changed_cells"] == {"score": 1}
    diffing.print_diff("v0.1.0", "v0.2.0", False, lambda _: None)
    said = capsys.readouterr().out
    assert "v0.1.0 → v0.2.0: 1 row changed of 2" in said and "provenance: v0.1.0 → v0.2.0: 1 row changed of 2" in said
    shutil.rmtree(table_of("provenance"))
    diffing.print_diff("v0.2.0", diffing.WORKSPACE, False, lambda _: None)
    said = capsys.readouterr().out
    assert said == "v0.2.0 → workspace: nothing changed in 2 rows\nworkspace has no provenance\n"


def test_pairs_of_pictures_are_compared_where_both_have_them(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    with TableWriter(table_of("preferences"), pa.schema([("id", pa.string()), ("by", pa.string())])) as table:
        table.write("a-00000", [{"id": "a-00000000", "by": "clarity"}])
        table.write("b-00000", [])
    made = find_product("dataset", load_everything())
    files = list(content.data_files(made))
    whole = [*files, content.manifest_file("dataset", "0.3.0", made.rows, files)]
    hub.repo(REPO).tags["v0.3.0"] = hub.commit(REPO, {file.path: file.read() for file in whole})
    with TableWriter(table_of("preferences"), pa.schema([("id", pa.string()), ("by", pa.string())])) as table:
        table.write("a-00000", [{"id": "a-00000000", "by": "follows"}])
        table.write("b-00000", [])
    diffing.print_diff("v0.3.0", diffing.WORKSPACE, False, lambda _: None)
    assert "preferences: v0.3.0 → workspace: 1 row changed of 1" in capsys.readouterr().out
    diffing.print_diff("v0.2.0", diffing.WORKSPACE, False, lambda _: None)
    assert capsys.readouterr().out.endswith("v0.2.0 has no preferences\n")


def test_captions_of_lengths_are_matched_by_language_and_length(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    def write(*captions: tuple[str, str, str]) -> None:
        rows = (
            {"id": "a-00000000"} | dict(zip(("language", "length", "caption"), one, strict=True)) for one in captions
        )
        with TableWriter(table_of("captions"), table_schema("id language length caption")) as table:
            table.write("a-00000", list(rows))
            table.write("b-00000", [])

    write(("English", "short", "a car"), ("Serbo-Croatian", "short", "auto"), ("English", "long", "a car again"))
    made = find_product("dataset", load_everything())
    files = list(content.data_files(made))
    whole = [*files, content.manifest_file("dataset", "0.3.0", made.rows, files)]
    hub.repo(REPO).tags["v0.3.0"] = hub.commit(REPO, {file.path: file.read() for file in whole})
    write(("English", "short", "a car"), ("Serbo-Croatian", "short", "neki auto"), ("English", "middle", "another car"))
    diffing.print_diff("v0.3.0", diffing.WORKSPACE, True, lambda _: None)
    found = json.loads(capsys.readouterr().out)["captions"]
    assert found["changed"] == {"count": 1, "ids": ["a-00000000 Serbo-Croatian short"]}
    assert (found["added"]["ids"], found["removed"]["ids"]) == (
        ["a-00000000 English middle"],
        ["a-00000000 English long"],
    )
    assert found["waves"] == {"a": {"added": 1, "removed": 1, "changed": 1}} and found["changed_cells"] == {
        "caption": 1
    }


def test_a_shard_that_is_not_here_is_told(hub: Hub) -> None:
    path = table_of("release") / "a-00000.parquet"
    path.unlink()
    with pytest.raises(UserError, match=rf"^{path} is missing: `dvc checkout --force {path.parent}` brings it back$"):
        diffing.print_diff("v0.2.0", diffing.WORKSPACE, False, print)
