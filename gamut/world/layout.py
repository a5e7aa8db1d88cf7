"""Where things stand in a picture: the sign, the horizon, a box for every pictogram. All measures are pixels."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .scene import Scene

_ROWS = {1: (1,), 2: (2,), 3: (1, 2), 4: (2, 2), 5: (2, 3)}
LARGE = 0.217
"""Size of a pictogram, as a share of the picture's shorter side, from which it shows telling detail: the limit that the
truth goes by (`Layout.largest`).
"""
_ROOMY, _LEAST = 0.2, 0.75
"""Pictograms that could be larger than the one share have at least the other of the size that there is room for."""


@dataclass(frozen=True)
class Box:
    """A rectangle: left, top, right, bottom."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0


def rim_width(unit: float) -> int:
    """Breadth in pixels of the paper rim around a pictogram, in a picture whose shorter side is `unit` pixels."""
    return max(4, round(unit / 90))


@dataclass(frozen=True)
class Layout:
    """`objects[g]` holds (centre x, bottom y, size) of each pictogram of group g; `shelf` lifts the upper group."""

    unit: float
    horizon: float
    objects: tuple[tuple[tuple[float, float, float], ...], ...]
    sign: Box | None
    shelf: Box | None

    @property
    def cords(self) -> tuple[float, ...]:
        """Return where the two cords that carry the shelf hang."""
        return (self.shelf.x0 + 0.03 * self.unit, self.shelf.x1 - 0.03 * self.unit) if self.shelf else ()

    @property
    def largest(self) -> float:
        """Size of the largest pictogram as a share of the picture's shorter side; 0 without any."""
        return max((size for group in self.objects for _, _, size in group), default=0.0) / self.unit


def plan_layout(scene: Scene, width: int, height: int, rng: random.Random) -> Layout:
    """Lay out a complete scene as it is to be shown, in a picture of width × height pixels."""
    unit = float(min(width, height))
    inset = 0.07 * unit
    area = Box(inset, inset, width - inset, height - inset)
    sign = None
    vertical = scene.relation in ("above", "below")
    if scene.lettering:
        sign = _sign_box(scene, area, unit, rng)
        if scene.sign == "banner":
            area = Box(area.x0, sign.y1 + 0.03 * unit, area.x1, area.y1)
        elif scene.groups:
            area = Box(area.x0, area.y0, area.x1, sign.y0 - 0.025 * unit)
    horizon = height * (0.52 if vertical else rng.uniform(0.54, 0.62))
    boxes = _group_boxes(scene, area, unit, rng)
    if scene.relation in ("right", "below"):
        boxes = boxes[::-1]
    shelf = None
    placed = []
    for box, group in zip(boxes, scene.groups, strict=True):
        upper = vertical and box.y0 == min(b.y0 for b in boxes)
        rows = (group.count,) if vertical else _rows(group.count, box)
        spots = _spots(box, rows, unit, rng, vertical)
        placed.append(spots)
        if upper:
            left = min(x - s / 2 for x, _, s in spots) - 0.03 * unit
            right = max(x + s / 2 for x, _, s in spots) + 0.03 * unit
            shelf = Box(left, spots[0][1] + 0.012 * unit, right, spots[0][1] + 0.036 * unit)
    return Layout(unit, horizon, tuple(placed), sign, shelf)


def _sign_box(scene: Scene, area: Box, unit: float, rng: random.Random) -> Box:
    lettering = scene.lettering or ""
    alone = not scene.groups
    tall = (0.26 if alone else 0.135) * unit
    wide = min(area.width, tall * (0.9 + 0.62 * len(lettering)), 0.8 * unit)
    middle = (area.x0 + area.x1) / 2 + (0 if alone else rng.uniform(-0.5, 0.5) * (area.width - wide))
    top = area.y0 + 0.005 * unit if scene.sign == "banner" else area.y1 - tall - (0.2 if alone else 0.035) * unit
    return Box(middle - wide / 2, top, middle + wide / 2, top + tall)


def _group_boxes(scene: Scene, area: Box, unit: float, rng: random.Random) -> list[Box]:
    """Return one box per group: the first is the left or the upper one."""
    if not scene.groups:
        return []
    if scene.relation in ("above", "below"):
        middle = area.y0 + 0.47 * area.height
        # Where the sky has something to show, the upper group leaves it a side.
        room = 0.26 * area.width if scene.surreal or scene.mood != "calm" else 0.0
        left = rng.choice((0.0, room))
        return [
            Box(area.x0 + left, area.y0, area.x1 - room + left, middle - 0.02 * unit),
            Box(area.x0, middle + 0.04 * unit, area.x1, area.y1),
        ]
    top = max(area.y0, area.y1 - 0.56 * unit)
    if len(scene.groups) == 1:
        slack = min(0.2 * area.width, 0.14 * unit)
        return [Box(area.x0 + slack / 2, top, area.x1 - slack / 2, area.y1)]
    middle = (area.x0 + area.x1) / 2
    gap = 0.03 * unit
    return [Box(area.x0, top, middle - gap, area.y1), Box(middle + gap, top, area.x1, area.y1)]


def _rows(count: int, box: Box) -> tuple[int, ...]:
    return (count,) if count > 1 and box.width > 1.25 * box.height and count <= 3 else _ROWS[count]


def _spots(
    box: Box, rows: tuple[int, ...], unit: float, rng: random.Random, vertical: bool
) -> tuple[tuple[float, float, float], ...]:
    """Return rows of equal pictograms, the last row at the box's bottom, each a little off its place."""
    cell = min(box.width / max(rows), box.height / len(rows))
    # Paper rims are of one breadth at any size, so small cells lose more of themselves to the gap between rims.
    size = min(0.84 * cell, 0.96 * cell - 0.026 * unit, (0.42 if sum(rows) == 1 else 0.30) * unit)
    if size > _ROOMY * unit:
        size *= rng.uniform(_LEAST, 1)
    pitch = min(cell * 1.0, size / 0.78)
    loose = 0.0 if vertical else 0.018 * size
    # A whole group may stand left or right of its box's middle.
    spare = box.width - pitch * max(rows)
    shift = rng.uniform(-0.3, 0.3) * spare
    spots = []
    for number, many in enumerate(rows):
        bottom = box.y1 - (len(rows) - 1 - number) * min(cell, size * 1.17)
        for k in range(many):
            x = (box.x0 + box.x1) / 2 + shift + (k - (many - 1) / 2) * pitch
            spots.append((x + rng.uniform(-loose, loose), bottom - rng.uniform(0, loose), size))
    return tuple(spots)
