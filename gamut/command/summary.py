"""What a person reads at the end of a build, in five lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from gamut.asking.limits import FAILURES
from gamut.command.board import headlines
from gamut.dataset.reporting.outputs import METRICS
from gamut.evaluation.scoring.board import estimate_in_words
from gamut.project import build_progress, pipeline, places
from gamut.project.files import read_metric_file
from gamut.project.plain_text import amount, name_first
from gamut.report.site.folder import REPORT
from gamut.tables.reading import manifest, manifest_path

PAGE = REPORT / "index.html"
NAMED = 4


def summary_lines() -> Iterator[str]:
    yield f"released: {release_words()}"
    if places := [*first_places()]:
        yield f"first places: {'; '.join(places)}"
    failed = [*failures()]
    yield f"failures: {name_first(failed, NAMED) if failed else 'none'}"
    yield f"took: {cost_words()}"
    yield f"look at it: {PAGE}" if PAGE.is_file() else "look at it: `gamut report` writes pages of what there is"


def release_words() -> str:
    release = read_metric_file(METRICS).get("release")
    if not isinstance(release, dict):
        return "nothing"
    captions = amount(release["captions_english"], "caption")
    return f"{amount(release['pictures'], 'picture')} with {captions} in each language"


def first_places() -> Iterator[str]:
    """Yield the first place of each benchmark's main board, as `gamut board` shows it."""
    for name, board in headlines():
        if isinstance(board, str):
            yield f"{name} has no board"
            continue
        first = [one for one in board.standings() if one.tie_group == 1]
        if len(first) == 1:
            yield f"{name} {first[0].name} {estimate_in_words(first[0].estimates[board.metric.shown[0]])}"
        elif first:
            yield f"{name} a tie of {name_first([one.name for one in first], NAMED)}"
        else:
            yield f"{name}: no contestant has a rank"


def failures() -> Iterator[str]:
    for stage, (_, table) in pipeline.tables().items():
        if not manifest_path(table).exists():
            continue
        whole = manifest(table)
        failed = {status: count for status, count in whole.get("statuses", {}).items() if status in FAILURES and count}
        if failed:
            why = ", ".join(f"{count:,} {status}" for status, count in sorted(failed.items()))
            yield f"{stage} {sum(failed.values()):,} of {amount(whole['rows'], 'row')} ({why})"


def cost_words() -> str:
    """Return how often models were called since the last `dvc repro` began, and the cost if run.toml has prices."""
    began = build_progress.read_progress().get("began", 0)
    entries = [entry for entry in read_log(places.store_root() / "log.jsonl") if entry_time(entry) >= int(began)]
    calls, cost = sum(entry["asked"] for entry in entries), sum(entry.get("cost") or 0 for entry in entries)
    said = f"{amount(calls, 'call')} of models in {amount(len(entries), 'cell')}"
    return f"{said}, for {cost:,.2f} at run.toml's prices" if cost else f"{said}, at no price that run.toml names"


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a log; none if it does not exist, as in a clone that has only pulled."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):  # a full disk may have torn a line
            yield json.loads(line)


def entry_time(entry: dict[str, Any]) -> float:
    return datetime.strptime(entry["at"], "%Y-%m-%dT%H:%M:%S%z").timestamp()
