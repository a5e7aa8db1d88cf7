"""What `gamut estimate` says of a small build, and what the build then asks: the profile `openai` with real prompts as
captions, against an HTTP server of ours that thinks and counts tokens in its own way (tests/plausible.py).

    python bench/estimate.py --prompts tests/data/parti/PartiPrompts.tsv          # 60 of them and 20 imagined ones
    python bench/estimate.py --prompts tests/data/parti/PartiPrompts.tsv --captions 4 --until estimate

First it estimates, then it tries a few records (`gamut try 5`), and builds. What a build keeps is known afterwards:
so what was asked is held against the estimate at the numbers of rows, pictures and captions that the build had, with
the tokens that the trial had taken, and without. Hold-out is counted apart, as it depends on what captions come near
to. The last line is JSON: requests and tokens expected before anything was asked; estimated, untried and asked, with
relative errors, also by stage.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import csv
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gamut.command.estimate.asks import Line, dataset_asks, dataset_lines
from gamut.command.estimate.flow import Flow, expected_flow, source_rows
from gamut.command.summary import read_log
from gamut.project import settings
from gamut.publish.parameters import load_everything
from gamut.tables.reading import read_rows
from tests.end_to_end.project import Project, copy_checkout, opened
from tests.plausible import plausible_reply
from tests.stub_server import stub_server

APART = ("embed_items", "resemble", "same_test")
RUN = """[models.painter]
url = "{url}"
[models.chat]
url = "{url}"
concurrency = 16
"""
Taken = dict[str, Counter[str]]
"""Requests and tokens by stage."""


def new_project(folder: Path, captions: list[str], url: str) -> Project:
    copy_checkout(folder)
    project = opened(folder)
    project.run("git", "init", "--quiet")
    with (folder / "datasets/sources/captions.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["caption"], *([caption] for caption in captions)])
    (folder / "run.toml").write_text(RUN.format(url=url))
    project.commit()
    project.run("gamut", "use", "openai")
    project.edit(lambda params: make_small(params, len(captions)))
    return project


def make_small(params: Any, captions: int) -> None:
    params["sources"][1]["count"] = max(captions // 3, 2)
    params["synthesize"] |= {"width": 256, "height": 256}


def first_column(path: Path, count: int) -> list[str]:
    """So many captions from all over a table."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row[0] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    return [rows[number * len(rows) // count] for number in range(min(count, len(rows)))]


def estimated(flow: Flow | None = None) -> Taken:
    """What the project here is expected to ask, of a build as it is expected to go, or as it went."""
    params = load_everything().dataset
    asks = dataset_asks(params, flow or expected_flow(params, source_rows(params, {})))
    return {line.stage: counts(line) for line in dataset_lines(params, asks, settings.load())}


def counts(line: Line) -> Counter[str]:
    return Counter(requests=line.requests, tokens=round(line.input_tokens + line.output_tokens))


def asked() -> Taken:
    taken: Taken = {}
    for entry in read_log(Path(".store/log.jsonl")):
        tokens = entry["tokens_read"] + entry["tokens_written"]
        taken.setdefault(entry["stage"], Counter()).update(requests=entry["asked"], tokens=tokens)
    return {stage: of for stage, of in taken.items() if of["requests"]}


def flow_of_build() -> Flow:
    """How many rows, pictures and captions the build here had."""
    params = load_everything().dataset

    def count(table: str, column: str = "", value: object = True) -> int:
        return sum(not column or row[column] == value for row in read_rows(Path("datasets") / table))

    captions = Counter(row["description"] for row in read_rows(Path("datasets/annotate")) if row["status"] == "ok")
    return replace(
        expected_flow(params, source_rows(params, {})),
        candidates=count("prompts", "kept"),
        admitted=count("admit", "admitted"),
        lettered=count("categorize", "text"),
        kept=count("select", "kept"),
        categories=sum(number for kind, number in captions.items() if kind != "detail"),
        compared=count("align"),
        originals=count("originals", "kept"),
    )


def total(taken: Taken, of: str) -> int:
    return sum(counted[of] for stage, counted in taken.items() if stage not in APART)


def error(expected: float, real: float) -> float:
    return round(expected / real - 1, 4)


def figures(tried: Taken, untried: Taken, real: Taken) -> dict[str, Any]:
    found: dict[str, Any] = {"hold_out": {stage: [tried.get(stage), real.get(stage)] for stage in APART}}
    for of in ("requests", "tokens"):
        took = total(real, of)
        by_stage = {stage: error(tried[stage][of], one[of]) for stage, one in real.items() if stage not in APART}
        found[of] = {"asked": took, "error": error(total(tried, of), took), "by_stage": by_stage}
        found[of]["error_untried"] = error(total(untried, of), took)
    return found


def shown(taken: Taken) -> Iterable[str]:
    return (f"{stage:12} {of['requests']:7,} requests {of['tokens']:11,} tokens" for stage, of in taken.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--prompts", type=Path, required=True, help="a table with a heading, captions in its first column"
    )
    parser.add_argument("--captions", type=int, default=60)
    parser.add_argument("--tried", type=int, default=5, help="rows of the trial")
    parser.add_argument("--until", choices=["estimate", "build"], default="build")
    options = parser.parse_args()
    captions = first_column(options.prompts, options.captions)
    with tempfile.TemporaryDirectory(prefix="gamut-estimate-") as name, stub_server(plausible_reply) as stub:
        project = new_project(Path(name) / "project", captions, stub.url)
        os.chdir(project.folder)
        before = estimated()
        found: dict[str, Any] = {"before": {of: total(before, of) for of in ("requests", "tokens")}}
        if options.until == "build":
            print(project.run("gamut", "try", str(options.tried), "--yes").stdout)
            log = Path(".store/log.jsonl")
            of_trial = log.read_bytes()
            print(project.run("dvc", "repro", "--quiet").stdout)
            real, flow = asked(), flow_of_build()
            log.write_bytes(of_trial)
            tried = estimated(flow)
            log.unlink()
            print("estimated:", *shown(tried), "asked:", *shown(real), sep="\n")
            found |= figures(tried, estimated(flow), real)
        os.chdir("/")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
