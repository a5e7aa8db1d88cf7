"""`gamut list`: what this project has, as a short table for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gamut.command.left_out import readable_items
from gamut.command.profiles import profile_names
from gamut.command.terminal import print_json
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.editions import read_editions
from gamut.evaluation.scoring.printed import print_cells
from gamut.project import pipeline
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import identity
from gamut.project.pipeline import PARAMS
from gamut.project.staleness import staleness
from gamut.project.validation import read_yaml
from gamut.publish.parameters import Everything, load_everything
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, manifest_path


def print_lists(kind: str | None, as_json: bool) -> None:
    if kind is not None and kind not in KINDS:
        raise UserError(f"there is no list of {kind!r}{nearest_choice(kind, KINDS)}")
    everything = load_everything()
    lists = {name: [*KINDS[name](everything)] for name in (KINDS if kind is None else [kind])}
    if as_json:
        print_json(lists)
    for name, rows in lists.items() if not as_json else ():
        print_cells(name, [], [*rows[0]] if rows else [], [[*map(in_cell, row.values())] for row in rows])


def in_cell(value: Any) -> str:
    words = ", ".join(value) if isinstance(value, list) else value
    return f"{words:,}" if isinstance(words, int) else words or "-"


def benchmarks(everything: Everything) -> Iterator[Row]:
    values = read_yaml(PARAMS)
    for name in NAMES:
        benchmark, state = curation_of(name).benchmark, "no block in params.yaml"
        row: Row = dict.fromkeys(("name", "edition", "items", "contestants", "judges", "board")) | {"name": name}
        if params := everything.benchmarks.get(name):
            block, found = benchmark.block(params), readable_items(name, values)
            built = (benchmark.metrics_folder(params) / "board.csv").exists()
            state = "stale" if built and staleness([f"{name}.board"]) else "built" if built else "not built"
            state = state if found and not found.left_out else "left out of the build"
            row |= {"edition": block.edition, "items": len(found.items) if found else None}
            row |= {"contestants": [*block.contestants], "judges": block.judged_by}
        yield row | {"board": state}


def contestants(everything: Everything) -> Iterator[Row]:
    blocks = {of: curation_of(of).benchmark.block(params) for of, params in everything.benchmarks.items()}
    for name, one in everything.contestants.items():
        measured = [of for of, block in blocks.items() if name in block.contestants]
        yield {"name": name, "class": one.class_, "variant of": one.variant_of, "measured in": measured}


def editions(everything: Everything) -> Iterator[Row]:
    measured = {f"{name}/{everything.edition(name)}" for name in everything.benchmarks}
    for name, count in Counter(name for name, _ in read_editions()).items():
        yield {"edition": name, "items": count, "measured": "yes" if name in measured else "no"}


def models(everything: Everything) -> Iterator[Row]:
    for role, slug, model in everything.role_models():
        yield {"role": role, "slug": slug, "kind": model.kind, "id": str(identity(model)["id"])}


def steps(_: Everything) -> Iterator[Row]:
    for name in pipeline.tables():
        table = pipeline.table_of(name)
        rows = manifest(table)["rows"] if manifest_path(table).exists() else None
        yield {"step": name, "table": str(table), "rows": rows}


def profiles(_: Everything) -> Iterator[Row]:
    return ({"profile": name, "file": f"profiles/{name}.yaml"} for name in profile_names())


KINDS: Mapping[str, Callable[[Everything], Iterator[Row]]] = {
    one.__name__: one for one in (benchmarks, contestants, editions, models, steps, profiles)
}
