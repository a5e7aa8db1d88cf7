"""Leave benchmarks that cannot be measured now, and studies without a block, out of the build: because of one, DVC
would refuse the whole build.

A line of .dvcignore, to be committed, hides the pipeline of a benchmark without a block or a complete edition. If it
has a block, the leaderboard shows the reason instead of its board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.curating.curation import RELEASED
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import PICTURES, pictures_path
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.defining.pictures import absence_message
from gamut.pipeline.studies import studies
from gamut.project.errors import UserError
from gamut.project.files import write_json, write_whole
from gamut.project.pipeline import BENCHMARKS, IGNORED, PARAMS, PIPELINE, is_hidden, value_at
from gamut.project.places import RELATIONS, board_of, reason_of
from gamut.project.validation import check_values, read_yaml


class BenchmarkItems(NamedTuple):
    """A benchmark with its items. `missing`: why they cannot be read, with the fix (then there are no items); `absent`:
    why their pictures are missing, with the fix.
    """

    benchmark: AnyBenchmark
    params: Params
    items: Sequence[Any]
    missing: str | None
    absent: str | None = None

    @property
    def left_out(self) -> str | None:
        return self.missing or self.absent


def leave_out() -> Iterator[str]:
    values, without = read_yaml(PARAMS) if PARAMS.exists() else {}, list[str]()
    for name in NAMES:
        pipeline = BENCHMARKS / name / PIPELINE
        if not pipeline.exists():
            continue
        if value_at(values, name) is None:
            keep_reason(name, None)
            without += [name] * set_hidden(pipeline, True)
            continue
        items = readable_items(name, values)
        if items and items.left_out:
            keep_reason(name, items.left_out)
            set_hidden(pipeline, True)
            yield f"LEFT OUT OF THE BUILD: {name} (commit {IGNORED}): {items.left_out}"
        else:
            yield from keep_picture_folder(items, pipeline) if items else ()
            if set_hidden(pipeline, False) or reason_of(name).exists():
                reason_of(name).unlink(missing_ok=True)
                yield f"{name} is part of the build again ({IGNORED})"
    for name, study in studies().items():
        is_without = value_at(values, name) is None
        if study.file.exists() and set_hidden(study.file, is_without):
            without += [name] * is_without
            yield from [] if is_without else [f"{name} is part of the build ({IGNORED})"]
    if without:
        yield f"not part of the build, as {PARAMS} has no block of it (commit {IGNORED}): {', '.join(without)}"


def set_hidden(file: Path, hidden: bool) -> bool:
    """Hide a pipeline from DVC or show it; return whether this changed anything."""
    if is_hidden(file) == hidden:
        return False
    lines = IGNORED.read_text(encoding="utf-8").splitlines() if IGNORED.exists() else []
    kept = [line for line in lines if line != f"/{file}"] + [f"/{file}"] * hidden
    write_whole(IGNORED, "".join(f"{line}\n" for line in kept).encode())
    return True


def keep_reason(name: str, reason: str | None) -> None:
    for path in (board_of(name), reason_of(name), RELATIONS / f"{name}.json"):
        path.unlink(missing_ok=True)
    if reason is not None:
        write_json(reason_of(name), {f"{name}.left_out": reason})


def keep_picture_folder(items: BenchmarkItems, pipeline: Path) -> Iterator[str]:
    """Make the folder of an edition's pictures if it has none: DVC needs it, and git keeps no empty folders."""
    name = items.benchmark.name
    marker = pictures_path(name, items.benchmark.block(items.params).edition) / ".gitkeep"
    if any(item.images for item in items.items) or marker.parent.exists():
        return
    if f"{PICTURES}/{name}/" in pipeline.read_text(encoding="utf-8"):
        marker.parent.mkdir(parents=True)
        marker.touch()
        yield f"{marker}: {name}'s edition has no pictures, but DVC needs their folder: `git add` this file"


def readable_items(name: str, values: Any) -> BenchmarkItems | None:
    """Return a benchmark's items; None if params.yaml is wrong, which `gamut check` reports."""
    benchmark = curation_of(name).benchmark
    try:
        return benchmark_items(benchmark, check_values(benchmark.params, values, PARAMS))
    except UserError:
        return None


def benchmark_items(benchmark: AnyBenchmark, params: Params) -> BenchmarkItems:
    name, edition = benchmark.name, benchmark.edition(params)
    try:
        items = benchmark.require_watched(params)
    except UserError as error:
        reason = str(error)
        if not edition.exists():
            reason += "" if reason.endswith("?") else "."
            if edition.stem == RELEASED and curation_of(name).published:
                reason += f" `gamut import {name} --download` fetches the published items, or says how to get them"
            else:
                reason += f" `gamut freeze {name} {edition.stem}` or `gamut import {name} … {edition.stem}` makes it"
        return BenchmarkItems(benchmark, params, [], reason)
    return BenchmarkItems(benchmark, params, items, None, absence_message(name, benchmark.block(params).edition, items))
