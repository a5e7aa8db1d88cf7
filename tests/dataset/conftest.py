from __future__ import annotations

from pathlib import Path

import pytest

from tests.dataset.calibrated import write_tables


@pytest.fixture
def tables(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the tables of `calibrated`."""
    monkeypatch.setenv("COLUMNS", "80")
    write_tables()
    return project
