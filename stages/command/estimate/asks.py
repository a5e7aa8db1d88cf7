"""What a build would ask, in tokens, GPU-hours, money and bytes: arithmetic alone, from the real questions' texts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import mean

from stages.asking.limits import CHARACTERS_PER_TOKEN, input_tokens
from stages.asking.questions import Question
from stages.command.estimate import figures
from stages.command.estimate.flow import Flow
from stages.dataset.align import ALIGN
from stages.dataset.annotate import GENERATION_CHAIN_OF_THOUGHT, OPENING, questions_of
from stages.dataset.brainstorm import brainstorming
from stages.dataset.examine import EXAMINE
from stages.dataset.find_text import FIND_TEXT
from stages.dataset.imagine import IMAGINE
from stages.dataset.leaks.question import SAME_TEST
from stages.dataset.mine_text import MINE_TEXT
from stages.dataset.proofread import PROOFREADING
from stages.dataset.rewrite import REWRITE, REWRITE_TEXT
from stages.dataset.score import SCORE
from stages.dataset.shared.parameters import Params
from stages.dataset.translate import TRANSLATE
from stages.project.model_kinds import FolderModel, Model, SandboxModel, identity
from stages.project.roles import RoleModel
from stages.project.settings import Endpoint, Settings


@dataclass(frozen=True)
class Ask:
    """One kind of request: how many of them, and the tokens that each reads and writes.

    `picture`: those among the tokens read that are a picture's; `reused`: those that a server with a prefix cache has
    read for another request just before.
    """

    stage: str
    role: str
    requests: int
    read: float
    written: float
    picture: float = 0
    reused: float = 0


@dataclass(frozen=True)
class Line:
    """One stage's requests in total. None: not known, or there is none. `free`: the embedded world answers, or a folder
    of what was made elsewhere.
    """

    stage: str
    model: str
    requests: int
    read: float
    written: float
    gpu_hours: float | None
    cost: float | None
    free: bool


def asks(params: Params, flow: Flow) -> list[Ask]:
    """Return every kind of request of a build, in the order of the stages. A repaired or repeated one
    is not counted.
    """

    def picture(role: str, size: tuple[int, int]) -> int:
        return figures.picture_tokens(getattr(model_of(params, role), "id", ""), *size)

    painted = painted_size(params)
    judged, captioned = picture("judge", painted), picture("captioner", painted)
    source = picture("captioner", figures.SOURCE_SIZE)
    words, legacy = figures.WORDS, figures.LEGACY_WORDS.value
    detail = figures.DETAIL_CHARACTERS.value / figures.CHARACTERS_PER_WORD.value
    families = len(params.brainstorm.families) if flow.imagined else 0
    seed_prompts = params.brainstorm.prompts_per_family * words["seed prompt"]
    shown = params.imagine.examples * words["seed prompt"]
    given = {"prompt": words["rewrite"]} if params.annotate.prompt_for_names else {}
    caption = mean(read(question, **given) for question in questions_of(params).values())
    all_captions = read(GENERATION_CHAIN_OF_THOUGHT, captions=figures.CATEGORIES.value * words["caption"])

    asked, ask_from = params.hold_out.asked, params.hold_out.ask_from
    near = asked if ask_from < figures.PAIRS_FROM else min(figures.PAIRS.value, asked)
    pairs = round((flow.texts + flow.kept) * near)
    about_pairs = read(SAME_TEST, test=words["rewrite"], text=words["caption"])
    shared = len(OPENING) / CHARACTERS_PER_TOKEN + captioned
    more_captions = flow.categories - flow.kept

    def ask(
        stage: str, role: str, requests: int, text: float, words: float, picture: float = 0, reused: float = 0
    ) -> Ask:
        return Ask(stage, role, requests, text + picture, tokens(words), picture, reused)

    return [
        ask(
            "brainstorm",
            "seed_writer",
            families,
            read(brainstorming(params.brainstorm.prompts_per_family), family=3, count=1),
            seed_prompts,
        ),
        ask("imagine", "writer", flow.imagined, read(IMAGINE, examples=shown), words["imagine"]),
        ask("rewrite", "captioner", flow.rewritten, read(REWRITE, caption=legacy), words["rewrite"], source),
        ask("rewrite", "captioner", flow.rewritten_from_text, read(REWRITE_TEXT, caption=legacy), words["rewrite"]),
        ask("find_text", "captioner", flow.searched, read(FIND_TEXT), words["find_text"], source),
        ask("mine_text", "captioner", flow.mined, read(MINE_TEXT, transcription=9), words["mine_text"], source),
        ask("synthesize", "painter", flow.candidates, tokens(words["rewrite"]), 0),
        ask("examine", "judge", flow.candidates, read(EXAMINE), words["examine"], judged),
        ask("score", "judge", flow.admitted, read(SCORE), words["score"], judged),
        ask("proofread", "judge", flow.lettered, read(PROOFREADING), words["proofread"], judged),
        ask("annotate", "captioner", flow.kept, caption, words["caption"], captioned),
        ask("annotate", "captioner", more_captions, caption, words["caption"], captioned, reused=shared),
        ask("annotate", "captioner", flow.kept, all_captions, detail, captioned, reused=shared),
        ask("align", "judge", flow.compared, read(ALIGN, caption=legacy), words["align"], judged),
        ask("translate", "translator", flow.categories, read(TRANSLATE, caption=words["caption"]), words["caption"]),
        ask("translate", "translator", flow.kept, read(TRANSLATE, caption=detail), detail),
        ask("translate", "translator", flow.compared, read(TRANSLATE, caption=legacy), legacy),
        ask("same_test", "judge", pairs, about_pairs, words["same_test"]),
    ]


def tokens(words: float) -> float:
    """Return tokens of a text of so many words."""
    return words * figures.CHARACTERS_PER_WORD.value / CHARACTERS_PER_TOKEN


def read(question: Question, **words: float) -> int:
    """Return input tokens of a question without its picture; `words` are the lengths of its record fields."""
    fields = {name: "x" * round(count * figures.CHARACTERS_PER_WORD.value) for name, count in words.items()}
    return input_tokens(question.about(fields).request)


def model_of(params: Params, role: str) -> Model:
    """Return the model that fills a role."""
    return params.models[getattr(params.roles, role)]


def lines(params: Params, asked: Sequence[Ask], settings: Settings) -> list[Line]:
    """Return the requests of every stage that has any, with GPU-hours and cost where they can be known."""
    found = []
    for stage in dict.fromkeys(ask.stage for ask in asked if ask.requests):
        parts = [ask for ask in asked if ask.stage == stage]
        role = parts[0].role
        player = RoleModel(role, getattr(params.roles, role), model_of(params, role))
        found.append(line_of(stage, player, parts, painted_size(params), settings))
    return found


def line_of(stage: str, player: RoleModel, parts: Sequence[Ask], size: tuple[int, int], settings: Settings) -> Line:
    """Return all that a stage asks of one model, which paints pictures of this size, if any."""
    free = isinstance(player.model, SandboxModel | FolderModel)
    return Line(
        stage,
        player.slug,
        sum(part.requests for part in parts),
        sum(part.requests * part.read for part in parts),
        sum(part.requests * part.written for part in parts),
        known_sum([hours_of(part, player.model, size) for part in parts]),
        None if free else known_sum([cost(part, settings.endpoint(player.slug)) for part in parts]),
        free,
    )


def painted_size(params: Params) -> tuple[int, int]:
    """Return width and height of the dataset's pictures."""
    return params.synthesize.width, params.synthesize.height


