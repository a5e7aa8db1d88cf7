"""The page of all items, what its script draws answers and filters from, and the same as a file to be downloaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from gamut.evaluation.defining.editions import item_count
from gamut.report.benchmarks import item_scores
from gamut.report.benchmarks.index import Index
from gamut.report.benchmarks.results import Results
from gamut.report.site.folder import Folder
from gamut.report.site.pages import script_of, write_page
from gamut.report.site.texts import address

DECIMALS = 2
"""Of scores, 0..100, in lists."""
MOST_CHARACTERS = 120
"""Characters of a prompt that the list shows."""


def write_item_list(folder: Folder, results: Results, index: Index, names: Sequence[str]) -> None:
    """`names`: of the items' pages, in the edition's order."""
    found = item_scores.orders(index.summaries)
    orders = {"names": names, "titles": item_scores.TITLES, "orders": found}
    folder.write("items/orders.js", script_of("orders", orders))
    folder.write("items/answers.js", script_of("answers", answers_of(results, index)))
    lines = (json.dumps(one, ensure_ascii=False, allow_nan=False) for one in records(results, index))
    folder.write("items.jsonl", "".join(f"{line}\n" for line in lines))
    write_page(
        folder,
        "items.html",
        "items.html",
        f"{results.benchmark.title}: items",
        "items",
        results=results,
        edition=item_count(results.items),
        rows=[*zip(results.items, names, index.summaries, strict=True)],
        places=[results.benchmark.place(item) for item in results.items],
        orders={name: names[order[0]] for name, order in found.items()},
        titles=item_scores.TITLES,
        computed=item_scores.ORDERS_IN_WORDS,
        score=item_scores.SCORE_IN_WORDS,
        beginning=MOST_CHARACTERS,
    )


def answers_of(results: Results, index: Index) -> dict[str, Any]:
    """Return what the list's script needs: of every item by setting, contestant by contestant, the first answer's
    picture or words, whether it is there, and its scores, one a judge; numbers stand for settings.
    """
    items: list[dict[int, list[Any]]] = [{} for _ in results.items]
    there = ((key, entry) for key, entry in index.first.items() if key[1] in results.settings)
    for (place, setting, contestant), entry in there:
        scores = index.scores.get(str(results.items[place].id), {})
        own = [scores.get((setting, judge, contestant)) for judge in results.judges]
        said = [None if one is None or one.least is None else round(one.least, DECIMALS) for one in own]
        of_setting = items[place].setdefault(results.settings.index(setting), [0] * len(results.contestants))
        of_setting[results.contestants.index(contestant)] = [*entry.picture_and_words, int(entry.status == "ok"), said]
    return {
        "contestants": [[name, address(name)] for name in results.contestants],
        "settings": [[name, results.setting_words(name), address(name)] for name in results.settings],
        "judges": results.judges,
        "items": items,
    }


def records(results: Results, index: Index) -> Iterator[dict[str, Any]]:
    """Yield a record an item, with all that the list says of it."""
    for item, summary in zip(results.items, index.summaries, strict=True):
        place, own = results.benchmark.place(item), index.scores.get(str(item.id), {}).values()
        yield {
            "item": str(item.id),
            "stratum": place.stratum,
            "groups": [*place.groups],
            "prompt": item.prompt,
            "mean": summary.mean,
            "lowest": summary.lowest,
            "apart": summary.disagreement,
            "missing": summary.missing,
            "scores": [
                {"setting": one.setting, "judge": one.judge, "contestant": one.contestant}
                | {"score": one.least, "scored_alone": one.scored}
                for one in own
            ],
        }
