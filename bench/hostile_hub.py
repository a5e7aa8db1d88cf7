"""Every place of every reply of a Hub and its length, altered in every way, one at a time, in every command that asks.

    python bench/hostile_hub.py                         # all 48,000 of them: about an hour on a core
    python bench/hostile_hub.py --most 200              # a seeded selection of so many for each command

Each run has to end in one line or in the right thing, and must not read, write or delete anything outside the project,
nor tell anybody else the token (tests/publish/hostile_runs.py). What does not hold is printed; the last line is JSON:
runs, how many places and calls were altered, how many runs ended in one line, how many well, how many in harm, seconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import random
import tempfile
import time
from typing import Any

from tests.publish.hostile_runs import COMMANDS, Harm, World, world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, help="runs of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", choices=COMMANDS, help="only this one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, world(Path(folder)) as here:
        sys.addaudithook(here.watch)
        chosen = [arguments.command] if arguments.command else list(COMMANDS)
        found = [measured(here, name, arguments.most, arguments.seed) for name in chosen]
    print(json.dumps({name: sum(of[name] for of in found) for name in found[0]}))


def measured(here: World, name: str, most: int | None, seed: int) -> dict[str, Any]:
    """Run one command with every alteration, or `most` of them."""
    cases, start = here.baseline(name), time.monotonic()
    if most is not None:
        cases = random.Random(f"{seed} {name}").sample(cases, min(most, len(cases)))
    ends = {"runs": len(cases), "places": len({case[:2] for case in cases}), "calls": len({case[0] for case in cases})}
    ends |= {"refused": 0, "well": 0, "harm": 0}
    for case in cases:
        try:
            ends["refused" if here.run(name, case)[1] is not None else "well"] += 1
        except Harm as harm:
            ends["harm"] += 1
            print(f"{name}: {case.call}: {'.'.join(map(str, case.place))} {case.alteration}: {harm}")
    ends["seconds"] = round(time.monotonic() - start)
    print(f"{name}: {ends}", flush=True)
    return ends


if __name__ == "__main__":
    main()
