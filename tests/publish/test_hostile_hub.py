"""Whatever a Hub answers, a command ends in one harmless line or in the right thing, and does not go on for ever."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stages.project.errors import UserError
from stages.publish import client, commands, troubles
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
MANIFEST, SHARD = r"/manifest\.json", r"/data/a-00000.*parquet"


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


def endless(headers: dict[str, str], chunked: bool = False) -> tuple[Alter, list[int]]:
    """An answer behind which blanks come, and how many parts of them were taken."""
    taken: list[int] = []

    def parts(content: bytes) -> Iterator[bytes]:
        for part in [content, *[b" " * 2**16] * 512]:
            taken.append(len(part))
            yield b"%x\r\n%b\r\n" % (len(part), part) if chunked else part

    def alter(response: Response) -> Response:
        kept = {name: text for name, text in response.headers.items() if name != "Content-Length"}
        return response._replace(body=parts(b"{}"), headers=kept | headers)

    return alter, taken


@pytest.mark.parametrize("path", [REFS, MANIFEST, SHARD])
@pytest.mark.parametrize(
    ("headers", "chunked"),
    [
        ({"Content-Length": str(2**25)}, False),
        ({"Connection": "close"}, False),
        ({"Transfer-Encoding": "chunked"}, True),
    ],
)
def test_an_answer_ends_where_it_is_longer_than_it_may_be(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, path: str, headers: dict[str, str], chunked: bool
) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 2**20)
    alter, taken = endless(headers, chunked)
    hub.script.append(Fault("GET", path, times=99, alter=alter))
    assert "is longer than" in ended(lambda: commands.fetch(f"{REPO}@v0.1.0"))
    assert sum(taken) < 2**24, "what the system takes in before anybody reads it is among them"


def test_nothing_is_unpacked(hub: Hub) -> None:
    packed = Response(200, gzip.compress(b" " * 2**25, 1), {"Content-Encoding": "gzip"})
    hub.script.append(Fault("GET", SHARD, times=99, alter=lambda _: packed))
    assert "sends packed" in ended(lambda: commands.fetch(f"{REPO}@v0.1.0"))


def test_lists_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_FILES", 1)
    with served(project) as (hub, remote):
        hub.commit(REPO, {"a": b"a", "b": b"b"})
        with pytest.raises(UserError, match="it lists more than 1 files and folders"):
            asking.state(remote, "main")
    monkeypatch.setattr(client, "MOST_PAGES", 3)
    count = client.counting_pages()
    request = SimpleNamespace(url="https://huggingface.co/api/x?cursor=1", method="GET")
    for _ in range(3):
        count(request)
    with pytest.raises(UserError, match="a list has more than 3 pages"):
        count(request)


@pytest.mark.parametrize(
    ("url", "kept"), [("https://huggingface.co/api/x", True), ("https://cdn.example/x", False), ("http://[", False)]
)
def test_the_token_goes_to_the_hub_alone(url: str, kept: bool) -> None:
    request = SimpleNamespace(url=url, headers={"Authorization": "Bearer hf_secret"})
    client.keep_token(request)
    assert bool(request.headers) == kept


@pytest.mark.parametrize(
    ("name", "followed", "not_followed"),
    [
        ("X-Repo-Commit", "a" * 40, ["../" + "a" * 40, "a" * 41]),
        ("ETag", 'W/"a6344aac8c09253b3b630fb776ae94478aa0275b"', ['"x/../../../canary.txt"']),
        ("X-Linked-ETag", f'"{"b" * 64}"', ["..\\x"]),
        ("X-Xet-Hash", "c" * 64, ["../x"]),
        ("X-Linked-Size", "98", ["-98"]),
        ("X-Xet-Cas-Url", "https://cas-server.xethub.hf.co", ["local:///home/somebody"]),
        ("Retry-After", "120", ["99999999"]),
        ("RateLimit", '"api";r=0;t=299', ['"api";r=0;t=99999999']),
    ],
)
def test_headers_that_the_client_may_follow(name: str, followed: str, not_followed: list[str]) -> None:
    for value in (followed, *not_followed):
        response = SimpleNamespace(headers={"X-Linked-Size": "98", name: value}, links={})
        client.keep_plain(response)
        assert (name in response.headers) == (value == followed), value


@pytest.mark.parametrize("by_link", [True, False])
@pytest.mark.parametrize(("site", "followed"), [("https://huggingface.co", True), ("https://evil.example", False)])
def test_xet_asks_the_hub_alone_for_its_token(site: str, followed: bool, by_link: bool) -> None:
    headers = {"X-Xet-Hash": "c" * 64, "X-Linked-Size": "98"} | ({} if by_link else {client.REFRESH: f"{site}/api/x"})
    response = SimpleNamespace(headers=headers, links={"xet-auth": {"url": f"{site}/api/x"}} if by_link else {})
    client.keep_plain(response)
    assert ("X-Xet-Hash" in headers) == followed


@pytest.mark.parametrize(
    ("endpoint", "setting", "disabled"),
    [
        ("https://huggingface.co", "", False),
        ("https://mirror.example", "", True),
        ("https://mirror.example", "0", False),
        ("http://huggingface.co", "", True),
        ("https://huggingface.co@mirror.example", "", True),
    ],
)
def test_xet_is_spoken_with_whom_one_trusts(
    monkeypatch: pytest.MonkeyPatch, endpoint: str, setting: str, disabled: bool
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    monkeypatch.setenv("HF_HUB_DISABLE_XET", setting)
    client.use()
    assert disabled == constants.HF_HUB_DISABLE_XET
