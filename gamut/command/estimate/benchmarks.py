"""What measuring contestants would ask: rewritten prompts, answers, judgments and controls, counted from the requests.

Each item counts once in each setting, as if nothing were refused or failed. Requests for answers and judges' second
looks are all counted; of what observers are asked only the first requests are, since the others depend on replies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from typing import Any, NamedTuple

from PIL import Image

from gamut.asking.limits import TOKENS_PER_IMAGE, input_tokens, picture_count, wants_text
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Modality, Part, Picture, Reply, Request, fingerprint, wants_picture
from gamut.command.estimate import figures
from gamut.command.estimate.asks import Ask, Line, line_of, tokens_of_words
from gamut.dataset.shared.expected import CHARACTERS_PER_WORD
from gamut.evaluation.bodies.answer import conversation, is_folder, role_for
from gamut.evaluation.curating.curation import Curation
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item, path_of, read_edition, usable_items
from gamut.evaluation.defining.parameters import STAGE_OF, Params, player_of, setting_of
from gamut.evaluation.defining.pictures import pictures_of_role, stand_ins
from gamut.evaluation.defining.questions import JudgeQuestion, Prompt
from gamut.evaluation.defining.settings import can_answer, cell_of, played_rewriter, samples_of, settings_of
from gamut.evaluation.running.controls import BLANK, Sources, draw_controls, make_control, sources_of
from gamut.evaluation.running.judging import judge_answer, observe_answer
from gamut.evaluation.running.rewritings import items_to_rewrite, rewriting_request
from gamut.project.model_kinds import identity
from gamut.project.roles import Played, RoleModel, RolePair
from gamut.project.settings import Settings
from gamut.tables.columns import grouped
from gamut.tables.images import as_jpeg

JUDGE, SANDBOX = "judge", "sandbox"


class OpenItem(NamedTuple):
    """An item in a setting. `requests`: to contestants; `looks`: questions about an answer, by the role that is asked;
    `words`: of a judge's reply; `sources`: of controls.
    """

    item: str
    setting: str
    prompt: Prompt
    requests: Sequence[Request]
    looks: Mapping[str, Sequence[Request]]
    words: float
    sources: Sources


def benchmark_lines(
    benchmark: AnyBenchmark, params: Params, settings: Settings, stand_ins: Sequence[Item] = ()
) -> Iterator[Line]:
    """Yield the requests of measuring, by stage. `stand_ins` replace items that are not here yet."""
    block = benchmark.block(params)
    size = (block.answer.width, block.answer.height)
    items = stand_ins or benchmark.items(params)
    if (writing := benchmark.writing) and block.writers:
        [writer], asked = block.writers, writing.lacking(block, stand_ins or benchmark.frozen_items(params))
        player = RoleModel("writer", writer, params.models[writer])
        asks = [summed_ask(player, first_steps([*asked.values()]), figures.ANSWER_WORDS.value, size)]
        yield line_of(f"{benchmark.name}.write", player, asks, size, settings)
        items = [writing.added(item, writing.stand_in) if str(item.id) in asked else item for item in items]
    prompts = benchmark.prompts(usable_items(items), benchmark.settings(block))
    opened = [open_item(benchmark, params, item, setting) for item, setting in prompts]
    role = role_for(one.prompt for one in opened)
    opened_for = {
        name: [one for one in opened if one.setting in measured_in and can_answer(contestant, one.prompt)]
        for name, contestant in benchmark.contestants(params).items()
        for measured_in in [settings_of(benchmark, params, name)]
    }
    samples = {name: samples_of(benchmark, params, name) for name in opened_for}
    for name, contestant in benchmark.contestants(params).items():
        played = player_of(name, contestant, role)
        first = 1 if is_folder(played) else None
        requests = [request for one in opened_for[name] for request in one.requests[:first]] * samples[name]
        for player, asks in answer_asks(played, requests, size):
            yield line_of(f"{benchmark.name}.answer", player, asks, size, settings)
    for rewriter in block.all_rewriters:
        player, asks = played_rewriter(params, rewriter), [rewriting_ask(benchmark, params, rewriter, items, size)]
        yield line_of(f"{benchmark.name}.{cell_of(rewriter)[0]}", player, asks, size, settings)
    everybody = Counter(id(one) for name, mine in opened_for.items() for one in [*mine] * samples[name])
    degraded = [
        degraded_answers(benchmark, params, items, opened_for[name], samples[name]) for name in block.controls_of
    ]
    observers = [(role, slug) for role, slugs in block.observers.items() for slug in slugs]
    for role, slug in (*((JUDGE, slug) for slug in block.judges), *observers):
        player, stage = RoleModel(role, slug, params.models[slug]), STAGE_OF.get(role, role)
        times, by_judge = {stage: everybody}, role == JUDGE
        if by_judge or not block.judges:
            controls = (id(one) for controls in degraded for one in distinct_controls(controls, role))
            times[f"{stage}_controls"] = Counter(controls)
        for name, of in times.items():
            asks = [
                summed_ask(player, one.looks[role], by_judge * one.words, size, times=of[id(one)]) for one in opened
            ]
            yield line_of(f"{benchmark.name}.{name}", player, asks, size, settings)


def published_stand_ins(curation: Curation[Any, Any]) -> list[Item]:
    """Return as many items of each stratum as were published: those of the edition `sandbox`, repeated. None if that
    edition is not here.
    """
    benchmark, published = curation.benchmark, curation.published
    if published is None or not path_of(curation.name, SANDBOX).exists():
        return []
    of_stratum = grouped((benchmark.stratum(one), one) for one in read_edition(curation.name, SANDBOX, benchmark.item))
    return [
        item.model_copy(update={"id": f"{item.id}~{number}", **dict.fromkeys(published.lacks)})
        for stratum, size in published.sizes.items()
        for number, item in enumerate(islice(cycle(of_stratum.get(stratum, [])), size))
    ]


Degraded = tuple[OpenItem, str, int, Sequence[Part]]
"""A control: its item, its kind and sample, and what it shows in addition to the answer."""


def degraded_answers(
    benchmark: AnyBenchmark, params: Params, items: Sequence[Item], opened_items: Sequence[OpenItem], samples: int
) -> list[Degraded]:
    block, opened = benchmark.block(params), {(one.item, one.setting): one for one in opened_items}
    answers = [
        {"item": item, "setting": setting, "sample": sample} for item, setting in opened for sample in range(samples)
    ]
    drawn = draw_controls(benchmark, block, items, answers, params.seed)
    pairs = ((kind, of, opened[shown["item"], shown["setting"]].sources) for kind, of, shown in drawn)
    return [
        (opened[of["item"], of["setting"]], kind, of["sample"], make_control(kind, [], src)) for kind, of, src in pairs
    ]


def distinct_controls(controls: Iterable[Degraded], role: str) -> list[OpenItem]:
    """Return controls, equal ones once: without the answer, several settings may have the same requests."""
    found: dict[object, OpenItem] = {}
    for one, kind, sample, parts in controls:
        asked = [fingerprint(request, {}) for request in one.looks[role]] if parts or kind == BLANK else [one.setting]
        found[one.item, kind, sample, *parts, *asked] = one
    return [*found.values()]


def open_item(benchmark: AnyBenchmark, params: Params, item: Item, setting: str) -> OpenItem:
    block, pictures = benchmark.block(params), stand_ins(item)
    prompt, judge_questions = (
        benchmark.prompt(block, item, setting, pictures),
        benchmark.questions_to_ask(block, item, setting),
    )
    answer = stand_in_answer(prompt.modalities)
    record = {"id": "", "item": str(item.id), "setting": setting, "sample": 0, "answer": answer}
    asked = all_steps(conversation(prompt, (block.answer.width, block.answer.height), 0, 0))
    checks = {role: [one for one in benchmark.checks(item, setting) if one.role == role] for role in block.observers}
    observing = {role: first_steps(next(observe_answer(record, of, pictures, {}))) for role, of in checks.items()}
    asking = [replace(one, known=None) for one in judge_questions]
    opening = first_steps(next(judge_answer(record, asking, pictures, block.repeats, 0, benchmark.measures)))
    to_judge = [*opening, *second_looks(asking, opening)]
    values = block.repeats * sum(max(1, len(one.measures)) for one in judge_questions)
    words = figures.JUDGED_WORDS.value * values / max(len(to_judge), 1)
    sources = sources_of(benchmark, block, item, setting, pictures)
    return OpenItem(str(item.id), setting, prompt, asked, {JUDGE: to_judge, **observing}, words, sources)


def second_looks(questions: Sequence[JudgeQuestion], opening: Sequence[Request]) -> list[Request]:
    """Return what is asked after the replies to `opening`, in the same conversations."""
    said = "x" * round(figures.JUDGED_WORDS.value * CHARACTERS_PER_WORD.value)
    return [
        one.question.after(request, said, one.fields).request
        for one in questions
        for request in opening
        if one.follows is not None and isinstance(request, Chat) and request.name == one.follows.name
    ]


def first_steps(conversations: Sequence[Conversation]) -> list[Request]:
    steps = [one.next([]) for one in conversations]
    return [step for step in steps if not isinstance(step, Outcome)]


def all_steps(conversation: Conversation) -> list[Request]:
    steps, replies = list[Request](), list[Reply]()
    while not isinstance(step := conversation.next(replies), Outcome):
        made = stand_in_answer(step.modalities if isinstance(step, Create) else ("image",))
        replies.append(Reply(bundle([part.data if isinstance(part, Picture) else part for part in made])))
        steps.append(step)
    return steps


def stand_in_answer(modalities: Sequence[Modality]) -> list[Part]:
    said = "x" * round(figures.ANSWER_WORDS.value * CHARACTERS_PER_WORD.value)
    return [said if modality == "text" else small_picture() for modality in modalities]


@cache
def small_picture() -> Picture:
    return Picture(as_jpeg(Image.new("RGB", (64, 64))))


def answer_asks(
    played: Played, requests: Sequence[Request], size: tuple[int, int]
) -> Iterator[tuple[RoleModel, list[Ask]]]:
    """Yield what each model of a contestant is asked. The painter of a pair also reads what the other wrote."""
    texts = [request for request in requests if not wants_picture(request)]
    pictures = [request for request in requests if not wants_text(request)]
    both = [request for request in requests if wants_picture(request) and wants_text(request)]
    words = figures.ANSWER_WORDS.value
    if isinstance(played, RolePair):
        writer, painter = played.text._replace(role="captioner"), played.image
        yield writer, [summed_ask(writer, texts, words, size), summed_ask(writer, both, words, size)]
        yield painter, [summed_ask(painter, pictures, 0, size), summed_ask(painter, both, 0, size, heard=words)]
    else:
        writer = played._replace(role="captioner")
        asks = [
            summed_ask(writer, texts, words, size),
            summed_ask(played, pictures, 0, size),
            summed_ask(played, both, words, size),
        ]
        yield played, asks


def rewriting_ask(
    benchmark: AnyBenchmark, params: Params, rewriter: str, all_items: Sequence[Item], size: tuple[int, int]
) -> Ask:
    items, setting = items_to_rewrite(benchmark, params, rewriter, all_items), setting_of(rewriter)
    inputs = [list(pictures_of_role(item, stand_ins(item), "input").values()) for item in items]
    asked = [
        rewriting_request(benchmark, benchmark.block(params), item, setting, of, 0)
        for item, of in zip(items, inputs, strict=True)
    ]
    return summed_ask(played_rewriter(params, rewriter), first_steps(asked), figures.ANSWER_WORDS.value, size)


def summed_ask(
    player: RoleModel,
    requests: Sequence[Request],
    words: float,
    size: tuple[int, int],
    heard: float = 0,
    times: float = 1,
) -> Ask:
    """Return the sum of these requests, each counted `times` over. `words`: of a reply; `heard`: further words in a
    request. All pictures are assumed to have this size.
    """
    a_picture = figures.picture_tokens(str(identity(player.model)["id"]), *size)
    read = sum(map(input_tokens, requests)) + sum(map(picture_count, requests)) * (a_picture - TOKENS_PER_IMAGE)
    read_by_each = read / max(len(requests), 1) + tokens_of_words(heard)
    return Ask("", player.role, round(times * len(requests)), read_by_each, tokens_of_words(words))
