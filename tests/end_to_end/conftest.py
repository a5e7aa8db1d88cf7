from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gamut.project.locks import hold_lock
from tests.end_to_end.construction_story import Story, make_story, story_in
from tests.end_to_end.kills import make_run
from tests.end_to_end.project import Project, clone, copy_of, opened, with_contestants
from tests.guard.declared import with_tracing
from tests.hub.server import Hub, hub_server

ORDER = (
    *("test_build", "test_ray", "test_gir"),
    *("test_readme", "test_publishing_circle", "test_second_benchmark", "test_over_http"),
)
"""Modules that begin: the first builds the `original`, the next two need none meanwhile, then the longest."""


SECONDS = 900
"""For one test, with the builds that it makes or waits for, where others use the machine too."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(ORDER)}
    here = [place for place, item in enumerate(items) if item.path.parent == Path(__file__).parent]
    ordered = sorted((items[place] for place in here), key=lambda item: places.get(item.path.stem, len(ORDER)))
    for place, item in zip(here, ordered, strict=True):
        item.add_marker(pytest.mark.timeout(SECONDS))
        items[place] = item


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder for all processes of this test run: the first that wants it makes it, the others wait for it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    made, failed = folder / ".made", folder / ".failed"
    with hold_lock(folder.with_name(f"{folder.name}.lock")):
        if not folder.exists():
            folder.mkdir()
            try:
                make(folder)
                made.touch()
            except BaseException:
                failed.write_text(traceback.format_exc())
                raise
        if not made.exists():
            raise AssertionError(failed.read_text() if failed.exists() else f"{folder}: whoever made it was killed")
    return folder


def make_original(folder: Path) -> None:
    project = clone(folder / "project")
    project.edit(with_contestants)
    project.commit()
    with_tracing(project, folder / "reads").run(*make_run(project))
    project.commit()


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A clone with the embedded world and two contestants, built from nothing. Not to be changed. What its stages read
    stands beside it, in `reads`.
    """
    return opened(made_once(tmp_path_factory, "original", make_original) / "project")


@pytest.fixture(scope="session")
def constructed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A clone in which v1 of four benchmarks was constructed and measured. Not to be changed."""
    return story_in(made_once(tmp_path_factory, "constructed", make_story))


@pytest.fixture
def built(original: Project, tmp_path: Path) -> Project:
    """A copy of a built clone, for a test to change."""
    return copy_of(original, tmp_path / "built")


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A Hub with nothing on it."""
    with hub_server() as hub:
        yield hub
