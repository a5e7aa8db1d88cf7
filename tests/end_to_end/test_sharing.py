"""docs/sharing.md, walked: its commands as they stand there, with an S3 and a git repository of this machine.

But for two: `pip install` names what is installed already, and `make install` finds an environment, that of the tests.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import boto3
import datasets
import duckdb
import pandas
import polars
import pytest
from moto.server import ThreadedMotoServer

from gamut.project.validation import read_yaml
from tests.end_to_end.project import Project, copy_of
from tests.end_to_end.walking import INSTALLED
from tests.paths import ROOT

PAGE = (ROOT / "docs/sharing.md").read_text()
ENDPOINT, GIT = "https://s3.example.org", "git@example.org:lab/gamut.git"
KEYS = {"AWS_ACCESS_KEY_ID": "ours", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}


class Walk:
    """The page's commands by section, and what stands here in the place of its addresses; `folder` is everybody's."""

    def __init__(self, folder: Path, endpoint: str, environment: dict[str, str]) -> None:
        self.folder, self.colleague = folder, folder / "theirs/gamut"
        self.environment = environment | KEYS | {"PYTHONPATH": str(self.colleague)}
        self.addresses = {ENDPOINT: endpoint, GIT: str(folder / "gamut.git")}
        self.left = {
            heading: re.findall(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
            for heading, text in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
        }

    def run(self, heading: str, folder: Path) -> str:
        """Run the next block of a section in a folder and return what it prints."""
        script = self.left[heading].pop(0)
        for theirs, here in self.addresses.items():
            script = script.replace(theirs, here)
        return Project(folder, self.environment).run("bash", "-c", INSTALLED + script).stdout


@pytest.fixture(scope="module")
def walk(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # else a line a request
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        boto3.client("s3", endpoint_url=f"http://{host}:{port}").create_bucket(Bucket="lab")
    yield Walk(tmp_path_factory.mktemp("shared"), f"http://{host}:{port}", original.environment)
    server.stop()


@pytest.fixture(scope="module")
def theirs(walk: Walk, original: Project) -> Project:
    """A colleague's clone, after `dvc pull` and `dvc repro`. Not to be changed but in its reply store."""
    ours = copy_of(original, walk.folder / "ours")
    ours.run("git", "branch", "--move", "main")
    ours.run("git", "clone", "--quiet", "--bare", ".", walk.addresses[GIT])
    ours.run("git", "remote", "add", "origin", walk.addresses[GIT])
    ours.run("git", "fetch", "--quiet")
    ours.run("git", "branch", "--quiet", "--set-upstream-to=origin/main")
    assert re.search(r"\d+ files pushed", walk.run("A remote", ours.folder))
    walk.colleague.parent.mkdir()
    said = walk.run("A colleague", walk.colleague.parent)
    assert "replies restored" in said and said.endswith("Data and pipelines are up to date.\n")
    return Project(walk.colleague, walk.environment)


def test_after_a_pull_there_is_nothing_to_do(theirs: Project) -> None:
    silent = theirs.run("dvc", "checkout")
    assert silent.stdout + silent.stderr == ""
    assert theirs.run("git", "status", "--porcelain").stdout == ""


def test_the_release_is_read_as_a_folder(theirs: Project, original: Project, tmp_path: Path) -> None:
    folder = str(theirs.folder / "datasets/release")
    ids = sorted(row["id"] for row in original.rows("release"))
    assert ids
    assert sorted(pandas.read_parquet(folder)["id"]) == ids
    assert sorted(polars.read_parquet(f"{folder}/*.parquet")["id"]) == ids
    assert sorted(row[0] for row in duckdb.sql(f"select id from '{folder}/*.parquet'").fetchall()) == ids
    loaded = datasets.load_dataset(folder, split="train", cache_dir=str(tmp_path))
    assert sorted(loaded["id"]) == ids and loaded[0]["image"].mode == "RGB"


