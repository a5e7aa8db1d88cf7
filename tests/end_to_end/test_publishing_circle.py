"""The full circle with the real `gamut`, `dvc`, `huggingface_hub` and `datasets`, each in a process of its own.

A build is published, rebuilt with other thresholds and published again; both versions load, are compared, and come
back. All against a test Hub, nothing against the live one.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from gamut.project.validation import read_yaml
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from tests.end_to_end.project import Project, copy_of
from tests.hub.client import environment
from tests.hub.server import WRITER, Hub, hub_server

REPO, SPACE = "somebody/pictures", "somebody/pages"
FIRST, SECOND = "v0.1.0", "v0.2.0"
RELEASE, PROVENANCE, PUBLISHED = "datasets/release", "datasets/provenance", "datasets/published"
PUBLISH, PUBLISH_PAGES = ("gamut", "publish", "dataset"), ("gamut", "publish", "pages")

LOAD = """
import hashlib, json, sys
from datasets import load_dataset

repo, split, *tags = sys.argv[1:]


def plain(value):
    return [value.format, value.mode, value.size, digest(value)] if hasattr(value, "tobytes") else value


def digest(picture):
    return hashlib.sha256(picture.tobytes()).hexdigest()


for tag in tags:
    for streaming in (False, True):
        data = load_dataset(repo, revision=tag, split=split, streaming=streaming)
        rows = [{name: plain(value) for name, value in row.items()} for row in data]
        features = {name: type(feature).__name__ for name, feature in data.features.items()}
        print(json.dumps([rows, features]))
"""


@dataclass(frozen=True)
class Circle:
    """A project that published two versions; what was said on the way; releases and rows of both, by tag."""

    project: Project
    hub: Hub
    said: dict[str, CompletedProcess[str]]
    releases: dict[str, dict[str, bytes]]
    rows: dict[str, list[Row]]


def publication(params: Any) -> None:
    params["publish"]["dataset"] |= {"repo": REPO, "license": "cc0-1.0", "version": "0.1.0"}
    params["publish"]["pages"] = {"repo": SPACE, "license": "cc0-1.0"}


def other_thresholds(params: Any) -> None:
    """Admits pictures that belonged to nothing or strayed from their prompts, drops some with pale lettering, describes
    some more in one way.
    """
    params["categorize"]["composition"] = 6
    params["select"] |= {"contrast": 9, "follows": 0}


def put_version(project: Project, version: str) -> None:
    project.edit(lambda params: params["publish"]["dataset"].update(version=version))


def led_to(hub: Hub, project: Project, home: Path) -> Project:
    """The project, whose commands speak to this Hub and know nothing of it yet."""
    return replace(project, environment=project.environment | environment(hub.url, home, WRITER) | {"COLUMNS": "200"})


@pytest.fixture(scope="module")
def circle(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Circle]:
    """Publish, change thresholds, build, publish again. Not to be changed."""
    said: dict[str, CompletedProcess[str]] = {}
    releases, rows = {}, {}
    folder = tmp_path_factory.mktemp("circle")
    with hub_server() as hub:
        project = led_to(hub, copy_of(original, folder / "project"), folder / "home")
        project.edit(publication)
        project.commit()

        def kept(tag: str) -> None:
            releases[tag] = project.files(RELEASE)
            rows[tag] = list(read_rows(project.folder / RELEASE))
            project.commit()  # the receipt

        project.run(*PUBLISH)
        kept(FIRST)
        said["again"] = project.run(*PUBLISH)
        calls = len(hub.log)
        said["pages"] = project.run(*PUBLISH_PAGES)
        del hub.log[calls:]  # what went up is counted of the dataset alone

        project.edit(other_thresholds)
        put_version(project, "0.2.0")
        said["not committed"] = project.run(*PUBLISH, check=False)
        project.commit()
        said["not built"] = project.run(*PUBLISH, check=False)
        said["stale pages"] = project.run(*PUBLISH_PAGES, check=False)
        project.run("python", "-m", "tests.in_one_process", "statistics")
        project.run("dvc", "commit", "--force", "--with-deps", "statistics")
        project.commit()
        put_version(project, "0.1.0")
        said["version of before"] = project.run(*PUBLISH, check=False)
        put_version(project, "0.2.0")

        project.run(*PUBLISH)
        kept(SECOND)
        yield Circle(project, hub, said, releases, rows)


def load(project: Project, *tags: str) -> list[Any]:
    """What `load_dataset` gives for each tag, rows and features, and then the same streamed."""
    done = project.run("python", "-c", LOAD, REPO, "train", *tags)
    return [json.loads(line) for line in done.stdout.splitlines()]


def decoded(row: Row) -> Row:
    """A row as LOAD prints it."""
    picture = Image.open(io.BytesIO(row["image"]["bytes"]))
    said = [picture.format, picture.mode, list(picture.size), hashlib.sha256(picture.tobytes()).hexdigest()]
    return row | {"image": said}


def shards(hub: Hub, tag: str) -> dict[str, bytes]:
    """The files of rows that the Hub has at a tag, and those that say where these come from."""
    return {path: data for path, data in hub.files(REPO, tag).items() if path.endswith(".parquet")}


def receipt(project: Project, tag: str = FIRST) -> Any:
    return json.loads((project.folder / PUBLISHED / REPO / f"{tag}.json").read_text())


def made(hub: Hub) -> int:
    """Commits after the one with which the Hub makes a repository."""
    of = hub.repo(REPO)
    return len(list(of.history(of.at("main")))) - 1


def refused(done: CompletedProcess[str], words: str) -> bool:
    """Whether a command ended with one line that says this."""
    return done.returncode == 1 and words in done.stderr and done.stderr.count("\n") == 1


def clone_of(project: Project, folder: Path, revision: str = "HEAD") -> Project:
    """What git alone has of a project at a revision: no data, no cache of DVC, no replies."""
    project.run("git", "clone", "--quiet", str(project.folder), str(folder))
    clone = Project(folder, project.environment | {"PYTHONPATH": str(folder)})
    clone.run("git", "checkout", "--quiet", revision)
    return clone


def changed_outputs(project: Project) -> list[str]:
    """The outputs of the stage `release` that are not what dvc.lock records, or not in DVC's cache."""
    found = json.loads(project.run("dvc", "status", "release", "--json").stdout).get("release", [])
    return [path for entry in found if isinstance(entry, dict) for path in entry.get("changed outs", {})]


