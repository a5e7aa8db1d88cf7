"""Reads one line of lettering with the recogniser in rapidocr's wheel: loaded at first use, one thread, no network.

The wheel's own classes take twice as long to import as its recogniser takes to load, in every worker that sees a sign.
"""

from __future__ import annotations

import importlib.resources
from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

WEIGHTS = "models/PP-OCRv6_rec_small.onnx"
HEIGHT, LEAST_WIDTH = 48, 160
"""Pixels of what the recogniser is shown; a shorter line is filled up with mid grey. Half of what the wheel takes reads
signs as well, and takes three fifths of the time."""
BLANK = 0
"""The class of a column in which no character begins."""
_LOOKALIKES = str.maketrans({"0": "O", "1": "I", "|": "I", "5": "S", "8": "B", "2": "Z", "6": "G"})


class Recogniser(NamedTuple):
    """The loaded network, and its classes: the blank, its characters, the space."""

    session: Any
    characters: list[str]


@cache
def _recogniser() -> Recogniser:
    import onnxruntime  # only needed where a sign is seen

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with importlib.resources.as_file(importlib.resources.files("rapidocr") / WEIGHTS) as path:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    characters = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    return Recogniser(session, ["", *characters, " "])


def read_line(ink: NDArray[np.float32]) -> str:
    """Read what is near 1 in `ink` (h, w); "" where nothing is. Signs carry capitals or Chinese: Latin text comes in
    capitals, digits as the letters they look like.
    """
    rows, columns = np.flatnonzero(ink.max(1) > 0.5), np.flatnonzero(ink.max(0) > 0.5)
    if len(rows) < 4 or len(columns) < 4:
        return ""
    tight = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    margin = max(3, len(rows) // 3)
    page = np.pad(255 - tight * 235, margin, constant_values=255).astype(np.uint8)
    text = _recognise(page)
    if text.isascii():
        text = " ".join(text.upper().translate(_LOOKALIKES).split())
    return text


def _recognise(page: NDArray[np.uint8]) -> str:
    """Return the line on a page (h, w) in grey levels, the most probable class of each column taken."""
    session, characters = _recogniser()
    width = int(np.ceil(HEIGHT * page.shape[1] / page.shape[0]))
    line = np.zeros((1, 3, HEIGHT, max(width, LEAST_WIDTH)), np.float32)
    scaled = cv2.resize(page.astype(np.float64), (width, HEIGHT), interpolation=cv2.INTER_LINEAR)
    line[..., :width] = np.floor(scaled + 0.5).astype(np.float32) / np.float32(127.5) - 1
    [[probabilities]] = session.run(None, {session.get_inputs()[0].name: line})
    found = probabilities.argmax(1)
    begins = (found != BLANK) & (found != np.roll(found, 1))
    begins[0] = found[0] != BLANK
    return "".join(characters[one] for one in found[begins]).strip()
