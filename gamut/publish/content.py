"""Every file of a version: rows, card, descriptions and pictures, and the manifest that names them all.

The same build and parameters give the same bytes at any time and place: they contain no time, git revision or address.
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
from gamut.publish.files import MANIFEST, PICTURES, File, disk_file, memory_file
from gamut.publish.parameters import DATASET, Everything
from gamut.publish.products import DATA, Product
from gamut.tables.reading import manifest_path

REMEDY = "`dvc repro statistics` writes it, `git restore datasets/card.md metrics` brings back the committed one"
REBUILDING = """\
`dvc repro` there rebuilds these bytes if the models give the same replies, as the embedded world and stored replies \
do; a model behind a server may answer differently."""
RIGHTS = """\
Other terms may apply too: those of the painter's model to the pictures, those of the writing models to the texts, \
those of the source to the captions in `caption_original`."""


def version_files(product: Product, params: Everything) -> list[File]:
    """Return all files of a version in order, without opening or reading the rows. UserError for a missing card."""
    about = about_dataset() if product.name == DATASET else edition_card.about_edition(product, params)
    files = [*data_files(product), *description_files(product, about)]
    return [*files, manifest_file(product.name, product.publication.version, product.rows, files)]


def data_files(product: Product) -> Iterator[File]:
    loaded = (file for one in product.configurations for file in one.files)
    yield from {file.path: file for file in (*product.files, *loaded)}.values()
    if product.origin is not None:
        yield product.origin
    if product.name == DATASET:
        for table, folder in {"release": DATA, **{one.name: f"{one.name}/" for one in product.beside}}.items():
            own = manifest_path(joins.table_of(table))
            yield memory_file(f"{folder}{own.name}", own.read_bytes(), own.name)


def description_files(product: Product, about: About) -> Iterator[File]:
    yield memory_file("README.md", card_text(product, about).encode())
    if product.name == DATASET:
        yield card_picture(CONTACT_SHEET)


def card_picture(local: Path) -> File:
    try:
        return disk_file(f"{PICTURES}{local.name}", local)
    except FileNotFoundError:
        raise UserError(f"the card's picture {local} is missing: {REMEDY}") from None


def manifest_file(name: str, version: str, rows: int, files: Sequence[File]) -> File:
    """Return the file that names all others with their sha256: every check depends on it."""
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
        raise UserError(f"the data card {CARD} is missing: {REMEDY}") from None
    if not title.startswith("# "):
        raise UserError(f"{CARD} does not begin with a title: {REMEDY}")
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
