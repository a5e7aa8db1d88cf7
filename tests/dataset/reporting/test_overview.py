"""The build at a glance: the same bytes for the same build, and whole when there is nothing to show."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from stages.dataset.reporting.figures import gather
from stages.dataset.reporting.overview import BLUE, GREEN, RED, overview
from tests.dataset import small_build


def colours(path: str) -> set[str]:
    found = Image.open(path).convert("RGB").getcolors(1 << 20)
    return {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in found or ()}


def test_the_same_build_gives_the_same_bytes(project: Path) -> None:
    small_build.write()
    build = gather(small_build.params())
    overview(Path("one.webp"), build)
    overview(Path("two.webp"), build)
    assert Path("one.webp").read_bytes() == Path("two.webp").read_bytes()
    assert colours("one.webp") >= {BLUE, GREEN, RED}


def test_a_build_of_which_nothing_came(project: Path) -> None:
    small_build.empty()
    overview(Path("none.webp"), gather(small_build.params()))
    assert not colours("none.webp") & {BLUE, GREEN, RED} and len(colours("none.webp")) > 1  # writing alone
