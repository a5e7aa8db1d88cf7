"""What a cell of the pipeline imports as it starts: most of the time of a short one, so it may not grow unseen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

NO_CELL = ("pyarrow.compute", "pandas", "filelock", "statistics", "typer", "rich", "ray", "torch", "aiohttp", "cv2")
"""What takes a cell longer to import than all that it does with it."""
ASKING = ("asyncio", "gamut.asking.run", "gamut.asking.job")
CLUSTER = ("gamut.asking.engine.cluster", "gamut.asking.engine.workers")


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [
        ("stages.dataset.admit", ("PIL.Image", "gamut.asking", *NO_CELL)),  # decides
        ("stages.dataset.examine", ("PIL.Image", *ASKING, *NO_CELL)),  # what readers of its record import
        ("stages.dataset.examine, gamut.asking.run", ("PIL.Image", *CLUSTER, *NO_CELL)),  # asks
        ("stages.dataset.translate, stages.dataset.imagine", ("PIL.Image", *ASKING, *NO_CELL)),
        (
            "gamut.evaluation.bodies.judge, stages.prism.curation",
            ("PIL.ImageDraw", "PIL.ImageFont", *CLUSTER, *NO_CELL),
        ),
        (
            "gamut.evaluation.bodies.answer, stages.prism.curation",
            ("gamut.asking.models.folder.answers", *CLUSTER, *NO_CELL),
        ),
    ],
)
def test_a_cell_imports_only_what_it_needs(modules: str, unwanted: tuple[str, ...]) -> None:
    code = f"import sys, {modules}\nprint(*sorted({set(unwanted)} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_the_library_alone_changes_nothing_of_a_process() -> None:
    """`import gamut` takes no time, and leaves the collector, the environment and warnings as they are."""
    code = (
        "import gc, os, sys, warnings\n"
        "state = lambda: (gc.get_threshold(), dict(os.environ), list(warnings.filters), len(sys.meta_path))\n"
        "before, modules = state(), set(sys.modules)\n"
        "import gamut\n"
        "print(state() == before, sorted(set(sys.modules) - modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True ['gamut']\n"


def test_tables_are_written_and_read_without_all_of_arrow_s_functions(tmp_path: Path) -> None:
    code = (
        "import sys, pyarrow as pa\n"
        "from pathlib import Path\n"
        "from gamut.tables.columns import REPLIES\n"
        "from gamut.tables.reading import shard_rows\n"
        "from gamut.tables.writing import TableWriter\n"
        "row = {'id': 'part-00000007', 'replies': [{'fingerprint': 'a'}]}\n"
        "with TableWriter(Path('table'), pa.schema([('id', pa.string()), ('replies', REPLIES)])) as table:\n"
        "    table.write('part-00000', [row])\n"
        "[read] = shard_rows(Path('table'), 'part-00000', None, {row['id']})\n"
        "print(read['id'], 'pyarrow.compute' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "part-00000007 False\n"


def test_what_a_stage_imports_late_leaves_its_collector_alone() -> None:
    code = (
        "import gc\n"
        "from gamut.project.process import put_imports_aside\n"
        "put_imports_aside()\n"
        "before = gc.get_threshold()\n"
        "import stages, gamut.report\n"
        "print(before[0], gc.get_threshold() == before)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "20000 True\n"
