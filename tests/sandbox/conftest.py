"""What tests of the world's roles share."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image


@pytest.fixture(scope="session")
def foreign() -> bytes:
    """A picture that is not of the embedded world: noise of another kind, with soft large patches."""
    pixels = np.random.default_rng(3).integers(0, 255, (8, 8, 3), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).resize((256, 256), Image.Resampling.BICUBIC).save(buffer, "PNG")
    return buffer.getvalue()
