"""Draws docs/world.jpg: forty faultless pictures of the embedded world, 8 by 5.

python docs/world.py
"""

from __future__ import annotations

import random
from pathlib import Path

from PIL import Image

from stages.sandbox.painting import paint
from stages.sandbox.scene import random_scene

COLUMNS, ROWS, SIDE = 8, 5, 160

sheet = Image.new("RGB", (COLUMNS * SIDE, ROWS * SIDE))
for number in range(COLUMNS * ROWS):
    rng = random.Random(f"sheet {number}")
    picture = paint(random_scene(rng), 512, 512, rng).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    sheet.paste(picture, (number % COLUMNS * SIDE, number // COLUMNS * SIDE))
sheet.save(Path(__file__).with_name("world.jpg"), quality=78)
