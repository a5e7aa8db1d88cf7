"""What every test file may use: an empty project folder as the working directory, a browser, repeatable properties."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from tests.browser import launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

hypothesis.settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("repeatable")


LONGEST = ("tests/end_to_end/", "tests/test_bench.py")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One more than there are cores: tests that wait for a server, a browser or a killed process leave theirs idle."""
    return (yield) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no process is left with it at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Keep what was imported out of garbage collections: it stays to the end, and to walk it takes long."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def git_identity() -> None:
    """Who decides is git's `user.name`, which a machine with nothing installed does not know."""
    os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "A Tester"}


@pytest.fixture(scope="session", autouse=True)
def dvc_site(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What DVC notes about projects outside of them lies with the temporary files, not in /var/tmp for good."""
    os.environ["DVC_SITE_CACHE_DIR"] = str(tmp_path_factory.mktemp("dvc"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as working directory, with its own reply store and no settings from outside."""
    for name in ("GAMUT_STORE", "GAMUT_RUN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Networks compute in one thread while a test file runs."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for one test file: it ends with the file, because other tests in this process run loops of their own."""
    with launched() as started:
        yield started
