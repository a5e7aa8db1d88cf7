"""A stage as a command: one writer, inputs that must not change meanwhile, exits that say what to do."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gamut.project import pipeline, stage
from gamut.project.errors import UserError
from gamut.project.locks import only_writer
from gamut.project.parameters import Shared
from gamut.project.pipeline import PARAMS
from tests import fakes

PIPELINE = """
stages:
  rate:
    cmd: python -m rate
    deps: [code.py, datasets/synthesize]
    params: [seed, roles.judge, "models.${roles.judge}", rate]
    outs: [datasets/rated]
  paint:
    cmd: python -m paint
    outs: [datasets/synthesize]
"""


def write_params(**changes: object) -> None:
    Path("params.yaml").write_text(json.dumps(fakes.values(**changes)))


@pytest.fixture
def stage_folder(project: Path) -> Path:
    (project / "dvc.yaml").write_text(PIPELINE)
    (project / "code.py").write_text("1\n")
    (project / "datasets/synthesize").mkdir(parents=True)
    (project / "datasets/synthesize/a.parquet").write_bytes(b"a")
    write_params()
    return project


def nothing(params: Shared) -> None:
    pass


def of_params(values: dict[str, Any]) -> dict[tuple[Path, str], Any]:
    return {(PARAMS, key): value for key, value in values.items()}


# What dvc.yaml declares

CURATION = """
vars: [../../params.yaml]
stages:
  judge:
    wdir: ../..
    matrix: {contestant: "${contestants}", judge: "${prism.judges}"}
    cmd: python -m judge ${item.contestant} ${item.judge}
    deps: ["datasets/answers/${item.contestant}", code.py]
    params: [seed, "models.${item.judge}", "contestants.${item.contestant}"]
    outs: ["datasets/judged/${item.contestant}/${item.judge}"]
  board:
    wdir: ../..
    cmd: python -m board
    metrics: [metrics/board.json: {cache: false}]
"""


EDITIONS = """
vars: [../../params.yaml, params.yaml]
stages:
  draw:
    wdir: ../..
    matrix: {edition: "${prism.editions}"}
    cmd: python -m draw ${item.edition}
    deps: ["${prism.pools}"]
    params: [seed, "models.${prism.writer}", {stages/editions/params.yaml: [prism.writer]}]
    outs: ["datasets/drawn/${item.edition}"]
