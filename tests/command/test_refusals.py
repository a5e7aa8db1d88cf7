"""Bad files, folders and values met by every kind of command: each ends in its one line, none in a traceback."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.project import stage
from gamut.project.errors import UserError
from gamut.project.validation import read_yaml
from stages.dataset.pipeline import Params
from tests import fakes

PIPELINE = """
stages:
  rate: {cmd: python -m rate, params: [seed, contestants, prism.judges], outs: [datasets/rated]}
"""
CURATION = """
stages:
  judge:
    matrix: {contestant: "${contestants}", judge: "${prism.judges}"}
    cmd: python -m judge ${item.contestant} ${item.judge}
    outs: ["datasets/judged/${item.contestant}/${item.judge}"]
"""
COMMANDS = ("check", "retry prism.judge@good-world", "compare good poor", "publish dataset --dry-run", "store prune")
"""Those that read params.yaml, each in its own way."""
STAGES = {"stage": ("rate", ()), "cell": ("prism.judge", ("good", "world"))}
"""A stage and a cell of a matrix, run as DVC runs them: each reads its own dvc.yaml alone."""


@pytest.fixture
def whole(project: Path) -> Path:
    """A project of which nothing has run."""
    for folder in ("stages/prism", "datasets/sources", "profiles"):
        Path(folder).mkdir(parents=True)
    Path("dvc.yaml").write_text(PIPELINE)
    Path("stages/prism/dvc.yaml").write_text(CURATION)
    write(fakes.values(contestants=fakes.two_contestants()))
    return project


def write(values: object) -> None:
    with Path("params.yaml").open("w") as file:
        YAML(typ="safe").dump(values, file)


def edit(old: str, new: str) -> None:
    text = Path("params.yaml").read_text()
    assert old in text
    Path("params.yaml").write_text(text.replace(old, new, 1))


def lines(command: str) -> list[str]:
    """What a command that fails says; anything but a clean exit is an error here."""
    if command in STAGES:
        name, cell = STAGES[command]
        with pytest.raises(SystemExit) as end:
            stage.main(name, lambda params, *cell: None, Params, *cell)
        return [line.partition(": ")[2] for line in str(end.value.code).splitlines()]
    result = CliRunner().invoke(app, command.split())
    assert isinstance(result.exception, SystemExit) and result.exit_code == 1, (command, result)
    return result.output.splitlines()[-1:] if command == "check" else result.output.splitlines()


# Values of a wrong type


WRONG = ["text", "[{a: 1}]", "{.nan: {}}", "!!set {a}"]


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize(
    ("command", "value"),
    [
        *((command, "3") for command in COMMANDS),
        *(("cell", value) for value in WRONG),
    ],
)
def test_contestants_of_a_wrong_type(command: str, value: str) -> None:
    write(fakes.values() | {"contestants": "HERE"})
    edit("contestants: HERE", f"contestants: {value}")
    assert {line.partition("contestants")[0] for line in lines(command)} == {"params.yaml: "}


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("check", [1]),
        *(("cell", value) for value in (3, [["world"]])),
    ],
)
def test_judges_of_a_wrong_type(command: str, value: object) -> None:
    values = fakes.values(contestants=fakes.two_contestants())
    write(values | {"prism": values["prism"] | {"judges": value}})
    [line] = lines(command)
    assert line.startswith("params.yaml: prism.judges"), line


# YAML that is none


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[" * 500, " cannot be read: its values are nested too deeply"),
        ("a: !!int abc", " cannot be read: invalid literal for int()"),
        ("a: 1\na: 2", ', line 2: found duplicate key "a"'),
        ("a: 1\n---\nb: 2", ", line 2: but found another document"),
    ],
)
def test_yaml_that_cannot_be_read(project: Path, text: str, line: str) -> None:
    Path("x.yaml").write_text(text)
    with pytest.raises(UserError) as error:
        read_yaml(Path("x.yaml"))
    assert str(error.value).startswith(f"x.yaml{line}") and "\n" not in str(error.value)


@pytest.mark.usefixtures("project")
def test_aliases_marks_and_line_ends_of_windows_are_read() -> None:
    text = "base: &base {a: 1, b: [x, y]}\none: *base\ntwo: {<<: *base, a: 2}\n"
    Path("x.yaml").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    read = read_yaml(Path("x.yaml"))
    assert (read["one"], read["two"]) == ({"a": 1, "b": ["x", "y"]}, {"a": 2, "b": ["x", "y"]})


@pytest.mark.usefixtures("whole")
def test_a_long_value_is_cut_and_a_key_of_two_lines_stays_in_one() -> None:
    write(fakes.values() | {"seed": "x" * 10_000, "two\nlines": 1})
    first, second = lines("estimate")
    assert len(first) < 300 and "xxx… is not right" in first
    assert second.startswith("params.yaml: 'two\\nlines': unknown key")


# Something else where a file or folder is wanted


def write_files(path: str, kind: str) -> None:
    """Put something else in a file's place."""
    there = Path(path)
    there.parent.mkdir(parents=True, exist_ok=True)
    there.unlink(missing_ok=True)
    if kind == "folder":
        there.mkdir()
    elif kind == "file":
        there.write_text("x")
    elif kind == "circle":
        there.symlink_to(there.name)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path)
    else:
        os.mkfifo(there)


LINES = {
    "folder": "there is a folder where a file is expected: move it away",
    "circle": "links lead in a circle: remove them",
    "fifo": "is a FIFO, socket or device: put a file there",
    "socket": "is a FIFO, socket or device: put a file there",
}


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("command", ["check", "stage"])
def test_params_that_are_no_file(command: str, kind: str) -> None:
    write_files("params.yaml", kind)
    assert lines(command) == [f"params.yaml: {LINES[kind]}"]


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("kind", ["folder", "circle"])
def test_other_files_that_are_none(whole: Path, kind: str) -> None:
    write_files("run.toml", kind)
    assert lines("check") == [f"{whole}/run.toml: {LINES[kind]}"]
    write_files("dvc.yaml", kind)
    for command in ("retry rate", "store prune", "stage"):
        assert lines(command) == [f"dvc.yaml: {LINES[kind]}"]


@pytest.mark.usefixtures("whole")
def test_a_dvc_yaml_without_stages_is_said() -> None:
    for content in ("", "[]", "stages: 3", "stages: {a: 3}"):
        Path("dvc.yaml").write_text(content)
        assert lines("retry rate") == ["dvc.yaml has no valid `stages`: `git checkout dvc.yaml` restores it"]


@pytest.mark.usefixtures("whole")
def test_run_toml_that_leads_nowhere(whole: Path) -> None:
    Path("run.toml").symlink_to("gone.toml")
    assert lines("check") == [f"{whole}/run.toml is a link to a file that does not exist: fix or remove it"]


@pytest.mark.usefixtures("whole")
def test_a_store_that_is_a_file_or_lies_in_one(monkeypatch: pytest.MonkeyPatch, whole: Path) -> None:
    write_files(".store", "file")
    assert lines("retry rate") == [f"{whole}/.store: there is a file where a folder is expected: move it away"]
    monkeypatch.setenv("GAMUT_STORE", "params.yaml/store")
    assert lines("retry rate") == [f"{whole}/params.yaml: there is a file where a folder is expected: move it away"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", [*COMMANDS, "review prism v1", "freeze prism v1", "import prism x v1"])
def test_outside_a_project_there_is_one_line(command: str) -> None:
    [line] = lines(command)
    assert any(words in line.lower() for words in ("no such file", "does not exist", "there is no"))
