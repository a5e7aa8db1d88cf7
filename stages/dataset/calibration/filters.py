"""Every filter and characteristic that is decided by a threshold: where its score and threshold stand, what it asks
people, and what stands for a row as it is shown to them, so that nothing counts that was said of another picture.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from stages.dataset.shared.joins import table_of
from stages.dataset.shared.parameters import CHARACTERISTICS, Params
from stages.dataset.shared.reviewed import ABOUT
from stages.project.decisions import digest_of
from stages.tables.columns import Row, place
from stages.tables.reading import shard_rows


@dataclass(frozen=True)
class Filter:
    """A score of 0..10 in `column` of `table`; rows pass whose score reaches `parameter` (a dotted key of params.yaml).

    `pictures` is the table with the images that were judged. A filter is there to reject, so what it finds is what
    stays below the threshold; a characteristic is there to find what belongs.
    """

    name: str
    table: Path
    column: str
    parameter: str
    pictures: Path = Path("datasets/synthesize")

    @property
    def rejects(self) -> bool:
        """Return whether it looks for what should be rejected, not for what belongs."""
        return self.name not in CHARACTERISTICS

    def threshold(self, params: Params) -> int:
        """Return the lowest score that passes."""
        section, _, key = self.parameter.partition(".")
        return int(getattr(getattr(params, section), key))


FILTERS = (
    Filter(
        "legibility", table_of("find_text"), "score_legibility", "legible.legibility", pictures=table_of("source_rows")
    ),
    Filter("clarity", table_of("examine"), "score_image_clarity", "admit.clarity"),
    Filter("structure", table_of("examine"), "score_image_structure", "admit.structure"),
    *(Filter(name, table_of("score"), f"score_{name}", f"categorize.{name}") for name in CHARACTERISTICS),
    Filter("contrast", table_of("proofread"), "score_contrast", "select.contrast"),
    Filter("letterforms", table_of("proofread"), "score_letterforms", "select.letterforms"),
    Filter("sense", table_of("proofread"), "score_sense", "select.sense"),
    Filter("alignment", table_of("align"), "score_original", "originals.alignment"),
)
"""In the order of the build."""


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
KNOWN_BY = {table_of("synthesize"): ABOUT, table_of("source_rows"): ("source", "source_id", "caption")}
"""Columns by which a picture is known, by table: no look at pictures themselves, which takes long."""


class ShownRow(NamedTuple):
    """A row of a filter's pictures, what stands for it as it is shown, and the caption shown with it, if any."""

    row: Row
    about: str
    caption: str | None


def rows_shown(filter_: Filter, ids: Collection[str], columns: Iterable[str] = ()) -> Iterator[ShownRow]:
    """Yield some rows of a filter as they are now, with these columns of their pictures, in order of id."""
    known_by = KNOWN_BY[filter_.pictures]
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        rows, captions = set(of_shard), dict[str, str]()
        if filter_.name == "alignment":
            captions = {
                row["id"]: row["caption"] for row in shard_rows(table_of("source_rows"), shard, ["id", "caption"], rows)
            }
        for row in shard_rows(filter_.pictures, shard, ["id", *known_by, *columns], rows):
            caption = captions.get(row["id"])
            shown = [ASKED[filter_.name], [row[name] for name in known_by], caption]
            yield ShownRow(row, f"p{digest_of(shown)}", caption)  # a letter, or a spreadsheet might make it a number


def abouts_now(keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return what stands for rows (filter, id) as they are shown now, without those that are not there."""
    ids: dict[str, list[str]] = {}
    for name, row_id in keys:
        ids.setdefault(name, []).append(row_id)
    return {
        (filter_.name, shown.row["id"]): shown.about
        for filter_ in FILTERS
        for shown in rows_shown(filter_, ids.get(filter_.name, ()))
    }