"""


@pytest.fixture
def folder(stage_folder: Path) -> Path:
    (stage_folder / "stages/prism").mkdir(parents=True)
    (stage_folder / "stages/prism/dvc.yaml").write_text(CURATION)
    write_params(contestants=fakes.two_contestants())
    return stage_folder


@pytest.mark.usefixtures("folder")
def test_the_cells_of_a_room_are_stages() -> None:
    cells = ["prism.judge@good-world", "prism.judge@poor-world"]
    assert list(pipeline.stages()) == ["rate", "paint", *cells, "prism.board"]
    values = fakes.values(contestants=fakes.two_contestants())
    assert pipeline.declaration_of(cells[1], {PARAMS: values})[:2] == (
        ["datasets/answers/poor", "code.py"],
        of_params({"seed": 3, "models.world": {"kind": "sandbox"}, "contestants.poor": values["contestants"]["poor"]}),
    )
    assert pipeline.table_of(cells[0]) == Path("datasets/judged/good/world")
    assert pipeline.stage_of(Path("datasets/judged/poor/world")) == cells[1]
    assert pipeline.address(cells[0]) == "stages/prism/dvc.yaml:judge@good-world"
    assert (pipeline.address("rate"), pipeline.lock_of("rate")) == ("rate", Path("dvc.lock"))
    assert pipeline.lock_of(cells[0]) == Path("stages/prism/dvc.lock")
    with pytest.raises(UserError, match=r"prism\.board makes no table"):
        pipeline.table_of("prism.board")


@pytest.mark.usefixtures("folder")
def test_a_cell_gets_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    got: list[tuple[str, ...]] = []
    with pytest.raises(SystemExit) as end:
        stage.main("prism.judge", lambda params, *cell: got.append(cell), Shared, "good", "world")
    assert (end.value.code, got) == (0, [("good", "world")])
    with pytest.raises(SystemExit) as end:
        stage.main("prism.judge", lambda params, *cell: None, Shared, "goof", "world")
    assert end.value.code == "prism.judge@goof-world: there is no stage 'prism.judge@goof-world'; did you mean " + (
        "'prism.judge@good-world'?"
    )


def test_dvc_names_the_cells_so(folder: Path) -> None:
    """What DVC does not document: a matrix over a mapping takes its keys, and joins them with a hyphen."""
    subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "-q"], check=True)
    listed = [sys.executable, "-m", "dvc", "stage", "list", "stages/prism/dvc.yaml", "--name-only"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split()
    ours = [pipeline.address(name) for name in pipeline.stages() if name.startswith("prism.")]
    assert sorted(names) == sorted(ours)


def test_a_cell_that_looks_at_answers_makes_a_table_of_controls_too(folder: Path) -> None:
    """What it asks about these goes by a name of its own, in the reply store and among failures."""
    Path("stages/prism/dvc.yaml").write_text(CURATION.replace("datasets/judged", "datasets/prism/judgments"))
    cell, controls, folder = "prism.judge@good-world", "prism.judge_controls@good-world", "judgments/good/world"
    assert pipeline.controls_in(cell) == controls and pipeline.maker_of(controls) == cell
    for name, table in ((cell, "answers"), (controls, "controls")):
        assert pipeline.table_of(name) == Path("datasets/prism", folder, table)
        assert pipeline.stage_of(pipeline.table_of(name)) == name
        assert pipeline.address(pipeline.maker_of(name)) == "stages/prism/dvc.yaml:judge@good-world"


def test_a_dependency_that_params_yaml_chooses_is_looked_at(folder: Path) -> None:
    text = CURATION.replace("code.py]", '"datasets/editions/${prism.edition}.jsonl"]')
    Path("stages/prism/dvc.yaml").write_text(text)
    values = fakes.values(contestants=fakes.two_contestants())
    deps = pipeline.declaration_of("prism.judge@good-world", {PARAMS: values}).deps
    assert deps == ["datasets/answers/good", "datasets/editions/small.jsonl"]


@pytest.mark.usefixtures("stage_folder")
def test_a_role_leads_to_its_model() -> None:
    values = fakes.values()
    assert pipeline.declaration_of("rate", {PARAMS: values})[:2] == (
        ["code.py", "datasets/synthesize"],
        of_params({"seed": 3, "roles.judge": "gpt", "models.gpt": values["models"]["gpt"], "rate": None}),
    )
    values["roles"]["judge"] = "world"
    assert pipeline.declaration_of("rate", {PARAMS: values})[1][PARAMS, "models.world"] == {"kind": "sandbox"}
    assert pipeline.declaration_of("paint", {PARAMS: values}) == ([], {}, 2, 2, Path("dvc.yaml"))


@pytest.mark.usefixtures("stage_folder")
def test_parameters_stand_in_other_files_too() -> None:
    """Cells, names and values come of both files; a stage whose values change in either while it runs ends badly."""
    folder = Path("stages/editions")
    folder.mkdir(parents=True)
    own = folder / "params.yaml"
    own.write_text("prism: {editions: [v1], writer: gpt, pools: code.py}")
    (folder / "dvc.yaml").write_text(EDITIONS)
    name = "editions.draw@v1"
    values = pipeline.read_values(pipeline.file_of(name))
    params = of_params({"seed": 3, "models.gpt": values[PARAMS]["models"]["gpt"]})
    assert pipeline.declaration_of(name, values)[:2] == (["code.py"], params | {(own, "prism.writer"): "gpt"})
    assert pipeline.address(name) == "stages/editions/dvc.yaml:draw@v1"
    stage.run(name, nothing, Shared)
    with pytest.raises(UserError, match=r"stages/editions/params\.yaml: prism\.writer changed while the stage ran"):
        stage.run(name, lambda params: own.write_text("prism: {editions: [v1], writer: world, pools: code.py}"), Shared)


@pytest.mark.usefixtures("stage_folder")
def test_tables_and_stages_know_each_other() -> None:
    assert pipeline.table_of("rate") == Path("datasets/rated")
    assert pipeline.stage_of(Path("datasets/synthesize/")) == "paint"
    with pytest.raises(UserError, match=r"^there is no stage 'rates'; did you mean 'rate'\?$"):
        pipeline.table_of("rates")
    with pytest.raises(UserError, match=r"^no stage makes datasets/synthesised; did you mean 'datasets/synthesize'\?$"):
        pipeline.stage_of(Path("datasets/synthesised"))


@pytest.mark.usefixtures("stage_folder")
def test_declared_inputs_have_digests() -> None:
    found = stage.declared_inputs("rate")
    assert list(found) == [
        *("code.py", "datasets/synthesize"),
        *("params.yaml: seed", "params.yaml: roles.judge", "params.yaml: models.gpt", "params.yaml: rate"),
    ]
    assert found["code.py"] == "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"  # sha256 of "1\n"
    Path("code.py").unlink()
    assert stage.declared_inputs("rate")["code.py"] == "missing"


# Inputs that change


def edit_code() -> None:
    Path("code.py").write_text("2\n")


def edit_seed() -> None:
    write_params(seed=4)


def edit_role() -> None:
    write_params(roles=fakes.values()["roles"] | {"judge": "world"})


def edit_table() -> None:
    Path("datasets/synthesize/a.parquet").write_bytes(b"bb")


@pytest.mark.usefixtures("stage_folder")
@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (edit_code, "code.py"),
        (edit_role, "params.yaml: models.gpt, params.yaml: models.world, params.yaml: roles.judge"),
        (edit_table, "datasets/synthesize"),
    ],
)
def test_an_input_edited_while_the_stage_runs_is_named(edit: Callable[[], None], named: str) -> None:
    with pytest.raises(UserError) as error:
        stage.run("rate", lambda params: edit(), Shared)
    assert str(error.value) == (
        f"{named} changed while the stage ran, so its output is not recorded; "
        "what was answered is kept: run `dvc repro` again"
    )


def edit_other_model() -> None:
    write_params(models=fakes.values()["models"] | {"other": {"kind": "sandbox"}})


def compile_code() -> None:
    Path("datasets/synthesize/__pycache__").mkdir()
    Path("datasets/synthesize/__pycache__/x.pyc").write_bytes(b"")


def rewrite_the_same() -> None:
    Path("code.py").write_text("1\n")
    Path("params.yaml").write_text(json.dumps(fakes.values(), indent=4))


@pytest.mark.usefixtures("stage_folder")
@pytest.mark.parametrize("edit", [edit_other_model, compile_code, rewrite_the_same])
def test_what_is_not_declared_may_change(edit: Callable[[], None]) -> None:
    done: list[int] = []

    def body(params: Shared) -> None:
        edit()
        done.append(params.seed)

    stage.run("rate", body, Shared)
    assert done == [3]


@pytest.mark.usefixtures("stage_folder")
def test_wrong_parameters_are_said_before_any_work() -> None:
    write_params(seed=-1)
    with pytest.raises(UserError, match=r"^params\.yaml: seed: -1 is not right"):
        stage.run("rate", lambda params: pytest.fail("ran"), Shared)


@pytest.mark.usefixtures("stage_folder")
def test_what_is_noted_of_the_parameters_is_what_the_stage_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other values stand there for a moment when `dvc exp run` notes an experiment."""
    inputs = stage.inputs

    def inputs_then_edit(declared: pipeline.Declaration) -> dict[str, Any]:
        found = inputs(declared)
        edit_seed()
        return found

    def body(params: Shared) -> None:
        assert params.seed == 3
        write_params()

    monkeypatch.setattr(stage, "inputs", inputs_then_edit)
    stage.run("rate", body, Shared)


