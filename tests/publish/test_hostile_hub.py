"""Whatever a Hub answers, a command ends in one harmless line or in the right thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import get_session

from stages.project.errors import UserError
from stages.publish import commands, downloads, troubles
from stages.publish import hub as asking
from tests.hub.answers import Response
from tests.hub.client import client_here
from tests.hub.faults import Fault
from tests.hub.server import Hub, hub_server
from tests.publish import edition_project
from tests.publish.bare_version import REPO, served, version
from tests.publish.edition_project import REPO as BENCH

Alter = Callable[[Response], Response]
ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m"
INFO, REFS = rf"{REPO}$", r"/refs$"


@pytest.fixture
def hub(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub with one version, in an empty project."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    with served(project) as (hub, _):
        files = version(project / "made", "0.1.0", {"a-00000": b"rows of a"})
        commit = hub.commit(REPO, {file.path: file.read() for file in files})
        hub.repo(REPO).tags["v0.1.0"] = commit
        yield hub


def instead(*place: Any, of: Any) -> Alter:
    """Put a value into a place of a reply."""

    def alter(response: Response) -> Response:
        body = value = dict(response.body)
        for key in place[:-1]:
            value = value[key]
        value[place[-1]] = of
        return response._replace(body=body)

    return alter


def ended(run: Callable[[], None]) -> str:
    """The one line with which a command ends, that no terminal obeys."""
    with pytest.raises(SystemExit) as error:
        run()
    line = str(error.value.code)
    assert line and line.isprintable() and len(line) < 1_500
    return line


@pytest.mark.parametrize(
    ("path", "alter"),
    [
        (INFO, instead("id", of=ESCAPE)),
        (REFS, instead("tags", 0, "name", of={})),
        (REFS, instead("tags", 0, "targetCommit", of=True)),
        (REFS, instead("tags", 0, "targetCommit", of="a" * 41)),
        (REFS, instead("tags", 0, "targetCommit", of="A" * 40)),
        (REFS, instead("tags", 0, "name", of="9" * 100_000)),
    ],
)
def test_what_a_fetch_is_told(hub: Hub, path: str, alter: Alter) -> None:
    hub.script.append(Fault("GET", path, times=99, alter=alter))
    ended(lambda: commands.fetch(f"{REPO}@v0.1.0"))
    assert not Path("datasets").exists()


@pytest.mark.parametrize(
    ("method", "path", "alter"),
    [
        ("GET", "/whoami-v2", instead("name", of=ESCAPE)),
        ("GET", "/revision/main", instead("sha", of=None)),
        ("GET", "/revision/main", instead("sha", of="../../../../canary.txt")),
        ("POST", "/commit/main", instead("commitOid", of=1)),
    ],
)
def test_what_a_publication_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, method: str, path: str, alter: Alter
) -> None:
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    edition_project.prepare()
    with hub_server() as hub, client_here(hub, project / "home"):
        hub.commit(BENCH, {"README.md": b"soon"})
        hub.script.append(Fault(method, path, times=99, alter=alter))
        if path == "/whoami-v2":
            commands.publish("prism")  # whose name it is matters to nobody
        else:
            ended(lambda: commands.publish("prism"))
            assert not hub.repo(BENCH).tags


def test_lists_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_FILES", 1)
    with served(project) as (hub, remote):
        hub.commit(REPO, {"a": b"a", "b": b"b"})
        with pytest.raises(UserError, match="it lists more than 1 files and folders"):
            asking.state(remote, "main")


def test_a_hub_may_not_be_silent_for_ever(hub: Hub) -> None:
    asking.remote(REPO)
    assert get_session().timeout.read == asking.SILENT_SECONDS


def test_a_manifest_that_is_no_manifest_is_not_read_whole(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "MOST_BYTES", 10)
    assert "manifest.json has " in ended(lambda: commands.fetch(f"{REPO}@v0.1.0"))
