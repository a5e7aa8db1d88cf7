"""What stages read and what they declare, by reads of every kind that are planted, in a build, and by `strace`."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import chdir
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML

from gamut.project.pipeline import EDITIONS, stages
from gamut.project.validation import read_yaml
from tests.end_to_end.construction_story import SMALL, Story
from tests.end_to_end.project import Project, opened
from tests.guard.declared import findings, readings, require_declared, with_tracing
from tests.paths import ROOT

STAGE = """
import os, subprocess, sys
from pathlib import Path

import cv2, pyarrow, pyarrow.parquet
from gamut.project.parameters import Shared
from gamut.project.stage import main
from gamut.project.validation import read_yaml


def read_all(params):
    for folder in ("declared", "undeclared"):
        Path(f"datasets/{folder}/text").read_text()
        pyarrow.parquet.ParquetFile(f"datasets/{folder}/table").read()
        pyarrow.parquet.read_table(f"datasets/{folder}/other_table")
        pyarrow.memory_map(f"datasets/{folder}/map").close()
        cv2.imread(f"datasets/{folder}/picture")
        subprocess.run([sys.executable, "-c", f"open('datasets/{folder}/of_a_child')"], check=True)
        os.listdir(f"datasets/{folder}/listed")
    params.seed, params.roles.judge, params.models["world"].kind
    read_yaml(Path("params.yaml"))["hold_out"]["asked"]
    import gamut.evaluation.curating.benchmarks


if __name__ == "__main__":
    main("read_all", read_all, Shared)
"""
ENTRY = {
    "cmd": "python -m stages.planted.read_all",
    "deps": ["stages/planted", "gamut/project", "datasets/declared"],
    "params": ["seed"],
    "outs": ["datasets/out"],
}
UNDECLARED = [
    "imports gamut/evaluation/curating/benchmarks.py",
    "lists datasets/undeclared/listed",
    "parameter hold_out.asked",
    "parameter models.world.kind",
    "parameter roles.judge",
    *(f"reads datasets/undeclared/{name}" for name in ("map", "of_a_child", "other_table", "picture", "table", "text")),
]
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here")
OPENED = re.compile(r'open(?:at)?\((?:[^,"]*, )?"(.*?)", ([A-Z_|]+).*(= \d+|<unfinished)')
WRITTEN = {"O_WRONLY", "O_TRUNC"}
IN_CPP = ("stages.dataset.prompts", "stages.dataset.release", "gamut.report.board")
"""Stages whose tables Arrow opens, some of them in memory that is mapped."""


@pytest.fixture
def planted(tmp_path: Path) -> Project:
    """A project with one stage, which reads of every kind what it declares and what it does not."""
    (tmp_path / "stages/planted").mkdir(parents=True)
    for one in (*(ROOT / "stages").iterdir(), ROOT / "gamut"):
        (tmp_path / one.relative_to(ROOT)).symlink_to(one)
    (tmp_path / "stages/planted/read_all.py").write_text(STAGE)
    (tmp_path / "params.yaml").write_text(json.dumps(read_yaml(ROOT / "params.yaml")))
    YAML().dump({"stages": {"read_all": ENTRY}}, tmp_path / "dvc.yaml")
    for folder in ("declared", "undeclared"):
        (tmp_path / "datasets" / folder / "listed").mkdir(parents=True)
        for name in ("text", "map", "picture", "of_a_child"):
            (tmp_path / "datasets" / folder / name).write_text("read")
        for name in ("table", "other_table"):
            pq.write_table(pa.table({"a": [1]}), tmp_path / "datasets" / folder / name)
    return opened(tmp_path)


def test_undeclared_reads_of_every_kind_are_found(planted: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("reads")
    with_tracing(planted, folder).run(*ENTRY["cmd"].split())
    assert findings(planted.folder, folder) == [f"read_all: {line}" for line in UNDECLARED]
    with pytest.raises(AssertionError, match="read_all: imports"):
        require_declared(planted.folder, folder)


@needs_strace
def test_strace_sees_what_is_planted_and_nothing_else(
    planted: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agree(planted, ENTRY["cmd"], tmp_path_factory.mktemp("reads"))


def test_stages_of_a_build_read_what_they_declare(original: Project) -> None:
    require_declared(original.folder, original.folder.with_name("reads"))


def test_stages_of_construction_read_what_they_declare(constructed: Story) -> None:
    require_declared(constructed.project.folder, constructed.reads_constructing, EDITIONS.parent.name)


@pytest.mark.parametrize("benchmark", SMALL)
def test_stages_of_benchmarks_read_what_they_declare(constructed: Story, benchmark: str) -> None:
    require_declared(constructed.project.folder, constructed.reads, benchmark)


@needs_strace
def test_strace_sees_no_other_files_of_a_build(built: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    with chdir(built.folder):
        commands = [stage["cmd"] for stage in stages().values()]
    for module in IN_CPP:
        agree(built, next(one for one in commands if module in one), tmp_path_factory.mktemp("reads"))


def agree(project: Project, command: str, folder: Path) -> None:
    """Both see the same files of the project opened to be read, those included that a stage checks at its start."""
    log = folder.with_suffix(".log")
    strace = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=open,openat", "-o", str(log))
    with_tracing(project, folder).run(*strace, *command.split())
    [reading] = readings(folder)
    files = reading.reads["file"] | reading.reads["checked file"]
    seen = set()
    for path, flags, result in OPENED.findall(log.read_text()):
        whole = Path(os.path.normpath(project.folder / path))
        there = result[:1] == "=" or whole.exists()  # strace cuts a line in two where another thread has one meanwhile
        if there and not WRITTEN & {*flags.split("|")} and whole.is_relative_to(project.folder) and not whole.is_dir():
            seen.add(str(whole.relative_to(project.folder)))
    seen = {path for path in seen if not path.endswith(".pyc")}
    told = files.union(*reading.reads.values(), json.loads(reading.values))
    assert seen - told == set(), "opened in a way that within/reads_of_files.py does not see"
    assert {path for path in files - seen if (project.folder / path).is_file()} == set()
