"""Reads one line of lettering with the model in rapidocr's wheel: loaded at first use, one thread, no network."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LOOKALIKES = str.maketrans({"0": "O", "1": "I", "|": "I", "5": "S", "8": "B", "2": "Z", "6": "G"})


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR  # heavy, and only needed where a sign is seen

    return RapidOCR(
        params={
            "Global.log_level": "error",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def read_line(ink: NDArray[np.float32]) -> tuple[str, float]:
    """Return the text whose ink is near 1 in `ink` (h, w), and the model's confidence 0..1; ("", 0.0) where none is
    read.

    Signs carry capitals or Chinese: Latin text comes in capitals, digits as the letters they look like.
    """
    rows, columns = np.flatnonzero(ink.max(1) > 0.5), np.flatnonzero(ink.max(0) > 0.5)
    if len(rows) < 4 or len(columns) < 4:
        return "", 0.0
    tight = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    margin = max(3, len(rows) // 3)
    page = np.pad(255 - tight * 235, margin, constant_values=255).astype(np.uint8)
    result = _engine()(np.repeat(page[..., None], 3, axis=2), use_det=False, use_cls=False, use_rec=True)
    if not result.txts:
        return "", 0.0
    text = str(result.txts[0]).strip()
    if text.isascii():
        text = " ".join(text.upper().translate(_LOOKALIKES).split())
    return text, float(result.scores[0])
