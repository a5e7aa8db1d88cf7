"""A version on the test Hub as `datasets` itself loads it, in a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import CommitOperationAdd

from tests import fakes
from tests.hub.client import client_here, environment
from tests.hub.server import hub_server

DATASET: Any = {"repo_type": "dataset"}
LOAD = """
import sys
from datasets import load_dataset

for streaming in (False, True):
    rows = load_dataset("org/name", revision=sys.argv[1], split="train", streaming=streaming)
    print([(row["text"], row["image"].size) for row in rows], flush=True)  # threads of pyarrow may abort its end
"""


def table(text: str) -> bytes:
    """A row with this text and a picture of 8 by 4 pixels."""
    image = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    pictures = pa.array([{"bytes": fakes.jpeg("red", size=(8, 4)), "path": None}], image)
    features = {"text": {"dtype": "string", "_type": "Value"}, "image": {"_type": "Image"}}
    rows = pa.table({"text": [text], "image": pictures})
    out = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})}), out)
    return out.getvalue()


def test_a_tagged_version_loads_streamed_or_not(tmp_path: Path):
    with hub_server(tmp_path / "hub") as hub, client_here(hub, tmp_path / "home") as api:
        api.create_repo("org/name", **DATASET)
        for version in ("v0.1.0", "v0.2.0"):
            operations = [CommitOperationAdd("data/train.parquet", table(version))]
            api.create_commit("org/name", operations, commit_message=version, **DATASET)
            api.create_tag("org/name", tag=version, **DATASET)
        variables = os.environ | environment(hub.url, tmp_path / "elsewhere")
        run = subprocess.run([sys.executable, "-c", LOAD, "v0.1.0"], env=variables, capture_output=True, text=True)
    assert run.stdout.splitlines() == ["[('v0.1.0', (8, 4))]"] * 2, run.stderr
