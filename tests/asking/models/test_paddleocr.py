"""Lettering read by the real PaddleOCR, offline, with the PP-OCR networks that rapidocr carries; and missing folders.

Where paddleocr is not installed (it brings 700 MB), only what can be said without it is tested.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
from pathlib import Path

import onnxruntime
import pytest

from stages.asking.models.batches import BatchedModel
from stages.asking.models.ocr import open_paddleocr
from stages.asking.models.weights import digest
from stages.asking.requests import Picture, Read, Reply
from stages.asking.seeing import LINES, Line
from stages.project.errors import UserError
from stages.project.model_kinds import PaddleOCRModel
from stages.project.settings import Endpoint
from tests import fakes
from tests.lettering import SHOP, blank, shop

DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
BOTH = {"detection": DETECTION, "recognition": RECOGNITION}
UNPINNED = "sha256-" + "0" * 64
with_paddleocr = pytest.mark.skipif(importlib.util.find_spec("paddleocr") is None, reason="paddleocr is not installed")


@pytest.fixture
def models(project: Path) -> Path:
    """The two model folders as PaddleOCR wants them, made of rapidocr's ONNX files."""
    found = importlib.util.find_spec("rapidocr")
    assert found is not None and found.origin is not None
    carried = Path(found.origin).parent / "models"
    read = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
    normalize = {"mean": [0.5] * 3, "std": [0.5] * 3, "scale": "1./255.", "order": "hwc"}
    detection = [read, {"DetResizeForTest": {}}, {"NormalizeImage": normalize}, {"ToCHWImage": None}]
    keys = onnxruntime.InferenceSession(carried / "PP-OCRv6_rec_small.onnx").get_modelmeta().custom_metadata_map
    characters = keys["character"].splitlines()
    write(project / "ocr" / DETECTION, carried / "PP-OCRv6_det_small.onnx", detection, {"name": "DBPostProcess"})
    write(
        project / "ocr" / RECOGNITION,
        carried / "PP-OCRv6_rec_small.onnx",
        [read, {"RecResizeImg": {"image_shape": [3, 48, 320]}}],
        {"name": "CTCLabelDecode", "character_dict": characters},
    )
    return project / "ocr"


def write(folder: Path, network: Path, operations: list[dict], after: dict) -> None:
    """A model folder; its inference.yml is written as JSON, which is YAML."""
    folder.mkdir(parents=True)
    os.symlink(network, folder / "inference.onnx")
    config = {"Global": {"model_name": folder.name}, "PreProcess": {"transform_ops": operations}, "PostProcess": after}
    (folder / "inference.yml").write_text(json.dumps(config))


def parameters(**values: str | float) -> PaddleOCRModel:
    return PaddleOCRModel.model_validate({"kind": "paddleocr", "revision": UNPINNED} | BOTH | values)


def reader(folder: Path, confidence: float = 0.5, **endpoint: int) -> BatchedModel:
    model = parameters(revision=digest(folder), confidence=confidence)
    return open_paddleocr("reader (ocr)", "ocr", model, Endpoint(weights=str(folder), **endpoint))


def put(model: BatchedModel, *pictures: bytes) -> list[Reply]:
    return fakes.answers(model, *(Read(Picture(data)) for data in pictures))


def lines(reply: Reply) -> list[Line]:
    assert reply.finish == "stop"
    return LINES.validate_json(reply.content)


@with_paddleocr
def test_reads_lines_where_they_stand_without_a_network(models: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection"))
    nonsense, nothing, page = put(reader(models, batch=2), b"not a picture", blank(), shop())
    assert nonsense == Reply(b"the picture is not a picture in a known format", "invalid")
    assert nothing == Reply(b"[]")
    assert [line.text for line in lines(page)] == list(SHOP)
    for line, (left, top, right, bottom) in zip(lines(page), SHOP.values(), strict=True):
        assert 0.9 < line.confidence <= 1
        across, down = zip(*line.corners, strict=True)
        assert max(abs(min(across) - left), abs(max(across) - right)) < 10
        assert max(abs(min(down) - top), abs(max(down) - bottom)) < 20


def refused(model: PaddleOCRModel, **endpoint: str) -> str:
    with pytest.raises(UserError) as error:
        open_paddleocr("reader (ocr)", "ocr", model, Endpoint(**endpoint))
    said = str(error.value)
    assert said.startswith("reader (ocr): ") and "\n" not in said
    return said


def test_the_folders_have_to_be_named_and_whole(models: Path):
    needs = f"run.toml needs `[models.ocr] weights`, with {DETECTION}/ and {RECOGNITION}/ in it"
    assert refused(parameters()).endswith(needs)
    (models / RECOGNITION / "inference.onnx").unlink()
    assert f"{models}/{RECOGNITION} has no inference.onnx: fetch PaddlePaddle/" in refused(parameters(), weights="ocr")
    assert f"/none/{DETECTION} has no inference.onnx" in refused(parameters(), weights="none")


@pytest.mark.skipif(importlib.util.find_spec("paddleocr") is not None, reason="paddleocr is installed")
def test_a_missing_package_is_one_line(models: Path):
    said = refused(parameters(revision=digest(models)), weights="ocr")
    assert said == "reader (ocr): the package paddleocr is missing: pip install -e '.[paddle]'"
