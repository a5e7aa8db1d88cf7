"""What a build would need in tokens, GPU-hours, money and bytes, computed from the texts of the real questions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean

from gamut.asking.limits import CHARACTERS_PER_TOKEN, input_tokens
from gamut.asking.questions import Question
from gamut.command.estimate import figures
from gamut.command.estimate.flow import Flow
from gamut.command.summary import read_log
from gamut.dataset.shared.expected import CHARACTERS_PER_WORD
from gamut.dataset.steps import ASKING, Params
from gamut.pipeline.asks import Asks, Requests
from gamut.project.model_kinds import FolderModel, Model, SandboxModel, identity
from gamut.project.places import store_root
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.report.dataset.records import LIMIT
from gamut.report.site.thumbnails import LONGEST
from gamut.tables.columns import grouped
from gamut.tables.images import JPEG


@dataclass(frozen=True)
class Ask:
    """One kind of request, with the tokens that each reads and writes. `cached_tokens` of those that it reads come from
    a prefix cache.
    """

    stage: str
    role: str
    requests: int
    input_tokens: float
    output_tokens: float
    cached_tokens: float = 0


@dataclass(frozen=True)
class Line:
    """The total of one stage's requests. None: not known. `free`: the embedded world or a folder answers."""

    stage: str
    model: str
    requests: int
    input_tokens: float
    output_tokens: float
    gpu_hours: float | None
    cost: float | None
    free: bool


def dataset_asks(params: Params, flow: Flow) -> list[Ask]:
    """Return every kind of request of a build, in the order of the steps, without repaired and repeated ones."""
    return [
        ask_of(params, step, one) for step in ASKING if step.requests is not None for one in step.requests(params, flow)
    ]


def ask_of(params: Params, step: Asks, of: Requests) -> Ask:
    size = figures.SOURCE_SIZE if of.picture == "source" else params.synthesize.usual
    picture = figures.picture_tokens(getattr(model_of(params, step.role), "id", ""), *size) if of.picture else 0
    questions = [of.question] if isinstance(of.question, Question) else of.question
    text = (
        mean(question_tokens(one, **of.fields) for one in questions)
        if questions
        else tokens_of_words(sum(of.fields.values()))
    )
    shared = of.shared / CHARACTERS_PER_TOKEN + picture if of.shared else 0
    return Ask(step.name, step.role, round(of.number), text + picture, tokens_of_words(of.words), shared)


def tokens_of_words(words: float) -> float:
    return words * CHARACTERS_PER_WORD.value / CHARACTERS_PER_TOKEN


def question_tokens(question: Question, **words: float) -> int:
    """Return input tokens without the picture; `words` are the lengths of the record's fields in words."""
    fields = {name: "x" * round(count * CHARACTERS_PER_WORD.value) for name, count in words.items()}
    return input_tokens(question.about(fields).request)


def model_of(params: Params, role: str) -> Model:
    return params.role_model(role).model


def dataset_lines(params: Params, asked: Sequence[Ask], settings: Settings) -> list[Line]:
    size = params.synthesize.usual
    return [
        line_of(stage, params.role_model(parts[0].role), parts, size, settings)
        for stage, parts in grouped((ask.stage, ask) for ask in asked).items()
        if any(part.requests for part in parts)
    ]


def line_of(stage: str, player: RoleModel, parts: Sequence[Ask], size: tuple[int, int], settings: Settings) -> Line:
    free = isinstance(player.model, SandboxModel | FolderModel)
    prices = settings.endpoint(player.slug)
    parts = parts if free else real_asks(stage, player.slug, parts, prices.thinking_tokens)
    return Line(
        stage,
        player.slug,
        sum(part.requests for part in parts),
        sum(part.requests * part.input_tokens for part in parts),
        sum(part.requests * part.output_tokens for part in parts),
        known_sum([gpu_hours(part, player.model, size) for part in parts]),
        None if free else known_sum([ask_cost(part, prices) for part in parts]),
        free,
    )


