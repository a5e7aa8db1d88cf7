"""The pages of a benchmark with much in it: written in which time and memory, shown how fast, and written again.

    python bench/report.py                                    # 1,000 items, 20 contestants, 2 judges
    python bench/report.py --items 14 --contestants 2 --pictures 8 --times 1

Nobody is asked: answers with pictures of 256 pixels square, verdicts and their words are written straight into tables,
of all items and of half as many; scores and boards follow from them by the real stages. The pages are then written in
a process of its own each time, whose peak memory counts; the second time nothing has changed. Where there are Chromium
and Playwright, the board, the lists and an item are opened from disk in turn with an empty page of the same frame: how
many times as long it takes to the first paint, and until all is loaded. Thumbnails are made of larger pictures, 1024
pixels square, against Pillow alone: one thread, the same size and encoding. The last line is JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import contextlib
import io
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Outcome
from gamut.asking.parts import Created
from gamut.asking.visiting import Answer
from gamut.evaluation.boards import rank, score
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.running import answers, judging
from gamut.evaluation.running.answers import answer_row, rows_to_answer
from gamut.evaluation.running.judging import judgment_row
from gamut.evaluation.running.spec import code_of_values, judgment_specs
from gamut.project.roles import RoleModel
from gamut.project.validation import check_values, read_yaml
from gamut.report.board import pages
from gamut.report.site.folder import Folder
from gamut.report.site.thumbnails import LONGEST, QUALITY, thumbnails
from gamut.tables.columns import Row, place
from gamut.tables.writing import TableWriter

BENCHMARK = benchmark_of("prism")
SIDE, LARGE = 256, 1024
"""Pixels of the sides of answers, and of what thumbnails are made of."""
JUDGES = ("world", "world_strict")
WORDS = "The picture shows what the prompt says, but for a detail that stands where it should not: <b>the hat</b>. "


def params_of(contestants: int) -> Any:
    """Return params.yaml with so many contestants in one setting."""
    values = read_yaml(Path(__file__).parents[1] / "params.yaml")
    one = {"class": "generation", "model": {"kind": "sandbox"}}
    values["contestants"] = {f"contestant_{n:02}": one for n in range(contestants)}
    own = {"edition": "much", "languages": ["en"], "judges": list(JUDGES), "controls_of": []}
    own["contestants"] = [*values["contestants"]]
    values[BENCHMARK.name] = values[BENCHMARK.name] | own
    known = {*BENCHMARK.params.model_fields}
    return check_values(
        BENCHMARK.params, {key: value for key, value in values.items() if key in known}, Path("params.yaml")
    )


def picture(seed: int, side: int) -> bytes:
    """Return a JPEG that is like no other: coarse patches of colour with some grain."""
    chance = np.random.default_rng(seed)
    patches = Image.fromarray(chance.integers(0, 256, (8, 8, 3), np.uint8)).resize((side, side))
    grain = chance.integers(0, 12, (side, side, 1), np.uint8)
    out = io.BytesIO()
    Image.fromarray((np.asarray(patches) // 2 + grain).astype(np.uint8)).save(out, "JPEG", quality=90)
    return out.getvalue()


def prepare(count: int, contestants: int) -> None:
    """Write an edition of so many items, and all tables and metrics, into the working directory."""
    params, strata = params_of(contestants), BENCHMARK.strata
    items = [
        BENCHMARK.item.model_validate(
            {"id": f"{strata[n % len(strata)]}/{n // len(strata)}", "track": strata[n % len(strata)]}
            | {"prompt": f"{n} {WORDS * 3}", "prompt_zh": f"{n} 一幅画"}
        )
        for n in range(count)
    ]
    freeze_edition(BENCHMARK.name, "much", items)
    specs = {judge: specs_by(judge, params, items) for judge in JUDGES}
    for number, contestant in enumerate(params.contestants):
        asked = rows_to_answer([str(item.id) for item in items], BENCHMARK.settings(BENCHMARK.block(params)))
        chance = np.random.default_rng(number)
        with TableWriter(BENCHMARK.answers / contestant, answers.SCHEMA) as table:
            for shard, rows in slices_of(asked):
                table.write(shard, [answered(row, number * count + n) for n, row in rows])
        for judge in JUDGES:
            with TableWriter(BENCHMARK.answer_judgments(contestant, judge), judging.SCHEMA) as table:
                for shard, rows in slices_of(asked):
                    there = [(n, row) for n, row in rows if not refused(number * count + n)]
                    table.write(shard, [said for n, row in there for said in judged(row, chance, specs[judge][n])])
        with contextlib.redirect_stdout(io.StringIO()):
            score.score(BENCHMARK, params, contestant)
    with contextlib.redirect_stdout(io.StringIO()):
        rank.rank(BENCHMARK, params)


def slices_of(asked: dict[str, list[Row]]) -> Iterator[tuple[str, list[tuple[int, Row]]]]:
    """Yield numbered rows by shard and work slice."""
    for shard, rows in asked.items():
        for _, group in groupby(enumerate(rows), lambda one: place(one[1]["id"])):
            yield shard, list(group)


def answered(row: Row, seed: int) -> Row:
    """Return the row of an answer with a picture; one in a hundred is refused."""
    if refused(seed):
        made, outcome = None, Outcome("refused_generation", reason="It will not.")
    else:
        made, outcome = Created((picture(seed, SIDE),)), Outcome("ok", b"")
    return answer_row(row, made, Answer(outcome, "model", ())) | {"spec": "given=0"}


def refused(seed: int) -> bool:
    """Return whether an answer is not there."""
    return seed % 100 == 99


def judged(row: Row, chance: np.random.Generator, specs: Mapping[tuple[str, int], str]) -> Iterator[Row]:
    """Yield what a judge says of an answer about every measure."""
    for measure in BENCHMARK.measures:
        value = float(chance.integers(0, 11))
        reply = {"fingerprint": "0" * 64, "finish": "stop", "input_tokens": 900, "output_tokens": 60}
        told = {"replies": [reply | {"content": json.dumps({"justification": WORDS * 2, "score": value})}]}
        said = judgment_row(row, measure, Answer(Outcome("ok", value), "model", ()), value, WORDS * 2)
        yield said | told | {"spec": specs[measure, 0]}


def specs_by(judge: str, params: Any, items: Sequence[Any]) -> list[Mapping[tuple[str, int], str]]:
    """Return what a judge is asked about answers to each item, as specs by measure and part."""
    block, played = BENCHMARK.block(params), RoleModel("judge", judge, params.models[judge])
    [setting], about = BENCHMARK.settings(block), (identity_of(played), params.seed, code_of_values(BENCHMARK))
    return [
        judgment_specs(
            BENCHMARK.questions_to_ask(block, item, setting), BENCHMARK.prompt(block, item, setting, {}), item, *about
        )
        for item in items
    ]


def write(contestants: int) -> None:
    """Write the pages of the working directory; print seconds, processor seconds and peak memory in MB."""
    params, begun = params_of(contestants), time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        pages(BENCHMARK, params, Path("report"))
    took, used = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    figures = {"seconds": took, "processor": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}
    print(json.dumps(figures))


def make_thumbnails(count: int) -> None:
    """Print thumbnails a second, ours and those of Pillow alone, of so many larger pictures."""
    made = [picture(seed, LARGE) for seed in range(count)]
    begun = time.perf_counter()
    for data in made:
        with Image.open(io.BytesIO(data)) as image:
            image.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
            image.save(io.BytesIO(), "JPEG", quality=QUALITY)
    bare = time.perf_counter() - begun
    begun, used = time.perf_counter(), time.process_time()
    if any(one.why for one in thumbnails(Folder(Path("thumbnails")), made)):
        raise AssertionError("a thumbnail is missing")
    own, processor = time.perf_counter() - begun, time.process_time() - used
    print(json.dumps({"own": count / own, "bare": count / bare, "cores": processor / own}))


def shown(pages: Mapping[str, Path], times: int) -> dict[str, float]:
    """Return how many times as long as an empty page, the first of them, each page takes to its first paint and until
    it is loaded, from disk, the median of so many rounds; nothing without Chromium or Playwright.
    """
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None or find_spec("playwright") is None:
        return {}
    from playwright.sync_api import sync_playwright

    spent: dict[str, list[float]] = {}
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        for _ in range(times):
            for name, page in pages.items():
                context = browser.new_context()
                tab = context.new_page()
                tab.goto(page.resolve().as_uri())
                for event, script in (("painted", PAINTED), ("loaded", LOADED)):
                    spent.setdefault(f"{name}_{event}", []).append(tab.evaluate(script))
                context.close()
        browser.close()
    [empty, *others] = pages
    return {
        f"{name}_{event}_ratio": round(median(spent[f"{name}_{event}"]) / median(spent[f"{empty}_{event}"]), 2)
        for name in others
        for event in ("painted", "loaded")
    }


def empty_page(like: Path) -> Path:
    """Write a page of the same frame, style and script as another, with nothing in it but a heading."""
    begin, end = (re.escape(one) for one in ('<main id="main" tabindex="-1">', "</main>"))
    text = re.sub(f"{begin}.*{end}", "<main><h1>Nothing</h1></main>", like.read_text(), flags=re.DOTALL)
    page = like.with_name("empty.html")
    page.write_text(text)
    return page


LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
PAINTED = """() => new Promise((told) => new PerformanceObserver((seen) => {
  for (const one of seen.getEntries()) if (one.name === "first-contentful-paint") told(one.startTime);
}).observe({type: "paint", buffered: true}))"""
"""Milliseconds since a page was asked for."""


def child(*arguments: object, at: Path) -> dict[str, float]:
    """Run a part of this in a process of its own; return what it prints."""
    command = [sys.executable, str(Path(__file__).resolve()), *map(str, arguments)]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    found: dict[str, float] = json.loads(lines[-1]) if lines else {}
    return found


def states(folder: Path) -> dict[str, tuple[int, int]]:
    """Return of every file below a folder which one it is, and when it was written."""
    found = ((path, path.stat()) for path in folder.rglob("*") if path.is_file())
    return {str(path): (stat.st_ino, stat.st_mtime_ns) for path, stat in found}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--contestants", type=int, default=20)
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--part", choices=("prepare", "write", "thumbnails"))
    asked = parser.parse_args()
    if asked.part == "prepare":
        for folder, items in (("half", asked.items // 2), ("whole", asked.items)):
            Path(folder).mkdir()
            with contextlib.chdir(folder):
                prepare(items, asked.contestants)
    elif asked.part == "write":
        write(asked.contestants)
    elif asked.part == "thumbnails":
        make_thumbnails(asked.pictures)
    else:
        measure(asked)


def measure(asked: argparse.Namespace) -> None:
    """Prepare, write and look; print the figures."""
    with tempfile.TemporaryDirectory() as temporary:
        half, whole = Path(temporary, "half"), Path(temporary, "whole")
        of = ("--contestants", asked.contestants)
        begun = time.perf_counter()
        child("--part", "prepare", "--items", asked.items, *of, at=Path(temporary))
        print(f"prepared in {time.perf_counter() - begun:.0f} s", flush=True)
        of_half, first = (child("--part", "write", *of, at=folder) for folder in (half, whole))
        report = whole / "report/benchmarks" / BENCHMARK.name
        before = states(report)
        again = child("--part", "write", *of, at=whole)
        after = states(report)
        items_pages = sorted(report.glob("items/*.html"), key=lambda path: path.stat().st_size)
        thumbs = child("--part", "thumbnails", "--pictures", asked.pictures, at=whole)
        board_page, item_page, items_page = report / "index.html", items_pages[-1], report / "items.html"
        to_show = {"empty": empty_page(board_page), "board": board_page, "items": items_page, "item": item_page}
        figures = {
            "items": asked.items,
            "contestants": asked.contestants,
            "cores": os.cpu_count(),
            "files": len(after),
            "write_s": round(first["seconds"], 2),
            "processor_s": round(first["processor"], 2),
            "peak_mb": round(max(first["peak_mb"], again["peak_mb"])),
            "half_s": round(of_half["seconds"], 2),
            "twice_the_rows_takes": round(first["seconds"] / of_half["seconds"], 2),
            "again_s": round(again["seconds"], 2),
            "rewritten": sum(before.get(name) != state for name, state in after.items()),
            "first_page_kb": round(board_page.stat().st_size / 1000),
            "items_page_kb": round(items_page.stat().st_size / 1000),
            "item_page_kb": round(item_page.stat().st_size / 1000),
            **shown(to_show, asked.times),
            "thumbnails_per_s": round(thumbs["own"], 1),
            "bare_pillow_per_s": round(thumbs["bare"], 1),
            "thumbnail_cores": round(thumbs["cores"], 2),
        }
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
