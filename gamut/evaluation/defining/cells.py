"""The stages of a benchmark, from its record: contestants, judges and observers, controls and board, with what each
reads. Each benchmark's dvc.yaml is written from this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import RULES, STAGE_OF
from gamut.pipeline.entries import PERSISTED, Entry, dvc_yaml_text, uncached_output
from gamut.project.code import declared_code, whole
from gamut.project.pipeline import BENCHMARKS, PIPELINE

BODIES, BOARD = "gamut.evaluation.bodies", "gamut.report.board"
DECIDING = ("gamut/evaluation", "gamut/report")
"""Packages that a board depends on as a whole: it asks no model."""
CONTESTANT = "${item.contestant}"
INTRODUCTION = """\
{title}. `dvc repro` measures contestants on its frozen edition, since the leaderboard depends on its board."""


def text_of(benchmark: AnyBenchmark) -> str:
    file, source = BENCHMARKS / benchmark.name / PIPELINE, f"stages/{benchmark.name}/shared/benchmark.py"
    introduction = INTRODUCTION.format(title=benchmark.title)
    return dvc_yaml_text(file, source, introduction, entries_with_code(benchmark), list(plots(benchmark)))


def record_of(benchmark: AnyBenchmark, stage: str) -> dict[str, Any]:
    """Return the entry of a stage in dvc.yaml, without its code."""
    return next(one for one in entries(benchmark) if one.name == stage).values(BENCHMARKS / benchmark.name / PIPELINE)


def entries_with_code(benchmark: AnyBenchmark) -> list[Entry]:
    record = f"stages.{benchmark.name}.shared.benchmark"
    released = [benchmark.released.module] if benchmark.released else []
    found = []
    for entry in entries(benchmark):
        deciding = entry.command.startswith(BOARD)
        code = declared_code(entry.command.split()[0], record, *(released if deciding else []))
        found.append(entry._replace(code=whole(code, *DECIDING) if deciding else code))
    own = [import_module(module).ENTRY for module in benchmark.stages]
    return [*found, *(entry._replace(code=declared_code(entry.command)) for entry in own)]


def entries(benchmark: AnyBenchmark) -> Iterator[Entry]:
    if benchmark.rewriting:
        yield rewriting_entry(
            benchmark, "rewrite", "rewriter", "players/rewriters/${item.rewriter}", "${item.rewriter}"
        )
    if benchmark.describing:
        yield rewriting_entry(
            benchmark, "describe", "describer", "world/writers/${item.describer}", "models.${item.describer}"
        )
    if benchmark.writing:
        yield writing_entry(benchmark)
    yield answering_entry(benchmark)
    if benchmark.asks_judges:
        yield observing_entry(benchmark, "judge", "judge", "judges", "judges")
    for role in (role for role in benchmark.observers if role != RULES):
        yield observing_entry(benchmark, STAGE_OF[role], role, f"observers.{role}", "observers")
    yield board_entry(benchmark)


def block_keys(benchmark: AnyBenchmark, *kinds: str) -> list[str]:
    """Return the keys of its block that stages of these kinds read: `answer`, `judge`, `board`."""
    name, judged = benchmark.name, "judge" in kinds
    also: dict[str, object] = {"rewriters": benchmark.rewriting, "describers": benchmark.describing}
    also |= {
        "writers": benchmark.writing,
        "repeats": judged and benchmark.asks_judges,
        "judge": judged,
        "controls_of": judged,
    }
    own = [key for key, of in benchmark.keys.items() if not {*of}.isdisjoint(kinds)]
    return [f"{name}.{key}" for key in ("edition", *own, *(key for key, read in also.items() if read))]


def edition_data(benchmark: AnyBenchmark) -> list[str]:
    edition = f"{benchmark.name}/${{{benchmark.name}.edition}}"
    return [
        f"datasets/editions/{edition}.jsonl",
        *([f"datasets/edition_images/{edition}"] if benchmark.pictured else []),
    ]


def rewritten_data(benchmark: AnyBenchmark) -> list[str]:
    return [f"datasets/{benchmark.name}/rewritten"] if benchmark.rewriting or benchmark.describing else []


def put_data(benchmark: AnyBenchmark) -> list[str]:
    """Return the data that decides how items are asked of contestants."""
    written = [f"datasets/{benchmark.name}/written"] if benchmark.writing else []
    return [*edition_data(benchmark), *written, *rewritten_data(benchmark)]


def writing_entry(benchmark: AnyBenchmark) -> Entry:
    name = benchmark.name
    return Entry(
        "write",
        f"{BODIES}.write {name} ${{item.writer}}",
        data=[*edition_data(benchmark), "datasets/world/writers/${item.writer}"],
        params=["seed", *block_keys(benchmark, "answer"), f"{name}.answer", "models.${item.writer}"],
        outs=[f"datasets/{name}/written/${{item.writer}}"],
        matrix={"writer": f"${{{name}.writers}}"},
    )


def rewriting_entry(benchmark: AnyBenchmark, stage: str, axis: str, answers: str, model: str) -> Entry:
    name, who = benchmark.name, f"${{item.{axis}}}"
    start = "describers." if stage == "describe" else ""
    return Entry(
        stage,
        f"{BODIES}.rewrite {name} {start.replace('.', ' ')}{who}",
        data=[*edition_data(benchmark), f"datasets/{answers}"],
        params=["seed", *block_keys(benchmark, "answer"), model],
        outs=[f"datasets/{name}/rewritten/{start}{who}"],
        matrix={axis: f"${{{name}.{stage.removesuffix('e')}ers}}"},
    )


def answering_entry(benchmark: AnyBenchmark) -> Entry:
    name = benchmark.name
    return Entry(
        "answer",
        f"{BODIES}.answer {name} {CONTESTANT}",
        data=[*put_data(benchmark), f"datasets/players/contestants/{CONTESTANT}"],
        params=["seed", *block_keys(benchmark, "answer"), f"{name}.answer", f"contestants.{CONTESTANT}"],
        outs=[f"datasets/{name}/answers/{CONTESTANT}"],
        matrix={"contestant": f"${{{name}.contestants}}"},
    )


def observing_entry(benchmark: AnyBenchmark, stage: str, role: str, listed: str, world: str) -> Entry:
    name, who = benchmark.name, f"${{item.{role}}}"
    argument, place = ("", "") if role == "judge" else (f"{role} ", f"{role}/")
    return Entry(
        stage,
        f"{BODIES}.{'observe' if argument else 'judge'} {name} {argument}{CONTESTANT} {who}",
        data=[*put_data(benchmark), *(f"datasets/{name}/answers/{CONTESTANT}", f"datasets/world/{world}/{who}")],
        params=[
            *("seed", *block_keys(benchmark, "answer", "judge")),
            *([f"contestants.{CONTESTANT}"] if rewritten_data(benchmark) else []),  # gives its settings
            *([f"{name}.judges"] if argument and benchmark.asks_judges else []),  # these are validated
            f"models.{who}",
        ],
        outs=[f"datasets/{name}/judgments/{CONTESTANT}/{place}{who}"],
        matrix={"contestant": f"${{{name}.contestants}}", role: f"${{{name}.{listed}}}"},
    )


def board_entry(benchmark: AnyBenchmark) -> Entry:
    name = benchmark.name
    judges, observers = benchmark.asks_judges, benchmark.has_observers
    metrics = f"metrics/{name}/${{{name}.edition}}"
    tables = ["scores", *([RULES] if benchmark.rules else [])]
    return Entry(
        "board",
        f"{BOARD} {name}",
        data=[
            *(*put_data(benchmark), f"datasets/{name}/answers"),
            *(f"datasets/{name}/judgments", "datasets/decisions", f"datasets/labels/{name}", f"datasets/sheets/{name}"),
            *(["datasets/world/judges"] if judges else []),
            *(["datasets/world/observers"] if observers else []),
            *(["datasets/world/writers"] if rewritten_data(benchmark) else []),
            *([benchmark.printed] if benchmark.printed else []),
        ],
        params=[
            *("seed", "models", "contestants", f"{name}.contestants", f"{name}.answer.samples"),
            *block_keys(benchmark, "answer", "judge", "board"),
            *([f"{name}.judges"] if judges else []),
            *([f"{name}.observers"] if observers else []),
        ],
        outs=[
            uncached_output(metrics),
            *(f"datasets/{name}/{table}" for table in tables),
            f"datasets/boards/{name}.json",
            {f"report/benchmarks/{name}": PERSISTED},
        ],
        metrics=[uncached_output(f"{metrics}.json")],
    )


def plots(benchmark: AnyBenchmark) -> Iterator[Mapping[str, Mapping[str, str]]]:
    above, start = "../../", f"metrics/{benchmark.name}/${{{benchmark.name}.edition}}"
    drawn: Sequence[tuple[str, Mapping[str, str]]] = [
        ("plots/intervals.csv", {"template": "intervals", "title": "95 % intervals", "x": "value", "y": "contestant"}),
        ("plots/profiles.csv", {"template": "profiles", "title": "profiles", "x": "stratum", "y": "value"}),
        *(benchmark.released.plots.items() if benchmark.released else ()),
    ]
    for file, how in drawn:
        yield {f"{above}{start}/{file}": {**how, "title": f"{benchmark.title}: {how['title']}"}}
