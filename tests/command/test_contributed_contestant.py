"""Somebody else's model on a board: the pull request of docs/contestants.md, checked by the workflow's own lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from gamut.asking.models.weights import digest
from gamut.project.validation import read_yaml
from tests.end_to_end.project import Project, copy_checkout, copy_of, opened
from tests.paths import ROOT

WORKFLOW = ROOT / ".github/workflows/contestant.yml"
PAGE = (ROOT / "docs/contestants.md").read_text()
INSTALLED = "set -e; make() { mkdir -p .venv/bin && touch .venv/bin/activate; }\n"
FOLDER = Path("contestants/mine")
ODD = ("dvc.yaml", "en/dvc.yaml", "a.png.dvc", ".dvcignore", ".gitattributes", ".en/a.png", "run.py", 'a"b.png')


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The owner's project, as git has it. Not to be changed."""
    project = opened(tmp_path_factory.mktemp("owner") / "gamut")
    copy_checkout(project.folder)
    project.run("git", "init", "--quiet", "--initial-branch=main")
    project.edit(lambda params: params["models"].update(chat={"kind": "openai", "id": "judge"}))
    project.edit(lambda params: params["prism"].update(judges=["chat"]))  # whose server the checks do not have
    project.commit()
    return project


@pytest.fixture(scope="module")
def contribution(board: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A clone in which the commands of the page were run, with a picture for each item. Not to be changed."""
    project = opened(tmp_path_factory.mktemp("contributor") / "fork")
    board.run("git", "clone", "--quiet", ".", str(project.folder))
    for item in (project.folder / "datasets/editions/prism/sandbox.jsonl").read_text().splitlines():
        path = project.folder / FOLDER / f"{json.loads(item)['id']}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), "green").save(path)
    [block] = re.findall(r"## Onto somebody else's board\n.*?^```\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    commands = [line for line in block.splitlines() if not line.startswith(("git clone", "cp ", "git push"))]
    project.run("bash", "-ec", "\n".join(commands))
    return project


@pytest.fixture
def fork(contribution: Project, tmp_path: Path) -> Project:
    return copy_of(contribution, tmp_path / "fork")


def check(fork: Project, board: Project, tmp_path: Path) -> tuple[int, str]:
    """Run the workflow's steps in a clone of the owner's project into which the fork is merged."""
    runner = opened(tmp_path / "runner")
    board.run("git", "clone", "--quiet", ".", str(runner.folder))
    runner.run("git", "fetch", "--quiet", str(fork.folder), "HEAD")
    runner.run("git", "merge", "--quiet", "--no-ff", "--message", "merge", "FETCH_HEAD")
    [job] = read_yaml(WORKFLOW)["jobs"].values()
    steps = [step["run"] for step in job["steps"] if "run" in step]
    environment = runner.environment | {"RUNNER_TEMP": str(tmp_path)}
    done = Project(runner.folder, environment).run("bash", "-c", INSTALLED + "\n".join(steps), check=False)
    return done.returncode, done.stdout + done.stderr


def test_what_the_page_says_passes(fork: Project, board: Project, tmp_path: Path) -> None:
    changed = fork.run("git", "diff", "--name-only", "origin/main").stdout.split()
    assert changed[-1] == "params.yaml" and all(name.startswith(f"{FOLDER}/") for name in changed[:-1])
    code, said = check(fork, board, tmp_path)
    assert code == 0 and "contestants.mine.model.revision: contestants/mine is unchanged" in said


def more_answers(fork: Project) -> None:
    (fork.folder / FOLDER / "late.txt").write_text("later than the digest")


def other_contestant(fork: Project) -> None:
    fork.edit(lambda params: params["contestants"]["careful"].update({"class": "generation"}))


def threshold(fork: Project) -> None:
    fork.edit(lambda params: params["prism"]["judge"].update(max_unjudged=1.0))


def code(fork: Project) -> None:
    with (fork.folder / "gamut/command/check.py").open("a") as file:
        file.write("print('what a fork runs')\n")


def link(fork: Project) -> None:
    os.symlink("/etc", fork.folder / FOLDER / "en")


def file(name: str) -> Callable[[Project], None]:
    """A file that the folder is pinned with, if a digest counts it."""

    def put(fork: Project) -> None:
        path = fork.folder / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("stages: {mine: {cmd: touch theirs}}\n")
        fork.run("git", "add", "--force", str(FOLDER / name))
        fork.edit(lambda params: params["contestants"]["mine"]["model"].update(revision=digest(fork.folder / FOLDER)))

    return put


def model(fork: Project) -> None:
    fork.edit(lambda params: params["contestants"]["mine"].update(model={"kind": "openai", "id": "theirs"}))


def unknown_key(fork: Project) -> None:
    fork.edit(lambda params: params["contestants"]["mine"].update(bonus=10))


def test_a_folder_of_others_is_not_filled(contribution: Project, fork: Project, tmp_path: Path) -> None:
    """The owner's project has answers there already, as of a contestant that params.yaml calls otherwise."""
    owner = opened(tmp_path / "owner")
    contribution.run("git", "clone", "--quiet", ".", str(owner.folder))
    owner.run("git", "reset", "--quiet", "--hard", "HEAD~1")
    (owner.folder / FOLDER).mkdir(parents=True, exist_ok=True)
    (owner.folder / FOLDER / "old.txt").write_text("of another")
    owner.run("git", "add", "--force", str(FOLDER))
    owner.commit()
    code, said = check(fork, owner, tmp_path)
    assert code != 0 and "contestants/mine is there already: call yours otherwise" in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (more_answers, "contestants/mine is now sha256-"),
        (other_contestant, "something else is changed than a new contestant"),
        (threshold, "something else is changed than a new contestant"),
        (code, "other files are changed: gamut/command/check.py"),
        (link, "only files are expected, no links: 120000"),
        *((file(name), "only answers are expected (png, jpg, webp, txt, json, jsonl, csv, md): ") for name in ODD),
        (model, "kind folder and path contestants/mine are expected"),
        (unknown_key, "params.yaml: contestants.mine.bonus: unknown key"),
    ],
)
def test_anything_else_is_refused(
    change: Callable[[Project], None], words: str, fork: Project, board: Project, tmp_path: Path
) -> None:
    change(fork)
    fork.commit()
    code, said = check(fork, board, tmp_path)
    assert code != 0 and words in said and "what a fork runs" not in said


def test_no_secret_and_no_right_to_write_is_near() -> None:
    whole = read_yaml(WORKFLOW)
    assert "pull_request_target" not in WORKFLOW.read_text() and "secrets." not in WORKFLOW.read_text()
    assert whole["permissions"] == {"contents": "read"} and [*whole["on"]] == ["pull_request"]
    [job] = whole["jobs"].values()
    assert job["steps"][0]["with"]["persist-credentials"] is False
    assert job["steps"][1]["run"].endswith("git checkout --quiet HEAD^1")  # before anything of the tree is run
    assert "${{" not in WORKFLOW.read_text()  # no words of the pull request in a script
