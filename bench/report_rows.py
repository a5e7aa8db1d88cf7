"""What it takes to write the pages of a dataset's rows, and how long a search in them takes in Chromium.

    python bench/report_rows.py                  # 100,000 rows, after half as many
    python bench/report_rows.py --rows 2000

Tables of synthetic rows: a picture of 64 x 64 (there are sixteen), a chain-of-thought of 200 words and two captions of
45, all in both languages, words as frequent as in natural language; a judge's two replies. Every run is a process of
its own, with its memory (resident, at its highest); the tables are written before. Searches are typed into the page,
opened from disk, each for other words than those before: milliseconds from the key to the last card, the wait for the
next key among them. The last line is JSON:

rows, files, megabytes_written
seconds, cpu_seconds, rows_per_second, peak_megabytes    of the first run
ratio, cpu_ratio    of its seconds, and of those that processors worked, to those of half as many rows
search_ms, search_ms_median, search_ms_most    by what was searched for; null without a browser
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from statistics import median
from typing import NamedTuple

from PIL import Image

from stages.dataset import annotate, examine, release, score, select, synthesize, translate
from stages.dataset.shared import joins
from stages.dataset.shared.parameters import CHARACTERISTICS, DETAIL
from stages.tables.columns import ROWS_PER_SLICE, Row, make_id, place
from stages.tables.writing import TableWriter
from tests.browser import NAMES, launched, visited

TABLES = {
    joins.SYNTHESIZED: synthesize.SCHEMA,
    joins.EXAMINED: examine.SCHEMA,
    joins.SCORED: score.SCHEMA,
    joins.SELECTED: select.SCHEMA,
    joins.ANNOTATED: annotate.SCHEMA,
    joins.TRANSLATED: translate.SCHEMA,
    joins.RELEASE: release.SCHEMA,
}
PICTURES = 16
WORDS = ["".join(random.Random(number).choices("aeinorstlcdmpu", k=2 + number % 8)) for number in range(20_000)]
SIGNS = [chr(0x4E00 + number) for number in range(3_000)]
PAIRS = ["".join(random.Random(number).choices(SIGNS, k=1 + number % 2)) for number in range(20_000)]
"""Words of one and of two signs, which follow each other without blanks."""
FREQUENT = list(itertools.accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))
ASKED = {"status": "ok", "model": "m"}
REPORT = "from stages.report.report import report; report(None)"
SEARCH = """async (text) => {
  const [field, count] = [document.querySelector("[name=words]"), document.querySelector("#count")];
  const start = performance.now();
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  while (count.dataset.searched !== text) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""


def pictures() -> list[bytes]:
    found = []
    for number in range(PICTURES):
        out = io.BytesIO()
        Image.effect_noise((64, 64), 10 + number).convert("RGB").save(out, "JPEG")
        found.append(out.getvalue())
    return found


def english(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, cum_weights=FREQUENT, k=words))


def chinese(chance: random.Random, words: int) -> str:
    return "".join(chance.choices(PAIRS, cum_weights=FREQUENT, k=words))


def reply(content: str) -> list[Row]:
    return [{"fingerprint": "", "finish": "stop", "content": content, "input_tokens": 900, "output_tokens": 60}]


def rows_of(number: int, images: list[bytes]) -> dict[Path, list[Row]]:
    """One picture's rows in every table; every fifth is left out."""
    row_id, chance = make_id("wave", number), random.Random(number)
    kept = number % 5 > 0
    said = {name: chance.randrange(11) for name in CHARACTERISTICS}
    labels = chance.sample(CHARACTERISTICS, 2)
    quality = {"score_image_clarity": chance.randrange(11), "score_image_structure": chance.randrange(11)}
    scores = {f"score_{name}": value for name, value in said.items()}
    rationale = english(chance, 12)
    image = {"bytes": images[number % PICTURES], "path": None}
    judged = {"id": row_id, "rationale": rationale, "replies": reply(json.dumps({"reason": rationale} | said))} | ASKED
    lengths = {DETAIL: 200} | dict.fromkeys(labels, 45) if kept else {}
    annotated = [
        {"id": row_id, "description": name, "caption": english(chance, words)} | ASKED
        for name, words in lengths.items()
    ]
    translated = [
        {"id": row_id, "description": name, "caption_cn": chinese(chance, words)} | ASKED
        for name, words in lengths.items()
    ]
    return {
        joins.SYNTHESIZED: [{"id": row_id, "prompt": english(chance, 15), "image": image} | ASKED],
        joins.EXAMINED: [judged | quality],
        joins.SCORED: [judged | scores],
        joins.SELECTED: [{"id": row_id, "kept": kept, "reason": None if kept else "clarity", "categories": labels}],
        joins.ANNOTATED: annotated,
        joins.TRANSLATED: translated,
        joins.RELEASE: [{"id": row_id}] if kept else [],
    }


