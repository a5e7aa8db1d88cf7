"""The first page: what this is, a card per benchmark with its headline and pictures of its contestants, pictures of the
dataset, and the editions and models behind it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gamut.dataset.reporting.outputs import METRICS
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.editions import item_count
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.defining.parameters import members
from gamut.project.errors import UserError
from gamut.project.files import read_metric_file
from gamut.project.model_kinds import Model, SandboxModel
from gamut.project.parameters import load
from gamut.project.places import BOARDS, reason_of
from gamut.project.plain_text import harmless_text, name_first
from gamut.report.benchmarks.boards import Board, Row, boards
from gamut.report.benchmarks.index import MOST_TELLING
from gamut.report.benchmarks.results import Results, read_results
from gamut.report.dataset.gallery import SHOWN_FIRST
from gamut.report.knowledge import PAGE
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page

MOST_NAMED = 3
"""How many contestants a sentence names."""
MOST_ROWS = 6
"""How many contestants a card shows."""
PICTURES = 12
"""How many pictures of the dataset the first page shows."""


class Card(NamedTuple):
    """A benchmark with its headline. `board` is None if no contestant is on it; `edition` is the edition's size in
    words; `telling` has the item that tells contestants apart, if any, in the form of `TellingItem.values`.
    """

    results: Results
    metric: Metric
    board: Board | None
    rows: Sequence[Row]
    lead: str
    looked_at: str
    edition: str
    sha256: str
    telling: Sequence[Mapping[str, Any]]


def write_front(place: Path, stale: Mapping[str, str] | None = None, commit: str | None = None) -> None:
    """Write the first page. `stale` says by name what was not built with these parameters. An unreadable board does not
    hide the others. `commit` is only for pages outside the project: those inside are an output of the build, and the
    same tables must give the same bytes.
    """
    folder = Folder(place)
    cards, left_out = list[Card](), dict[str, str]()
    for path in sorted(BOARDS.glob("*.json")):
        name = path.name.partition(".")[0]
        if path == reason_of(name):
            left_out[name] = " ".join(map(str, read_metric_file(path).values()))
            continue
        try:
            benchmark = benchmark_of(name)
            cards.append(card_of(read_results(benchmark, load(benchmark.params)), place))
        except UserError as error:
            left_out[name] = str(error)
            print(f"front: {name} is left out: {harmless_text(str(error))}", flush=True)
    released = read_metric_file(METRICS).get("release")
    folder.write_assets()
    write_page(
        folder,
        "index.html",
        "front.html",
        "What was built and measured",
        "front",
        home="index.html",
        knowledge=PAGE if (place / PAGE).is_file() else None,
        released=released,
        pictures=read_list(place / "dataset" / SHOWN_FIRST)[:PICTURES] if released else [],
        cards=cards,
        left_out=left_out,
        stale=stale or {},
        commit=commit,
        most=MOST_ROWS,
        contestants={
            name: [model_in_words(member.model) for member in members(name, one)]
            for card in cards[:1]
            for name, one in card.results.params.contestants.items()
            if any(name in other.results.contestants for other in cards)
        },
        sandbox=any(isinstance(one, SandboxModel) for card in cards for one in models_of(card.results)),
    )
    print(f"report: open {folder.path / 'index.html'}", flush=True)


def card_of(results: Results, place: Path) -> Card:
    metric, judge = results.benchmark.headline(results.params)
    board = next((one for one in boards(results) if (one.metric.name, one.judge) == (metric.name, judge)), None)
    rows = [row for row in board.rows if not row.control] if board else []
    edition = results.benchmark.edition(results.params)
    return Card(
        results=results,
        metric=metric,
        board=board,
        rows=rows,
        lead=lead_in_words(rows),
        looked_at=looked_at_by(results, metric, judge),
        edition=item_count(results.items),
        sha256=hashlib.sha256(edition.read_bytes()).hexdigest(),
        telling=read_list(place / "benchmarks" / results.name / MOST_TELLING),
    )


def lead_in_words(rows: Sequence[Row]) -> str:
    """Return who is ahead on a board, best first: all that cannot be told apart from the best."""
    ranked = [row for row in rows if row.tie_group is not None]
    first = [row.name for row in ranked if row.tie_group == ranked[0].tie_group]
    if len(ranked) < 2:
        return "No contestant is ranked." if not ranked else f"Only {first[0]} is ranked."
    if len(first) == 1:
        return f"{first[0]} is ahead."
    return f"{name_first(first, MOST_NAMED)} cannot be told apart{', ahead of the rest' * (len(first) < len(ranked))}."


def looked_at_by(results: Results, metric: Metric, judge: str) -> str:
    """Return such as `judged by gpt (gpt-5)`, `observed by detector dino (ORG/NAME), reader rapidocr`."""
    models, said = results.params.models, results.block.words_before_judge(metric)
    if judge in results.block.judges:
        return f"{said} {judge} ({model_in_words(models[judge])})"
    played = [f"{role} {slug}" for role, slug in results.block.observers_for(judge).items()] if not metric.by else []
    return f"{said} {', '.join(played).replace('_', ' ') or judge}"


def models_of(results: Results) -> Iterator[Model]:
    """Yield the models behind a benchmark's numbers: judges, observers, and contestants with answers."""
    others = (slug for of in results.block.observers.values() for slug in of)
    yield from (results.params.models[slug] for slug in (*results.block.judges, *others))
    yield from (one.model for name in results.contestants for one in members(name, results.params.contestants[name]))


def model_in_words(model: Model) -> str:
    named = getattr(model, "id", None) or getattr(model, "path", None) or model.kind
    return "the embedded world" if isinstance(model, SandboxModel) else str(named)


def read_list(path: Path) -> Any:
    """Read the list that another stage wrote for this page; empty if it wrote none."""
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    except ValueError:
        raise UserError(f"{path} is not JSON: delete it and run `gamut report`") from None
