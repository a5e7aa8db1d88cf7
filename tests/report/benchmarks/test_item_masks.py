"""Masks of items, laid over the inputs of their size."""

from __future__ import annotations

from stages.evaluation.defining.editions import EditionPicture, Item
from stages.report.benchmarks.masks import Mask, masks_of
from stages.report.site.thumbnails import Shown


def picture(name: str, role: str) -> EditionPicture:
    sha256 = name.encode().hex().ljust(64, "0")
    return EditionPicture.model_validate(
        {"name": name, "role": role, "sha256": sha256, "media_type": "image/png", "width": 8, "height": 8}
    )


def test_a_mask_lies_over_the_inputs_of_its_size() -> None:
    """As they stand upright, which a stored width and height may not say."""
    images = (
        picture("a", "input"),
        picture("b", "input"),
        picture("m", "mask"),
        picture("n", "mask"),
        picture("s", "solution"),
    )
    small, wide, lost = Shown("s", 4, 4, 8, 8), Shown("w", 8, 4, 16, 8), Shown(why="is truncated")
    shown = dict(zip((one.sha256 for one in images), (small, wide, small, lost, small), strict=True))
    assert masks_of(Item(id=1, prompt="x", images=images), shown) == [Mask("m", small, [("a", small)])]
    shown |= {images[2].sha256: Shown("t", 3, 3, 9, 9)}
    assert masks_of(Item(id=1, prompt="x", images=images), shown)[0].inputs == []
