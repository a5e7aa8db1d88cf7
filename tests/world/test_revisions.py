"""Which edit of the world concerns whom: a part's revision changes with its own modules, and with no other's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gamut.asking.models.world import sandbox
from gamut.asking.models.world.sandbox import PARTS
from gamut.project.roles import SCORERS
from tests.copied_code import code_at
from tests.paths import ROOT

CONTESTANT = {"creator", "editor"}


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the world, whose revisions are taken."""
    folder = tmp_path / "gamut/world"
    shutil.copytree(ROOT / "gamut/world", folder)
    code_at(tmp_path, monkeypatch)
    return folder


def taken() -> dict[str, str]:
    return {part: sandbox.revision(part) for part in PARTS}


@pytest.mark.parametrize(
    ("module", "parts"),
    [
        ("judging", {"judge", *SCORERS.values()}),
        ("rating", {*SCORERS.values()}),
        ("by_key", {"judge"}),
        ("keys", {"judge", "writer", *CONTESTANT}),
        ("contestant", CONTESTANT),
        ("authoring", {"writer"}),
        ("translator", {"translator"}),
        ("painting", {"painter", "sources", "truth", *CONTESTANT}),
        ("observers", {"detector", "image_embedder"}),
        ("vocabulary", {*PARTS}),
    ],
)
def test_an_edit_concerns_only_the_parts_that_import_it(copied: Path, module: str, parts: set[str]) -> None:
    before = taken()
    with (copied / f"{module}.py").open("a") as file:
        file.write("# a new rule\n")
    after = taken()
    assert {part for part in before if before[part] != after[part]} == parts
    assert all(len(digits) == 16 and int(digits, 16) >= 0 for digits in after.values())


@pytest.mark.parametrize("name", ["signs.ttf", "kinds.txt"])
def test_font_and_words_concern_everybody(copied: Path, name: str) -> None:
    before = taken()
    with (copied / name).open("ab") as file:
        file.write(b"\0")
    assert all(taken()[part] != revision for part, revision in before.items())
