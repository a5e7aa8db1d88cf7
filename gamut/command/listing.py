"""`gamut list`: what there is in this project, a short table a kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gamut.command.board import boards_of
from gamut.command.left_out import readable_items
from gamut.command.profiles import PROFILES, profile_names
from gamut.command.terminal import print_json, print_text_table
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.editions import read_editions
from gamut.evaluation.defining.parameters import members
from gamut.project import model_kinds, pipeline
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import Model
from gamut.project.pipeline import PARAMS
from gamut.project.staleness import staleness
from gamut.project.validation import read_yaml
from gamut.publish.parameters import Everything, load_everything
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, manifest_path


def print_lists(kind: str | None, as_json: bool) -> None:
    if kind is not None and kind not in KINDS:
        raise UserError(f"there is no list of {kind}{nearest_choice(kind, KINDS)}")
    everything = load_everything()
    lists = {name: [*KINDS[name](everything)] for name in (KINDS if kind is None else [kind])}
    if as_json:
        print_json(lists)
        return
    for name, rows in lists.items():
        print_text_table(name, (), [*(rows or [{"nothing": ""}])[0]], [[*map(in_cell, row.values())] for row in rows])


def in_cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "-"
    return f"{value:,}" if isinstance(value, int) else value or "-"


def benchmarks(everything: Everything) -> Iterator[Row]:
    values = read_yaml(PARAMS)
    for name in NAMES:
        benchmark, params = curation_of(name).benchmark, everything.benchmarks.get(name)
        row: Row = {"name": name, "edition": None, "items": None, "contestants": [], "judges": [], "board": "no block"}
        if params is not None:
            block, found = benchmark.block(params), readable_items(name, values)
            state = "left out of the build" if found is None or found.left_out else board_state(name)
            row |= {"edition": block.edition, "items": len(found.items) if found else None, "board": state}
            row |= {"contestants": [*block.contestants], "judges": block.judged_by}
        yield row


def board_state(name: str) -> str:
    try:
        return "stale" if boards_of(name) and staleness([f"{name}.board"]) else "built"
    except UserError:
        return "not built"


def contestants(everything: Everything) -> Iterator[Row]:
    for name, one in everything.contestants.items():
        blocks = {of: curation_of(of).benchmark.block(params) for of, params in everything.benchmarks.items()}
        measured = [of for of, block in blocks.items() if name in block.contestants]
        models = [model_words(member.model) for member in members(name, one)]
        yield {"name": name, "class": one.class_, "models": models, "variant of": one.variant_of, "in": measured}


def model_words(model: Model) -> str:
    return model.kind if model.kind == "sandbox" else f"{model.kind} {model_kinds.identity(model)['id']}"


def editions(everything: Everything) -> Iterator[Row]:
    measured = {f"{name}/{everything.edition(name)}" for name in everything.benchmarks}
    for name, count in Counter(name for name, _ in read_editions()).items():
        yield {"edition": name, "items": count, "measured": "yes" if name in measured else "no"}


def models(everything: Everything) -> Iterator[Row]:
    for role, slug, model in everything.role_models():
        yield {"role": role, "slug": slug, "model": model_words(model)}


def steps(_: Everything) -> Iterator[Row]:
    for name, (_, table) in pipeline.tables().items():
        rows = manifest(table)["rows"] if manifest_path(table).exists() else None
        yield {"step": name, "table": str(table), "rows": rows}


def profiles(_: Everything) -> Iterator[Row]:
    for name in profile_names():
        first = (PROFILES / f"{name}.yaml").read_text(encoding="utf-8").partition("\n\n")[0]
        said = " ".join(line.strip("# ") for line in first.splitlines() if line.startswith("#"))
        yield {"profile": name, "says": said.partition(": ")[2].partition(". ")[0]}


KINDS: Mapping[str, Callable[[Everything], Iterator[Row]]] = {
    one.__name__: one for one in (benchmarks, contestants, editions, models, steps, profiles)
}
