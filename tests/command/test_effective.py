"""`gamut check --all`: every value that a build goes by, with where it comes from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gamut.command.check import findings
from gamut.command.cli import app
from gamut.command.effective import absent_keys, effective_lines
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project.pipeline import BENCHMARKS, EDITIONS, PARAMS, PIPELINE
from gamut.project.validation import read_yaml
from gamut.publish.parameters import check_everything, load_everything
from tests.paths import ROOT


@pytest.fixture(scope="module")
def told() -> dict[str, list[str]]:
    """The values and origins of the shipped parameters, by key."""
    with chdir(ROOT):
        told = [line.split(": ", 1) for line in effective_lines(load_everything())]
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


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("contestants", "DVC refuses dvc.yaml without this key: put `contestants: {}` into params.yaml"),
        ("roles.text_embedder", "DVC refuses dvc.yaml without this key: put `text_embedder: SLUG` below `roles`"),
        ("roles.image_embedder", "DVC refuses dvc.yaml without this key: put `image_embedder: null` below `roles`"),
        ("roles.alignment_scorer", "DVC refuses dvc.yaml without this key: put `alignment_scorer: null` below `roles`"),
        ("gir.judge", "put `judge: {max_failures: 0.01, one_by_one: false, max_unjudged: 0.05}` below `gir`"),
        ("genius.reflection", "DVC refuses stages/genius/dvc.yaml without this key: put `reflection: {rounds: 1}` b"),
    ],
)
def test_what_dvc_wants_to_stand_there_is_named(key: str, fix: str) -> None:
    """Without a line, though a class has a default: DVC refuses the whole file of stages for it."""
    values = read_yaml(ROOT / PARAMS)
    folder, _, name = key.rpartition(".")
    block = values[folder] if folder else values
    del block[name]
    for benchmark in NAMES if key == "contestants" else ():
        values.pop(benchmark, None)

    def named() -> dict[str, str]:
        return {key: fix for _, key, fix in absent_keys(check_everything(values, PARAMS), values)}

    with chdir(ROOT):
        found = named()
        assert fix in found[key] and len([key for key in found if key.partition(".")[0] not in NAMES]) <= 1
        if "SLUG" in fix:  # its model is tracked by its name
            block[name] = None
            assert fix in named()[key]


def test_check_names_it(project: Path) -> None:
    for file in (PARAMS, PIPELINE, BENCHMARKS / "prism" / PIPELINE, EDITIONS, EDITIONS.with_name(PIPELINE.name)):
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, file)
    assert next(findings(load_everything())).remark == "all keys and values are right"
    PARAMS.write_text(PARAMS.read_text().replace("  release: null ", "  # release: null "))
    EDITIONS.write_text(EDITIONS.read_text().partition("genius:")[0])
    second, first = (one for one in findings(load_everything()) if one.needed and ".yaml" in one.what)
    assert (first.what, first.found, first.needed) == ("params.yaml: prism.release", False, True)
    assert first.remark == "DVC refuses stages/prism/dvc.yaml without this key: put `release: null` below `prism`"
    assert second.what == f"{EDITIONS}: genius"


def test_the_command_prints_them_first(project: Path) -> None:
    shutil.copy(ROOT / PARAMS, project)
    said = CliRunner().invoke(app, ["check", "--all"]).output.splitlines()
    assert said[0] == "seed: 0  # params.yaml, line 2" and any(line.startswith("ok      params.yaml") for line in said)
