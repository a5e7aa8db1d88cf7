"""Cases of GENIUS by the thousand: none alike, all solved with texts and pictures, with one of them at chance alone.

    python bench/genius_cases.py      # 50 cases a sub-task in an edition, 1,000 solved, 5 painted: a minute
    python bench/genius_cases.py --cases 5 --many 20 --painted 1

One line of JSON at the end, by sub-task, of an edition of one seed. `cases`: how many it has; `different`: how many are
unlike all others; `alike`: pairs that are near-duplicates in all that they say and show, by the similarity of
params.yaml, within a sub-task and across; `passed_over`: how many were drawn and left out for that; `same_bytes`:
whether another process draws the whole edition just so. `both`: the share of `--many` cases that the embedded world's
solver does right with texts and pictures, in three forms by turns; `texts`, `pictures`: with one of them alone, as
[share, lower end, upper end, the chance as stated], with 99.9 % intervals (Wilson); `at_chance`: whether both
intervals hold it. `painted`: the share of so many cases, each in all three forms, that is done right where pictures are
painted and looked at; `problems` names all that is not as it should be.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson
import yaml

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.evaluation.running.placing import placed  # noqa: E402
from stages.evaluation.scoring.statistics.wilson import wilson_interval  # noqa: E402
from stages.genius.construction.cases import Case, in_full  # noqa: E402
from stages.genius.construction.draw_cases import rows  # noqa: E402
from stages.genius.construction.rule_book import RULES, cases, unlike  # noqa: E402
from stages.genius.construction.scenes import accepts, in_words  # noqa: E402
from stages.sandbox.contexts import wanted_by_rule  # noqa: E402
from stages.texts.near_duplicates.pairs import Reading, near  # noqa: E402
from tests.gapeval.small_items import painted, pictures_of  # noqa: E402
from tests.genius.construction.solving import described, pool, solved  # noqa: E402
from tests.genius.construction.test_rule_book import FORMS  # noqa: E402

SEED, LEVEL, SIDE = 1, 0.999, 320
"""`SIDE`: pixels of a painted picture, as in params.yaml."""
SIMILARITY = yaml.safe_load((ROOT / "params.yaml").read_text())["genius"]["propose"]["similarity"]


def digest(count: int) -> str:
    edition = [*rows(SEED, count, pool(), SIMILARITY)]
    return hashlib.sha256(orjson.dumps(edition)).hexdigest()


def same_elsewhere(count: int) -> bool:
    """Whether another process, with other hashes of texts, draws the same bytes."""
    again = [sys.executable, sys.argv[0], "--digest", str(count)]
    return subprocess.run(again, capture_output=True, text=True, check=True).stdout.strip() == digest(count)


def alike(texts: list[Reading]) -> list[tuple[int, int]]:
    pairs = combinations(range(len(texts)), 2)
    return [(one, other) for one, other in pairs if near(texts[one], texts[other], SIMILARITY)]


def done_right(case: Case, form: Any) -> bool:
    """Whether the solver does what is wanted by pictures that are painted and looked at."""
    made = {name: painted(in_words(scene, pool()), 1, SIDE) for name, scene in case.pictures}
    given = placed(f"{case.context}\n{case.prompt}", pictures_of(made), form)
    parts = [part if isinstance(part, str) else part.data for part in given]
    found = wanted_by_rule(parts, "both", 0, random.Random(0))
    return found is not None and accepts(case.wanted, described(found))


def guessed(drawn: list[Case], reads: str, chance: float) -> list[float]:
    right = sum(solved(case, reads, number, FORMS[number % 3]) for number, case in enumerate(drawn))
    return [round(figure, 5) for figure in (right / len(drawn), *wilson_interval(right, len(drawn), LEVEL), chance)]


def measured(sub_task: str, edition: list[Case], many: int, looked_at: int) -> dict[str, Any]:
    drawn = [*cases(sub_task, SEED, many, pool())]
    rule = RULES[sub_task]
    figures: dict[str, Any] = {
        "cases": len(edition),
        "different": len(set(edition)),
        "alike": len(alike([Reading(in_full(case, pool())) for case in edition])),
        "passed_over": len({*cases(sub_task, SEED, len(edition), pool())} - {*edition}),
        "both": sum(solved(case, "both", 0, FORMS[n % 3]) for n, case in enumerate(drawn)) / many,
        "texts": guessed(drawn, "texts", float(rule.by_texts)),
        "pictures": guessed(drawn, "pictures", float(rule.by_pictures)),
    }
    figures["at_chance"] = all(
        low <= chance <= high for _, low, high, chance in (figures["texts"], figures["pictures"])
    )
    if looked_at:
        right = [done_right(case, form) for case in drawn[:looked_at] for form in FORMS]
        figures["painted"] = sum(right) / len(right)
    print(sub_task, figures, flush=True)
    return figures


def problems(figures: dict[str, Any]) -> Iterator[str]:
    if not figures["same_bytes"]:
        yield "another process draws other bytes"
    if figures["alike_across"]:
        yield f"{figures['alike_across']} pairs are alike across sub-tasks"
    for sub_task, one in figures["sub_tasks"].items():
        if one["different"] < one["cases"] or one["alike"]:
            yield f"{sub_task}: some cases are alike"
        if min(one["both"], one.get("painted", 1)) < 0.95:
            yield f"{sub_task}: not solved with both modalities"
        if not one["at_chance"]:
            yield f"{sub_task}: not at chance with one modality"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=50, help="of each sub-task in an edition")
    parser.add_argument("--many", type=int, default=1_000, help="of each sub-task are solved")
    parser.add_argument("--painted", type=int, default=5, help="of each sub-task are painted")
    parser.add_argument("--digest", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.digest:
        print(digest(options.digest))
        return
    editions = {name: [*unlike(name, SEED, options.cases, pool(), SIMILARITY)] for name in RULES}
    whole = [(name, Reading(in_full(case, pool()))) for name, some in editions.items() for case in some]
    pairs = alike([reading for _, reading in whole])
    figures: dict[str, Any] = {
        "seed": SEED,
        "same_bytes": same_elsewhere(options.cases),
        "alike_across": sum(whole[one][0] != whole[other][0] for one, other in pairs),
        "sub_tasks": {name: measured(name, some, options.many, options.painted) for name, some in editions.items()},
    }
    figures["problems"] = [*problems(figures)]
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
