"""The pages of two versions: what changed in rows, parameters and metrics, counts first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from stages.dataset.shared.joins import table_of
from stages.evaluation.defining.editions import path_of
from stages.leaderboard.rooms import NAMES
from stages.project.errors import UserError, in_one_line
from stages.project.files import sha256_of
from stages.project.pipeline import value_at
from stages.project.plain_text import one_line
from stages.project.revisions import Files, Workspace
from stages.project.staleness import staleness
from stages.publish import diffing, products
from stages.publish.differences import Part, differences, item_values, unlike
from stages.publish.parameters import DATASET
from stages.report.site.folder import Folder
from stages.report.site.pace import Pace
from stages.report.site.pages import page
from stages.report.versions.rows import KINDS, MOST_ROWS, Product, card
from stages.report.versions.values import metrics, parameters, params_of
from stages.tables.columns import Row
from stages.tables.reading import MANIFEST, manifest, open_parquet, readable

MOST_VALUES = 200
"""Values of a metric file, and waves or tracks, that pages show."""
MADE_BY = {DATASET: "release"} | {name: f"{name}.board" for name in NAMES}
"""The stage that makes what is shown of a product."""
Say = Callable[[str], None]
End = tuple[Files, str | None]
"""A version, and its edition of a benchmark."""
Read = Callable[[Files, str | None], Sequence[Part] | None]


class Link(NamedTuple):
    title: str
    path: str


def write_versions(folder: Folder, here: Files, there: Files, say: Say, comparisons: Sequence[Link] = ()) -> list[str]:
    """Write the pages of the project `here` beside what it was `there`; return what could not be compared and has to
    be mended, a line each. `comparisons`: pages that compare each contestant with itself.
    """
    for line in (theirs := [*stale(there)]):
        say(line)
    products = [*compared(folder, here, there, say)]
    thresholds, others = parameters(here, there)
    files, wrong = [], [f"{product.name}: {product.why}" for product in products if product.is_wrong]
    try:
        files = list(metrics(here, there))
    except UserError as error:
        wrong.append(str(error))
    names = {"before": name_of(there), "after": name_of(here)}
    shown = names | {"thresholds": thresholds, "others": others, "files": files, "most": MOST_VALUES, "root": ""}
    title = f"{names['after']} beside {names['before']}"
    folder.write("values.html", page("version_values.html", here="values", title=f"Values: {title}", **shown))
    shown |= {"products": products, "kinds": KINDS, "wrong": wrong, "comparisons": comparisons}
    stale_ones = [*theirs, *stale(here)]
    folder.write("index.html", page("versions.html", here="overview", title=title, stale=stale_ones, **shown))
    return wrong


def stale(files: Files) -> Iterator[str]:
    """Yield what of a version was not built with its parameters."""
    for name, stage in MADE_BY.items():
        if said := staleness([stage], files.name, files.get):
            yield f"{name} at {name_of(files)}: {said}"


def compared(folder: Folder, here: Files, there: Files, say: Say) -> Iterator[Product]:
    """Yield the release, and every edition that either version's parameters name, compared."""
    product = Product(DATASET, "The release", name_of(there), name_of(here))
    yield compare(
        folder, product, "release at", lambda files, _: released(files, say), (there, None), (here, None), say
    )
    params = params_of(there), params_of(here)
    for name in NAMES:
        before, after = (None if (one := value_at(of, f"{name}.edition")) is None else str(one) for of in params)
        if before is None and after is None:
            continue
        first = f"{one_line(before or 'none', 100)} at {name_of(there)}"
        second = f"{one_line(after or 'none', 100)} at {name_of(here)}"
        product = Product(name, f"Items of {name}", first, second)
        yield compare(folder, product, "edition", partial(edition, name), (there, before), (here, after), say)


def compare(folder: Folder, product: Product, what: str, read: Read, first: End, second: End, say: Say) -> Product:
    """Compare the rows of two versions as `gamut diff` does, and write the page of the first that differ."""
    try:
        theirs, ours = read(*first), read(*second)
        if theirs is None or ours is None:
            lacking = [at for at, parts in ((product.before, theirs), (product.after, ours)) if parts is None]
            return product._replace(why=f"there is no {what} {f' and no {what} '.join(lacking)}")
        gone, new = unlike(theirs, ours), unlike(ours, theirs)
        pace = Pace(f"{product.name}: compared", len(gone) + len(new), "files", say)

        def counted(part: Part) -> Path:
            pace.moved()
            return part.open()

        both = ([replace(part, open=partial(counted, part)) for part in parts] for parts in (theirs, ours))
        product = product._replace(found=differences(*both))
        shown = {kind: product.ids(kind)[:MOST_ROWS] for kind in KINDS}
        if any(shown.values()):
            before = rows_in(gone, {*shown["removed"], *shown["changed"]})
            after = rows_in(new, {*shown["added"], *shown["changed"]})
            columns = [name for name, _ in product.columns]
            cards = {k: [card(i, before.get(i), after.get(i), columns) for i in ids] for k, ids in shown.items()}
            title = f"{product.title}: rows that differ"
            values = {"product": product, "cards": cards, "title": title, "root": "", "here": ""}
            folder.write(product.page, page("version_rows.html", **values))
        return product
    except UserError as error:
        return product._replace(why=str(error), is_wrong=True)


def name_of(files: Files) -> str:
    return one_line(files.name, 100)


def released(files: Files, say: Callable[[str], None]) -> list[Part] | None:
    """Return the shards of a version's release, if any; those that lie here are held against their manifest."""
    names = [path.name for path in files.below(table_of("release"))]
    if MANIFEST not in names:
        return None
    if isinstance(files, Workspace):
        return diffing.parts_here(products.released_files(), say)
    listed = manifest(files.get(table_of("release") / MANIFEST).parent)["shards"]
    if strange := [shard["name"] for shard in listed if shard["name"] not in names]:
        raise UserError(f"{files.name}: {in_one_line(strange[0])} is no file of datasets/release: `dvc repro` there")
    bring = OneAtATime(files)
    return [
        Part(shard["name"], shard["sha256"], shard["rows"], partial(bring, table_of("release") / shard["name"]))
        for shard in listed
    ]


class OneAtATime:
    """Brings files of a version here, each in the place of the one before."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.last: Path | None = None

    def __call__(self, path: Path) -> Path:
        if self.last is not None:
            self.files.drop(self.last)
        self.last = path
        return self.files.get(path)


def edition(benchmark: str, files: Files, version: str | None) -> list[Part] | None:
    """Return an edition as a file of rows; None where there is none. UserError for one that cannot be read."""
    if version is None or not files.has(path := path_of(benchmark, version)):
        return None
    copy = files.get(path)
    return [Part(path.name, sha256_of(copy), len(item_values(copy)), lambda: copy)]


def rows_in(parts: Sequence[Part], ids: Collection[str]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for part in parts:
        if part.name.endswith(".jsonl"):
            found |= {str(item["id"]): item for item in item_values(part.open()) if str(item["id"]) in ids}
            continue
        with open_parquet(part.open()) as file, readable(Path(part.name)):
            columns = [column.name for column in file.schema_arrow if not pa.types.is_struct(column.type)]
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns)
                chosen = pc.is_in(table["id"].cast(pa.string()), pa.array(sorted(ids), pa.string()))
                found |= {str(row["id"]): row for row in table.filter(chosen).to_pylist()}
    return found
