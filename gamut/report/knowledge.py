"""The page of knowledge studies: curves by step, bars by training, numbers with intervals, and for some entities what
was painted and said at every checkpoint (arXiv 2602.02140, figures 5 and 6).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gamut.pipeline.steps import StepParameters
from gamut.project.files import read_metric_file
from gamut.project.stage import main
from gamut.report.site.folder import REPORT, Folder, claim
from gamut.report.site.pages import write_page
from gamut.report.site.thumbnails import Thumbnail, write_thumbnail
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import RowsById, read_rows

MEASURED = Path("datasets/knowledge/measured")
TRANSFER, CURVES = Path("metrics/knowledge/transfer.json"), Path("metrics/knowledge/curves.csv")
PAGE = Path("benchmarks/knowledge/index.html")
"""The place in the report, next to pages of boards: the first page is written after all of them."""
ENTITIES = 6
"""How many entities are shown for each training."""
LONGEST = 160  # pixels of the longer side of their pictures
Shown = tuple[Thumbnail | None, Row | None]
"""What a checkpoint painted of an entity, and said of its picture."""


def pages(report: Path) -> None:
    claim(report)
    folder = Folder((report / PAGE).parent)
    folder.write_assets()
    said = read_metric_file(TRANSFER)
    cells = ["-".join((model, study, one)) for model, of in said.items() for study, by in of.items() for one in by]
    write_page(
        folder,
        PAGE.name,
        "knowledge.html",
        "Knowledge studies",
        said=said,
        curves=grouped(("-".join([*row.values()][:3]), row) for row in csv.DictReader(CURVES.read_text().splitlines())),
        shown={cell: dict(shown_entities(folder, MEASURED / cell)) for cell in cells},
    )
    folder.forget_others()
    print(f"knowledge.pages: open {folder.path / 'index.html'}", flush=True)


def shown_entities(folder: Folder, table: Path) -> Iterator[tuple[str, dict[int, Shown]]]:
    """Yield entities with what each checkpoint answered first about the new fact, in held-out wordings."""
    columns = ("id", "entity", "cluster", "side", "step", "fact", "wording", "value", "status", "reply", "question")
    rows = [row for row in read_rows(table, columns) if (row["fact"], row["wording"]) == ("new", "held_out")]
    pictures, steps = RowsById(table, ["image"]), sorted({row["step"] for row in rows})
    first = {(row["entity"], row["step"], row["side"]): row for row in reversed(rows)}
    for _, entity in islice(sorted({(row["cluster"], row["entity"]) for row in rows}), ENTITIES):
        shown: dict[int, Shown] = {}
        for step in steps:
            painted = first.get((entity, step, "gen"))
            image = pictures(painted["id"])["image"] if painted else None
            shown[step] = image and write_thumbnail(folder, image, LONGEST), first.get((entity, step, "und"))
        yield entity, shown


if __name__ == "__main__":
    main("knowledge.pages", lambda params: pages(REPORT), StepParameters)
