"""Lettering read by PP-OCR: with rapidocr, which contains the small PP-OCRv6, or with paddleocr from local folders."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from gamut.asking.models.batches import BatchedModel, decode_picture, threaded_model
from gamut.asking.models.extras import first_line, require_package
from gamut.asking.models.weights import verify
from gamut.asking.requests import Read, Reply, Request
from gamut.asking.seeing import Line
from gamut.project.errors import UserError
from gamut.project.files import sha256_of
from gamut.project.model_kinds import PaddleOCRModel, RapidOCRModel, identity
from gamut.project.places import path_on_disk
from gamut.project.process import usable_cores
from gamut.project.settings import Endpoint

ReadLines = Callable[[NDArray[np.uint8]], Iterable[Line]]
"""Reads a picture, (height, width, 3) in BGR, as OCR models were trained. Raises ValueError if it cannot be read."""


def answer_read(request: Request, read: ReadLines, confidence: float) -> Reply:
    """Answer a `Read` with the JSON of its lines in reading order, without those below `confidence` (0..1).

    Confidences have three decimals and corners whole pixels: the rest differs by machine.
    """
    assert isinstance(request, Read)  # params.yaml gives it no other role
    try:
        lines = list(read(np.ascontiguousarray(np.asarray(decode_picture(request.picture))[..., ::-1])))
    except ValueError as error:
        return Reply(f"the picture {error}".encode(), "invalid")
    rounded = [
        Line(line.text, round(line.confidence, 3), tuple((round(x), round(y)) for x, y in line.corners))
        for line in lines
        if line.text.strip()
    ]
    kept = [list(line) for line in in_reading_order(rounded) if line.confidence >= confidence]
    return Reply(orjson.dumps(kept))


def in_reading_order(lines: Iterable[Line]) -> list[Line]:
    """Sort lines into rows from top to bottom, each from left to right.

    A line is in the row whose first line's lower edge is below its middle.
    """
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (middle_height(line), line)):
        if rows and middle_height(line) < max(y for _, y in rows[-1][0].corners):
            rows[-1].append(line)
        else:
            rows.append([line])
    return list(itertools.chain.from_iterable(sorted(row, key=lambda line: (line.corners[0], line)) for row in rows))


def middle_height(line: Line) -> float:
    heights = [y for _, y in line.corners]
    return (min(heights) + max(heights)) / 2


def open_rapidocr(name: str, model: RapidOCRModel, endpoint: Endpoint) -> BatchedModel:
    """Open the reader; UserError when its model files are missing, or are not those that rapidocr knows.

    It assumes that lettering is upright: the classifier that turns lines by 180° also turns some upright ones.
    """
    require_package(name, "rapidocr", "world")
    from rapidocr import RapidOCR
    from rapidocr.utils.process_img import ResizeImgError

    detection, recognition = model_files(name, model, endpoint)
    reader = RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Global.text_score": 0.0,  # confidence is cut when the reply is made, as with every reader
            "Det.model_path": str(detection),
            "Rec.model_path": str(recognition),
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )

    def read(picture: NDArray[np.uint8]) -> Iterator[Line]:
        try:
            result: Any = reader(picture)
        except ResizeImgError:
            raise ValueError("is too narrow to be read") from None
        if result.txts is None:
            return
        for text, confidence, corners in zip(result.txts, result.scores, result.boxes.tolist(), strict=True):
            yield Line(text, float(confidence), tuple((x, y) for x, y in corners))

    batch = endpoint.batch or usable_cores()
    return threaded_model(identity(model), batch, lambda request: answer_read(request, read, model.confidence))


def model_files(name: str, model: RapidOCRModel, endpoint: Endpoint) -> tuple[Path, Path]:
    import rapidocr
    from rapidocr import LangDet, LangRec, ModelType, OCRVersion
    from rapidocr.inference_engine.base import EngineType, FileInfo, InferSession, TaskType

    packaged = Path(rapidocr.__file__).parent / "models"
    folder = path_on_disk(endpoint.weights) if endpoint.weights else packaged
    version, size = model.id.split("_")
    files = []
    for task, language in ((TaskType.DET, LangDet.CH), (TaskType.REC, LangRec.CH)):  # which read Latin letters too
        expected = InferSession.get_model_url(
            FileInfo(EngineType.ONNXRUNTIME, OCRVersion(version), task, language, ModelType(size))
        )
        files.append(path := folder / Path(expected["model_dir"]).name)
        if not path.is_file():
            carried = "" if endpoint.weights else "; rapidocr itself brings only PP-OCRv6_small"
            raise UserError(
                f"{name}: {model.id} needs {path.name}, which is not in {folder}{carried}: fetch it from "
                f"{expected['model_dir']} and name its folder in run.toml, as this model's `weights`"
            )
        if sha256_of(path) != expected["SHA256"]:
            raise UserError(f"{name}: {path} is not rapidocr's {model.id}: fetch it from {expected['model_dir']}")
    return files[0], files[1]


MOST_READERS = 4  # unless run.toml has `batch`: each holds both models in memory


def open_paddleocr(name: str, slug: str, model: PaddleOCRModel, endpoint: Endpoint) -> BatchedModel:
    """Open the reader; UserError when the package or a model folder is missing, or is not what `revision` says.

    It assumes that lettering is upright and that pictures are flat.
    """
    folder = models_folder(name, slug, model, endpoint)
    for package in ("paddleocr", "onnxruntime"):
        require_package(name, package, "paddle")
    batch = endpoint.batch or min(usable_cores(), MOST_READERS)
    readers: SimpleQueue[Any] = SimpleQueue()  # paddleocr does not say that threads may share one
    for _ in range(batch):
        readers.put(load_paddleocr(name, slug, model, folder, endpoint.device))

    def read(picture: NDArray[np.uint8]) -> Iterator[Line]:
        reader = readers.get()
        try:
            [page] = reader.predict(picture)
        finally:
            readers.put(reader)
        for text, confidence, corners in zip(page["rec_texts"], page["rec_scores"], page["rec_polys"], strict=True):
            yield Line(text, float(confidence), tuple((float(x), float(y)) for x, y in corners))

    return threaded_model(identity(model), batch, lambda request: answer_read(request, read, model.confidence))


def models_folder(name: str, slug: str, model: PaddleOCRModel, endpoint: Endpoint) -> Path:
    if not endpoint.weights:
        raise UserError(
            f"{name}: no model folder: run.toml needs `[models.{slug}] weights`, with {model.detection}/ and "
            f"{model.recognition}/ in it"
        )
    folder = path_on_disk(endpoint.weights)
    for part in (model.detection, model.recognition):
        if missing := [file for file in ("inference.onnx", "inference.yml") if not (folder / part / file).is_file()]:
            raise UserError(
                f"{name}: {folder / part} has no {missing[0]}: fetch PaddlePaddle/{part}_onnx from the Hub into it, or "
                f"fix run.toml, `[models.{slug}] weights`"
            )
    verify(name, slug, folder, model.revision)
    return folder


def load_paddleocr(name: str, slug: str, model: PaddleOCRModel, folder: Path, device: str | None) -> Any:
    from paddleocr import PaddleOCR

    logging.getLogger("paddlex").setLevel(logging.ERROR)  # otherwise it logs every model and every large picture
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
        fix = f"fix models.{slug} in params.yaml, or the folder"
        raise UserError(f"{name}: {folder} cannot be loaded ({first_line(error)}): {fix}") from None
