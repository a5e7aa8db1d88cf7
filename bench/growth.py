"""What a build costs that grows: 1 % of its rows appended to it, against these rows alone, in one run.

    python bench/growth.py                                      # 20,000 rows, then 2,000 with large pictures
    python bench/growth.py --rows 1000000 --pictures 20000      # at full size: hours, 60 GB

Nobody is asked but a stub, a file of kind `python` that paints noise and fills in forms. The old rows are one wave.
Their stages up to `prompts` run; what later stages made of them is planted: the tables of a small real build, again and
again under other ids, noted as finished. Then a wave of 1 % is appended and every stage runs, in a process of its own,
as it does in a project that has this wave alone. Compared are processor time, bytes written and peak memory. Where
`--labels` of each filter are drawn before, `calibrate` reads these, as with people: the truth of the embedded world,
which it reads on a laptop, is the world's own about every picture that it painted, and no build of millions has one.

Then a small build, all of it real: a wave is appended, and all is compared, byte for byte, with a build from nothing
whose store is empty; a threshold moves one row in a hundred, anywhere, and what that asks, decodes and rewrites is
counted. `release` is compared with `cp` of what it writes, in processor time.

The last line is JSON: stages of which a shard is made from its shards, all together and the worst; those that look at
all rows, in microseconds and bytes of memory for each old row; the moved threshold; whether bytes are equal.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from PIL import ImageFile
from ruamel.yaml import YAML

from gamut.asking.run import identity_for
from gamut.dataset.calibration.calibrate import calibrate
from gamut.dataset.calibration.sampling import SAMPLE, write_sample
from gamut.dataset.reporting.statistics import statistics
from gamut.dataset.steps import CALIBRATE, STATISTICS
from gamut.dataset.steps import STEPS as ALL_STEPS
from gamut.pipeline.asks import Asks
from gamut.pipeline.keys import notes_here
from gamut.pipeline.steps import Step, parameters_of_step
from gamut.project import pipeline
from gamut.project.validation import check_values
from gamut.tables.columns import ROWS_PER_SHARD, ROWS_PER_SLICE, make_id
from gamut.tables.columns import place as place_of
from gamut.tables.pool import Note
from gamut.tables.reading import MANIFEST, manifest, open_parquet, read_rows, shard_names
from gamut.tables.writing import TableWriter, shards_in
from tests.end_to_end.project import clone

GLOBAL = ("prompts", "calibrate", "statistics")
"""Stages that look at all rows."""
UNITS = ("s", "MB written", "MB peak")
RUN = {CALIBRATE.name: calibrate, STATISTICS.name: statistics}
STEPS = [step for step in ALL_STEPS if step.name != "players"]
LAST = (CALIBRATE, STATISTICS)
OLD, NEW = "old", "new"
PLANTED = ("synthesize", "examine", "score", "annotate", "align", "translate")
"""Stages that ask about rows which are planted."""
TEMPLATE_ROWS = 500
"""Rows of the build whose tables are planted again and again: a number of whole slices."""
SMALL, LARGE = 64, 1024
"""Pixels of a side."""
STUB = "stages/mine/models/stub.py"
SHARE = 0.01
MODEL = """
import json, random, re
from PIL import Image

LOW = ("composition", "text", "imaginative", "affection", "abstract")
WORDS = [a + b + c for a in "bklmnrst" for b in ("adre", "egan", "ilor", "omus", "upel", "asta") for c in "dlmnrstx"]


