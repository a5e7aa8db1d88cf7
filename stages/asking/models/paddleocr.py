"""Reads lettering by PP-OCR through paddleocr itself, offline: onnxruntime and model folders that lie here.

The folder that run.toml names holds one folder for each of the two models, `<detection>/` and `<recognition>/`, with
inference.onnx and inference.yml in each, as PaddlePaddle publishes them for onnxruntime.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.asking.models import ocr
from stages.asking.models.batches import BatchedModel, usable_cores
from stages.asking.models.extras import require
from stages.asking.models.weights import verify
from stages.asking.requests import Reply, Request
from stages.asking.seeing import Line
from stages.project.errors import UserError
from stages.project.model_kinds import PaddleOCRModel, identity
from stages.project.settings import Endpoint, on_disk

FILES = ("inference.onnx", "inference.yml")
MOST_READERS = 4
"""Unless run.toml says `batch`: each holds both models in memory."""


def open_paddleocr(name: str, slug: str, model: PaddleOCRModel, endpoint: Endpoint) -> BatchedModel:
    """Open the reader; `name` is whose it is, "reader (ocr)".

    Lettering is taken to be upright, and pictures to be flat: no model turns or unbends them. UserError when the
    package or a model folder is missing, or is not what `revision` says.
    """
    folder = models_folder(name, slug, model, endpoint)
    for package in ("paddleocr", "onnxruntime"):
        require(name, package, "paddle")
    batch = endpoint.batch or min(usable_cores(), MOST_READERS)
    readers: SimpleQueue[Any] = SimpleQueue()  # paddleocr does not say that threads may share one
    for _ in range(batch):
        readers.put(loaded(name, slug, model, folder, endpoint.device))

    def read(picture: NDArray[np.uint8]) -> Iterator[Line]:
        reader = readers.get()
        try:
            [found] = reader.predict(picture)
        finally:
            readers.put(reader)
        for text, confidence, corners in zip(found["rec_texts"], found["rec_scores"], found["rec_polys"], strict=True):
            yield Line(text, float(confidence), tuple((float(x), float(y)) for x, y in corners))

    threads = ThreadPoolExecutor(batch, thread_name_prefix="paddleocr")

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return list(threads.map(lambda request: ocr.answer(request, read, model.confidence), requests))

    return BatchedModel(identity(model), batch, generate)


def models_folder(name: str, slug: str, model: PaddleOCRModel, endpoint: Endpoint) -> Path:
    """Return the folder with both models' folders; UserError where one is missing, or not what params.yaml pins."""
    if not endpoint.weights:
        raise UserError(
            f"{name}: no model folder: run.toml needs `[models.{slug}] weights`, with {model.detection}/ and "
            f"{model.recognition}/ in it"
        )
    folder = on_disk(endpoint.weights)
    for part in (model.detection, model.recognition):
        if missing := [file for file in FILES if not (folder / part / file).is_file()]:
            raise UserError(
                f"{name}: {folder / part} has no {missing[0]}: fetch PaddlePaddle/{part}_onnx from the Hub into it, or "
                f"mend run.toml, `[models.{slug}] weights`"
            )
    verify(name, slug, folder, model.revision)
    return folder


def loaded(name: str, slug: str, model: PaddleOCRModel, folder: Path, device: str | None) -> Any:
    from paddleocr import PaddleOCR

    logging.getLogger("paddlex").setLevel(logging.ERROR)  # else it tells of every model and every large picture
    try:
        return PaddleOCR(
            engine="onnxruntime",
            # One thread each, as sums split among threads may differ in their last bits.
            engine_config={"intra_op_num_threads": 1, "inter_op_num_threads": 1},
            device=(device or "cpu").replace("cuda", "gpu"),  # as paddle names it
            text_detection_model_name=model.detection,
            text_detection_model_dir=str(folder / model.detection),
            text_recognition_model_name=model.recognition,
            text_recognition_model_dir=str(folder / model.recognition),
            use_doc_orientation_classify=False,
            use_doc_unwarping=False,
            use_textline_orientation=False,
        )
    except (OSError, ValueError, RuntimeError, LookupError, AssertionError) as error:
        cause = " ".join(str(error).split())[:300]
        raise UserError(
            f"{name}: {folder} cannot be loaded ({cause}): mend models.{slug} in params.yaml, or the folder"
        ) from None