# What is done before


def forget_old() -> None:
    Path("datasets/synthesize/old.parquet").unlink()


@pytest.mark.usefixtures("stage_folder")
def test_what_is_done_before_may_change_inputs_and_what_is_edited_later_is_still_seen() -> None:
    Path("datasets/synthesize/old.parquet").write_bytes(b"old")
    done: list[int] = []
    stage.run("rate", lambda params: done.append(params.seed), Shared, before=lambda params: forget_old())
    assert done == [3] and not Path("datasets/synthesize/old.parquet").exists()
    with pytest.raises(UserError, match=r"^datasets/synthesize changed while the stage ran"):
        stage.run("rate", lambda params: edit_table(), Shared, before=lambda params: None)


@pytest.mark.usefixtures("folder")
def test_before_a_cell_its_values_are_known_and_it_has_to_be_one() -> None:
    got: list[tuple[str, ...]] = []
    for cell in ("good", "world"), ("..", "world"):
        with pytest.raises(SystemExit):
            stage.main(
                "prism.judge", lambda params, *cell: None, Shared, *cell, before=lambda params, *cell: got.append(cell)
            )
    assert got == [("good", "world")]


# How it ends


def ended(body: Callable[[Shared], None], capsys: pytest.CaptureFixture[str]) -> tuple[int | str | None, str]:
    with pytest.raises(SystemExit) as end:
        stage.main("rate", body, Shared)
    return end.value.code, capsys.readouterr().err


def raising(error: BaseException) -> Callable[[Shared], None]:
    def body(params: Shared) -> None:
        raise error

    return body


@pytest.mark.usefixtures("stage_folder")
def test_ends_of_a_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(nothing, capsys) == (0, "")
    assert ended(raising(UserError("one\ntwo")), capsys) == ("rate: one\nrate: two", "")
    code, said = ended(raising(KeyboardInterrupt()), capsys)
    assert (
        code == 130
        and said == "rate: stopped; what was answered is kept, `gamut check && dvc repro` goes on from there\n"
    )
    full = "the disk is full while writing /x/0.journal: make room and run `dvc repro` again, what was answered is kept"
    assert ended(raising(OSError(errno.ENOSPC, "No space left", "/x/0.journal")), capsys) == (f"rate: {full}", "")


@pytest.mark.usefixtures("folder")
def test_a_stage_says_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    """The folder has three stages, two of them cells of one."""
    with pytest.raises(SystemExit):
        stage.main("prism.judge", lambda params, *cell: None, Shared, "poor", "world")
    assert capsys.readouterr().out == "prism.judge@poor-world: stage 2 of 3 in stages/prism/dvc.yaml\n"


@pytest.mark.usefixtures("stage_folder")
def test_before_happens_under_the_lock() -> None:
    with only_writer("rate"), pytest.raises(UserError, match="already runs this"):
        stage.run("rate", nothing, Shared, before=lambda params: pytest.fail("ran"))
