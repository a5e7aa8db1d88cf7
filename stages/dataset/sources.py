"""Captions and images of every source, each row with its id, before any filter (FLUX-Reason-6M, section 2.2).

A row that cannot be used is not dropped: it stays with status `invalid_input` and the reason. An unusable image leaves
a reason too; the row's route decides whether that makes the row unusable.
"""

from __future__ import annotations

from gamut.dataset.reading.rows import SCHEMA
from gamut.dataset.reading.waves import write_sources
from gamut.dataset.shared.source_blocks import WithSources
from gamut.pipeline.steps import Makes, start
from gamut.project.stage import declared_inputs

STEP = Makes(
    "sources",
    run=write_sources,
    reads="datasets/world/sources datasets/sources",
    outs=("datasets/source_rows", "datasets/routes"),
    tables={"source_rows": SCHEMA},
    base=WithSources,
)

if __name__ == "__main__":
    start(STEP, lambda params: write_sources(params, lambda: declared_inputs("sources")))
