"""One rewriter writes the prompts of the edition's items in its own words, for a setting that uses them."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from functools import partial

from gamut.asking.job import job_of_rows
from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.run import ask
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.parameters import BY_ITSELF, Params, setting_of
from gamut.evaluation.defining.settings import cell_of, played_rewriter
from gamut.evaluation.running.answers import write_identity
from gamut.evaluation.running.rewritings import SCHEMA, items_to_rewrite, rewriting_request, rewriting_row
from gamut.project.stage import main
from gamut.tables.columns import Row, grouped, make_id, place


def rewrite(benchmark: AnyBenchmark, params: Params, rewriter: str) -> None:
    """Ask one rewriter (`models.gpt`, `contestants.bagel`, `describers.gpt`) for the prompts of its setting."""
    items = {str(item.id): item for item in items_to_rewrite(benchmark, params, rewriter, benchmark.items(params))}
    ids = {str(item.id): make_id("prompt", ordinal) for ordinal, item in enumerate(benchmark.items(params))}
    shards = grouped((place(ids[item])[0], {"id": ids[item], "item": item, "record": item}) for item in items)
    played, setting = played_rewriter(params, rewriter), setting_of(rewriter)
    own_budget = params.contestants[rewriter.partition(".")[2]].max_failures if setting == BY_ITSELF else None
    job = job_of_rows(
        f"{benchmark.name}.{'@'.join(cell_of(rewriter))}",
        played,
        shards,
        visit=rewriting_visit(benchmark, params, items, setting, identity_of(played)["id"]),
        schema=SCHEMA,
        folder=benchmark.rewritten / rewriter,
        max_failures=benchmark.block(params).answer.max_failures if own_budget is None else own_budget,
    )
    ask(job)
    write_identity(job.folder, identity_of(played))


def rewriting_visit(
    benchmark: AnyBenchmark, params: Params, items: Mapping[str, Item], setting: str, rewriter: str
) -> Visit:
    """Return the visit to one item. The rewriter is not asked if a picture of the item is missing or altered."""
    pictures = benchmark.pictures(params)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        try:
            inputs = list(pictures.of(item, "input").values())
        except LookupError as error:
            return [rewriting_row(record, Answer(Outcome("invalid_input", reason=error.args[0]), rewriter, ()))]
        [answer] = yield [rewriting_request(benchmark, benchmark.block(params), item, setting, inputs, params.seed)]
        return [rewriting_row(record, answer)]

    return visit


if __name__ == "__main__":
    benchmark, rewriter = benchmark_of(sys.argv[1]), ".".join(sys.argv[2:])
    stage, cell = cell_of(rewriter)
    run = partial(rewrite, benchmark, rewriter=rewriter)
    record = record_of(benchmark, stage)
    main(f"{benchmark.name}.{stage}", lambda params, _: run(params), benchmark.params, cell, record=record)