def real_asks(stage: str, model: str, parts: Sequence[Ask], thinking: int) -> list[Ask]:
    """Return requests with the average tokens of this stage and model in this project's log. Without a log, each reply
    in words gets `thinking` tokens more.
    """
    if taken := logged_tokens().get((stage, model)):
        return [replace(part, input_tokens=taken[0], output_tokens=taken[1]) for part in parts]
    return [replace(part, output_tokens=part.output_tokens + thinking * bool(part.output_tokens)) for part in parts]


def logged_tokens() -> dict[tuple[str, str], tuple[float, float]]:
    """Return tokens read and written per request, by stage and model, from the reply store's log."""
    sums = defaultdict[tuple[str, str], Counter[str]](Counter)
    for entry in read_log(store_root() / "log.jsonl"):
        if entry.get("tokens_read"):
            counts = {name: entry[name] for name in ("asked", "tokens_read", "tokens_written")}
            sums[entry["stage"].partition("@")[0], entry["model"]].update(counts)
    return {of: (one["tokens_read"] / one["asked"], one["tokens_written"] / one["asked"]) for of, one in sums.items()}


def total_line(lines: Sequence[Line]) -> Line:
    return Line(
        "",
        lines[0].model,
        sum(line.requests for line in lines),
        sum(line.input_tokens for line in lines),
        sum(line.output_tokens for line in lines),
        known_sum([line.gpu_hours for line in lines]),
        known_sum([line.cost for line in lines]),
        lines[0].free,
    )


def known_sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def gpu_hours(ask: Ask, model: Model, size: tuple[int, int]) -> float | None:
    of = identity(model)
    on = of["numerics"].split("+")
    if ask.role == "painter" and of["id"] in figures.PAINTERS:
        seconds = figures.PAINTING_SECONDS.value
        if "compile" in on:  # the others were measured compiled; the step cache also with FlashAttention 3
            seconds = (figures.FP8_PAINTED if "fp8" in on else figures.COMPILED).value
            if "flash_3" in on:
                seconds *= figures.FLASH_3.value * (figures.CACHED.value if "cache_dit" in on else 1)
        steps = of["sampling"].get("num_inference_steps", figures.PAINTING_STEPS) / figures.PAINTING_STEPS
        return ask.requests * seconds * size[0] * size[1] / 1024**2 * steps / 3600
    if of["id"] in figures.DENSE_32B:
        read = ask.input_tokens if model.kind == "transformers" else ask.input_tokens - ask.cached_tokens
        seconds = read / figures.READING.value + ask.output_tokens / figures.WRITING.value
        return ask.requests * seconds / (figures.FP8.value if "fp8" in on else 1) / 3600
    return None


def ask_cost(ask: Ask, endpoint: Endpoint) -> float | None:
    each = (ask.input_tokens * endpoint.input_price + ask.output_tokens * endpoint.output_price) / 1e6
    if ask.role == "painter":
        each += endpoint.image_price
    return ask.requests * each if each else None


def disk_space(params: Params, flow: Flow, asked: Sequence[Ask]) -> dict[str, float]:
    pixels = math.prod(params.synthesize.usual)
    each = figures.picture_bytes(params.synthesize.encoding).value
    in_store = figures.picture_bytes(JPEG) if isinstance(model_of(params, "painter"), SandboxModel) else figures.PNG
    texts = sum(ask.requests * ask.output_tokens for ask in asked) * CHARACTERS_PER_TOKEN * figures.TEXT_COPIES
    pairs = {"datasets/preferences": flow.kept * 2 * pixels * each} if params.synthesize.samples > 1 else {}
    return {
        "datasets/sources: images": flow.local_images * figures.SOURCE_IMAGE.value,
        "datasets/source_rows: source images": flow.source_images * figures.SOURCE_IMAGE.value,
        "datasets/synthesize": flow.candidates * pixels * each,
        "datasets/release": flow.kept * pixels * each,
        **pairs,
        "report/dataset: thumbnails": min(flow.candidates, LIMIT) * min(pixels, LONGEST**2) * figures.THUMBNAIL.value,
        "all tables and replies: texts": texts,
        "reply store: pictures as they came": flow.candidates * pixels * in_store.value,
    }
