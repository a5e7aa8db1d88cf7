"""A small build and a small edition to publish, and a version laid out as it lies on the Hub."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.reporting.statistics import statistics
from gamut.evaluation.defining.editions import freeze_edition
from gamut.publish.content import version_files
from gamut.publish.files import File
from gamut.publish.parameters import Everything
from gamut.publish.products import find_product
from stages.prism.shared.items import PrismItem
from tests import fakes
from tests.dataset import small_build

ITEMS = [
    PrismItem(id=one, track=one.partition("/")[0], origin=origin, prompt=en, prompt_zh=zh, row=None, row_sha256=None)
    for one, origin, en, zh in (
        ("style/0", "sampled", "An etching.", "一幅蚀刻画。"),
        ("style/1", "curated", 'Say "A|B".', "写“甲”。"),
        ("entity/0", "curated", "A bell tower.", "一座钟楼。"),
    )
]


def params(publication: dict[str, Any] | None = None, **changes: Any) -> Everything:
    """Parameters of the small build; both products are published like this."""
    given = {name: of | (publication or {}) for name, of in fakes.values()["publish"].items()}
    return fakes.everything(**{"sources": small_build.SOURCES, "publish": given} | changes)


def build() -> None:
    """Two released pictures in three shards, of which the last has no rows; the card and its pictures."""
    small_build.write()
    statistics(small_build.params())


def edition(items: Iterable[PrismItem] = ITEMS) -> None:
    """The edition that `params` names."""
    freeze_edition("prism", "small", list(items))


def laid_out(folder: Path, authors: list[str]) -> dict[str, Path]:
    """A build and an edition below a folder, and a version of each laid out as on the Hub; return where, by product."""
    given = params({"authors": authors})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        build()
        edition()
        contents = {name: version_files(find_product(name, given), given) for name in given.publish}
        return {name: lay_out(one, folder / "versions" / name) for name, one in contents.items()}


def lay_out(files: Iterable[File], folder: Path) -> Path:
    """Write a version's files as somebody has them who downloaded all of it."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.read())
    return folder
