"""One contestant answers every item of the edition, in each of its settings.

A folder of answers made elsewhere can also be a contestant. Its files are called `<setting>/<item>.png`, or
`<item>.png` if the contestant gives the item pictures in only one setting. If contestants revise their answers, the
folder holds the revised ones.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial

from gamut.asking.job import job_of_rows
from gamut.asking.making import Creating, Painting, Reflecting
from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.parts import Created
from gamut.asking.requests import Create, Modality, Paint, Request, seed_of
from gamut.asking.run import ask
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.editions import Item, usable_items
from gamut.evaluation.defining.parameters import BY_ITSELF, Params, player_of
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import Prompt
from gamut.evaluation.defining.settings import can_answer, prompts_in, samples_of, settings_of
from gamut.evaluation.running import rewritings
from gamut.evaluation.running.answers import SCHEMA, answer_row, rows_to_answer, write_identity
from gamut.evaluation.running.rewritings import rewritings_for, with_rewriting
from gamut.evaluation.running.spec import answer_spec
from gamut.project.errors import UserError
from gamut.project.files import delete_unwanted
from gamut.project.model_kinds import FolderModel
from gamut.project.roles import Played, RolePair
from gamut.project.stage import main
from gamut.tables.columns import Row
from gamut.tables.images import require_picture


def answer(benchmark: AnyBenchmark, params: Params, contestant: str) -> None:
    items = benchmark.items(params)
    shards = shards_of(benchmark, params, contestant, items)
    rows = [row for shard in shards.values() for row in shard]
    played = answering_player(benchmark, params, contestant, items)
    rewriting_of = rewritings_for(benchmark, params, contestant)
    requests: list[tuple[Row, Request]] = []
    if any(isinstance(player.model, FolderModel) for player in played.players):
        from gamut.evaluation.running import folder_answers as made_elsewhere

        requests += folder_requests(benchmark, params, items, rows, rewriting_of)
        folders = made_elsewhere.folders_of(played)
        made_elsewhere.name_as_folders_do(folders, requests)
        made_elsewhere.require_distinct_names(
            {row["record"] for row in rows}, samples_of(benchmark, params, contestant)
        )
        made_elsewhere.require_one_each(folders, {row["record"] for row in rows})
    identity = identity_of(played)
    visit = answering_visit(
        benchmark,
        params,
        {str(item.id): item for item in items},
        identity["id"],
        rewriting_of,
        last_picture if is_folder(played) else conversation,
    )
    job = job_of_rows(
        f"{benchmark.name}.answer@{contestant}",
        played,
        {shard: its_rows for shard, its_rows in shards.items() if its_rows},
        visit=visit,
        schema=SCHEMA,
        folder=benchmark.answers / contestant,
        max_failures=budget_of(benchmark, params, contestant),
    )
    try:
        ask(job)
    except UserError:
        from gamut.evaluation.running.folder_answers import require_enough_answers

        require_enough_answers(job.stage, contestant, played, requests, job.max_failures)
        raise
    write_identity(job.folder, identity)


def shards_of(benchmark: AnyBenchmark, params: Params, contestant: str, items: Sequence[Item]) -> dict[str, list[Row]]:
    """Return the rows that a contestant has to answer, by shard. `record`: the name that a folder of answers uses for a
    row. It is the item's id alone if nothing else of the same kind is expected for the item.
    """
    settings, samples = settings_of(benchmark, params, contestant), samples_of(benchmark, params, contestant)
    one = params.contestants[contestant]
    asked: dict[tuple[str, str], Sequence[Modality]] = {
        (str(item.id), setting): () for item, setting in benchmark.prompts(items, settings)
    }
    for item, setting, prompt in prompts_in(benchmark, benchmark.block(params), items, settings):
        if can_answer(one, prompt):
            asked[str(item.id), setting] = prompt.modalities
        else:
            del asked[str(item.id), setting]
    shards = {
        shard: [row for row in rows if (row["item"], row["setting"]) in asked]
        for shard, rows in rows_to_answer([str(item.id) for item in items], settings, samples).items()
    }
    of_kind = Counter((item, kind) for (item, _), kind in asked.items())
    for row in (row for rows in shards.values() for row in rows):
        alone = of_kind[row["item"], asked[row["item"], row["setting"]]] == 1
        row["record"] = row["item"] if alone else f"{row['setting']}/{row['item']}"
    return shards


def folder_requests(
    benchmark: AnyBenchmark,
    params: Params,
    items: Sequence[Item],
    rows: Sequence[Row],
    rewriting_of: Callable[[str, str], Row | None],
) -> Iterator[tuple[Row, Request]]:
    """Yield each row that can be asked, with the request to a folder. No picture is read."""
    block, by_id = benchmark.block(params), {str(item.id): item for item in usable_items(items)}
    size = (block.answer.width, block.answer.height)
    for row in rows:
        rewriting = rewriting_of(row["item"], row["setting"])
        if row["item"] in by_id and (rewriting is None or rewriting["status"] == "ok"):
            item = by_id[row["item"]]
            prompt = benchmark.prompt(block, with_rewriting(item, rewriting), row["setting"], stand_ins(item))
            yield row, folder_request(prompt, size, row["sample"])


def folder_request(prompt: Prompt, size: tuple[int, int], sample: int) -> Request:
    """Return the request to a folder. It does not depend on a seed."""
    request = last_picture(prompt, size, 0, sample).next([])
    assert not isinstance(request, Outcome)  # a conversation cannot end before its first reply
    return request


def answering_player(benchmark: AnyBenchmark, params: Params, contestant: str, items: Sequence[Item]) -> Played:
    prompts = prompts_in(benchmark, benchmark.block(params), items, settings_of(benchmark, params, contestant))
    role = role_for(prompt for _, _, prompt in prompts)
    return player_of(contestant, params.contestants[contestant], role)


def budget_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> int | float:
    """Return how many of a contestant's answers may fail, as a count or a share: its own budget, or the benchmark's."""
    own, everybodys = params.contestants[contestant].max_failures, benchmark.block(params).answer.max_failures
    return everybodys if own is None else own


def role_for(prompts: Iterable[Prompt]) -> str:
    """Return painter if all prompts are texts that ask for a picture, else creator."""
    return "painter" if all(prompt.prompt is not None for prompt in prompts) else "creator"


def answering_visit(
    benchmark: AnyBenchmark,
    params: Params,
    items: Mapping[str, Item],
    contestant: str,
    rewriting_of: Callable[[str, str], Row | None],
    talk: MakeConversation,
) -> Visit:
    """Return the visit to one item in one setting; `invalid_input` if the item is unusable or lacks a picture.
    `rewriting_of`: the rewritten prompt, if there is one. `talk`: how the contestant is asked.
    """
    block, pictures = benchmark.block(params), benchmark.pictures(params)
    size = (block.answer.width, block.answer.height)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        if item.unusable is not None:
            return [unasked_row(record, contestant, item.unusable)]
        rewriting = rewriting_of(record["item"], record["setting"])
        spec = {"spec": given_spec(benchmark, params, item, record["setting"], rewriting)}
        try:
            given = pictures.of(item)
        except LookupError as error:
            return [unasked_row(record, contestant, error.args[0]) | spec]
        if rewriting is not None and rewriting["status"] != "ok":
            return [unrewritten_row(record, contestant, rewriting) | spec]
        prompt = benchmark.prompt(block, with_rewriting(item, rewriting), record["setting"], given)
        seed = seed_of(f"{record['setting']}/{record['item']}", params.seed)
        [made] = yield [talk(prompt, size, seed, record["sample"])]
        created = Created((made.value,)) if isinstance(made.value, bytes) else made.value
        return [answer_row(record, created, made) | spec]

    return visit


def given_spec(benchmark: AnyBenchmark, params: Params, item: Item, setting: str, rewriting: Row | None) -> str:
    """Return the spec of what every contestant is given. If contestants rewrite for themselves, it states only that."""
    block, how = benchmark.block(params), None
    if rewriting is not None:
        words = [] if setting == BY_ITSELF else [rewriting["prompt"]]
        how = [*rewritings.spec_of(benchmark, setting), *words]
    prompt, size = benchmark.prompt(block, item, setting, stand_ins(item)), (block.answer.width, block.answer.height)
    return answer_spec(prompt, size, params.seed, how)


def unasked_row(record: Row, contestant: str, why: str) -> Row:
    return answer_row(record, None, Answer(Outcome("invalid_input", reason=why), contestant, ()))


def unrewritten_row(record: Row, contestant: str, rewriting: Row) -> Row:
    """Return the row of an answer without a prompt: the contestant's failure only if it rewrites for itself."""
    row = unasked_row(record, contestant, f"no rewritten prompt: {rewriting['status']}: {rewriting['reason']}")
    own = {"status": rewriting["status"], "replies": rewriting["replies"]}
    return row | own if record["setting"] == BY_ITSELF else row


