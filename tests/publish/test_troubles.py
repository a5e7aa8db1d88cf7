"""What passes is tried again, once told; what the client raises is one line without secrets; our own bugs are bugs."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from huggingface_hub import get_session

from gamut.project.errors import UserError
from gamut.publish import hub as asking
from gamut.publish import troubles, versions
from gamut.publish.hub import Remote
from tests.hub.answers import Response
from tests.hub.client import client_here
from tests.hub.faults import Fault
from tests.hub.server import READER, Hub, hub_server

REPO = "somebody/small"
PASSWORD = "s3cret/pass word"
REFS = "/refs"
Both = tuple[Hub, Remote]
KINDS = ["hf_abcdefghij", "hf_oauth_eyJhbGciOi.eyJzdWIi.c2ln-X_y", "hf_jwt_eyJhbG.ci.OiJ", "hf_ab-cd_efghijkl"]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Both]:
    """A Hub, and a dataset on it."""
    with hub_server() as hub, client_here(hub, tmp_path / "home") as api:
        hub.commit(REPO, {"a.txt": b"a", "large.parquet": b"PAR1" + bytes(100)})
        yield hub, Remote(REPO, api)


def line_of(ask: Callable[[], Any]) -> str:
    with pytest.raises(UserError) as error:
        ask()
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


# What is tried again


def test_a_busy_hub_is_asked_again_and_that_is_told_once(
    there: Both, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub, remote = there
    waited: list[float] = []
    monkeypatch.setattr(troubles, "time", SimpleNamespace(sleep=waited.append))
    monkeypatch.setattr(troubles, "WAITS", (1.0, 2.0, 4.0, 8.0, 16.0))  # 31 s together
    hub.script.append(Fault("GET", REFS, 503, times=2, retry_after=7))
    assert asking.repo_tags(remote) == {}
    assert capsys.readouterr() == ("", "the Hub is busy or broken (503): trying again for 31 s\n")
    assert waited == [7.0, 7.0] and len(hub.asked("GET", REFS)) == 3


def test_a_network_that_is_gone_is_tried_for_a_while_and_that_is_told_once(
    there: Both, capsys: pytest.CaptureFixture[str]
) -> None:
    hub, remote = there
    with hub.unreachable():
        line = line_of(lambda: asking.repo_tags(remote))
    assert line == f"{REPO}: the Hub cannot be reached ([Errno {errno.ECONNREFUSED}] Connection refused): " + (
        "check the network, and run it again"
    )
    err = capsys.readouterr().err
    assert err == f"the Hub cannot be reached ([Errno {errno.ECONNREFUSED}] Connection refused): trying again for 0 s\n"


@pytest.mark.parametrize("status", [400, 403, 404, 412])
def test_what_does_not_pass_is_not_tried_again(there: Both, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    hub, remote = there
    with hub.failing(REFS, status):
        line_of(lambda: asking.repo_tags(remote))
    assert len(hub.asked("GET", REFS)) == 1 and capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("asked", "seconds"), [("3", 3.0), ("0.5", 0.5), ("9999", 120.0), ("", 2.0), ("-1", 2.0), ("Wed, 21 Oct 2026", 2.0)]
)
def test_the_hub_says_how_long_to_wait_but_not_for_hours(asked: str, seconds: float) -> None:
    error: Any = OSError()
    error.response = SimpleNamespace(headers={"Retry-After": asked})
    assert troubles.seconds_to_wait(error, 2.0) == seconds


def test_a_hub_may_not_be_silent_for_ever() -> None:
    asking.open_remote(REPO)
    assert get_session().timeout.read == asking.SILENT_SECONDS


# What is told in one line


@pytest.mark.parametrize("body", [b"<html>log in</html>", b"", b"\x80\x81"])
def test_what_answers_is_not_the_hub(there: Both, body: bytes) -> None:
    hub, remote = there
    hub.faults["/api/"] = Response(200, body)
    where = hub.url.removeprefix("http://")
    for ask in (
        asking.repo_exists,
        asking.repo_tags,
        lambda remote: asking.repo_state(remote, "main"),
        asking.require_writer,
    ):
        assert line_of(lambda ask=ask: ask(remote)) == (  # type: ignore[misc]
            f"{REPO}: the server at {where} is not the Hub: fix HF_ENDPOINT, or look for a proxy in between"
        )


def test_an_upload_tells_its_cause(there: Both) -> None:
    """The client says only which file did not go up."""
    from huggingface_hub import CommitOperationAdd

    hub, remote = there
    hub.script.append(Fault("PUT", "/lfs/", 403, times=99))

    def upload() -> None:
        with troubles.explained_errors(REPO):
            file = CommitOperationAdd("b.parquet", b"PAR1" + bytes(200))
            remote.api.preupload_lfs_files(REPO, [file], repo_type="dataset")

    assert line_of(upload) == f"{REPO}: the Hub refuses this token (scripted 403): it needs write access there"


def test_a_hub_without_xet_is_told(tmp_path: Path) -> None:
    from huggingface_hub import CommitOperationAdd

    with hub_server() as hub, client_here(hub, tmp_path / "home", xet=True) as api:
        api.create_repo(REPO, repo_type="dataset")
        with pytest.raises(ConnectionError) as error:
            file = CommitOperationAdd("a.parquet", b"PAR1" * 100)
            api.create_commit(REPO, [file], commit_message="a change", repo_type="dataset")
        said = f"{troubles.hub_host()} answers, but has no Xet storage: set HF_HUB_DISABLE_XET=1 and run it again"
        assert troubles.error_meaning(error.value) == said


def download(remote: Remote, folder: Path) -> None:
    with troubles.explained_errors(REPO):
        versions.fetch_file(remote, "large.parquet", "main", folder)


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (403, "the Hub refuses this token (scripted 403): it needs write access there"),
        (418, "the Hub refuses (418): scripted 418"),
    ],
)
def test_a_download_tells_its_cause(there: Both, tmp_path: Path, status: int, line: str) -> None:
    """The client says only that the file is not here either."""
    hub, remote = there
    hub.script.append(Fault("HEAD", "/resolve/", status, times=99))
    assert line_of(lambda: download(remote, tmp_path / "here")) == f"{REPO}: {line}"


def test_a_cause_is_told_whether_it_was_named_or_came_before() -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    first = ValueError("first")
    named, before, wrapped = LocalEntryNotFoundError("x"), LocalEntryNotFoundError("x"), RuntimeError("x")
    named.__cause__, before.__context__, wrapped.__cause__ = first, first, before
    assert [troubles.cause_of(error) for error in (named, before, wrapped)] == [first] * 3
    unrelated, other = RuntimeError("x"), NotImplementedError("x")
    unrelated.__context__ = other.__cause__ = first
    assert troubles.cause_of(unrelated) is unrelated and troubles.cause_of(other) is other


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.ENOSPC, "full", "x/y"), "the disk is full while writing x/y: make room and run it again"),
        (OSError(errno.EDQUOT, "full"), "the disk is full: make room and run it again; what was transferred is kept"),
        (
            PermissionError(errno.EACCES, "Permission denied", "x"),
            "x: no permission: fix its owner or mode and run it again",
        ),
    ],
)
def test_what_the_disk_refuses_whoever_writes(error: OSError, line: str) -> None:
    def write() -> None:
        with troubles.explained_errors(REPO):
            raise error

    assert line_of(write).startswith(f"{REPO}: {line}")


# What is no trouble but a mistake of ours


@pytest.mark.parametrize(
    "error",
    [
        ValueError("not enough values to unpack"),
        KeyError("x"),
        TypeError("x"),
        BrokenPipeError(errno.EPIPE, "nobody reads what we print"),
        UserError("a line of its own"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_mistake_of_ours_stays_what_it_is(error: Exception) -> None:
    def bug() -> None:
        raise error

    with pytest.raises(type(error)) as found, troubles.explained_errors(REPO):
        troubles.with_retries(bug)
    assert found.value is error


# Secrets


@pytest.mark.parametrize("token", KINDS)
def test_no_token_is_ever_said(token: str) -> None:
    for form in (token, token.replace("_", "%5F"), token.replace("_", "%5f"), quote(token, safe="")):
        assert troubles.short_message(f"Illegal header value b'Bearer {form}'") == "Illegal header value b'Bearer …'"


@pytest.mark.parametrize("who", ["me", "me:s3cret", "me:a@b:c", ":%2Fs3cret"])
def test_no_password_of_an_address_is_ever_said(who: str) -> None:
    assert troubles.short_message(f"x https://{who}@hub.local/a@b") == "x https://…@hub.local/a@b"


def test_the_password_of_the_endpoint_is_not_said(there: Both, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub, _ = there
    address = hub.url.replace("http://", f"http://me:{quote(PASSWORD, safe='')}@")
    monkeypatch.delenv("HF_TOKEN")
    lines = []
    with client_here(SimpleNamespace(url=address), tmp_path / "home2", READER) as api:  # type: ignore[arg-type]
        remote = Remote(REPO, api)
        for status in (400, 403, 404, 503):
            with hub.failing(REFS, status):
                lines.append(line_of(lambda: asking.repo_tags(remote)))
        hub.faults[REFS] = Response(200, b"<html>")
        lines.append(line_of(lambda: asking.repo_tags(remote)))
        with hub.unreachable():
            lines.append(line_of(lambda: asking.repo_tags(remote)))
        assert troubles.hub_host() == hub.url.removeprefix("http://")
    assert len(lines) == 6
    assert not [line for line in lines if "s3cret" in line or "pass" in line]


def test_a_refusal_reaches_the_terminal_without_control_characters(there: Both) -> None:
    hub, remote = there
    hub.faults[REFS] = Response(400, {"error": "\x1b[31mred\x07 \x9b line\u2028two\r\nthree"})
    assert line_of(lambda: asking.repo_tags(remote)) == f"{REPO}: the Hub refuses (400): red line"


def test_a_token_that_is_none_and_an_answer_that_is_no_hubs_are_told_in_a_line() -> None:
    explained, reads = partial(troubles.explained_errors, REPO), "{}['id']"
    with pytest.raises(UserError, match=r"HF_TOKEN or HF_ENDPOINT has characters that are not allowed"), explained():
        "hf_…".encode("ascii")
    with pytest.raises(UserError, match=r"the client cannot read what .* answers \(KeyError: 'id'\)"), explained():
        exec(reads, {"__name__": "huggingface_hub.hf_api"})
    with pytest.raises(KeyError), explained():
        exec(reads, {"__name__": "gamut.publish.hub"})
