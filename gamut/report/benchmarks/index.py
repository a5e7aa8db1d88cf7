"""The index of all answers of an edition that stays in memory, and the items that tell contestants apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from gamut.evaluation.defining.measures import Metric
from gamut.project.plain_text import shorten_to_line
from gamut.report.benchmarks.item_scores import Score, Summary
from gamut.report.benchmarks.results import Results
from gamut.report.site.texts import address, make_visible
from gamut.report.site.thumbnails import Thumbnail

MOST_ITEMS, MOST_ANSWERS = 6, 4
"""How many items a board shows, and answers to each: with more contestants the two best and the two lowest."""
MOST_CHARACTERS = 120
"""The most characters of a prompt in a list, and of an answer in words."""
MOST_TELLING = "telling.json"
"""The file with the headline's first telling item with pictures, for the first page, which is a stage of its own."""


class Entry(NamedTuple):
    place: int
    setting: str
    sample: int
    status: str
    reason: str
    first: Thumbnail | str
    missing: int

    @property
    def picture_and_words(self) -> tuple[str, str]:
        """Return the path of the picture that stands for an answer, or words in its place."""
        if self.status != "ok":
            return "", self.status
        if isinstance(self.first, str):
            return "", self.first
        return self.first.path, f"a picture that {self.first.why}" if self.first.why else ""


@dataclass
class Index:
    """`entries` are by contestant; `first` has the entries of first samples, by the item's place, setting and
    contestant; `scores` are by item, then by setting, judge and contestant; `summaries` are in the edition's order.
    """

    entries: dict[str, list[Entry]] = field(default_factory=dict)
    first: dict[tuple[int, str, str], Entry] = field(default_factory=dict)
    scores: dict[str, dict[tuple[str, str, str], Score]] = field(default_factory=dict)
    summaries: list[Summary] = field(default_factory=list)

    def add(self, contestant: str, entry: Entry) -> None:
        self.entries.setdefault(contestant, []).append(entry)
        self.first.setdefault((entry.place, entry.setting, contestant), entry)


class ShownAnswer(NamedTuple):
    """An answer in a list: its picture or words, and its score, 0..100; addresses are from the folder of pages."""

    contestant: str
    href: str
    picture: str
    words: str
    score: float | None


class TellingItem(NamedTuple):
    """An item on which contestants differ in a setting. `spread` is the range of their scores, in points of 100."""

    item: str
    prompt: str
    href: str
    setting: str
    spread: float
    answers: Sequence[ShownAnswer]

    def values(self) -> dict[str, Any]:
        return self._asdict() | {"answers": [one._asdict() for one in self.answers]}


def shown_answer(
    results: Results, index: Index, place: int, setting: str, judge: str, contestant: str
) -> ShownAnswer | None:
    """Return an answer as lists show it; None if there is none."""
    entry = index.first.get((place, setting, contestant))
    if entry is None:
        return None
    item = str(results.items[place].id)
    score = index.scores.get(item, {}).get((setting, judge, contestant))
    href = f"items/{address(item)}.html#{address(setting)}--{address(contestant)}"
    return ShownAnswer(contestant, href, *entry.picture_and_words, None if score is None else score.least)


def telling_items(results: Results, index: Index, metric: Metric, judge: str) -> list[TellingItem]:
    """Return the items with the largest spread of scores in a metric's settings, among scored answers. Of equal ones,
    one of each stratum comes first, then the edition's order counts.
    """
    by = judge if judge in results.judges else results.judges[0]
    found, of_stratum = list[tuple[float, int, int, str, list[str]]](), Counter[tuple[float, str]]()
    for place, item in enumerate(results.items):
        spreads = [*setting_spreads(index.scores.get(str(item.id), {}).values(), metric.settings, by)]
        if spreads:
            spread, setting, names = max(spreads, key=itemgetter(0))
            kind = spread, results.benchmark.place(item).stratum
            found.append((-spread, of_stratum[kind], place, setting, names))
            of_stratum[kind] += 1
    return [
        TellingItem(
            make_visible(str(results.items[place].id)),
            make_visible(shorten_to_line(results.items[place].prompt, MOST_CHARACTERS)),
            f"items/{address(results.items[place].id)}.html#{address(setting)}",
            setting,
            -spread,
            [one for name in names if (one := shown_answer(results, index, place, setting, by, name))],
        )
        for spread, _, place, setting, names in sorted(found)[:MOST_ITEMS]
    ]


Spread = tuple[float, str, list[str]]


def setting_spreads(scores: Iterable[Score], settings: Sequence[str], judge: str) -> Iterator[Spread]:
    """Yield the spread of scores in each setting, and the contestants to show, best first; nothing if all are equal."""
    there = [
        (one.setting, -one.scored, one.contestant) for one in scores if one.judge == judge and one.scored is not None
    ]
    for setting in settings:
        own = sorted(one[1:] for one in there if one[0] == setting)
        names = [name for _, name in own]
        if own and (spread := round(own[-1][0] - own[0][0], 6)):
            few = names if len(names) <= MOST_ANSWERS else names[: MOST_ANSWERS // 2] + names[-MOST_ANSWERS // 2 :]
            yield spread, setting, few
