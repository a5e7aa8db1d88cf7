"""Reads lettering by PP-OCR through rapidocr, on the processor: one picture a core, none of them in two threads.

The small PP-OCRv6 comes with the package. The others are never downloaded behind anybody's back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.asking.models import ocr
from stages.asking.models.batches import BatchedModel, usable_cores
from stages.asking.models.extras import require
from stages.asking.requests import Reply, Request
from stages.asking.seeing import Line
from stages.project.errors import UserError
from stages.project.files import sha256_of
from stages.project.model_kinds import RapidOCRModel, identity
from stages.project.settings import Endpoint, on_disk


def open_rapidocr(name: str, model: RapidOCRModel, endpoint: Endpoint) -> BatchedModel:
    """Open the reader; UserError when its two model files are not there, or are not those that rapidocr knows.

    Lettering is taken to be upright: the classifier that turns lines by 180° also turns some that were right.
    """
    require(name, "rapidocr", "world")
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
            found: Any = reader(picture)
        except ResizeImgError:
            raise ValueError("is too narrow to be read") from None
        if found.txts is None:
            return
        for text, confidence, corners in zip(found.txts, found.scores, found.boxes.tolist(), strict=True):
            yield Line(text, float(confidence), tuple((x, y) for x, y in corners))

    batch = endpoint.batch or usable_cores()
    threads = ThreadPoolExecutor(batch, thread_name_prefix="rapidocr")

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return list(threads.map(lambda request: ocr.answer(request, read, model.confidence), requests))

    return BatchedModel(identity(model), batch, generate)


def model_files(name: str, model: RapidOCRModel, endpoint: Endpoint) -> tuple[Path, Path]:
    """Return the files that detect and that recognise lettering: in the folder of run.toml, else in the package."""
    import rapidocr
    from rapidocr import LangDet, LangRec, ModelType, OCRVersion
    from rapidocr.inference_engine.base import EngineType, FileInfo, InferSession, TaskType

    packaged = Path(rapidocr.__file__).parent / "models"
    folder = on_disk(endpoint.weights) if endpoint.weights else packaged
    version, size = model.id.split("_")
    files = []
    for task, language in ((TaskType.DET, LangDet.CH), (TaskType.REC, LangRec.CH)):  # which read Latin letters too
        known = InferSession.get_model_url(
            FileInfo(EngineType.ONNXRUNTIME, OCRVersion(version), task, language, ModelType(size))
        )
        files.append(path := folder / Path(known["model_dir"]).name)
        if not path.is_file():
            carried = "" if endpoint.weights else "; with rapidocr comes PP-OCRv6_small alone"
            raise UserError(
                f"{name}: {model.id} needs {path.name}, which is not in {folder}{carried}: fetch it from "
                f"{known['model_dir']} and name its folder in run.toml, as this model's `weights`"
            )
        if sha256_of(path) != known["SHA256"]:
            raise UserError(f"{name}: {path} is not the {model.id} that rapidocr knows: fetch {known['model_dir']}")
    return files[0], files[1]
