"""`gamut add contestant` with a folder of answers to AEGIS' published items: processor seconds of the whole command.

    python bench/contestant.py                       # 1,050 items, 947 tiny pictures of answers
    python bench/contestant.py --items 8
    python bench/contestant.py --before ../7f727af   # beside an older checkout: the ratio of the two

Annotations are the published ones, every picture is a placeholder of 64 pixels a side; results are those that the
released scripts write. The profile is `aegis`. The command must take at most 8 % of what it took at 7f727af.
The last line is JSON: items, pictures, seconds here and before, and their ratio.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
from typing import Any

from tests import fakes
from tests.aegis.released_file import entries

UNPACKED = ("datasets/editions", "profiles", "stages", "gamut", "params.yaml", "pyproject.toml", "dvc.yaml")
MOST_PICTURES = 3  # of an interleaved answer


def put(path: Path, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fakes.jpeg((number % 256, number // 256, 9), size=(64, 64)))


def published(folder: Path, items: int) -> None:
    """Write so many of the published annotations, of all tasks by turns, and placeholders for their pictures."""
    chosen = entries()[:: max(1, len(entries()) // items)][:items]
    (folder / "annotation.json").write_text(json.dumps(chosen))
    for number, name in enumerate(sorted({name for one in chosen for name in one["input_image"] + one["ref_image"]})):
        put(folder / "images" / name, number)


def answered(folder: Path) -> int:
    """Write results of all four tasks; return how many pictures are among them."""
    results: dict[str, list[dict[str, Any]]] = {}
    pictures = 0
    for one in json.loads((folder / "annotation.json").read_text()):
        wanted = {"understanding": 0, "interleaved": MOST_PICTURES}.get(one["task"], 1)
        names = [f"mine/{one['task']}/images/{one['id']}-{number}.jpg" for number in range(wanted)]
        for number, name in enumerate(names, start=pictures):
            put(folder / name, number)
        pictures += wanted
        said = {"id": one["id"], "output_text": "\n".join(["It is.", *["<image>"] * wanted])}
        paths = [f"/home/them/{name}" for name in names]
        results.setdefault(one["task"], []).append(said | {"output_image_path_list": paths})
    for task, some in results.items():
        path = folder / f"mine/{task}/results.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(some))
    return pictures


def seconds_of(checkout: Path, folder: Path, given: Path) -> float:
    """Return the processor seconds of the command in a copy of a checkout's project."""
    for name in UNPACKED:
        if (path := checkout / name).exists():
            shutil.copytree(path, folder / name) if path.is_dir() else shutil.copy2(path, folder)
    for name in ("images", "mine"):
        shutil.copytree(given / name, folder / name)
    for command in (["git", "init", "--quiet"], ["dvc", "init", "--quiet"]):
        subprocess.run(command, cwd=folder, check=True)
    module = "gamut.command.cli" if (folder / "gamut").is_dir() else "stages.command.cli"

    def gamut(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", module, *arguments]
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        kept["PYTHONPATH"] = str(folder)  # what was imported before is compiled, as in everybody's project
        subprocess.run(command, cwd=folder, env=kept, check=True, stdout=sys.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    gamut("import", "aegis", str(given / "annotation.json"), "released", "--images", "images")
    gamut("use", "aegis")
    return gamut("add", "contestant", "mine", "--folder", "mine")


def main() -> None:
    """Measure here, and in an older checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1050)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        given, here, there = (Path(name, one) for one in ("given", "here", "there"))
        for folder in (given, here, there):
            folder.mkdir()
        published(given, arguments.items)
        figures: dict[str, Any] = {"items": arguments.items, "pictures": answered(given)}
        figures["seconds"] = round(seconds_of(ROOT, here, given), 2)
        if arguments.before is not None:
            figures["before"] = round(seconds_of(arguments.before.resolve(), there, given), 2)
            figures["ratio"] = round(figures["seconds"] / figures["before"], 3)
            print(f"{figures['ratio']:.1%} of what it took before")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
