"""The item on which those at the head of a benchmark's headline board lie farthest apart, with their pictures: what the
first page shows of the board. A file beside the pages holds it, for the first page is a stage of its own.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from gamut.evaluation.scoring.pairwise import TIE_DECIMALS
from gamut.project.plain_text import shorten_to_line
from gamut.report.benchmarks.items import MOST_CHARACTERS, Index
from gamut.report.benchmarks.results import Results, is_control, names_on_board
from gamut.report.site.folder import Folder
from gamut.report.site.texts import address
from gamut.report.site.thumbnails import Thumbnail

FILE = "apart.json"
MOST_ROWS = 6
"""Contestants of a headline board on the first page."""
MOST_PICTURES = 4
"""Pictures of one item there: of more contestants those of the two best and the two worst."""


def write_apart(folder: Folder, results: Results, index: Index) -> None:
    folder.write(FILE, json.dumps(farthest_apart(results, index), ensure_ascii=False, indent=1) + "\n")


def farthest_apart(results: Results, index: Index) -> dict[str, Any] | None:
    """Return the item and its pictures, the best first; of equal ones that with more pictures, then the edition's
    first. None where nobody painted what was scored.
    """
    metric, judge = results.benchmark.headline(results.params)
    rater = results.judges[0] if metric.by else judge
    names = (name for name in names_on_board(results.board, metric.name, judge) if not is_control(name))
    found: dict[tuple[int, str], dict[str, tuple[float, Thumbnail]]] = {}
    for name in islice(names, MOST_ROWS):
        for entry in index.entries.get(name, ()):
            score = index.scores.get(str(results.items[entry.place].id), {}).get((entry.setting, rater, name))
            if entry.setting not in metric.settings or score is None or score.least is None:
                continue
            if isinstance(entry.first, Thumbnail) and entry.first.path:
                found.setdefault((entry.place, entry.setting), {}).setdefault(name, (score.least, entry.first))
    if not found:
        return None

    def order(key: tuple[int, str]) -> tuple[float, int, int, int]:
        scores = [score for score, _ in found[key].values()]
        spread = round(max(scores) - min(scores), TIE_DECIMALS)
        return -spread, -len(scores), key[0], metric.settings.index(key[1])

    place, setting = min(found, key=order)
    item = results.items[place]
    ranked = sorted(found[place, setting].items(), key=lambda one: -one[1][0])
    half = MOST_PICTURES // 2
    chosen = ranked if len(ranked) <= MOST_PICTURES else ranked[:half] + ranked[-half:]
    return {
        "item": str(item.id),
        "prompt": shorten_to_line(item.prompt, MOST_CHARACTERS),
        "page": f"items/{address(item.id)}.html",
        "answers": [
            {"contestant": name, "score": round(score, 1), "anchor": f"{address(setting)}--{address(name)}"}
            | {"path": shown.path, "width": shown.width, "height": shown.height}
            for name, (score, shown) in chosen
        ],
    }