def test_a_version_is_published_once(circle: Circle) -> None:
    project, hub = circle.project, circle.hub
    found = receipt(project)
    assert (found["repo"], found["tag"], found["rows"]) == (REPO, FIRST, len(circle.rows[FIRST]))
    assert found["commit"] == hub.repo(REPO).tags[FIRST]
    assert found["manifest_sha256"] == hashlib.sha256(hub.files(REPO, FIRST)["manifest.json"]).hexdigest()
    message = hub.repo(REPO).at(FIRST).message
    assert all(found[key] in message for key in ("git_revision", "dvc_hash", "manifest_sha256"))
    assert f"{REPO} has {FIRST} already, with this content: nothing to do" in circle.said["again"].stdout
    assert made(hub) == 2 and set(hub.repo(REPO).tags) == {FIRST, SECOND}
    assert hub.repo(REPO).tags[SECOND] == hub.repo(REPO).branches["main"] == receipt(project, tag=SECOND)["commit"]


def test_pages_are_shown_as_they_were_built_and_stale_ones_are_not(circle: Circle, original: Project) -> None:
    here = {path: path.read_bytes() for path in (original.folder / "report").rglob("*") if path.is_file()}
    wanted = {path.relative_to(original.folder / "report").as_posix(): data for path, data in here.items()}
    shown = circle.hub.files(SPACE, kind="spaces")
    assert shown.pop("README.md").startswith(b"---\ntitle: What was built and measured\nsdk: static\n")
    assert {path: data for path, data in wanted.items() if not Path(path).name.startswith(".")} == {
        path: data for path, data in shown.items() if not path.startswith(".")
    }
    assert circle.said["pages"].stdout.endswith(f"/spaces/{SPACE} shows them\n")
    assert refused(circle.said["stale pages"], "the build is not up to date (")


def test_only_what_was_committed_and_built_is_published_and_under_a_version_of_its_own(circle: Circle) -> None:
    assert refused(circle.said["not committed"], "not committed: params.yaml: `git add` and `git commit`")
    assert refused(circle.said["not built"], "the build is not up to date (")
    assert refused(circle.said["version of before"], f"{FIRST} was published with other content (")
    assert circle.said["version of before"].stderr.endswith("bump `version` in params.yaml\n")


def test_a_second_version_brings_the_changed_shards_alone(circle: Circle) -> None:
    first, second = (shards(circle.hub, tag) for tag in (FIRST, SECOND))
    assert first.keys() & second.keys() and second.keys() - first.keys()
    sent = [call.received for call in circle.hub.asked("PUT", "")]
    pictures = {path: data for path, data in circle.hub.files(REPO, SECOND).items() if path.endswith(".webp")}
    before = circle.hub.files(REPO, FIRST)
    new = {path: data for path, data in (second | pictures).items() if before.get(path) != data}
    old = {path: data for path, data in before.items() if path.endswith((".parquet", ".webp"))}
    assert Counter(sent) == Counter(len(data) for data in [*old.values(), *new.values()])


def test_both_versions_load_with_their_own_rows(circle: Circle, tmp_path: Path) -> None:
    reader = replace(circle.project, environment=circle.project.environment | environment(circle.hub.url, tmp_path))
    loaded = load(reader, FIRST, SECOND)
    wanted = [[decoded(row) for row in circle.rows[tag]] for tag in (FIRST, FIRST, SECOND, SECOND)]
    assert [rows for rows, _ in loaded] == wanted
    for rows, features in loaded:
        assert all(row["image"][:3] == ["JPEG", "RGB", [256, 256]] for row in rows)
        assert list(features) == list(rows[0]) and features["image"] == "Image"
        assert {features[name] for name in features if name != "image"} == {"Value"}


