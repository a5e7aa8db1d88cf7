"""Labels for the filters: whether a row should pass, asked about the rows that were drawn, filter by filter."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from pathlib import Path

from stages.asking.requests import Picture
from stages.dataset.calibration.filters import FILTERS, Filter
from stages.dataset.calibration.labels_file import well_formed
from stages.dataset.calibration.people import TASK
from stages.dataset.shared.joins import SOURCE_ROWS
from stages.deciding.cards import Card, Place, Task, choices_of
from stages.deciding.order import shuffled, with_repeats
from stages.evaluation.labelling.shown import Shown, digest_of_shown
from stages.project.csv_forms import form_rows, refuse
from stages.project.errors import nearest
from stages.project.plain_text import amount
from stages.tables.columns import place
from stages.tables.reading import shard_rows

ASKED = {
    "legibility": "Is there writing in the picture that counts, and are its main words read without doubt? Watermarks, "
    "captions laid over it and fine print do not count.",
    "clarity": "Is the picture free of blur, noise and smearing that disturb? What belongs to a style is no fault.",
    "structure": "Are all objects and figures whole and well formed? A fantastical subject is no fault.",
    "composition": "Is the arrangement the point: several things in relations, counts or layers that can be told?",
    "entity": "Is a particular thing, being, person or place shown, so that one can name it?",
    "text": "Is English writing that can be read letter by letter a real part of the picture?",
    "imaginative": "Is it surreal or fantastical: what could not be, or things combined in an unheard-of way?",
    "style": "Is an artistic or photographic manner marked, so that one can name it?",
    "abstract": "Is a feeling, mood or atmosphere conveyed, so that most people would name the same?",
    "contrast": "Does all the writing stand out from what is behind it, so that it is read with ease?",
    "letterforms": "Is all the writing well formed: every letter complete and even?",
    "sense": "Does all the writing say something: words that are correctly spelt?",
    "alignment": "Is all that the caption says true of the picture? What it leaves out does not matter.",
}
"""What each filter asks, in the words of its judge's scale, for yes or no."""
WORDS = {"1": "yes, it should pass", "0": "no, it should not"}


def labelling(path: Path, seed: int, reviewer: str) -> Task:
    """Return what a person is asked about the rows of a labels file, filter by filter, in an order of its own;
    UserError with a line for every mistake in the file.
    """
    places: list[Place] = []
    for name, rows in drawn(path).items():
        own = f"{seed}:{reviewer}:{name}"
        places += with_repeats([f"{name}/{row}" for row in shuffled(rows, own)], own)
    return Task(
        name=TASK,
        title=f"What filters should pass: {amount(len(places), 'question')}",
        places=places,
        cards=cards,
        afterwards=[f"With {path} at calibrate.labels in params.yaml `dvc repro calibrate` reads what was said"],
    )


def drawn(path: Path) -> dict[str, list[str]]:
    """Return the rows that a labels file has of each filter, filters in the order of the build."""
    known = {filter_.name: list[str]() for filter_ in FILTERS}
    mistakes = []
    for line, row in form_rows(path, ("id", "filter"), ": `gamut calibrate --sample 50` draws rows to be labelled"):
        if row["filter"] not in known:
            mistakes.append((line, f"there is no filter {row['filter']!r}{nearest(row['filter'], known)}"))
        elif not well_formed([row["id"]]):
            mistakes.append((line, f"{row['id']!r} is no row's id"))
        else:
            known[row["filter"]].append(row["id"])
    refuse(path, mistakes)
    return {name: list(dict.fromkeys(rows)) for name, rows in known.items() if rows}


def cards(ids: Collection[str]) -> Iterator[Card]:
    """Yield the cards of some questions, `<filter>/<row>`."""
    rows: dict[str, list[str]] = {}
    for one in ids:
        name, _, row = one.partition("/")
        rows.setdefault(name, []).append(row)
    for filter_ in FILTERS:
        for shard, of_shard in groupby(sorted(rows.get(filter_.name, ()), key=place), lambda row: place(row)[0]):
            yield from cards_of(filter_, shard, set(of_shard))


def cards_of(filter_: Filter, shard: str, rows: Collection[str]) -> Iterator[Card]:
    """Yield what a filter asks about some rows of a shard, of the picture and, where that is compared, the caption."""
    asked, captions = ASKED[filter_.name], dict[str, str]()
    if filter_.name == "alignment":
        captions = {row["id"]: row["caption"] for row in shard_rows(SOURCE_ROWS, shard, ["id", "caption"], rows)}
    for row in shard_rows(filter_.pictures, shard, ["id", "image"], rows):
        if row["image"] is None:  # it was painted anew, and failed: there is nothing to look at
            continue
        shown = [Shown("", Picture(row["image"]["bytes"]))]
        shown += [Shown("caption", caption)] if (caption := captions.get(row["id"])) else []
        card_id = f"{filter_.name}/{row['id']}"
        yield Card(card_id, digest_of_shown(asked, shown), asked, shown, choices_of(["1", "0"], WORDS))