def answer(parts, wants, size, seed):
    rng = random.Random(seed)
    if "image" in wants:
        coarse = Image.frombytes("RGB", (size[0] // 8, size[1] // 8), rng.randbytes(size[0] // 8 * (size[1] // 8) * 3))
        return coarse.resize(size)
    schema = json.loads(parts[-1].partition("\\n")[2])
    if "others" in schema["properties"]:
        pairs = re.findall(r"<test_(\\d+)>", "".join(part for part in parts if isinstance(part, str)))
        return json.dumps({"close": [], "others": list(map(int, pairs))})
    return json.dumps(filled(schema, schema.get("$defs", {}), "", rng))


def filled(schema, named, name, rng):
    if "$ref" in schema:
        return filled(named[schema["$ref"].rpartition("/")[2]], named, name, rng)
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type")
    if kind == "object":
        return {key: filled(of, named, key, rng) for key, of in schema["properties"].items()}
    if kind == "array":
        return [filled(schema["items"], named, name, rng) for _ in range(schema.get("minItems", 1))]
    if kind in ("integer", "number"):
        return 7 if name == "clarity" and rng.random() < 0.01 else 2 if name in LOW else 9
    if name == "translation":
        return "".join(rng.choices("山水花鸟人天地月星云木火金土石田", k=30)) + "。"
    return " ".join(rng.choices(WORDS, k=40))
"""


class Used(NamedTuple):
    """What a stage used: processor seconds, bytes written to disk, peak bytes of memory, seconds by the clock."""

    seconds: float
    written: int
    peak: int
    elapsed: float


# A project, and its stages


def begin(folder: Path, pixels: int, waves: dict[str, int]) -> None:
    """Make a project with the stub and these waves of so many rows; its store lies in it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    clone(folder)
    (folder / STUB).write_text(MODEL)
    shutil.rmtree(folder / "datasets/sources")
    (folder / "datasets/sources").mkdir()

    def change(params: Any) -> None:
        params["models"] = {"stub": {"kind": "python", "file": STUB, "function": "answer"}, "tfidf": {"kind": "tfidf"}}
        names = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
        params["roles"] = {role: params["roles"].get(role) for role in params["roles"]}
        params["roles"] |= dict.fromkeys(names, "stub") | {"text_embedder": "tfidf", "image_embedder": None}
        params["prism"]["judges"] = ["stub"]
        params["synthesize"] |= {"width": pixels, "height": pixels}
        params["sources"] = []

    edit(folder, change)
    for wave, rows in waves.items():
        append(folder, wave, rows)


def edit(folder: Path, change: Callable[[Any], None]) -> None:
    yaml, path = YAML(typ="safe"), folder / "params.yaml"
    values = yaml.load(path.read_text())
    change(values)
    with path.open("w") as file:
        yaml.dump(values, file)


def append(folder: Path, wave: str, rows: int) -> None:
    """Write a wave's captions, of which no two resemble each other, and name it in params.yaml."""
    words = [
        first + second for first in "bdfgklmnprst" for second in ("ara", "elu", "ido", "omi", "upe", "yso", "anke")
    ]
    rng, path = random.Random(wave), folder / f"datasets/sources/{wave}.csv"
    with path.open("w") as file:
        file.write("caption\n")
        file.writelines(" ".join(rng.choices(words, k=14)) + "\n" for _ in range(rows))
    of_file = {
        "kind": "file",
        "route": "as_is",
        "path": str(path.relative_to(folder)),
        "columns": {"caption": "caption"},
    }
    edit(folder, lambda params: params["sources"].append({"wave": wave} | of_file))


def params_of(step: Step) -> Any:
    """Return the parameters of a step in the project that this process stands in."""
    values = pipeline.read_values(pipeline.file_of(step.name))
    return check_values(parameters_of_step(step), values[pipeline.PARAMS], pipeline.PARAMS, values)


def in_project(folder: Path, work: Callable[[], None]) -> Used:
    """Do some work in a process that stands in a project, and return what it used."""
    sys.stdout.flush()
    started = time.perf_counter()
    if (process := os.fork()) == 0:
        code = 1
        with contextlib.suppress(SystemExit):
            os.chdir(folder)
            os.environ["GAMUT_STORE"] = str(folder / ".store")
            log = os.open(folder / "bench.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            try:
                work()
                code = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            sys.stdout.flush()
        os._exit(code)
    _, status, used = os.wait4(process, 0)
    if status:
        sys.exit((folder / "bench.log").read_text()[-3000:])
    return Used(
        used.ru_utime + used.ru_stime, used.ru_oublock * 512, used.ru_maxrss * 1024, time.perf_counter() - started
    )


def run(folder: Path, step: Step) -> Used:
    return in_project(folder, lambda: RUN.get(step.name, step.carry_out)(params_of(step)))


def run_all(folder: Path, steps: Sequence[Step] = (*STEPS, *LAST)) -> dict[str, Used]:
    return {step.name: run(folder, step) for step in steps}


# Rows that are planted


def plant(folder: Path, template: Path, rows: int) -> None:
    """Give a project whose wave `old` has so many rows what stages after `prompts` made of it, by a template's wave."""
    for file in (template / "datasets").glob("*.json"):  # what a stage says beside its tables
        shutil.copy(file, folder / "datasets")
    for table in sorted((template / "datasets").glob(f"*/{MANIFEST}")):
        name = table.parent.name
        if f"{OLD}-00000" not in shard_names(table.parent):
            shutil.copytree(table.parent, folder / "datasets" / name, dirs_exist_ok=True)
        elif name not in ("source_rows", "prompts"):
            plant_table(table.parent, folder / "datasets" / name, rows)


def plant_table(source: Path, target: Path, rows: int) -> None:
    """Repeat the slices of a table's one shard as often as it takes, under the ids of other rows."""
    with open_parquet(source / f"{OLD}-00000.parquet") as file:
        every = [file.read_row_group(number) for number in range(file.num_row_groups)]
    schema = file.schema_arrow
    whole = pa.concat_tables(every) if every else schema.empty_table()
    ordinals = np.array([int(row_id[-8:]) for row_id in whole["id"].to_pylist()], np.int64)
    count = manifest(source.parent / "source_rows")["rows"]
    with TableWriter(target, schema) as table:
        for low in range(0, rows, ROWS_PER_SLICE):
            here = np.flatnonzero(ordinals // ROWS_PER_SLICE == low % count // ROWS_PER_SLICE)
            part, places = whole.take(here), ordinals[here] % ROWS_PER_SLICE + low
            ids = pa.array([make_id(OLD, place) for place in places.tolist()], pa.string())
            part = part.set_column(schema.get_field_index("id"), "id", ids)
            table.write(place_of(make_id(OLD, low))[0], part.slice(0, int((places < rows).sum())))


def note(step: Step) -> None:
    """Note the tables of a step as finished from what lies here."""
    params, parameters, model = params_of(step), None, None
    if isinstance(step, Asks):
        if params.slug_of(step.role) is not None:
            model = identity_for(params.role_model(step.role), step.work(params).open)
    elif step.by_shard:
        parameters = step.by_shard(params).parameters
    else:
        return
    files = [one for table in step.tables for one in shards_in(Path("datasets", table))]
    notes = notes_here(step, [*dict.fromkeys(one.path.stem for one in files)], parameters, model)
    assert notes
    for shard in notes.keys:
        notes.keep(shard, Note([one for one in files if one.path.stem == shard]))


# What is measured


def draw_labels(count: int) -> None:
    """Draw rows of each filter to be labelled, and say of all that they are good."""
    write_sample(count, params_of(CALIBRATE))
    head, *lines = SAMPLE.read_text().splitlines()
    SAMPLE.write_text("\n".join([head, *(f"{line}1" for line in lines)]) + "\n")
    edit(Path(), lambda params: params["calibrate"].update(labels=str(SAMPLE)))


def cost_of_growth(home: Path, rows: int, pixels: int, labels: int) -> dict[str, Any]:
    """Append 1 % of so many rows to them, and measure every stage; then the same rows alone."""
    new, template, grown, alone = max(1, round(rows * SHARE)), home / "template", home / "grown", home / "alone"
    begin(template, pixels, {OLD: min(rows, ROWS_PER_SHARD, TEMPLATE_ROWS)})
    run_all(template)
    begin(grown, pixels, {OLD: rows})
    count = [step.name for step in STEPS].index("prompts") + 1
    run_all(grown, STEPS[:count])
    in_project(grown, lambda: plant(Path(), template, rows))
    for step in STEPS[count:]:
        in_project(grown, partial(note, step))
    shutil.rmtree(template)
    begin(alone, pixels, {NEW: new})
    by_folder = {}
    for folder in (grown, alone):
        by_folder[folder] = run_all(folder, STEPS)
        if folder == grown and (made := [name for name in PLANTED if asked_in(grown, name)]):
            sys.exit(f"shards that were planted are not kept: {', '.join(made)} asked again")
        in_project(folder, partial(draw_labels, labels))
        by_folder[folder] |= run_all(folder, LAST)
        if folder == grown:
            append(grown, NEW, new)
            by_folder[folder] = run_all(grown)
    used, bare = by_folder[grown], by_folder[alone]
    for name, of in used.items():
        of_both = [
            (bare[name].seconds, of.seconds),
            *((one / 1e6, other / 1e6) for one, other in zip(bare[name][1:3], of[1:3], strict=True)),
        ]
        numbers = (f"{one:9.2f} {other:9.2f} {unit}" for (one, other), unit in zip(of_both, UNITS, strict=True))
        print(f"{name:15} {'  '.join(numbers)}", flush=True)
    by_row = [name for name in used if name not in GLOBAL]
    worst = max(by_row, key=lambda name: used[name].seconds - bare[name].seconds)
    figures = {
        "rows": rows,
        "time_ratio": sum(used[name].seconds for name in by_row) / sum(bare[name].seconds for name in by_row),
        # of a folder that lies in memory nothing is counted as written
        "written_ratio": sum(used[name].written for name in by_row) / (sum(bare[name].written for name in by_row) or 1),
        "worst": worst,
        "worst_time_ratio": used[worst].seconds / bare[worst].seconds,
        "microseconds_an_old_row": {name: (used[name].seconds - bare[name].seconds) / rows * 1e6 for name in GLOBAL},
        "bytes_an_old_row": {name: (used[name].peak - bare[name].peak) / rows for name in GLOBAL},
        "new_shards_equal": shards_of(grown, NEW) == shards_of(alone, NEW),
        "release_to_cp": release_to_cp(grown),
    }
    shutil.rmtree(grown)
    shutil.rmtree(alone)
    return figures


def shards_of(folder: Path, wave: str = "") -> dict[str, str]:
    """Return the digests of the files of all tables, or of one wave's."""
    tables = sorted((folder / "datasets").glob(f"*/{MANIFEST}"))
    return {
        f"{table.parent.name}/{shard['name']}": shard["sha256"]
        for table in tables
        for shard in json.loads(table.read_text())["shards"]
        if shard["name"].startswith(wave)
    }


def release_to_cp(folder: Path) -> float:
    """Return how fast a release is made again, none of its shards kept, where copying it is 1: by the clock."""
    shutil.rmtree(folder / ".store/shards/notes/release", ignore_errors=True)
    [step] = [step for step in STEPS if step.name == "release"]
    made = run(folder, step).elapsed
    started = time.perf_counter()
    subprocess.run(["cp", "-r", str(folder / "datasets/release"), str(folder / "copy")], check=True)
    return (time.perf_counter() - started) / made


def real_build(home: Path, rows: int, pixels: int) -> dict[str, Any]:
    """Build rows, append some, and compare with a build of all; then move a threshold."""
    new, grown, whole = max(1, round(rows * SHARE)), home / "grown", home / "whole"
    begin(grown, pixels, {OLD: rows})
    run_all(grown)
    append(grown, NEW, new)
    run_all(grown)
    begin(whole, pixels, {OLD: rows, NEW: new})
    run_all(whole)
    equal = everything(grown) == everything(whole)
    shutil.rmtree(whole)
    before, asked, inodes = rows_of(grown, "admit"), asked_in(grown), files_of(grown)
    edit(grown, lambda params: params["admit"].update(clarity=8))
    decoded = dict[str, int]()
    for step in STEPS:
        with decoding_counted(home / step.name) as counted:
            run(grown, step)
        decoded |= {step.name: size} if (size := counted.stat().st_size) else {}
    after, tables = rows_of(grown, "admit"), files_of(grown)
    rewritten = sorted({path.parent.name for path, inode in tables.items() if inodes.get(path) != inode})
    return {
        "rows": rows + new,
        "equal_to_a_build_from_nothing": equal,
        "rows_moved": sum(before[row_id] != admitted for row_id, admitted in after.items()),
        "asked": asked_in(grown) - asked,
        "decoded": decoded,
        "picture_tables_rewritten": [table for table in rewritten if table in ("source_rows", "synthesize", "release")],
    }


def everything(folder: Path) -> dict[str, Any]:
    metrics = (path for path in (folder / "metrics").rglob("*") if path.is_file())
    return shards_of(folder) | {str(path.relative_to(folder)): path.read_bytes() for path in metrics}


def rows_of(folder: Path, table: str) -> dict[str, bool]:
    found: dict[str, bool] = {}
    in_project(folder, lambda: Path("rows.json").write_text(json.dumps(dict(admitted()))))
    found = json.loads((folder / "rows.json").read_text())
    return found


def admitted() -> Iterator[tuple[str, bool]]:
    return ((row["id"], row["admitted"]) for row in read_rows(Path("datasets/admit"), ["id", "admitted"]))


def asked_in(folder: Path, stage: str = "") -> int:
    """Return how much was asked so far, by one stage or by all."""
    log = folder / ".store/log.jsonl"
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return sum(entry["asked"] for entry in entries if stage in ("", entry["stage"]))


def files_of(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in (folder / "datasets").glob("*/*.parquet")}


@contextlib.contextmanager
def decoding_counted(path: Path) -> Iterator[Path]:
    """Add a byte to a file for each picture that processes started meanwhile decode."""
    load, file = ImageFile.ImageFile.load, path.open("ab", buffering=0)

    def load_and_count(picture: Any) -> Any:
        if picture.tile:
            file.write(b".")
        return load(picture)

    ImageFile.ImageFile.load = load_and_count
    yield path
    ImageFile.ImageFile.load = load
    file.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of small pictures")
    parser.add_argument("--pictures", type=int, default=2_000, help="rows of large pictures; 0: none")
    parser.add_argument("--labels", type=int, default=50, help="labels of each filter")
    parser.add_argument("--real", type=int, default=400, help="rows of the build that is real as a whole")
    parser.add_argument("--rows-per-shard", type=int, help="for tests: small shards of small slices")
    options = parser.parse_args()
    if options.rows_per_shard and "GAMUT_ROWS_PER_SHARD" not in os.environ:  # which is read when a module is imported
        sizes = {"GAMUT_ROWS_PER_SHARD": options.rows_per_shard, "GAMUT_ROWS_PER_SLICE": options.rows_per_shard // 4}
        os.environ |= {name: str(size) for name, size in sizes.items()}
        os.execv(sys.executable, [sys.executable, *sys.argv])
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="gamut-growth-") as name:
        for which, rows, pixels in (("rows", options.rows, SMALL), ("pictures", options.pictures, LARGE)):
            if rows:
                figures[which] = cost_of_growth(Path(name, which), rows, pixels, options.labels)
        if options.real:
            figures["real"] = real_build(Path(name, "real"), options.real, SMALL)
    print(json.dumps(rounded(figures)))


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(of) for key, of in value.items()}
    return round(value, 3) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
