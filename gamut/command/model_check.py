"""`gamut check --ask`: send each model in use one tiny request of every kind that its roles make.

Models are opened one after the other, since two may not fit into memory. Nothing goes to the reply store.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel

from gamut.asking.limits import Limits
from gamut.asking.making import Creating, Painting
from gamut.asking.models.opening import open_model
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.progress import Tally
from gamut.asking.questions import Question
from gamut.asking.requests import Create, Detect, Embed, Model, Paint, Picture, Rate, Read, Reply, Request
from gamut.asking.seeing import Detecting, Embedding, Rating, Reading
from gamut.project import model_kinds
from gamut.project.budgets import Budget
from gamut.project.errors import UserError
from gamut.project.places import store_root
from gamut.project.plain_text import harmless_text
from gamut.project.roles import SCORERS, RoleModel
from gamut.project.settings import Settings
from gamut.publish.parameters import Everything
from gamut.tables.images import as_jpeg, upright_jpeg

ASKED = {
    "painter": "paint",
    "editor": "edit",
    "judge": "look",
    "matcher": "chat",
    "captioner": "look",
    "detector": "detect",
    "translator": "chat",
    "seed_writer": "chat",
    "writer": "chat",
    "text_embedder": "embed a text",
    "image_embedder": "embed a picture",
    "reader": "read",
    **{role: name for name, role in SCORERS.items()},
}
"""The kind of request that each role makes."""
PATIENCE_SECONDS = 60.0
"""Time for further attempts and the pauses between them, which may be as long as a server asks for."""
BUSY_SECONDS = 0.1
"""A server that replies only 429 is given up after this time, which is also the longest pause it may ask for."""
WORD = "GAMUT"
"""The word in the picture that is looked at, embedded, edited and read."""
SQUARE, PLACE, HALF = "red square", (380, 60, 560, 240), 0.5
"""What a detector looks for, its place in pixels, and the least overlap (0 to 1) of the box that it finds."""
TEXTS = ("a red apple on a wooden table", "two blue birds above the sea", "an old clock in the rain")
"""The first is painted or embedded; an embedder that is fitted on its texts is fitted on all."""


class YesReply(BaseModel):
    answer: str


YES_QUESTION = Question("check", "This is a test.", 'Put the word "yes" into `answer`, as a JSON object.', YesReply)


@dataclass(frozen=True)
class Probe:
    slug: str
    model: model_kinds.Model
    request: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """How a probe ended. `reply`: None if nothing was answered; `failure`: what went wrong, in words."""

    probe: Probe
    identity: Mapping[str, Any]
    remark: str = ""
    failure: str = ""
    reply: Reply | None = None
    seconds: float = 0.0
    cost: float = 0.0


def planned_probes(params: Everything) -> list[Probe]:
    role_models = params.role_models()
    roles: dict[tuple[str, str], list[str]] = {}
    for role_model in role_models:
        own = isinstance(role_model.model, model_kinds.PythonModel) and role_model.slug not in params.dataset.models
        asked = "answer" if own and role_model.role == "captioner" else ASKED[role_model.role]
        roles.setdefault((role_model.slug, asked), []).append(role_model.role)
    models = {role_model.slug: role_model.model for role_model in role_models}
    probes = [
        Probe(slug, models[slug], one, tuple(names))
        for (slug, asked), names in roles.items()
        for one in (sizes_painted(params) if (slug, asked) == (params.dataset.roles.painter, "paint") else [asked])
    ]
    return sorted(probes, key=lambda probe: [*models].index(probe.slug))


def sizes_painted(params: Everything) -> dict[str, tuple[int, int]]:
    """Return a request of the dataset's painter for each size: not every model makes them all."""
    first, *others = ((one.width, one.height) for one in params.dataset.synthesize.drawn)
    return {"paint": first} | {f"paint {width} x {height}": (width, height) for width, height in others}


def probe_models(params: Everything, settings: Settings) -> Iterator[Result]:
    """Ask one model after the other; if one fails, the others are still asked."""

    def opening(probe: Probe) -> tuple[str, str]:  # some kinds are opened in another way for these
        return probe.slug, probe.request if probe.request in ("embed a picture", "detect", *SCORERS) else ""

    quick = {slug: one.model_copy(update={"busy_seconds": BUSY_SECONDS}) for slug, one in settings.models.items()}
    settings = settings.model_copy(update={"models": quick})
    for (slug, _), grouped in groupby(planned_probes(params), opening):
        probes = list(grouped)
        model = probes[0].model
        if isinstance(model, model_kinds.SandboxModel):
            yield from skip_probes(probes, model, "the embedded world answers only its own questions")
            continue
        try:
            opened = open_model(RoleModel(probes[0].roles[0], slug, model), settings, TEXTS)
        except UserError as error:
            yield from (Result(probe, model_kinds.identity(model), failure=in_one_line(error)) for probe in probes)
            continue
        if opened.by_record:
            asyncio.run(opened.close())
            yield from skip_probes(probes, model, "its answers are found by the id of a row")
        else:
            budget = Budget(store_root(), settings.max_cost)
            limits = Limits(Tally("check", len(probes)), 0, budget, settings.endpoint(slug), slug)
            yield from asyncio.run(ask_model(opened, probes, params, limits))


def skip_probes(probes: Iterable[Probe], model: model_kinds.Model, why: str) -> Iterator[Result]:
    return (Result(probe, model_kinds.identity(model), remark=f"not asked: {why}") for probe in probes)


