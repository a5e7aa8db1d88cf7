"""The search for near-duplicates among made-up prompts with planted ones, against a floor, in one run.

    python bench/near_duplicates.py                    # 1,000,000 prompts
    python bench/near_duplicates.py --prompts 100000

The floor reads the prompts, takes their words and puts a hash of each into a set. Each figure is taken in a process of
its own; peak memory is all that is resident, pages of mapped files too; ratios are of CPU time, so that whatever else
runs on the machine does not count. The last line is JSON: seconds, peak memory and scratch disk, time ratio to the
floor and to a quarter of the prompts, recall by kind of planted duplicate, share of removals that were not planted, and
what 8,000,000 prompts would take (time grows as from the quarter to the whole, memory and disk in proportion).
"""

from __future__ import annotations

import argparse
import bisect
import hashlib
import itertools
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gamut.texts.near_duplicate_search import find_near_duplicates
from gamut.texts.near_duplicates import Reading

LEAST_SIMILARITY = 0.845
PLANTED = 0.3
ORIGINALS = 10_000
LARGE = 8_000_000

OPENINGS = [
    "A {a} {n} {v} {p} a {a} {n}",
    "A photo of a {n} and a {a} {n} {p} the {n}",
    "{c} {a} {n} {v} in front of a {n} that looks like a {a} {n}",
    "The {n} of a {a} {n} {v} {p} {c} {n}",
    "A close-up of the {a} {n}'s {n} {p} some {n}",
    'A {n} with a sign that says "{q}" {p} a {n}',
]
CLAUSES = [
    "{v} {p} the {a} {n}",
    "in the style of {n} {n}",
    "{a} and {a} light",
    "with a {a} {n} in the background",
    "wearing a {a} {n} and {c} {n}",
    "seen from {p} a {n}",
    "highly detailed",
    "a {a} {n} made of {n}",
    "surrounded by {c} {a} {n}",
]
PREPOSITIONS = ["on", "under", "beside", "behind", "above", "near", "inside", "against"]
COUNTS = ["two", "three", "four", "five", "six", "several", "many"]


class Vocabulary:
    """Made-up nouns, adjectives and verbs; the k-th of a class is k times as rare as the first (Zipf's law)."""

    def __init__(self, rng: random.Random) -> None:
        syllables = ["".join(pair) for pair in itertools.product("bdfgklmnprstv", "aeiou")]
        made = sorted({"".join(rng.choices(syllables, k=rng.choice((2, 3, 3, 4)))) for _ in range(20_000)})
        rng.shuffle(made)
        self.words = {"n": made[:9_000], "a": made[9_000:12_000], "v": made[12_000:14_000]}
        self.weights = {
            kind: list(itertools.accumulate(1 / k for k in range(1, len(some) + 1)))
            for kind, some in self.words.items()
        }

    def draw(self, kind: str, rng: random.Random) -> str:
        if kind == "p":
            return rng.choice(PREPOSITIONS)
        if kind == "c":
            return rng.choice(COUNTS)
        if kind == "q":
            return f"{self.draw('n', rng)} {rng.randrange(1000)}".upper()
        weights = self.weights[kind]
        return self.words[kind][bisect.bisect(weights, rng.random() * weights[-1])]

    def prompt(self, rng: random.Random) -> str:
        clauses = [rng.choice(OPENINGS), *rng.choices(CLAUSES, k=rng.choice((0, 1, 1, 2, 2, 3, 4, 5)))]
        pieces = ", ".join(clauses).replace("{", "}").split("}")  # text and slots in turn
        return "".join(self.draw(piece, rng) if place % 2 else piece for place, piece in enumerate(pieces))


def plant(kind: str, prompt: str, rng: random.Random, vocabulary: Vocabulary) -> str | None:
    """A duplicate of this kind; None where a prompt allows none."""
    match kind:
        case "case":
            return rng.choice([str.upper, str.lower, str.title])(prompt)
        case "punctuation":
            return prompt.replace(",", rng.choice([" -", ";", ""])) + rng.choice([".", "!", " ..."])
        case "white space":
            return prompt.replace(" ", rng.choice(["  ", "\t", "\u00a0"]))
        case "clause order":
            first, *others = prompt.split(", ")
            return ", ".join([*others, first]) if others else None
    pieces = prompt.split(" ")
    places = [place for place, piece in enumerate(pieces) if piece.isalpha() and piece.islower()]
    pieces[rng.choice(places)] = vocabulary.draw("n", rng)
    return " ".join(pieces) if len(Reading(prompt).words) >= 12 else None


