"""The picture of the curves: the same bytes for the same labels, today's threshold marked, whole without labels."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from stages.dataset.calibration.curves import BLUE, RED, draw_curves
from stages.dataset.calibration.operating_points import Tally, measure


def colours(path: Path) -> set[str]:
    found = Image.open(path).convert("RGB").getcolors(1 << 20)
    return {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in found or ()}


def test_curves_are_drawn_with_today_s_threshold_marked(tmp_path: Path) -> None:
    tally = Tally()
    for score in range(11):
        tally.add(score, score % 4 > 1)
    for name, threshold in (("one", 7), ("two", 7), ("other", 3), ("outside", 0)):
        measured = measure(tally, 0, threshold, rejects=True, least_precision=0.95)
        draw_curves(tmp_path / name, {"clarity": tally.curve(True)}, {"clarity": measured})
    one, two, other = ((tmp_path / name).read_bytes() for name in ("one", "two", "other"))
    assert one == two != other
    assert colours(tmp_path / "one") >= {RED, BLUE}
    assert RED not in colours(tmp_path / "outside")  # below 0 nothing is found, so there is no such point


def test_without_labels_there_are_empty_plots(tmp_path: Path) -> None:
    names = [f"filter {number}" for number in range(6)]  # more than a row
    empty = measure(Tally(), 0, 7, rejects=True, least_precision=0.95)
    draw_curves(tmp_path / "none", dict.fromkeys(names, Tally().curve(True)), dict.fromkeys(names, empty))
    assert not colours(tmp_path / "none") & {RED, BLUE} and len(colours(tmp_path / "none")) > 1