async def ask_model(model: Model, probes: Sequence[Probe], params: Everything, limits: Limits) -> list[Result]:
    results, endpoint = [], limits.endpoint
    try:
        for probe in probes:
            conversation = conversation_of(probe.request, params)
            request = conversation.next([])
            assert not isinstance(request, Outcome)
            started = time.monotonic()
            try:
                with limits.admit(request):
                    async with asyncio.timeout(endpoint.answer_seconds + PATIENCE_SECONDS):
                        reply = await model.answer(request)
                    limits.count_answer(request, reply)
            except UserError as error:
                results.append(Result(probe, model.identity, failure=in_one_line(error)))
                continue
            except TimeoutError:
                waited = f"no answer within {endpoint.answer_seconds + PATIENCE_SECONDS:g} s, with further attempts"
                results.append(Result(probe, model.identity, failure=f"{probe_name(probe)}: {waited}"))
                continue
            seconds, end = time.monotonic() - started, conversation.next([reply])
            failure, remark = find_fault(request, reply, end), (isinstance(end, Outcome) and end.reason) or ""
            results.append(Result(probe, model.identity, remark, failure, reply, seconds, limits.cost(request, reply)))
    finally:
        await model.close()
    return results


def conversation_of(asked: str, everything: Everything) -> Conversation:
    params = everything.dataset
    if size := sizes_painted(everything).get(asked):
        return Painting(Paint(TEXTS[0], *size, params.seed), upright_jpeg)
    width, height = params.synthesize.width, params.synthesize.height
    if asked in SCORERS:
        return Rating(Rate(asked, picture_with_square(), "" if asked == "aesthetics" else f"a {SQUARE} on white"))
    match asked:
        case "edit":
            parts = (picture_with_word(), "Make the background blue.")
            return Creating(Create(parts, ("image",), width, height, params.seed), upright_jpeg)
        case "answer":  # in any form: what a contestant writes itself, no schema binds
            return Creating(
                Create((picture_with_word(), "What does it say?"), ("text",), 0, 0, params.seed), upright_jpeg
            )
        case "look":
            return YES_QUESTION.about({}, [picture_with_word()], params.seed)
        case "chat":
            return YES_QUESTION.about({}, seed=params.seed)
        case "embed a text":
            return Embedding(Embed(TEXTS[0]))
        case "embed a picture":
            return Embedding(Embed(picture_with_word()))
        case "detect":
            return Detecting(Detect(picture_with_square(), (SQUARE,)))
        case _:
            return Reading(Read(picture_with_word()))


@cache
def picture_with_word() -> Picture:
    image = Image.new("RGB", (320, 320), "white")
    ImageDraw.Draw(image).text((160, 160), WORD, "black", ImageFont.load_default(72), anchor="mm")
    return Picture(as_jpeg(image))


@cache
def picture_with_square() -> Picture:
    image = Image.new("RGB", (640, 480), "white")
    ImageDraw.Draw(image).rectangle(PLACE, "red")
    return Picture(as_jpeg(image))


def overlap(one: Sequence[float], other: Sequence[float]) -> float:
    left, top, right, bottom = (*map(max, one[:2], other[:2]), *map(min, one[2:], other[2:]))
    common = max(0.0, right - left) * max(0.0, bottom - top)
    areas = [(x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in (one, other)]
    return common / (sum(areas) - common)


def find_fault(request: Request, reply: Reply, end: Request | Outcome) -> str:
    if not isinstance(end, Outcome):  # a question that asks once more
        if not reply.content.strip():
            return f"the reply is empty, {reply.input_tokens:,} tokens were read"
        return in_one_line(f"the reply does not fit its JSON schema: {reply.content[:200].decode(errors='replace')}")
    if end.status != "ok":
        return in_one_line(f"{end.status}: {end.reason}")
    if isinstance(request, Read):
        read = " ".join(line.text for line in end.value)
        return "" if WORD in read else in_one_line(f"{read!r} was read, but the picture shows {WORD}")
    if isinstance(request, Detect) and not any(overlap(thing.box, PLACE) >= HALF for thing in end.value):
        boxes = ", ".join(str(thing.box) for thing in end.value) or "nowhere"
        return in_one_line(f"the {SQUARE} at {PLACE} was found {boxes}: does the model give boxes in another format?")
    return ""


def in_one_line(words: object) -> str:
    return harmless_text(" ".join(str(words).split()))


def result_lines(params: Everything, results: Iterable[Result]) -> Iterator[tuple[Result, str]]:
    probes = planned_probes(params)
    roles = max(len(probe_name(probe)) for probe in probes)
    ids = max(len(str(model_kinds.identity(probe.model)["id"])) for probe in probes)
    for result in results:
        mark = "FAILED " if result.failure else ("skipped" if result.reply is None else "ok     ")
        revision = str(result.identity["revision"]).removeprefix("sha256-")[:12] or "-"
        who = f"{mark} {probe_name(result.probe):<{roles}}  {result.identity['id']:<{ids}}"
        how = [result_costs(result), result.failure or result.remark]
        yield result, "  ".join([who, f"{revision:<12}", f"{result.probe.request:<15}", *filter(None, how)])


def result_costs(result: Result) -> str:
    if (reply := result.reply) is None:
        return ""
    price = f"  cost {result.cost:.4f}" if result.cost else ""
    return f"{result.seconds:>7,.2f} s {reply.input_tokens:>7,} in {reply.output_tokens:>6,} out{price}"


def result_values(result: Result) -> dict[str, Any]:
    said = {name: getattr(result, name) for name in ("remark", "failure", "seconds", "cost")}
    reply = result.reply
    tokens = {} if reply is None else {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
    return {"model": result.probe.slug, "roles": result.probe.roles, "request": result.probe.request, **said, **tokens}


def probe_name(probe: Probe) -> str:
    return f"{', '.join(probe.roles)}: {probe.slug}"
