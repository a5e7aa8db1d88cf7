"""How the cost of a build grows: the laptop profile with n source rows and a quarter of its benchmark's items, and with
4n rows and all items, each in a fresh copy, in one run.

    python bench/growth.py               # n = 600 source rows
    python bench/growth.py --rows 200
    python bench/growth.py --rows 8 --until prompts

Time is that of `dvc repro`. What of it does not grow is the fixed cost, told per cell (a run of one stage, or of one
cell of its matrix). Memory is the largest sum over all processes at one moment (proportional set size: shared pages
count once). The last line is JSON: seconds and megabytes of both, the pictures released, where the build goes so far,
the ratios 4n to n, and what a source row costs with its share of items.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import os
import subprocess
import tempfile
import time

import psutil
from ruamel.yaml import YAML

from tests.end_to_end.project import copy_checkout

SECONDS_BETWEEN_LOOKS = 0.5
EDITION = "datasets/editions/prism/sandbox.jsonl"


def scale(folder: Path, rows: int, one_in: int) -> None:
    """Spread `rows` source rows over the laptop profile's sources in their proportion; keep one in so many items."""
    items = (folder / EDITION).read_text().splitlines(keepends=True)
    (folder / EDITION).write_text("".join(items[::one_in]))
    yaml, path = YAML(), folder / "params.yaml"
    params = yaml.load(path.read_text())
    total = sum(source["count"] for source in params["sources"])
    for source in params["sources"]:
        source["count"] = round(source["count"] * rows / total)
    with path.open("w") as file:
        yaml.dump(params, file)


def memory_of(process: psutil.Process) -> int:
    """Bytes that a process and all it started hold together."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += one.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue  # it has ended meanwhile
    return total


def build(rows: int, one_in: int, until: str | None) -> tuple[float, float, int | None, int]:
    """Seconds, peak megabytes, released pictures (None before they are) and cells of one build."""
    with tempfile.TemporaryDirectory(prefix="gamut-growth-") as name:
        folder = Path(name) / "project"
        copy_checkout(folder)
        subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
        scale(folder, rows, one_in)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "PYTHONPATH": str(folder), "GAMUT_STORE": f"{name}/store"}
        start = time.perf_counter()
        running = subprocess.Popen(
            [sys.executable, "-m", "dvc", "repro", "--quiet", *([until] if until else [])],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        process, peak = psutil.Process(running.pid), 0
        while running.poll() is None:
            peak = max(peak, memory_of(process))
            time.sleep(SECONDS_BETWEEN_LOOKS)
        seconds = time.perf_counter() - start
        if running.returncode:
            sys.exit(f"the build of {rows} rows ended with {running.returncode}")
        release = folder / "datasets/release/_manifest.json"
        released = json.loads(release.read_text())["rows"] if release.exists() else None
        print(f"{rows:,} rows: {seconds:.1f} s, {peak / 1e6:,.0f} MB, {released} pictures released", flush=True)
        cells = sum(len(YAML(typ="safe").load(lock.read_text())["stages"]) for lock in folder.rglob("dvc.lock"))
        return seconds, peak / 1e6, released, cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--until", metavar="STAGE", help="build no more than this stage needs")
    options = parser.parse_args()
    rows = options.rows
    seconds, megabytes, released, cells = build(rows, 4, options.until)
    seconds_4n, megabytes_4n, released_4n, _ = build(4 * rows, 1, options.until)
    figures = {
        "rows": rows,
        "seconds": round(seconds, 1),
        "megabytes": round(megabytes),
        "released": released,
        "seconds_4n": round(seconds_4n, 1),
        "megabytes_4n": round(megabytes_4n),
        "released_4n": released_4n,
        "time_ratio_4n": round(seconds_4n / seconds, 2),
        "memory_ratio_4n": round(megabytes_4n / megabytes, 2),
        "cells": cells,
        "seconds_per_row": round((seconds_4n - seconds) / (3 * rows), 3),
        "fixed_seconds_per_cell": round((4 * seconds - seconds_4n) / 3 / cells, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
