"""All pages of the dataset, from the tables and metric files that exist: its figures, the gallery of all pictures (kept
or left out), and the search.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from gamut.asking.progress import Pace
from gamut.dataset.reporting.outputs import METRICS
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.project.files import read_metric_file
from gamut.report.dataset.figures import folded_sections, funnel, grid, read_calibration
from gamut.report.dataset.records import KEPT, LIMIT, SHOWN_SCORES, Gallery, Record, digest, gallery, records
from gamut.report.dataset.word_index import WordIndex
from gamut.report.site.folder import Folder
from gamut.report.site.pages import script_of, write_page
from gamut.report.site.texts import cut
from gamut.report.site.thumbnails import Thumbnail, thumbnails

PER_PAGE = 50
LONGEST = 256
"""Pixels of the longer side of a thumbnail."""
MOST_OF_PROMPT = 160
"""The most characters of a prompt in a list of search results."""
SHOWN_FIRST = "kept.json"
"""The file of pictures of the release that are shown above the figures, and on the first page."""
MOST_SHOWN_FIRST = 24
MOST_OF_REASON = 200


@dataclass
class SearchColumns:
    """The gallery row by row, in the form of the search: waves and outcomes as numbers, categories as bits."""

    words: WordIndex
    waves: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=lambda: {KEPT: 0})
    wave: list[int] = field(default_factory=list)
    outcome: list[int] = field(default_factory=list)
    category: list[int] = field(default_factory=list)
    scores: dict[str, list[int | None]] = field(default_factory=lambda: {name: [] for name in SHOWN_SCORES})
    first: list[dict[str, Any]] = field(default_factory=list)

    def add(self, record: Record) -> None:
        row = self.count
        self.wave.append(self.waves.setdefault(record.wave, len(self.waves)))
        self.outcome.append(self.outcomes.setdefault(record.outcome, len(self.outcomes)))
        self.category.append(sum(1 << n for n, name in enumerate(CHARACTERISTICS) if name in record.categories))
        for name, values in self.scores.items():
            values.append(record.scores.get(name))
        self.words.add(row, record.texts)

    @property
    def count(self) -> int:
        return len(self.wave)

    def counts(self) -> dict[str, int]:
        """Return how many rows have each outcome: those that were kept first, then the most frequent."""
        found = Counter(self.outcome)
        names = {name: found[number] for name, number in self.outcomes.items() if found[number]}
        return dict(sorted(names.items(), key=lambda item: (item[0] != KEPT, -item[1], item[0])))


def write_gallery(folder: Folder, pictures: Gallery, gathered: SearchColumns) -> None:
    """Write the pages of pictures, each with a script of its cards, and gather the rows for the search."""
    pages, pace = -(-pictures.count // PER_PAGE), Pace("report", pictures.count, "pictures")
    every = add_thumbnails(folder, records(pictures))
    for number in range(1, pages + 1):
        rows = list(itertools.islice(every, PER_PAGE))
        title, place = f"Pictures, page {number:,} of {pages:,}", {"number": number, "pages": pages}
        values = {"rows": rows, "shown": pictures, "score_names": SHOWN_SCORES}
        write_page(folder, f"rows/{number:04d}.html", "dataset_rows.html", title, "pictures", **place, **values)
        name = f"cards/{number:04d}"
        folder.write(f"{name}.js", script_of(name, [card(record, picture) for record, picture in rows]))
        for record, _ in rows:
            gathered.add(record)
        kept = [shown_first(*row, number) for row in rows if row[0].outcome == KEPT and row[1].path]
        gathered.first = sorted([*gathered.first, *kept], key=lambda one: digest(one["id"]))[:MOST_SHOWN_FIRST]
        pace.moved(len(rows))


def shown_first(record: Record, picture: Thumbnail, page: int) -> dict[str, Any]:
    about = {"id": record.id, "page": f"rows/{page:04d}.html", "words": beginning(record.prompt, MOST_OF_PROMPT)}
    return about | {"path": picture.path, "width": picture.width, "height": picture.height}


def card(record: Record, picture: Thumbnail) -> list[object]:
    why = "" if record.outcome == KEPT else beginning(record.reason or record.outcome, MOST_OF_REASON)
    return [record.id, picture.path, picture.width, picture.height, beginning(record.prompt, MOST_OF_PROMPT), why]


def beginning(text: str, most: int) -> str:
    shown = cut(text, most)
    return f"{shown.text}…" if shown.left else shown.text


def add_thumbnails(folder: Folder, rows: Iterable[Record]) -> Iterator[tuple[Record, Thumbnail]]:
    waiting: deque[Record] = deque()

    def pictures() -> Iterator[bytes]:
        for record in rows:
            waiting.append(record)
            if record.image is not None:
                yield record.image

    for made in thumbnails(folder, pictures(), LONGEST):
        while waiting[0].image is None:
            yield waiting.popleft(), Thumbnail(why="was not painted")
        yield waiting.popleft(), made
    yield from ((record, Thumbnail(why="was not painted")) for record in waiting)


CALIBRATION = Path("metrics/calibration.json")
IN_MEMORY = 16_000_000
"""An index of words with fewer bytes than this stays in memory."""


def write_dataset(folder: Folder, limit: int = LIMIT) -> int:
    """Write the pages of the dataset and return how many pictures they show, `limit` at most."""
    shown = gallery(limit)
    with SpooledTemporaryFile(max_size=IN_MEMORY) as aside:
        gathered = SearchColumns(WordIndex(aside))
        if shown is not None:
            write_gallery(folder, shown, gathered)
            write_finding(folder, shown, gathered)
    folder.write(SHOWN_FIRST, json.dumps(gathered.first, ensure_ascii=False, indent=1) + "\n")
    write_overview(folder, shown, gathered)
    return gathered.count


def write_overview(folder: Folder, pictures: Gallery | None, gathered: SearchColumns) -> None:
    found, calibration = read_metric_file(METRICS), read_calibration(CALIBRATION)
    write_page(
        folder,
        "index.html",
        "dataset_overview.html",
        "The dataset",
        "overview",
        shown=pictures,
        first=gathered.first,
        outcomes=gathered.counts(),
        funnel=funnel(found),
        sections=folded_sections(found),
        calibration=grid("filter", calibration, "") if calibration else None,
    )


def write_finding(folder: Folder, pictures: Gallery, gathered: SearchColumns) -> None:
    """Write the search, and its index in scripts: a page opened from disk can load nothing else."""
    names = gathered.words.write(folder)
    scores = {name: values for name, values in gathered.scores.items() if any(one is not None for one in values)}
    facets = {
        "rows": gathered.count,
        "perPage": PER_PAGE,
        "waves": list(gathered.waves),
        "outcomes": list(gathered.outcomes),
        "categories": list(CHARACTERISTICS),
        "wave": gathered.wave,
        "outcome": gathered.outcome,
        "category": gathered.category,
        "scores": scores,
        "buckets": names,
    }
    folder.write("index/facets.js", script_of("facets", facets))
    values = {"gathered": gathered, "shown": pictures, "categories": CHARACTERISTICS, "scores": list(scores)}
    write_page(folder, "search.html", "dataset_search.html", "Search the pictures", "search", **values)