KINDS = ["case", "punctuation", "white space", "clause order", "one word"]


def make_input(count: int, folder: Path) -> None:
    """A file of prompts, one a line, and a file that says of each what kind of duplicate it is, if any."""
    rng = random.Random(count)
    vocabulary = Vocabulary(rng)
    originals: list[str] = []
    with (folder / "prompts").open("w") as prompts, (folder / "kinds").open("w") as kinds:
        for _ in range(count):
            kind = rng.choice(KINDS) if originals and rng.random() < PLANTED else ""
            prompt = plant(kind, rng.choice(originals), rng, vocabulary) if kind else None
            if prompt is None:
                kind, prompt = "", vocabulary.prompt(rng)
                if len(originals) < ORIGINALS:
                    originals.append(prompt)
                else:
                    originals[rng.randrange(ORIGINALS)] = prompt
            prompts.write(prompt + "\n")
            kinds.write(kind + "\n")


def lines(path: Path) -> Iterator[str]:
    with path.open() as file:
        for line in file:
            yield line.rstrip("\n")


def floor(folder: Path) -> dict[str, object]:
    """Read, take words, hash, compare exactly in memory."""
    seen = {
        hashlib.blake2b(" ".join(Reading(line).words).encode(), digest_size=16).digest()
        for line in lines(folder / "prompts")
    }
    return {"different": len(seen)}


def search(folder: Path) -> dict[str, object]:
    """Search, watching the scratch folder grow; then compare with what was planted."""
    scratch, done, sizes = folder / "scratch", threading.Event(), [0]

    def watch() -> None:
        while not done.wait(0.2):
            sizes.append(sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    removed = find_near_duplicates(lines(folder / "prompts"), LEAST_SIMILARITY, scratch).of >= 0
    done.set()
    watcher.join()
    kinds = list(lines(folder / "kinds"))
    planted = Counter(kinds)
    found = Counter(kind for kind, gone in zip(kinds, removed.tolist(), strict=True) if gone)
    return {
        "disk": max(sizes) / 1e6,
        "recall": {kind: round(found[kind] / planted[kind], 4) for kind in KINDS},
        "removed": int(removed.sum()),
        "unplanted_share": round(found[""] / removed.sum(), 4),
    }


def child(way: str, folder: Path) -> None:
    start, cpu_start = time.perf_counter(), time.process_time()
    figures = {"floor": floor, "search": search}[way](folder)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "megabytes": megabytes, **figures}))


def measure(way: str, count: int, folder: Path) -> dict:
    """The figures of one way in a process of its own."""
    command = [sys.executable, __file__, "--child", way, str(folder)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures = json.loads(output.splitlines()[-1])
    seconds, cpu_seconds, megabytes = figures["seconds"], figures["cpu_seconds"], figures["megabytes"]
    print(f"{way} {count:,}: {seconds:.1f} s ({cpu_seconds:.1f} s of CPU), {megabytes:.0f} MB", flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=1_000_000)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], Path(options.child[1]))
        return
    with tempfile.TemporaryDirectory(prefix="gamut-bench-") as name:
        runs = {}
        for count in (options.prompts // 4, options.prompts):
            folder = Path(name) / str(count)
            folder.mkdir()
            make_input(count, folder)
            runs[count] = measure("search", count, folder)
        bare = measure("floor", options.prompts, folder)
    quarter, whole = runs.values()
    growth = whole["cpu_seconds"] / quarter["cpu_seconds"]
    more = LARGE / options.prompts
    memory_each = (whole["megabytes"] - quarter["megabytes"]) / (options.prompts * 0.75)
    figures = {
        "prompts": options.prompts,
        "seconds": round(whole["seconds"], 1),
        "peak_megabytes": round(whole["megabytes"]),
        "scratch_megabytes": round(whole["disk"]),
        "time_ratio_to_floor": round(whole["cpu_seconds"] / bare["cpu_seconds"], 1),
        "time_ratio_4x": round(growth, 2),
        "removed": whole["removed"],
        "recall": whole["recall"],
        "unplanted_share_of_removals": whole["unplanted_share"],
        f"at_{LARGE}": {
            "minutes": round(whole["seconds"] * growth ** math.log(more, 4) / 60, 1),
            "peak_megabytes": round(whole["megabytes"] + memory_each * (LARGE - options.prompts)),
            "scratch_megabytes": round(whole["disk"] * more),
        },
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
