"""Every file of a version: rows, card, descriptions and pictures, and the manifest that names them all.

The same build and parameters give the same bytes, whenever and wherever: no time, git revision or address in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from gamut.dataset.reporting.outputs import CARD, CONTACT_SHEET
from gamut.dataset.shared import joins
from gamut.project.errors import UserError
from gamut.publish import edition_card
from gamut.publish.card import About, card_text
from gamut.publish.files import MANIFEST, PICTURES, PROVENANCE, File, disk_file, memory_file
from gamut.publish.parameters import DATASET, Everything
from gamut.publish.products import DATA, Product
from gamut.tables.reading import manifest_path

REMEDY = "`dvc repro statistics` writes it, `git restore datasets/card.md metrics` brings back what was committed"
REBUILDING = """\
`dvc repro` there rebuilds these bytes where the models give the same replies, as the embedded world does and stored \
replies do; a model behind a server need not answer twice alike."""
RIGHTS = """\
The terms of others may hold too: of the painter's model for the pictures, of the models that wrote them for the \
texts, of their source for the captions in `caption_original`."""


def version_files(product: Product, params: Everything) -> list[File]:
    """Return all files of a version in their order; the rows are neither opened nor read. UserError for a missing
    card.
    """
    about = about_dataset() if product.name == DATASET else edition_card.about_edition(product, params)
    files = [*data_files(product), *description_files(product, about)]
    return [*files, manifest_file(product.name, product.publication.version, product.rows, files)]


def data_files(product: Product) -> Iterator[File]:
    loaded = (file for one in product.configurations for file in one.files)
    yield from {file.path: file for file in (*product.files, *loaded)}.values()
    if product.origin is not None:
        yield product.origin
    if product.name == DATASET:
        for table, folder in ((joins.table_of("release"), DATA), (joins.table_of("provenance"), PROVENANCE)):
            own = manifest_path(table)
            yield memory_file(f"{folder}{own.name}", own.read_bytes(), own.name)


def description_files(product: Product, about: About) -> Iterator[File]:
    yield memory_file("README.md", card_text(product, about).encode())
    if product.name == DATASET:
        yield card_picture(CONTACT_SHEET)


def card_picture(local: Path) -> File:
    try:
        return disk_file(f"{PICTURES}{local.name}", local)
    except FileNotFoundError:
        raise UserError(f"{local}: the card's picture is not here: {REMEDY}") from None


def manifest_file(name: str, version: str, rows: int, files: Sequence[File]) -> File:
    """The file that names all others with their sha256: all trust hangs on it."""
    entries = (
        {"path": file.path, "bytes": file.size, "sha256": file.sha256, "rows": file.rows, "name": file.name}
        for file in files
    )
    listed = [{key: value for key, value in entry.items() if value is not None} for entry in entries]
    whole = {"name": name, "version": version, "rows": rows, "files": listed}
    return memory_file(MANIFEST, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())


def about_dataset() -> About:
    try:
        title, _, body = CARD.read_text(encoding="utf-8").partition("\n")
    except FileNotFoundError:
        raise UserError(f"{CARD}: there is no data card: {REMEDY}") from None
    if not title.startswith("# "):
        raise UserError(f"{CARD}: does not begin with a title: {REMEDY}")
    return About(
        body=body.replace("](../metrics/", f"]({PICTURES}"),
        languages=("en", "zh"),
        tasks=("text-to-image", "image-to-text"),
        tags=("gamut", "synthetic", "image-captions", "chain-of-thought"),
        rebuilding=REBUILDING,
        rights=RIGHTS,
        paper="The pipeline follows this paper",
        paper_citation=Path(__file__).with_name("flux_reason.bib").read_text(encoding="utf-8"),
    )
