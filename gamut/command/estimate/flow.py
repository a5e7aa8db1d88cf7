"""How many rows, prompts, pictures and captions a build would have, computed from the rows of its sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gamut.dataset.reading.files import table_names
from gamut.dataset.reading.folders import Folder, folder_on_disk, is_archive
from gamut.dataset.reading.pictures import is_image
from gamut.dataset.reading.tables import PARQUET, read_table
from gamut.dataset.shared.expected import CATEGORIES
from gamut.dataset.shared.source_blocks import FileSource, FolderSource, ImagineSource, SandboxSource, Source
from gamut.dataset.steps import DECIDING, Params
from gamut.project.errors import UserError, nearest_choice
from gamut.tables.reading import open_parquet

SHARES = {f"{step.name}.{column}": share for step in DECIDING for column, share in step.share.items()}
"""The share of rows that each deciding step is expected to keep."""


@dataclass(frozen=True)
class Flow:
    """Counts at each point of a build; `local_images` are in datasets/sources."""

    rows: int = 0
    source_images: int = 0
    local_images: int = 0
    imagined: int = 0
    rewritten: int = 0
    rewritten_from_text: int = 0
    searched: int = 0
    mined: int = 0
    candidates: int = 0
    painted: int = 0
    admitted: int = 0
    lettered: int = 0
    kept: int = 0
    categories: int = 0
    compared: int = 0
    originals: int = 0

    def pictures(self, where: str) -> int:
        """Return how many pictures these columns let through; all of them if no share is known."""
        known = {
            "admit.admitted": self.admitted,
            "admit.admitted synthesize.painted": round(self.admitted * self.painted / max(self.candidates, 1)),
            "categorize.text": self.lettered,
            "select.kept": self.kept,
        }
        return known.get(where, self.candidates)

    @property
    def captions(self) -> int:
        return self.categories + self.kept + self.originals

    @property
    def texts(self) -> int:
        """Captions, and also the sources' own captions that are not true: these too are translated and released."""
        return self.categories + self.kept + self.compared


def source_rows(params: Params, rows_given: Mapping[str, int]) -> dict[str, int]:
    """Return rows of every source by wave: as given, as params.yaml says, or as counted in a local file. UserError for
    an unknown wave, or if the rows cannot be known.
    """
    waves = [source.wave for source in params.sources]
    for wave in rows_given:
        if wave not in waves:
            raise UserError(
                f"--rows {wave}={rows_given[wave]}: there is no source {wave!r}{nearest_choice(wave, waves)}"
            )
    rows = {source.wave: rows_of(source, rows_given.get(source.wave)) for source in params.sources}
    if unknown := [wave for wave, count in rows.items() if count is None]:
        options = " ".join(f"--rows {wave}=100000" for wave in unknown)
        raise UserError(f"how many rows {', '.join(unknown)} will have is not known: give it, as in `{options}`")
    return {wave: count for wave, count in rows.items() if count is not None}


def rows_of(source: Source, rows_given: int | None) -> int | None:
    if isinstance(source, ImagineSource | SandboxSource):
        return source.count if rows_given is None else rows_given
    if rows_given is None and isinstance(source, FileSource | FolderSource) and Path(source.path).exists():
        rows_given = counted_rows(source)
    return source.limit if rows_given is None else min(rows_given, source.limit or rows_given)


def counted_rows(source: FileSource | FolderSource) -> int | None:
    path = Path(source.path)
    folder = folder_on_disk(path) if path.is_dir() else folder_on_disk(path.parent, path.name)
    names = list(folder.walk()) if path.is_dir() else [path.name]
    if isinstance(source, FileSource) and (named := table_names(lambda: iter(names))):
        return sum(table_rows(folder, name, path if path.is_file() else path / name) for name in named)
    return None if any(map(is_archive, names)) else sum(map(is_image, names))


def table_rows(folder: Folder, name: str, path: Path) -> int:
    if name.lower().endswith(PARQUET):
        with open_parquet(path) as file:
            return int(file.metadata.num_rows)
    return sum(1 for _ in read_table(folder, name, None))


def worth(samples: int, passing: float) -> float:
    """Return the chance that one of several pictures of a prompt passes, as a multiple of that of one picture. Each is
    taken to pass or fail by itself.
    """
    return 1 if samples == 1 else (1 - (1 - passing) ** samples) / passing


def expected_flow(params: Params, rows: Mapping[str, int]) -> Flow:
    counts: Counter[str] = Counter()
    alone = with_caption = 0.0
    is_admitted, is_kept = SHARES["admit.admitted"].value, SHARES["select.kept"].value
    for source in params.sources:
        count = written = rows[source.wave]
        share, captioned = 1.0, True  # of rows with an image, and whether they have a caption
        if isinstance(source, SandboxSource):
            share = 1 - source.without_image
        elif not isinstance(source, FolderSource | ImagineSource):
            share, captioned = float(source.columns.image is not None), source.columns.caption is not None
        images = 0 if isinstance(source, ImagineSource) else round(count * share)
        if isinstance(source, ImagineSource):
            counts["imagined"] += count
            captioned = False
        elif source.route == "rewrite":
            counts.update(rewritten=images, rewritten_from_text=count - images)
        elif source.route == "mine_text":
            written = round(images * SHARES["legible.legible"].value)
            counts.update(searched=images, mined=written)
        is_painted = isinstance(source, ImagineSource) or source.route != "keep"
        prompts = round(written * SHARES["prompts.kept"].value) if is_painted else images
        samples = params.synthesize.samples if is_painted else 1
        alone += prompts * worth(samples, is_admitted * is_kept)
        with_caption += prompts * worth(samples, is_admitted * is_kept) * captioned
        here = images if isinstance(source, FileSource | FolderSource) else 0
        counts.update(rows=count, source_images=images, local_images=here, candidates=prompts * samples)
        counts["painted"] += prompts * samples * is_painted
    admitted = round(counts["candidates"] * is_admitted)
    kept = round(round(alone * is_admitted) * is_kept)
    compared = round(with_caption * is_admitted * is_kept)
    return Flow(
        **counts,
        admitted=admitted,
        lettered=round(admitted * SHARES["categorize.text"].value),
        kept=kept,
        categories=round(kept * CATEGORIES.value),
        compared=compared,
        originals=round(compared * SHARES["originals.kept"].value),
    )
