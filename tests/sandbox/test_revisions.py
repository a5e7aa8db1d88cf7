"""Which edit of the world concerns whom: a part's revision changes with its own modules, and with no other's."""

from __future__ import annotations

import shutil
from pathlib import Path

import grimp
import pytest

from stages.sandbox import revisions

PACKAGE = "stages.sandbox"
CONTESTANT = {"creator", "editor"}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("stages", cache_dir=None)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the world, whose revisions are taken."""
    folder = tmp_path / "sandbox"
    shutil.copytree(revisions.HERE, folder)
    monkeypatch.setattr(revisions, "HERE", folder)
    return folder


def taken() -> dict[str, str]:
    revisions.revision.cache_clear()
    revisions.imported_by.cache_clear()
    return {part: revisions.revision(part) for part in revisions.PARTS}


@pytest.mark.parametrize(
    ("module", "parts"),
    [
        ("judging", {"judge"}),
        ("by_key", {"judge"}),
        ("keys", {"judge", "writer", *CONTESTANT}),
        ("contestant", CONTESTANT),
        ("authoring", {"writer"}),
        ("translator", {"translator"}),
        ("painting", {"painter", "sources", "truth", *CONTESTANT}),
        ("observers", {"detector", "image_embedder"}),
        ("vocabulary", set(revisions.PARTS)),
    ],
)
def test_an_edit_concerns_only_the_parts_that_import_it(copied: Path, module: str, parts: set[str]) -> None:
    before = taken()
    with (copied / f"{module}.py").open("a") as file:
        file.write("# a new rule\n")
    after = taken()
    assert {part for part in before if before[part] != after[part]} == parts
    assert all(len(digits) == 16 and int(digits, 16) >= 0 for digits in after.values())


def test_the_font_concerns_everybody(copied: Path) -> None:
    before = taken()
    font = next(copied.glob("*.ttf"))
    font.write_bytes(font.read_bytes() + b"\0")
    assert all(taken()[part] != revision for part, revision in before.items())


@pytest.mark.parametrize("part", revisions.PARTS)
def test_all_modules_behind_a_part_are_found(graph: grimp.ImportGraph, part: str) -> None:
    module = f"{PACKAGE}.{revisions.PARTS[part]}"
    found = {m.removeprefix(f"{PACKAGE}.") for m in graph.find_upstream_modules(module)} | {revisions.PARTS[part]}
    assert revisions.modules_behind(revisions.PARTS[part]) == found - {PACKAGE}
