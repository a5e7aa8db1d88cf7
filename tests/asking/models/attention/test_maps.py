"""Maps of attention: shares of tokens, laid out as the pictures are, and drawn over them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from stages.asking.models.attention.maps import GAP, HEIGHT, LINE, attended, draw_maps, heats, under_heat

PLACES = np.array([False, True, True, False, True, True])


def test_shares_are_means_over_heads_and_passes_and_leave_out_what_came_later() -> None:
    """Of (.2, .4) and (.4, 0) in the first pass the mean is (.3, .2), of both passes ((.3 + .1) / 2, (.2 + 0) / 2)."""
    first, second = np.array([[0.2, 0.4], [0.4, 0.0]]), np.array([[0.1, 0.0, 0.9], [0.1, 0.0, 0.9]])
    assert attended([first, second], 2).tolist() == pytest.approx([0.2, 0.1])


def test_tokens_are_laid_out_row_by_row() -> None:
    shares = np.array([0.5, 0.1, 0.2, 0.9, 0.3, 0.4])
    assert [heat.tolist() for heat in heats(shares, PLACES, [(1, 2), (2, 1)])] == [[[0.1, 0.2]], [[0.3], [0.4]]]
    with pytest.raises(ValueError, match="grids of 6 cells for 4 tokens of pictures"):
        heats(shares, PLACES, [(1, 2), (2, 2)])


def test_the_hottest_cell_is_covered_most_and_a_cold_one_not_at_all() -> None:
    """85 % of (214, 39, 0) over 15 % of grey 100: (196.9, 48.15, 15); two columns of cells over five of pixels."""
    found = np.asarray(under_heat(Image.new("L", (5, 2), 100), np.array([[0.0, 1.0]])))
    assert found[:, :3].reshape(-1, 3).tolist() == [[100, 100, 100]] * 6
    assert found[:, 3:].reshape(-1, 3).tolist() == [[197, 48, 15]] * 4


def test_rows_have_one_scale_and_the_same_bytes(tmp_path: Path) -> None:
    pictures = [Image.new("RGB", (60, 40), "white"), Image.new("RGB", (30, 40), "black")]
    before = [np.array([[0.05, 0.0]]), np.array([[0.0]])]
    after = [np.array([[0.1, 0.0]]), np.array([[0.02]])]
    for name in ("once", "twice"):
        draw_maps(tmp_path / name, pictures, {"before": before, "after": after})
    assert (tmp_path / "once").read_bytes() == (tmp_path / "twice").read_bytes()
    with Image.open(tmp_path / "once") as drawn:
        seen = np.asarray(drawn.convert("RGB")).astype(int)
    top, below = GAP + LINE + HEIGHT // 2, 2 * (GAP + LINE) + HEIGHT + HEIGHT // 2
    left, right = GAP + 40, GAP + 320  # cells of the first picture, 360 pixels wide
    second = GAP + 360 + GAP + 40
    assert seen[below, left].tolist() == [220, 71, 38]  # 85 % of red over white
    assert seen[top, left].tolist() == [238, 163, 147]  # half as much
    assert seen[top, right].tolist() == seen[below, right].tolist() == [255, 255, 255]
    assert seen[top, second].tolist() == [0, 0, 0] and seen[below, second].tolist() == [36, 7, 0]  # a fifth


def test_without_any_attention_pictures_are_grey(tmp_path: Path) -> None:
    draw_maps(tmp_path / "maps.webp", [Image.new("RGB", (40, 40), "red")], {"none": [np.zeros((2, 2))]})
    with Image.open(tmp_path / "maps.webp") as drawn:
        assert len(set(drawn.convert("RGB").getpixel((GAP + 9, GAP + LINE + 9)))) == 1  # type: ignore[arg-type]
