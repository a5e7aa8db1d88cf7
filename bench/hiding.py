"""What a contestant gains by hiding its worst answers: on boards of equals, and in the place of a shipped one.

    python bench/hiding.py                            # 25 boards, four ways of hiding; then a minute of real stages
    python bench/hiding.py --boards 2 --contestants 5 --items 40 --per-track 2 --ways missing noise

First 20 equals, of which one hides its worst 30 %, drawn as tests/evaluation/scoring/boards_of_equals.py says.
One gains where its best or worst possible rank, its place or its group of ties is better than with all answers shown;
to have no rank is no gain. Then `hasty` of params.yaml, the worst of three, through answer, judge, score and board: of
each way to hide the pictures that scored less than 8.5 of 10 where it stands, and what is better than where it shows
them (tests/prism/hiders.py): a rank, a value or an end of an interval.

The last line is JSON: of each way, on how many boards an equal gained, had no rank, and had the highest mean of what
was scored, by which it stood first while refusals were left out; and where `hasty` stands. It fails where somebody
gains a rank or a value by showing less (an interval grows wider by that, and its upper end may rise), or `hasty` is not
last. A picture with an instruction painted on it, and a handsome one of
something else, are answers: they may be liked better than what they stand for, as the controls `control_praise` and
`control_mismatched` show.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
import tempfile

from tests.evaluation.scoring.boards_of_equals import WAYS, hiding
from tests.prism import hiders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=25)
    parser.add_argument("--contestants", type=int, default=20)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--per-track", type=int, default=100, help="at most so many items of each track, for `hasty`")
    parser.add_argument("--ways", nargs="+", choices=hiders.WAYS, default=hiders.WAYS, help="of hiding, for `hasty`")
    options = parser.parse_args()
    equals, shipped = {}, {}
    for way in WAYS:
        found = hiding(way, range(options.boards), options.contestants, options.items)
        print(f"{way}: {found}", flush=True)
        equals[way] = found._asdict()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for way, stands in hiders.stands(options.ways, options.per_track):
            print(f"{way}: {stands}", flush=True)
            shipped[way] = stands._asdict()
        os.chdir(sys.path[0])
    print(json.dumps({"boards": options.boards, "equals": equals, "shipped": shipped}))
    if any(found["gained"] for found in equals.values()) or any(map(hiders.pays, shipped, shipped.values())):
        sys.exit("somebody gains by hiding")


if __name__ == "__main__":
    main()