def known_sum(values: Sequence[float | None]) -> float | None:
    """Return the sum of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def gpu_hours(ask: Ask, params: Params, more: Collection[str] = ()) -> float | None:
    """Return hours of one H200 for these requests of the dataset, with `more` switches on than params.yaml has; None
    when no measurement of the model is known.
    """
    return hours_of(ask, model_of(params, ask.role), painted_size(params), more)


def hours_of(ask: Ask, model: Model, size: tuple[int, int], more: Collection[str] = ()) -> float | None:
    """Return hours of one H200 for these requests of a model, which paints pictures of this size, if any; None when no
    measurement of it is known.
    """
    of, on = identity(model), switched_on(model).union(more)
    if ask.role == "painter" and of["id"] in figures.PAINTERS:
        pixels = size[0] * size[1] / 1024**2
        steps = of["sampling"].get("num_inference_steps", figures.PAINTING_STEPS) / figures.PAINTING_STEPS
        return ask.requests * painting_seconds(on) * pixels * steps / 3600
    if of["id"] in figures.DENSE_32B:
        read = ask.read if model.kind == "transformers" else ask.read - ask.reused
        seconds = read / figures.READING.value + ask.written / figures.WRITING.value
        return ask.requests * seconds / (figures.FP8.value if "fp8" in on else 1) / 3600
    return None


def switched_on(model: Model) -> set[str]:
    """Return what makes a model faster as params.yaml has it; of one behind a server, as its `numerics` say."""
    own = {getattr(model, field, None) for field in ("attention", "cache")}
    return {*identity(model)["numerics"].split("+"), *filter(None, own)}


def painting_seconds(on: Collection[str]) -> float:
    """Return seconds a picture with these switches on: all others were measured compiled, and the step cache with
    FlashAttention 3, so one counts only where those are on.
    """
    if "compile" not in on:
        return figures.PAINTING_SECONDS.value
    seconds = (figures.FP8_PAINTED if "fp8" in on else figures.COMPILED).value
    if "flash_3" in on:
        seconds *= figures.FLASH_3.value * (figures.CACHED.value if "cache_dit" in on else 1)
    return seconds


def cost(ask: Ask, endpoint: Endpoint) -> float | None:
    """Return what these requests cost at run.toml's prices; None when it has none."""
    each = (ask.read * endpoint.input_price + ask.written * endpoint.output_price) / 1e6
    if ask.role == "painter":
        each += endpoint.image_price
    return ask.requests * each if each else None


def disk(params: Params, flow: Flow, asked: Sequence[Ask]) -> dict[str, float]:
    """Return bytes by place; DVC's cache shares the tables' where the file system can link or clone files."""
    pixels = params.synthesize.width * params.synthesize.height
    kept_in_store = figures.JPEG if isinstance(model_of(params, "painter"), SandboxModel) else figures.PNG
    texts = sum(ask.requests * ask.written for ask in asked) * CHARACTERS_PER_TOKEN * figures.TEXT_COPIES
    return {
        "datasets/sources: images": flow.local_images * figures.SOURCE_IMAGE.value,
        "datasets/source_rows: source images": flow.source_images * figures.SOURCE_IMAGE.value,
        "datasets/synthesized": flow.candidates * pixels * figures.JPEG.value,
        "datasets/release": flow.kept * pixels * figures.JPEG.value,
        "all tables and replies: texts": texts,
        "reply store: pictures as they came": flow.candidates * pixels * kept_in_store.value,
        ".dvc/tmp: scratch": flow.candidates * figures.SCRATCH.value,
    }
