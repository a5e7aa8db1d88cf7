"""Lettering read by the real PP-OCR, of rapidocr and, where installed, of paddleocr; and files that are not there."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import socket
from pathlib import Path

import onnxruntime
import orjson
import pytest
import rapidocr as package
from PIL import Image

from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.ocr import answer_read, in_reading_order, open_paddleocr, open_rapidocr
from gamut.asking.models.weights import digest
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Picture, Read, Reply
from gamut.asking.seeing import LINES, Line, Reading
from gamut.project.errors import UserError
from gamut.project.model_kinds import PaddleOCRModel, RapidOCRModel
from gamut.project.settings import Endpoint
from tests import fakes
from tests.fakes import encoded
from tests.lettering import SHOP, blank, shop


def test_rows_go_from_top_to_bottom_and_each_from_left_to_right():
    def line(text: str, left: int, top: int, height: int = 40) -> Line:
        corners = ((left, top), (left + 50, top), (left + 50, top + height), (left, top + height))
        return Line(text, 1.0, corners)

    # In the first row b stands 15 pixels lower than c, as tall letters do; its middle (35) is above c's edge (40).
    mixed = [line("d", 0, 45), line("c", 200, 0), line("b", 100, 15), line("a", 0, 5)]
    assert [item.text for item in in_reading_order(mixed)] == ["a", "b", "c", "d"]
    assert in_reading_order([]) == []


def test_a_reply_is_rounded_cut_and_without_empty_lines():
    corners = ((0.4, 0.0), (9.6, 0.0), (9.6, 5.0), (0.4, 5.0))
    read = [Line("sure", 0.99999, corners), Line("  ", 1.0, corners), Line("at the cut", 0.4996, corners)]
    read += [Line("below", 0.4994, corners)]  # 0.4996 is 0.500 in three decimals, 0.4994 is 0.499
    request = Read(Picture(encoded(Image.new("RGB", (10, 5)), "PNG")))
    reply = answer_read(request, lambda pixels: read, 0.5)
    whole = [[0, 0], [10, 0], [10, 5], [0, 5]]
    assert orjson.loads(reply.content) == [["at the cut", 0.5, whole], ["sure", 1.0, whole]]
    assert [line.text for line in LINES.validate_json(reply.content)] == ["at the cut", "sure"]


def test_a_picture_comes_as_rows_of_blue_green_red():
    image = Image.new("RGB", (3, 2), (200, 100, 50))
    seen = []
    answer_read(Read(Picture(encoded(image, "PNG"))), lambda pixels: seen.append(pixels) or [], 0.5)
    assert seen[0].shape == (2, 3, 3) and seen[0][0, 0].tolist() == [50, 100, 200]


CARRIED = Path(package.__file__).parent / "models"


def reader(confidence: float = 0.5, **endpoint: int | str) -> BatchedModel:
    return open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr", confidence=confidence), Endpoint(**endpoint))


def put(model: BatchedModel, *pictures: bytes) -> list[Reply]:
    return fakes.answers(model, *(Read(Picture(data)) for data in pictures))


def lines(reply: Reply) -> list[Line]:
    outcome = Reading(Read(Picture(b""))).next([reply])
    assert isinstance(outcome, Outcome) and outcome.status == "ok", outcome
    return outcome.value


def test_reads_lines_in_reading_order_where_they_stand():
    narrow = encoded(Image.new("RGB", (5000, 1)), "PNG")
    nonsense, narrow_one, empty, whole = put(reader(batch=3), b"not a picture", narrow, blank(), shop())
    assert nonsense == Reply(b"the picture is not a picture in a known format", "invalid")
    assert narrow_one == Reply(b"the picture is too narrow to be read", "invalid")
    assert empty == Reply(b"[]") and whole == put(reader(batch=1), shop())[0], "company changes no byte"
    found = lines(whole)
    assert [line.text for line in found] == list(SHOP)
    for line, (left, top, right, bottom) in zip(found, SHOP.values(), strict=True):
        assert 0.9 < line.confidence <= 1
        across, down = zip(*line.corners, strict=True)
        assert max(abs(min(across) - left), abs(max(across) - right)) < 10
        assert max(abs(min(down) - top), abs(max(down) - bottom)) < 20
        assert line.corners[0][0] < line.corners[1][0], "the corners begin at the top left and go clockwise"


def test_a_model_that_is_not_carried_is_never_fetched(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("requests.get", lambda *a, **b: pytest.fail("a download"))
    with pytest.raises(UserError) as error:
        open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr", id="PP-OCRv5_server"), Endpoint())
    said = str(error.value)
    assert said.startswith("reader (ocr): PP-OCRv5_server needs ch_PP-OCRv5_det_server.onnx, which is not in ")
    assert "rapidocr itself brings only PP-OCRv6_small: fetch it from https://" in said and "`weights`" in said
    assert "\n" not in said


def test_models_of_a_folder_are_read_and_have_to_be_the_known_ones(project: Path):
    shutil.copytree(CARRIED, project / "ocr", ignore=shutil.ignore_patterns("*cls*"))
    reader(weights="ocr")
    changed = project / "ocr" / "PP-OCRv6_rec_small.onnx"
    changed.write_bytes(hashlib.sha256(b"").digest())
    with pytest.raises(UserError, match=f"{changed} is not rapidocr's PP-OCRv6_small: fetch it from https"):
        reader(weights="ocr")


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


def paddle(folder: Path, confidence: float = 0.5, **endpoint: int) -> BatchedModel:
    model = parameters(revision=digest(folder), confidence=confidence)
    return open_paddleocr("reader (ocr)", "ocr", model, Endpoint(weights=str(folder), **endpoint))


@with_paddleocr
def test_reads_lines_where_they_stand_without_a_network(models: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection"))
    nonsense, nothing, page = put(paddle(models, batch=2), b"not a picture", blank(), shop())
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