MakeConversation = Callable[[Prompt, tuple[int, int], int, int], Conversation]
"""How a contestant is asked for one answer; see `conversation`."""


def conversation(prompt: Prompt, size: tuple[int, int], seed: int, sample: int) -> Painting | Creating | Reflecting:
    """Return the conversation with a contestant. `size`: pixels of pictures whose item states no size."""
    width, height = (prompt.size or size) if "image" in prompt.modalities else (0, 0)
    if prompt.prompt is not None:
        return Painting(Paint(prompt.prompt, width, height, seed, sample), require_picture)
    first = Create(prompt.parts, prompt.modalities, width, height, seed, sample)
    if prompt.reflection is None:
        return Creating(first, require_picture)
    return Reflecting(first, *prompt.reflection, require_picture)


def last_picture(prompt: Prompt, size: tuple[int, int], seed: int, sample: int) -> Conversation:
    """Return the request to a folder of pictures: for the picture after reflection, if there is any."""
    return conversation(prompt._replace(reflection=None), size, seed, sample)


def is_folder(played: Played) -> bool:
    painter = played.image if isinstance(played, RolePair) else played
    return isinstance(painter.model, FolderModel)


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    run, record = partial(answer, benchmark), record_of(benchmark, "answer")

    def forget(params: Params, _: str) -> None:
        delete_unwanted(benchmark.rewritten, benchmark.block(params).all_rewriters)

    main(f"{benchmark.name}.answer", run, benchmark.params, *sys.argv[2:], before=forget, record=record)