def test_a_seeded_store_asks_nothing(walk: Walk, theirs: Project) -> None:
    assert "; 0 asked" in walk.run("A colleague", theirs.folder)
    assert theirs.asked() == {"annotate": 0}


NOTEBOOK = """
import json, pathlib

cells = json.loads(pathlib.Path("docs/tour.ipynb").read_text())["cells"]
names = {}
for cell in cells:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
gamut = names["gamut"]
whole = gamut.board("prism").set_index(["metric", "judge", "contestant", "name"])
for path in pathlib.Path("metrics/prism/small/tables").glob("*.md"):
    metric, judge, _ = path.name.split(".")
    lines = [line for line in path.read_text().splitlines() if line.startswith("| ")]
    head, _, *rows = [[cell.replace("\\\\", "") for cell in line.removesuffix(" |").split(" | ")] for line in lines]
    for _, contestant, *values in rows:
        for name, value in zip(head[2:], values, strict=True):
            assert value.split()[0] == f"{whole.loc[metric, judge, contestant, name]['value']:.1f}"
            print(metric, contestant, name)
print(bool(names["sheet"].getbbox()), len(names["said"]), *names["ahead"]["contestant"], *gamut.runs()["run"])
"""
"""docs/tour.ipynb, cell by cell as Jupyter does, without Jupyter; then the numbers of the tables for papers."""


def test_the_notebook_runs_in_a_clone_of_a_clone(theirs: Project) -> None:
    before = theirs.asked()
    done = theirs.run("python", "-W", "error::UserWarning", "-c", NOTEBOOK)
    *numbers, last = done.stdout.splitlines()
    assert {"en careful overall", "zh hasty style"} <= {*numbers}
    assert last.startswith("True ") and " careful hasty careful hasty workspace main" in last
    assert theirs.asked() == before and theirs.run("git", "status", "--porcelain").stdout == ""


def test_the_release_goes_to_others_alone(walk: Walk, theirs: Project) -> None:
    other = Project(walk.folder / "training", walk.environment)
    other.folder.mkdir()
    other.run("git", "init", "--quiet")
    other.run("dvc", "init", "--quiet")
    walk.run("The release alone", walk.folder)
    walk.run("The release alone", other.folder)
    head = theirs.run("git", "rev-parse", "HEAD").stdout.strip()
    assert read_yaml(other.folder / "release.dvc")["deps"][0]["repo"] == {"url": walk.addresses[GIT], "rev_lock": head}
    release = theirs.files("datasets/release")
    assert Project(walk.folder, {}).files("release") == other.files("release") == release


def test_a_pull_request_shows_what_it_changes(walk: Walk, theirs: Project) -> None:
    """By the workflow's own lines, among them the page's."""
    [job] = read_yaml(ROOT / ".github/workflows/metrics.yml")["jobs"].values()
    [compare] = [step["run"] for step in job["steps"] if step.get("name") == "compare"]
    assert walk.left["A pull request"].pop().strip() in compare.replace('"', "").replace("$GITHUB_BASE_REF", "main")
    summary = walk.folder / "summary.md"
    variables = {"GITHUB_BASE_REF": "main", "RUNNER_TEMP": str(walk.folder), "GITHUB_STEP_SUMMARY": str(summary)}
    path = theirs.folder / "metrics/summary.json"
    before = json.loads(path.read_text())["pictures"]
    theirs.replace("metrics/summary.json", f'"pictures": {before}', f'"pictures": {before - 1}')
    Project(theirs.folder, theirs.environment | variables).run("bash", "-e", "-c", compare)
    theirs.run("git", "checkout", "--quiet", ".")
    row = rf"\| metrics/summary.json *\| pictures *\| {before} *\| {before - 1} *\| -1 *\|\n"
    assert re.search(row, summary.read_text())


def test_all_of_the_page_is_walked(walk: Walk) -> None:
    assert not any(walk.left.values()), walk.left
    assert {*re.findall(r"pip install (\S+)", PAGE)} == {"dvc-s3"}
