"""What measuring contestants would ask: answers, judgements and controls, counted from the requests of the items.

A judgement of one answer reads what the same judgement of any other answer to that item reads: so the items of each
side are looked at once, whoever answers. Nothing is taken to be refused or to fail, and of a visit only what it opens
with is counted: what it asks later depends on replies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PIL import Image

from stages.asking.limits import TOKENS_PER_IMAGE, input_tokens, pictures_in, writes
from stages.asking.outcomes import Outcome
from stages.asking.requests import Request, wants_picture
from stages.asking.visiting import Visit
from stages.command.estimate import figures
from stages.command.estimate.asks import Ask, Line, line_of, tokens
from stages.evaluation.bodies.answer import paint
from stages.evaluation.bodies.judge import look_at_picture
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params, played_by
from stages.evaluation.defining.sides import sides_of
from stages.evaluation.running.answers import rows_to_answer
from stages.evaluation.running.controls import CONTROLS
from stages.project.model_kinds import Model, Played, RoleModel, RolePair, identity
from stages.project.settings import Settings
from stages.tables.columns import Row
from stages.tables.images import as_jpeg

Shards = Mapping[str, Sequence[Row]]
"""The answers that are wanted on one side, by shard."""


def lines(benchmark: Benchmark[Any, Any], params: Params, settings: Settings) -> Iterator[Line]:
    """Yield what every contestant and every judge of a benchmark would be asked; UserError where its edition is not
    there, or cannot be read.
    """
    block, items = benchmark.block(params), {str(item.id): item for item in benchmark.items(params)}
    asked = {contestant: sides_of(benchmark, params, contestant) for contestant in params.contestants}
    wanted = [side for side in benchmark.sides(block) if any(side in sides for sides in asked.values())]
    rows = {side: rows_to_answer(list(items), [side]) for side in wanted}
    put = {side: opening(paint(benchmark, params, items), rows[side]) for side in wanted}
    judged = {side: opening(look_at_picture(benchmark, params), rows[side]) for side in wanted}
    size = (block.answer.width, block.answer.height)
    for contestant, sides in asked.items():
        played = played_by(contestant, params.contestants[contestant], "painter")
        for player, asks in answered(played, [request for side in sides for request in put[side]], size):
            yield line_of(f"{benchmark.name}.answer", player, asks, size, settings)
    answers: dict[str, float] = {side: sum(side in sides for sides in asked.values()) for side in wanted}
    twins = {side: controls(rows[side]) * sum(side in asked[one] for one in block.controls_of) for side in wanted}
    words = figures.JUDGED_WORDS.value * len(benchmark.measures) * block.repeats * len(items)  # about a side's items
    for judge in block.judges:
        player = RoleModel("judge", judge, params.models[judge])
        for stage, times in {"judge": answers, "judge_controls": twins}.items():
            asks = [
                ask(player, judged[side], words / max(len(judged[side]), 1), size, times=times[side]) for side in wanted
            ]
            yield line_of(f"{benchmark.name}.{stage}", player, asks, size, settings)


def answered(
    played: Played, requests: Sequence[Request], size: tuple[int, int]
) -> Iterator[tuple[RoleModel, list[Ask]]]:
    """Yield what each model of a contestant is asked. The painter of a pair reads what was written for it, too."""
    texts = [request for request in requests if not wants_picture(request)]
    pictures = [request for request in requests if not writes(request)]
    both = [request for request in requests if wants_picture(request) and writes(request)]
    words = figures.ANSWER_WORDS.value
    if isinstance(played, RolePair):
        writer, painter = played.text._replace(role="captioner"), played.image
        yield writer, [ask(writer, texts, words, size), ask(writer, both, words, size)]
        yield painter, [ask(painter, pictures, 0, size), ask(painter, both, 0, size, heard=words)]
    else:
        writer = played._replace(role="captioner")
        asks = [ask(writer, texts, words, size), ask(played, pictures, 0, size), ask(played, both, words, size)]
        yield played, asks


def ask(
    player: RoleModel,
    requests: Sequence[Request],
    words: float,
    size: tuple[int, int],
    heard: float = 0,
    times: float = 1,
) -> Ask:
    """Return these requests in sum, each `times` over. `words` are those of a reply, `heard` those that a request holds
    besides; pictures are taken to have this size.
    """
    read = read_by(player.model, requests, size) + tokens(heard)
    return Ask("", player.role, round(times * len(requests)), read, tokens(words))


def opening(visit: Visit, shards: Shards) -> list[Request]:
    """Return the requests that visits to these rows open with; the answers that are judged are small pictures."""
    picture = as_jpeg(Image.new("RGB", (64, 64)))
    talks = [talk for rows in shards.values() for row in rows for talk in next(visit(row | {"picture": picture}), ())]
    steps = [talk.next([]) for talk in talks]
    return [step for step in steps if not isinstance(step, Outcome)]


def read_by(model: Model, requests: Sequence[Request], size: tuple[int, int]) -> float:
    """Return the tokens that a model reads in one of these requests, on average; all pictures have this size."""
    a_picture = figures.picture_tokens(str(identity(model)["id"]), *size)
    pictures = sum(map(pictures_in, requests))
    return (sum(map(input_tokens, requests)) + pictures * (a_picture - TOKENS_PER_IMAGE)) / max(len(requests), 1)


def controls(shards: Shards) -> float:
    """Return how many controls an answer has; one that is alone in its shard has no other to be shown in its place."""
    counts = [len(rows) for rows in shards.values()]
    return sum(count * len(CONTROLS) - (count == 1) for count in counts) / sum(counts)
