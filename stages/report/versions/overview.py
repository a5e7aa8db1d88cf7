"""The pages of two versions: what changed in rows, parameters and metrics, counts first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from stages.leaderboard.rooms import NAMES
from stages.project.errors import UserError
from stages.project.plain_text import one_line
from stages.project.revisions import Files
from stages.project.staleness import staleness
from stages.publish.differences import Differences, Part, differences, unlike
from stages.publish.parameters import DATASET
from stages.report.site.folder import Folder
from stages.report.site.pace import Pace
from stages.report.site.pages import page
from stages.report.site.texts import address
from stages.report.versions.product import KINDS, Product
from stages.report.versions.rows import write_rows
from stages.report.versions.sources import EditionRows, ReleaseRows, Source, edition, paced, released
from stages.report.versions.values import Values, edition_of, metrics, parameters, params_of

VALUES_PER_PAGE = 500
MOST_WAVES = 200
"""So many waves or tracks are listed: ids of others can name as many as there are rows."""
MADE_BY = {DATASET: "release"} | {name: f"{name}.board" for name in NAMES}
"""The stage that makes what is shown of a product."""
Say = Callable[[str], None]
Opened = tuple[Source | None, Source | None]


class Link(NamedTuple):
    """A page to be named: what it shows, and its path below the folder of these pages."""

    title: str
    path: str


def write_versions(folder: Folder, here: Files, there: Files, say: Say, comparisons: Sequence[Link] = ()) -> list[str]:
    """Write the pages of the project as it lies `here` beside what it was `there`, and return what could not be
    compared and has to be mended for it, a line each; the rest is written. What of either was not built with its
    parameters stands first: then it is no wonder where nothing changed.

    `comparisons`: pages that compare each contestant with itself, which stand in the same folder.
    """
    for line in (theirs := [*stale(there)]):
        say(line)
    products = [written_release(folder, here, there, say)]
    products += written_editions(folder, here, there, say)
    thresholds, others = parameters(here, there)
    files, wrong = [], [f"{product.name}: {product.why}" for product in products if product.is_wrong]
    try:
        files = list(metrics(here, there))
    except UserError as error:
        wrong.append(str(error))
    for values in files:
        write_values(folder, values, here, there)
    shown = {"before": name_of(there), "after": name_of(here), "thresholds": thresholds, "others": others}
    whole = page("version_parameters.html", root="", here="parameters", title="parameters that changed", **shown)
    folder.write("parameters.html", whole)
    index = page(
        "versions.html",
        root="",
        here="overview",
        title=f"{shown['after']} beside {shown['before']}",
        products=products,
        kinds=KINDS,
        most_waves=MOST_WAVES,
        files=[(values, values_folder(values)) for values in files],
        wrong=wrong,
        stale=[*theirs, *stale(here)],
        comparisons=comparisons,
        **shown,
    )
    folder.write("index.html", index)
    return wrong


def stale(files: Files) -> Iterator[str]:
    """Yield what of a version was not built with its parameters."""
    for name, stage in MADE_BY.items():
        if said := staleness([stage], files.name, files.get):
            yield f"{name} at {name_of(files)}: {said}"


def written_release(folder: Folder, here: Files, there: Files, say: Say) -> Product:
    """Write the pages of rows of the release."""
    product = Product("dataset", "The release", name_of(there), name_of(here))
    try:
        ours, theirs = released(here, say), released(there, say)
        if ours is None or theirs is None:
            lacking = " and ".join(name_of(files) for files, parts in ((there, theirs), (here, ours)) if parts is None)
            return product._replace(why=f"there is no release at {lacking}")
        opened = partial(release_rows, unlike(theirs, ours), unlike(ours, theirs))
        return written(folder, product, theirs, ours, opened, say)
    except UserError as error:
        return product._replace(why=str(error), is_wrong=True)


def release_rows(first: Sequence[Part], second: Sequence[Part], found: Differences) -> Opened:
    """Open the shards of two releases that only one of them has."""
    return (
        ReleaseRows(first, {*found.removed, *found.changed}),
        ReleaseRows(second, {*found.added, *found.changed}),
    )


def written_editions(folder: Folder, here: Files, there: Files, say: Say) -> Iterator[Product]:
    """Write the pages of items of every edition that either version's parameters name."""
    params = params_of(there), params_of(here)
    for name in NAMES:
        before, after = (edition_of(one, name) for one in params)
        if before is None and after is None:
            continue
        product = Product(name, f"Items of {name}", label(before, there), label(after, here))
        try:
            theirs, ours = edition(there, name, before), edition(here, name, after)
            if before is None or after is None or theirs is None or ours is None:
                lacking = [at for at, parts in ((product.before, theirs), (product.after, ours)) if parts is None]
                yield product._replace(why=f"there is no edition {' and no edition '.join(lacking)}")
                continue
            opened = partial(edition_rows, (there, before), (here, after), name)
            yield written(folder, product, theirs, ours, opened, say)
        except UserError as error:
            yield product._replace(why=str(error), is_wrong=True)


def label(version: str | None, files: Files) -> str:
    """Return what an edition is called, whose name stands in parameters."""
    return f"{one_line(version or 'none', 100)} at {name_of(files)}"


def edition_rows(first: tuple[Files, str], second: tuple[Files, str], name: str, _: Differences) -> Opened:
    """Open an edition of a benchmark as two versions have it."""
    return EditionRows(first[0], name, first[1]), EditionRows(second[0], name, second[1])


def written(
    folder: Folder,
    product: Product,
    theirs: Sequence[Part],
    ours: Sequence[Part],
    opened: Callable[[Differences], Opened],
    say: Say,
) -> Product:
    """Compare the rows of two versions as `gamut diff` does, and write the pages of those that differ."""
    files = len(unlike(theirs, ours)) + len(unlike(ours, theirs))
    pace = Pace(f"{product.name}: compared", files, "files", say)
    found = differences(paced(theirs, pace), paced(ours, pace))
    product = product._replace(found=found)
    rows = sum(len(product.ids(kind)) for kind in KINDS)
    if not rows:
        return product
    before, after = opened(found)
    pace = Pace(f"{product.name}: pages", rows, "rows", say)
    write_rows(folder, product, "added", None, after, pace.moved)
    write_rows(folder, product, "removed", before, None, pace.moved)
    write_rows(folder, product, "changed", before, after, pace.moved)
    return product


def write_values(folder: Folder, values: Values, here: Files, there: Files) -> None:
    """Write the pages of what changed in a metric file."""
    pages = -(-len(values.changes) // VALUES_PER_PAGE)
    for number in range(1, pages + 1):
        content = page(
            "version_values.html",
            root="../",
            here="overview",
            title=f"{values.name}, page {number:,} of {pages:,}",
            values=values,
            changes=values.changes[(number - 1) * VALUES_PER_PAGE : number * VALUES_PER_PAGE],
            number=number,
            pages=pages,
            before=name_of(there),
            after=name_of(here),
        )
        folder.write(f"{values_folder(values)}/{number}.html", content)


def name_of(files: Files) -> str:
    """Return what a version is called, which a person chose."""
    return one_line(files.name, 100)


def values_folder(values: Values) -> str:
    """Return where the pages of a metric file lie."""
    return address(f"values-{values.name}")
