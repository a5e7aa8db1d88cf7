"""Real weights as the writer: SmolLM2-135M at llama.cpp's server invents prompts; what is of no use has a reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gamut.asking.models.vllm.server import free_port
from gamut.dataset.reading.waves import write_sources
from gamut.dataset.shared import joins
from gamut.tables.columns import make_id
from gamut.tables.reading import read_rows
from stages.dataset import imagine
from tests import fakes
from tests.dataset import small_build
from tests.peers.conftest import running

RECORDS = 20
SERVER = Path(__file__).with_name("llama_server.py")
SEEDS = (small_build.WHALE, small_build.CLOCKS, "a library under the sea", "a violin made of smoke")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("form", ["json_schema", "instruction"])
def test_every_prompt_of_a_small_model_is_read_or_has_a_reason(project: Path, form: str) -> None:
    """By `json_schema` the server's grammar binds the reply, by `instruction` nothing does."""
    port = free_port()
    small = {"kind": "openai", "id": "SmolLM2-135M-Instruct", "structured_output": form}
    small |= {"sampling": {"temperature": 0.8, "top_p": 0.95, "max_tokens": 120}}
    values = fakes.values()
    params = fakes.params(
        sources=[{"kind": "imagine", "wave": "imagined", "count": RECORDS}],
        models=values["models"] | {"small": small},
        roles=values["roles"] | {"writer": "small"},
        imagine={"examples": 2, "max_failures": RECORDS},
    )
    Path("run.toml").write_text(f'[models.small]\nurl = "http://127.0.0.1:{port}/v1"\nconcurrency = 2\n')
    write_sources(params)
    seeds = [
        {"id": make_id("seeds", n), "family": "dreams", "prompt": text, "kept": True} for n, text in enumerate(SEEDS)
    ]
    small_build.put(joins.table_of("seeds"), seeds)
    with running(["python", str(SERVER), str(port)], f"http://127.0.0.1:{port}/health", project / "server.log"):
        imagine.STEP.carry_out(params)
    rows = list(read_rows(joins.table_of("imagine")))
    statuses = Counter(row["status"] for row in rows)
    print(f"{form}: {dict(statuses)}, {sum(len(row['replies']) for row in rows)} replies")
    for row in rows:
        print(f"{row['id']} {row['status']}: {row['reason'] or row['caption']}")
    assert [row["id"] for row in rows] == [make_id("imagined", number) for number in range(RECORDS)]
    assert set(statuses) <= {"ok", "parse_error", "truncated"}, "none was lost on the way"
    for row in rows:
        assert (row["caption"] is not None) == (row["status"] == "ok")
        assert row["status"] == "ok" or (row["reason"] and "\n" not in row["reason"])
