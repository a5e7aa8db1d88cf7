"""Problems in drawn pictures by the thousand: each solved anew, rendered choices read back, all drawn twice.

    python bench/gap_cases.py              # 1,000 of each kind, 200 pages of each kind with options read: minutes
    python bench/gap_cases.py --cases 5 --read 1

One line of JSON at the end, by kind. `seconds`: on one core, without and with pictures; `different`: how many are
unlike all others; `proved`: how many have the solution that other code finds (`recomputed.py` beside the tests);
`same_bytes`: whether another process draws the first tenth of them, pictures and all, just so. `read`: the share of
options, and of questions, that RapidOCR reads as they are told, but for spaces and the width of brackets.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.gapeval.construction.cases import Case  # noqa: E402
from stages.gapeval.construction.choices import Choice  # noqa: E402
from stages.gapeval.construction.problems import KINDS  # noqa: E402
from tests.gapeval.construction.recomputed import proved  # noqa: E402

SEED = 1


def digest(cases: list[Case]) -> str:
    return hashlib.sha256(repr(cases).encode()).hexdigest()


def tenth(count: int) -> int:
    return max(1, count // 10)


def squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())  # some brackets are read as Chinese ones


@cache
def reader() -> Callable[[bytes], str]:
    from rapidocr import RapidOCR

    read = RapidOCR(params={"Global.log_level": "error", "Global.use_cls": False, "Global.text_score": 0.0})

    def rows(picture: bytes) -> str:
        """All that is read, row by row from the left, without spaces."""
        found = read(np.asarray(Image.open(io.BytesIO(picture)))[..., ::-1])
        lines = [(box[:, 1].mean(), box[:, 0].min(), text) for box, text in zip(found.boxes, found.txts, strict=True)]
        first = {line: next(y for y, *_ in lines if abs(y - line[0]) < 15) for line in lines}
        return squeezed("".join(text for _, _, text in sorted(lines, key=lambda line: (first[line], line[1]))))

    return rows


def read_back(pages: list[tuple[Choice, bytes]]) -> float:
    """The share of questions and of options that are read without a mistake."""
    read = reader()
    told, found = 0, 0
    for choice, picture in pages:
        parts = re.fullmatch(r"(.*)A\)(.*)B\)(.*)C\)(.*)D\)(.*)", read(picture))
        told += 1 + len(choice.options)
        if parts:
            question, *options = parts.groups()
            found += question.endswith(squeezed(choice.question))
            found += sum(a == squeezed(b) for a, b in zip(options, choice.options, strict=True))
    return round(found / told, 4) if told else 1.0


def digests_elsewhere(kinds: list[str], count: int) -> dict[str, str]:
    """Of so many cases of each kind, as another process draws them."""
    again = [sys.executable, sys.argv[0], "--kinds", *kinds, "--digest", str(count)]
    found: dict[str, str] = json.loads(subprocess.run(again, capture_output=True, text=True, check=True).stdout)
    return found


def measured(name: str, count: int, pages: int, elsewhere: str) -> dict[str, Any]:
    draw, case_of = KINDS[name]
    started = time.perf_counter()
    ones = list(draw(SEED, count))
    without = time.perf_counter() - started
    cases = [case_of(one) for one in ones]
    seconds = time.perf_counter() - started
    figures: dict[str, Any] = {
        "cases": len(cases),
        "different": len({(case.pictures, case.question) for case in cases}),
        "seconds": [round(without, 1), round(seconds, 1)],
        "proved": sum(map(proved, ones, cases)),
        "kilobytes": round(sum(len(picture) for case in cases for picture in case.pictures) / 1000 / len(cases), 1),
        "same_bytes": elsewhere == digest(cases[: tenth(count)]),
    }
    if name in ("choice", "diagram"):
        asked = [one if isinstance(one, Choice) else one.choice for one in ones]
        figures["read"] = read_back([(one, case.pictures[0]) for one, case in zip(asked, cases, strict=True)][:pages])
    print(name, figures, flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--read", type=int, default=200, help="so many pages with options are read")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS), metavar="KIND")
    parser.add_argument("--digest", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.digest:
        print(json.dumps({name: digest(list(KINDS[name].cases(SEED, options.digest))) for name in options.kinds}))
        return
    elsewhere = digests_elsewhere(options.kinds, tenth(options.cases))
    print(json.dumps({name: measured(name, options.cases, options.read, other) for name, other in elsewhere.items()}))


if __name__ == "__main__":
    main()
