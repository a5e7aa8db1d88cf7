"""Benchmarks that cannot be measured now, and studies without a block, are left out of the build: DVC would refuse all
for want of one.

A file `.dvcignore` in its folder, which belongs into git, hides its pipeline without a block or a whole edition. Where
there is a block, the leaderboard has the reason in the place of its board.
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
from gamut.project.pipeline import BENCHMARKS, HIDING, PARAMS, PIPELINE, value_at
from gamut.project.places import RELATIONS, board_of, reason_of
from gamut.project.validation import check_values, read_yaml

MARK = "# Written and removed by gamut (`gamut check`)"


class BenchmarkItems(NamedTuple):
    """A benchmark with its items, none where they cannot be read: its edition is `missing`, or not fit to be measured.
    `absent`: its pictures are. Either says why, and how to mend it.
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
    values = read_yaml(PARAMS) if PARAMS.exists() else {}
    for name in NAMES:
        path, pipeline = BENCHMARKS / name / ".dvcignore", BENCHMARKS / name / PIPELINE
        if not pipeline.exists():
            continue
        without_block = value_at(values, name) is None
        items = None if without_block else readable_items(name, values)
        reason = f"{PARAMS} has no block {name!r}" if without_block else items.left_out if items else None
        if is_foreign(path):
            if reason:
                yield f"{name} cannot be measured, and {path} is not gamut's to hide it with: {reason}"
        elif reason:
            keep_reason(name, None if without_block else reason)
            if hide_pipeline(path) or not without_block:
                said = f"{name} is left out of the build" if without_block else f"LEFT OUT OF THE BUILD: {name}"
                yield f"{said} ({path}, to be committed): {reason}"
        else:
            if items:
                yield from keep_picture_folder(items, pipeline)
            if path.exists() or reason_of(name).exists():
                path.unlink(missing_ok=True)
                reason_of(name).unlink(missing_ok=True)
                yield f"{name} is part of the build again ({path} is gone)"
    for name, study in studies().items():
        path, there = study.file.with_name(".dvcignore"), value_at(values, name) is not None
        if not study.file.exists() or is_foreign(path):
            continue
        if there and path.exists():
            path.unlink()
            yield f"{name} is part of the build ({path} is gone)"
        elif not there and hide_pipeline(path, "params.yaml has no block of this study"):
            yield f"{name} is left out of the build ({path}, to be committed): {PARAMS} has no block {name!r}"


def is_foreign(path: Path) -> bool:
    """Return whether a .dvcignore is there that somebody else wrote."""
    return path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK)


def keep_reason(name: str, reason: str | None) -> None:
    for path in (board_of(name), reason_of(name), RELATIONS / f"{name}.json"):
        path.unlink(missing_ok=True)
    if reason is not None:
        write_json(reason_of(name), {f"{name}.left_out": reason})


def hide_pipeline(path: Path, why: str = "this benchmark cannot be measured now") -> bool:
    content = f"{MARK}: {why}\n{HIDING}\n"
    if path.exists() and path.read_text(encoding="utf-8") == content:
        return False
    write_whole(path, content.encode())
    return True


def keep_picture_folder(items: BenchmarkItems, pipeline: Path) -> Iterator[str]:
    """Make the folder of an edition's pictures where it has none: DVC wants it, and git keeps no empty one."""
    name = items.benchmark.name
    marker = pictures_path(name, items.benchmark.block(items.params).edition) / ".gitkeep"
    if any(item.images for item in items.items) or marker.parent.exists():
        return
    if f"{PICTURES}/{name}/" in pipeline.read_text(encoding="utf-8"):
        marker.parent.mkdir(parents=True)
        marker.touch()
        yield f"{marker}: {name}'s edition has no pictures, and DVC wants their folder: `git add` it"


def readable_items(name: str, values: Any) -> BenchmarkItems | None:
    """None where params.yaml is wrong, which `gamut check` refuses."""
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
                reason += f" `gamut import {name} --download` fetches what was published, or says how it is had"
            else:
                reason += f" `gamut freeze {name} {edition.stem}` or `gamut import {name} … {edition.stem}` makes it"
        return BenchmarkItems(benchmark, params, [], reason)
    return BenchmarkItems(benchmark, params, items, None, absence_message(name, benchmark.block(params).edition, items))
