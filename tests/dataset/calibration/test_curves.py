"""The picture of the curves: the same bytes for the same labels, today's threshold marked, whole without labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from stages.dataset.calibration.curves import BLUE, RED, draw_curves
from stages.dataset.calibration.labels import KINDS
from stages.dataset.calibration.measures import Measures, measure
from stages.dataset.calibration.operating_points import Points, Strata, points_of
from stages.dataset.calibration.suggesting import Least
from tests.dataset.calibration.small_samples import ONE, one_stratum, sampled

NOTHING = np.zeros((0, len(KINDS), 11))


def known(threshold: int, times: int = 1) -> tuple[Points, Measures]:
    counts = one_stratum(bad=[0, 1, 4, 5, 8, 9] * times, good=[2, 3, 6, 7, 10] * times)
    measured = measure(sampled(0 * counts, counts), 0, threshold, True, Least(0.95, 0.5))
    return points_of(counts, ONE, rejects=True), measured


def colours(path: Path) -> dict[str, int]:
    found = Image.open(path).convert("RGB").getcolors(1 << 20)
    return {"#{:02x}{:02x}{:02x}".format(*colour): count for count, colour in found or ()}  # type: ignore[misc]


def test_curves_are_drawn_with_today_s_threshold_marked(tmp_path: Path) -> None:
    cases = {"one": (7,), "two": (7,), "other": (3,), "outside": (0,), "surer": (7, 100)}
    for name, asked in cases.items():
        curve, measured = known(*asked)
        draw_curves(tmp_path / name, {"clarity": curve}, {"clarity": measured})
    one, two, other = ((tmp_path / name).read_bytes() for name in ("one", "two", "other"))
    assert one == two != other
    assert colours(tmp_path / "one").keys() >= {RED, BLUE}
    assert RED not in colours(tmp_path / "outside")  # below 0 nothing is found, so there is no such point
    assert colours(tmp_path / "surer")[RED] < colours(tmp_path / "one")[RED] / 2, "its intervals are shorter"


def test_without_labels_there_are_empty_plots(tmp_path: Path) -> None:
    names = [f"filter {number}" for number in range(6)]  # more than a row
    none = Strata(np.zeros(0))
    empty = measure(sampled(NOTHING, NOTHING, strata=none), 0, 7, rejects=True, least=Least(0.95, 0.5))
    curve = points_of(NOTHING, none, True)
    draw_curves(tmp_path / "none", dict.fromkeys(names, curve), dict.fromkeys(names, empty))
    assert not colours(tmp_path / "none").keys() & {RED, BLUE} and len(colours(tmp_path / "none")) > 1
