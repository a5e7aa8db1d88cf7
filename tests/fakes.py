"""Small models and visits for tests: everything that a runner needs, nothing that decides by chance or by the clock."""

from __future__ import annotations

import asyncio
import io
import json
import struct
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pyarrow as pa
from PIL import Image
from pydantic import BaseModel

from gamut.asking import run
from gamut.asking.job import Job, job_of_rows
from gamut.asking.limits import Limits
from gamut.asking.outcomes import Conversation
from gamut.asking.progress import Tally
from gamut.asking.questions import Question
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Chat, Model, Reply, Request, fields_of
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.construction import parameters as construction
from gamut.project import places
from gamut.project.budgets import Budget
from gamut.project.model_kinds import OpenAIModel
from gamut.project.pipeline import EDITIONS, PARAMS
from gamut.project.roles import ABLE, RoleModel
from gamut.project.settings import Endpoint
from gamut.project.validation import check_values
from gamut.publish.parameters import Everything, check_everything
from gamut.tables.columns import ASKED, Row, make_id
from gamut.tables.reading import Slice
from stages.dataset import pipeline as dataset
from stages.dataset import safety
from stages.prism.construction import parameters as prism_proposing
from stages.prism.shared import parameters as prism

Proposing = TypeVar("Proposing", bound=construction.Params)
UNASKED = {filter_.name: 0 for filter_ in safety.STEP.filters}
"""Thresholds of a filter that is off."""
JUDGE = RoleModel("judge", "a_judge", OpenAIModel(kind="openai", id="fake"))
IDENTITY = {"id": "fake", "revision": "1", "numerics": "", "sampling": {}}


class Fake:
    """A model that answers by a function of the request and counts what it was asked."""

    by_record = False

    def __init__(
        self,
        answer: Callable[[Request], Reply | Awaitable[Reply]],
        concurrency: int = 4,
        identity: Mapping[str, Any] = IDENTITY,
    ) -> None:
        self.respond, self.concurrency, self.identity = answer, concurrency, identity
        self.asked: list[Request] = []
        self.closed = 0

    async def answer(self, request: Request) -> Reply:
        self.asked.append(request)
        reply = self.respond(request)
        return reply if isinstance(reply, Reply) else await reply

    async def close(self) -> None:
        self.closed += 1

    def times(self) -> Counter[str]:
        """How often each record was asked about."""
        return Counter(word_of(request) for request in self.asked)


class Barrier:
    """Holds everybody until `parties` wait; a TimeoutError when a runner cannot get there."""

    def __init__(self, parties: int) -> None:
        self.parties, self.waiting, self.open = parties, 0, asyncio.Event()

    async def __call__(self) -> None:
        self.waiting += 1
        if self.waiting >= self.parties:
            self.open.set()
        await asyncio.wait_for(self.open.wait(), timeout=1)


class Word(BaseModel):
    word: str


ECHO = Question(name="echo", opening="Repeat.", instruction="Say `word` again as JSON.", reply=Word)
AGAIN = Question(name="again", opening="Repeat.", instruction="Say all `word`s as JSON.", reply=Word)
SCHEMA = pa.schema([pa.field("id", pa.string()), pa.field("word", pa.string()), *ASKED])


def word_of(request: Request) -> str:
    return fields_of(request).get("word", "") if isinstance(request, Chat) else request.prompt


def echo(request: Request) -> Reply:
    return said(word_of(request))


def said(word: str, input_tokens: int = 0, output_tokens: int = 0) -> Reply:
    return Reply(orjson.dumps({"word": word}), "stop", input_tokens, output_tokens)


