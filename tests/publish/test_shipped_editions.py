"""Every edition that is shipped: published to the test Hub, and loaded as its card says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest
from datasets import Dataset, Json, VerificationMode, load_dataset
from huggingface_hub import DatasetCard

from gamut.project.validation import read_yaml
from gamut.publish import publishing
from tests.hub.client import client_here, environment
from tests.hub.server import Hub, hub_server
from tests.paths import ROOT
from tests.publish.edition_project import commit_all, git

EDITIONS = sorted(path.parent.name for path in ROOT.glob("datasets/editions/*/sandbox.jsonl"))
STREAMED = ("gir", "prism")
"""One with pictures and several types, one without."""
SEVERAL_TYPES = {"gapeval", "gir"}
"""Those whose items have proofs of many forms."""
PAINT, EDIT, LOOK, READ = "text-to-image", "image-to-image", "visual-question-answering", "question-answering"
TASKS = {
    "aegis": [PAINT, EDIT, LOOK, "any-to-any"],
    "gapeval": [PAINT, EDIT, LOOK, READ],
    "genius": [PAINT, EDIT],  # without its context an instruction may have no picture
    "gir": [PAINT, EDIT, LOOK],
    "prism": [PAINT],
}
"""The Hub's categories of what their items ask for."""
LOAD = """
import json, sys
from datasets import get_dataset_config_names, load_dataset

for name in sys.argv[1:]:
    version = dict(revision="v0.1.0", split="test", streaming=True)
    rows, found = [*load_dataset(f"org/{name}", **version)], {}
    if "images" in get_dataset_config_names(f"org/{name}", revision="v0.1.0"):
        pictures = load_dataset(f"org/{name}", "images", **version)
        found = {row["sha256"]: row["image"].size for row in pictures}
    print(json.dumps([rows, found]), flush=True)  # threads of pyarrow may abort its end
"""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A project with all editions, committed, as working directory, and a Hub to which they were published."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind in ("editions", "edition_images"):
            shutil.copytree(ROOT / "datasets" / kind, folder / "datasets" / kind)
        params = read_yaml(ROOT / "params.yaml")
        for name in EDITIONS:
            params["publish"][name] |= {"repo": f"org/{name}", "license": "cc0-1.0"}
        Path("params.yaml").write_text(json.dumps(params))
        Path(".gitignore").write_text(".store\n.dvc\nhome\n")
        git("init", "--quiet")
        commit_all()
        with hub_server() as hub, client_here(hub, folder / "home"):
            for name in EDITIONS:
                publishing.publish_version(name, False, False, lambda line: None)
            yield hub


def version(hub: Hub, name: str, folder: Path) -> Path:
    """What the Hub has of a version, in a folder."""
    for path, data in hub.files(f"org/{name}", "v0.1.0").items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def items(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ROOT / f"datasets/editions/{name}/sandbox.jsonl").read_bytes().splitlines()]


def without_nulls(value: Any) -> Any:
    """What `datasets` has of a row, whose columns are those of all rows; it reads numbers to 15 digits."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_nulls(one) for one in value]
    return float(f"{value:.15g}") if isinstance(value, float) else value


def test_they_stream_from_the_hub(hub: Hub, tmp_path: Path) -> None:
    variables = os.environ | environment(hub.url, tmp_path)
    run = subprocess.run([sys.executable, "-c", LOAD, *STREAMED], env=variables, capture_output=True, text=True)
    loaded = [json.loads(line) for line in run.stdout.splitlines()]
    assert [without_nulls(rows) for rows, _ in loaded] == [without_nulls(items(name)) for name in STREAMED], run.stderr
    for rows, pictures in loaded:
        named = [picture for row in rows for picture in row.get("images") or ()]
        assert pictures == {one["sha256"]: [one["width"], one["height"]] for one in named}
    assert [bool(pictures) for _, pictures in loaded] == [True, False]


@pytest.mark.parametrize("name", EDITIONS)
def test_everybody_reads_it(hub: Hub, name: str, tmp_path: Path) -> None:
    folder, count = version(hub, name, tmp_path / "version"), len(items(name))
    [file] = (folder / "data").glob("*.jsonl")
    assert DatasetCard.load(folder / "README.md").data.task_categories == TASKS[name]
    assert len(pandas.read_json(file, lines=True)) == count
    assert len(duckdb.sql(f"select * from '{file}'").fetchall()) == count
    every = VerificationMode.ALL_CHECKS
    rows = load_dataset(str(folder), cache_dir=str(tmp_path), split="test", verification_mode=every)
    assert isinstance(rows, Dataset) and without_nulls([*rows]) == without_nulls(items(name))
    assert (rows.features.get("proof") == Json()) is (name in SEVERAL_TYPES)
    said = "Values of `proof` are of several types" in (folder / "README.md").read_text(encoding="utf-8")
    assert said is (name in SEVERAL_TYPES)
    assert len(polars.read_parquet(folder / "data/*.parquet")) == count