def plainly_compared(hub: Hub, folder: str) -> dict[str, Any]:
    """What `gamut diff --json` has to say of a folder, out of all its rows in both versions on the Hub."""
    files = [
        {path: data for path, data in shards(hub, tag).items() if path.startswith(folder)} for tag in (FIRST, SECOND)
    ]
    first, second = (
        {row["id"]: row for data in of.values() for row in pq.read_table(io.BytesIO(data)).to_pylist()} for of in files
    )
    both = sorted(first.keys() & second.keys())
    ids = {
        "added": sorted(second.keys() - first.keys()),
        "removed": sorted(first.keys() - second.keys()),
        "changed": [row_id for row_id in both if first[row_id] != second[row_id]],
    }
    cells = Counter(name for row_id in both for name in first[row_id] if first[row_id][name] != second[row_id][name])
    waves = sorted({row_id[:-9] for of in ids.values() for row_id in of})  # 8 digits and a hyphen follow
    return {
        "same": False,
        "rows": {"first": len(first), "second": len(second)},
        **{kind: {"count": len(of), "ids": of} for kind, of in ids.items()},
        "changed_cells": dict(cells),
        "added_columns": [],
        "removed_columns": [],
        "retyped_columns": {},
        "waves": {
            wave: {kind: sum(row_id[:-9] == wave for row_id in of) for kind, of in ids.items()} for wave in waves
        },
        # `data/text-00000-<8 digits>.parquet`
        "files": len({path[:-17] for path in files[0].keys() ^ files[1].keys()}),
    }


def test_what_differs_is_what_a_plain_comparison_finds(circle: Circle) -> None:
    wanted = plainly_compared(circle.hub, "data/")
    counts = [wanted[kind]["count"] for kind in ("added", "removed", "changed")]
    assert all(counts), "choose other thresholds: rows are to be added, removed and changed"
    machine, person, workspace = (
        circle.project.start("gamut", "diff", FIRST, *rest) for rest in ((SECOND, "--json"), (SECOND,), ())
    )
    origins = plainly_compared(circle.hub, "provenance/")
    assert origins["changed"]["count"] == 0, "a picture comes from where it came from"
    assert json.loads(machine.communicate()[0]) == wanted | {"provenance": origins}
    said = person.communicate()[0]
    noun = "row" if counts[0] == 1 else "rows"
    sentence = "{} {} added, {} removed, {} changed of {}".format(counts[0], noun, *counts[1:], wanted["rows"]["first"])
    assert said.splitlines()[0] == f"{FIRST} → {SECOND}: {sentence}"
    assert all(column in said for column in wanted["changed_cells"])
    assert workspace.communicate()[0].startswith(f"{FIRST} → workspace: {sentence}\n")


def test_a_version_of_before_comes_back_and_goes_again(circle: Circle, tmp_path: Path) -> None:
    project = copy_of(circle.project, tmp_path / "project")
    project.run("gamut", "fetch", f"{REPO}@{FIRST}")
    assert project.files(RELEASE) == circle.releases[FIRST]
    assert sorted(changed_outputs(project)) == [PROVENANCE, RELEASE]
    project.run("gamut", "fetch", f"{REPO}@{SECOND}")
    assert project.files(RELEASE) == circle.releases[SECOND]
    assert changed_outputs(project) == []
    assert project.run("git", "status", "--porcelain").stdout == ""


def test_a_clone_without_data_gets_what_was_built_at_that_revision(circle: Circle, tmp_path: Path) -> None:
    traced = receipt(circle.project)
    clone = clone_of(circle.project, tmp_path / "clone", traced["git_revision"])
    assert not (clone.folder / RELEASE).exists()
    clone.run("gamut", "fetch", f"{REPO}@{FIRST}")
    assert clone.files(RELEASE) == circle.releases[FIRST]
    origins = {row["id"]: row for row in read_rows(clone.folder / PROVENANCE)}
    assert list(origins) == [row["id"] for row in circle.rows[FIRST]]
    assert all(row["prompt"] and row["source"] for row in origins.values())
    uncommitted = json.loads(clone.run("dvc", "data", "status", "--json").stdout)["uncommitted"]
    assert "datasets/synthesize/" in uncommitted["deleted"]
    assert not [path for paths in uncommitted.values() for path in paths if RELEASE in path or PROVENANCE in path]
    outs = read_yaml(clone.folder / "dvc.lock")["stages"]["release"]["outs"]
    assert [out["path"] for out in outs] == [PROVENANCE, RELEASE] and outs[1]["md5"] == traced["dvc_hash"]
