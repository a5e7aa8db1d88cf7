"""Whatever a Hub answers, a command ends in one line or in the right thing, and touches nothing outside the project."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from stages.publish import client, hub
from tests.hub.hostile import ALTERATIONS, LENGTHS
from tests.publish.bare_version import REPO
from tests.publish.edition_project import REPO as BENCH
from tests.publish.hostile_runs import COMMANDS, World, world

LFS = f"POST /datasets/{BENCH}.git/info/lfs/objects/batch"
INFO, REFS = f"GET /api/datasets/{REPO}", f"GET /api/datasets/{REPO}/refs"
OF_BENCH = f"GET /api/datasets/{BENCH}"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("hostile")) as here:
        yield here


KNOWN = [
    ("fetch", INFO, ("body", "id"), "escape"),
    ("fetch", REFS, ("body", "tags", 0, "name"), "an object"),
    ("fetch", REFS, ("body", "tags", 0, "targetCommit"), "true"),
    ("fetch", REFS, ("body", "tags", 0, "targetCommit"), "41 digits"),
    ("fetch", REFS, ("body", "tags", 0, "targetCommit"), "capitals"),
    ("fetch", REFS, ("added", (":status", "429"), ("RateLimit", '"api";r=0;t=99999999999')), ""),
    ("fetch an edition", "GET /api/datasets/somebody/other/refs", ("body", "tags", 0, "name"), "long"),
    ("dry run", "GET /api/whoami-v2", ("body", "name"), "escape"),
    ("publish the next", f"{OF_BENCH}/revision/main", ("body", "sha"), "null"),
    ("publish the next", f"{OF_BENCH}/revision/main", ("body", "sha"), "above"),
    ("publish the next", f"POST /api/datasets/{BENCH}/commit/main", ("body", "commitOid"), "one"),
    ("publish the next", LFS, ("body", "objects", 0, "actions", "verify", "href"), "elsewhere"),
]  # fmt: skip
"""What did harm once: a traceback, words that a terminal obeys, the token elsewhere, no end."""


@pytest.mark.parametrize(("name", "call", "place", "alteration"), KNOWN)
def test_what_did_harm_once(here: World, name: str, call: str, place: tuple[Any, ...], alteration: str) -> None:
    cases = here.baseline(name)
    case = next(case for case in cases if case[0] == call and case[1:] == (place, alteration))
    here.run(name, case)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("what", [r"GET .*/refs$", r"GET .*/manifest\.json$", r"GET .*/data/.*"])
def test_an_answer_ends_where_it_is_longer_than_it_may_be(here: World, what: str, length: str) -> None:
    cases = here.baseline("fetch an edition")
    case = next(case for case in cases if re.fullmatch(what, case.call) and case.place == ("length", length))
    said, error = here.run("fetch an edition", case)
    assert re.search("is longer than|sends packed", str(error)), said


def test_a_listing_ends(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here.baseline("publish the next")
    monkeypatch.setattr(hub, "MOST_FILES", 1)
    assert "it lists more than 1 files and folders" in str(here.run("publish the next", None)[1])


@pytest.mark.parametrize(
    ("name", "value", "followed"),
    [
        ("X-Repo-Commit", "a" * 40, True),
        ("X-Repo-Commit", "../" + "a" * 40, False),
        ("X-Repo-Commit", "a" * 41, False),
        ("ETag", 'W/"a6344aac8c09253b3b630fb776ae94478aa0275b"', True),
        ("ETag", '"x/../../../canary.txt"', False),
        ("X-Linked-ETag", f'"{"b" * 64}"', True),
        ("X-Linked-ETag", "..\\x", False),
        ("X-Xet-Hash", "c" * 64, True),
        ("X-Xet-Hash", "../x", False),
        ("X-Linked-Size", "98", True),
        ("X-Linked-Size", "-98", False),
        ("X-Xet-Cas-Url", "https://cas-server.xethub.hf.co", True),
        ("X-Xet-Cas-Url", "local:///home/somebody", False),
        ("Retry-After", "120", True),
        ("Retry-After", "99999999", False),
        ("RateLimit", '"api";r=0;t=299', True),
        ("RateLimit", '"api";r=0;t=99999999', False),
    ],
)
def test_headers_that_the_client_may_follow(name: str, value: str, followed: bool) -> None:
    response = SimpleNamespace(headers={"X-Linked-Size": "98", name: value}, links={})
    client.keep_plain(response)
    assert (name in response.headers) == followed


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
        ("https://huggingface.co", None, False),
        ("https://mirror.example", None, True),
        ("https://mirror.example", "0", False),
        ("http://huggingface.co", None, True),
        ("https://huggingface.co@mirror.example", None, True),
    ],
)
def test_xet_is_spoken_with_whom_one_trusts(
    monkeypatch: pytest.MonkeyPatch, endpoint: str, setting: str | None, disabled: bool
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    monkeypatch.delenv("HF_HUB_DISABLE_XET", raising=False)
    if setting is not None:
        monkeypatch.setenv("HF_HUB_DISABLE_XET", setting)
    client.use()
    assert disabled == constants.HF_HUB_DISABLE_XET


def test_every_command_and_alteration(here: World, capsys: pytest.CaptureFixture[str]) -> None:
    """A seeded selection of all alterations."""
    assert len(ALTERATIONS) >= 30
    path = list(sys.path)
    measured = importlib.import_module("bench.hostile_hub").measured
    sys.path[:] = path
    for name in COMMANDS:
        ends = measured(here, name, 2, 14)
        assert ends["harm"] == 0, capsys.readouterr().out