def numbered(verdicts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Verdicts on the lines of a checklist as a judge gives them, each with its line's number."""
    return [{"question": number, **one} for number, one in enumerate(verdicts, 1)]


def failing(*words: str) -> Callable[[Request], Reply]:
    """Answers all but these words, whose requests get no answer."""
    return lambda request: Reply(b"no route", "transport_error") if word_of(request) in words else echo(request)


def repeat(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    [answer] = yield [ECHO.about({"word": record["word"]})]
    return [{"id": record["id"], "word": answer.value.word if answer.value else None, **answer.columns()}]


def records(count: int, wave: str = "w-part01", start: int = 0) -> list[Row]:
    return [{"id": make_id(wave, n), "word": f"word{n}"} for n in range(start, start + count)]


def ask_all(
    model: Model,
    slices: Iterable[Slice],
    folder: Path,
    visit: Visit = repeat,
    schema: pa.Schema = SCHEMA,
    total: int = 1000,
    max_failures: int | float = 0,
    max_cost: float | None = None,
    endpoint: Endpoint | None = None,
    stage: str = "repeat",
) -> Limits:
    """Run a stage that asks, into `folder`; the reply store is the one of the working directory."""
    shards: dict[str, list[Row]] = {}
    for shard, _, rows in slices:
        shards.setdefault(shard, []).extend(rows)
    job = job_of_rows(stage, JUDGE, shards, visit, schema, folder, max_failures)
    return ask_job(model, replace(job, total=total), max_cost, endpoint)


def ask_job(model: Model, job: Job, max_cost: float | None = None, endpoint: Endpoint | None = None) -> Limits:
    budget = Budget(places.store_root(), max_cost)
    limits = Limits(Tally(job.stage, job.total), job.max_failures, budget, endpoint or Endpoint(), str(job.role_model))
    run.ask_model(model, job, limits)
    return limits


def answers(model: Model, *requests: Request) -> list[Reply]:
    """Ask a model all of this at once, and close it."""

    async def ask() -> list[Reply]:
        try:
            return list(await asyncio.gather(*map(model.answer, requests)))
        finally:
            await model.close()

    return asyncio.run(ask())


def store(stage: str = "repeat") -> StageReplies:
    return StageReplies(places.store_root(), stage)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, to compare tables byte for byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def drive(visit: Generator[Any, Any, Any], *rounds: Callable[[Sequence[Any]], list[Any]]) -> tuple[list[Any], Any]:
    """Drive a visit by hand: each round's answers come from a function of what is asked. Return asked, result."""
    asked: list[Any] = []
    try:
        conversations = next(visit)
        for answer in rounds:
            asked.append(list(conversations))
            conversations = visit.send(answer(conversations))
    except StopIteration as end:
        return asked, end.value
    raise AssertionError("the visit asks for more rounds than were given")


def jpeg(color: Any = "red", size: tuple[int, int] = (64, 64), **options: Any) -> bytes:
    return encoded(Image.new("RGB", size, color), "JPEG", **options)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def claiming(width: int, height: int, color_type: int = 2) -> bytes:
    """A PNG whose header claims a size that its few bytes do not hold."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 99)) + chunk(b"IEND", b"")
    )


def safetensors(values: bytes = b"\0\0\0\0") -> bytes:
    """A file of one tensor: the header's length in eight bytes, the header, the values."""
    header = json.dumps({"w": {"dtype": "U8", "shape": [len(values)], "data_offsets": [0, len(values)]}}).encode()
    return len(header).to_bytes(8, "little") + header + values


def two_contestants() -> dict[str, Any]:
    """Right values of `contestants`."""
    return {
        "good": {"class": "generation", "model": {"kind": "sandbox"}},
        "poor": {"class": "generation", "model": {"kind": "sandbox", "faults": {"blur": 0.5}}},
    }


def values(**changes: Any) -> dict[str, Any]:
    """Right values of params.yaml, as plain data; keyword arguments replace whole top-level keys, and models that all
    embed no text get one that does.
    """
    models = changes.pop("models", {"world": {"kind": "sandbox"}, "gpt": {"kind": "openai", "id": "org/model"}})
    if not any(model["kind"] in ABLE["text_embedder"] for model in models.values()):
        models = models | {"words": {"kind": "tfidf"}}
    judge = next(iter(models))  # benchmarks' judge: some model that is there
    whole = {
        "seed": 3,
        "models": models,
        "roles": {
            "painter": "world",
            "judge": "gpt",
            "captioner": "world",
            "translator": "world",
            "seed_writer": "world",
            "writer": "world",
        },
        "sources": [{"kind": "sandbox", "wave": "w-part01", "count": 2}],
        "near_duplicates": {"similarity": 0.845},
        "brainstorm": {"families": ["dreams", "scale"], "prompts_per_family": 3},
        "seeds": {"count": 4},
        "imagine": {"examples": 2},
        "legible": {"legibility": 7},
        "prompts": {"max_characters": 2000},
        "synthesize": {"width": 64, "height": 64},
        "admit": {"clarity": 7, "structure": 6},
        "categorize": dict.fromkeys(("composition", "entity", "text", "imaginative", "style", "abstract"), 7),
        "follow": {"ask": True},
        "safety": {"ask": False},
        "select": {"contrast": 6, "letterforms": 6, "sense": 6, "follows": 5} | UNASKED,
        "choose": {"by": {"follows": 2, "clarity": 1, "structure": 1}, "margin": 1.0},
        "same_pictures": {"bits": None, "similarity": None},
        "annotate": {"prompt_for_names": False},
        "captions": {"lengths": [], "languages": []},
        "originals": {"alignment": 8},
        "hold_out": {
            "asked": 20,
            "ask_from": 0.4,
            "ask_at_odds": True,
            "unanswered": 0.9,
            "picture": 24,
            "picture_similarity": 0.95,
            "paraphrases": None,
        },
        "calibrate": {"labels": None, "least_precision": 0.95, "least_recall": 0.5},
        "contestants": {},
        "prism": {
            "edition": "small",
            "languages": ["en", "zh"],
            "judges": [judge],
            "controls_of": [],
            "answer": {"width": 256, "height": 256, "max_failures": 0},
            "judge": {"max_failures": 0},
            "instructions": "own",
        },
        "publish": {
            name: {"repo": "org/name", "title": "Small", "license": "cc0-1.0"} for name in ("dataset", "prism")
        },
    } | changes
    return measuring(whole)


def measuring(values: dict[str, Any]) -> dict[str, Any]:
    """These values with every contestant measured in all benchmarks whose block names none."""
    names = [*values["contestants"]]
    blocks = {key: one for key, one in values.items() if isinstance(one, dict) and "controls_of" in one}
    return values | {key: one | {"contestants": one.get("contestants") or names} for key, one in blocks.items()}


class Params(dataset.Params, prism.Params):
    """What stages of either benchmark read."""


def params(**changes: Any) -> Params:
    return check_values(Params, values(**changes), Path("params.yaml"))


PROPOSE: dict[str, Any] = {
    "editions": ["v1"],
    "pools": "stages/prism/pools/world",
    "candidates": 100,
    "sampled": 2,
    "curated": 2,
    "writer": "world",
    "translator": "world",
    "embedder": "gpt",
    "max_failures": 0,
}
"""How PRISM's prompts are proposed."""


def proposing(model: type[Proposing], propose: Mapping[str, Any], **changes: Any) -> Proposing:
    """What a construction reads, with right values of params.yaml, whose keyword arguments replace some."""
    others = {PARAMS: {}, EDITIONS: {model.BESIDE["propose"].key: propose}}
    return check_values(model, values(**changes), PARAMS, others)


def proposing_prompts(**changes: Any) -> prism_proposing.Params:
    return proposing(prism_proposing.Params, PROPOSE | changes)


def write_editions(**changes: Any) -> None:
    """Write how PRISM's prompts are proposed, which commands read."""
    EDITIONS.parent.mkdir(parents=True, exist_ok=True)
    EDITIONS.write_text(json.dumps({"prism": PROPOSE | {"editions": []} | changes}))


def everything(**changes: Any) -> Everything:
    return check_everything(values(**changes), Path("params.yaml"))