def write_tables(folder: Path, rows: int) -> None:
    """Write the tables of so many rows below a folder."""
    images = pictures()
    writers = {table: TableWriter(folder / table, schema) for table, schema in TABLES.items()}
    for start in range(0, rows, ROWS_PER_SLICE):
        found: dict[Path, list[Row]] = {table: [] for table in TABLES}
        for number in range(start, min(start + ROWS_PER_SLICE, rows)):
            for table, own in rows_of(number, images).items():
                found[table] += own
        for table, writer in writers.items():
            writer.write(place(make_id("wave", start))[0], found[table])
    for writer in writers.values():
        writer.commit()


class Run(NamedTuple):
    """One report: seconds, those that processors worked, and megabytes at most."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def timed(folder: Path) -> Run:
    """Write the report of a folder's tables in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", REPORT], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=sys.stderr
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"the report ended with {os.waitstatus_to_exitcode(status)}")
    megabytes = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return Run(time.perf_counter() - start, used.ru_utime + used.ru_stime, megabytes)


def searched(page_file: Path) -> dict[str, float] | None:
    """Type searches into the page and return milliseconds; None where no browser is."""
    if not any(map(shutil.which, NAMES)):
        return None
    queries = {
        "a frequent word": f"{WORDS[0]} ",
        "a rare word": f"{WORDS[9_000]} ",
        "four words": " ".join(WORDS[number] for number in (3, 40, 200, 11)) + " ",
        "a beginning": WORDS[1][:2],
        "a longer beginning": WORDS[12][:3],
        "a frequent sign": PAIRS[0],
        "two signs": PAIRS[1],
        "six signs": PAIRS[1] + PAIRS[3] + PAIRS[5],
        "both languages": f"{PAIRS[3]} {WORDS[5]} ",
        "nothing": "qqqqqq ",
    }
    with launched() as browser, visited(browser, page_file) as page:
        page.wait_for_selector("#found h2")
        return {name: round(page.evaluate(SEARCH, query), 1) for name, query in queries.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="of the larger run")
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as place_of_all:
        folders = {count: Path(place_of_all) / str(count) for count in (max(rows // 2, 1), rows)}
        runs = {}
        for count, folder in folders.items():
            folder.mkdir(exist_ok=True)
            write_tables(folder, count)
            runs[count] = timed(folder)
            print(f"{count:,} rows: {runs[count].seconds:.1f} s, {runs[count].megabytes:.0f} MB")
        half, whole = runs.values()
        written = folders[rows] / "report/dataset"
        files = [path for path in written.rglob("*") if path.is_file()]
        times = searched(written / "search.html")
        figures = {
            "rows": rows,
            "files": len(files),
            "megabytes_written": round(sum(path.stat().st_size for path in files) / 1e6, 1),
            "seconds": round(whole.seconds, 1),
            "cpu_seconds": round(whole.cpu_seconds, 1),
            "rows_per_second": round(rows / whole.seconds),
            "peak_megabytes": round(whole.megabytes),
            "ratio": round(whole.seconds / half.seconds, 2),
            "cpu_ratio": round(whole.cpu_seconds / half.cpu_seconds, 2),
            "search_ms": times,
            "search_ms_median": median(times.values()) if times else None,
            "search_ms_most": max(times.values()) if times else None,
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
