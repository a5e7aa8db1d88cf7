"""`gamut check --all`: every value that a build goes by, with where it comes from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stages.command.cli import app
from stages.command.effective import lines
from stages.project.validation import read_yaml
from stages.publish.parameters import load_everything
from tests.paths import ROOT


@pytest.fixture(scope="module")
def told() -> dict[str, list[str]]:
    """The values and origins of the shipped parameters, by key."""
    with chdir(ROOT):
        told = [line.split(": ", 1) for line in lines(load_everything())]
    assert len(told) == len({key for key, _ in told})
    return {key: rest.split("  # ") for key, rest in told}


def leaves(values: Any, key: str = "") -> Iterator[str]:
    if isinstance(values, dict) and values:
        for name, one in values.items():
            yield from leaves(one, f"{key}.{name}" if key else name)
    elif isinstance(values, list) and any(isinstance(one, dict) for one in values):
        for number, one in enumerate(values):
            yield from leaves(one, f"{key}.{number}")
    else:
        yield key


def test_what_stands_in_params_yaml_has_its_line(told: dict[str, list[str]]) -> None:
    text = (ROOT / "params.yaml").read_text().splitlines()
    for key in leaves(read_yaml(ROOT / "params.yaml")):
        value, origin = told[key]
        number = int(origin.removeprefix("params.yaml, line "))
        assert value.strip('"') in text[number - 1] or value.startswith("["), key
    assert told["sources.2.count"] == ["150", f"params.yaml, line {text.index('  count: 150') + 1}"]


def test_what_does_not_has_its_default(told: dict[str, list[str]]) -> None:
    for key, value in {
        "rewrite.max_failures": "0.01",
        "brainstorm.max_failures": "0",
        "roles.reader": "null",
        "prism.judge.one_by_one": "false",
        "gir.repeats": "1",
        "contestants.hasty.max_failures": "null",
        "publish.gir.version": '"0.1.0"',
    }.items():
        assert told[key][0] == value
        assert told[key][1].startswith("default of ")


def test_the_command_prints_them_first(project: Path) -> None:
    shutil.copy(ROOT / "params.yaml", project)
    said = CliRunner().invoke(app, ["check", "--all"]).output.splitlines()
    assert said[0] == "seed: 0  # params.yaml, line 2" and any(line.startswith("ok      params.yaml") for line in said)
