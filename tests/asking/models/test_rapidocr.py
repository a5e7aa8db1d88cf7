"""Lettering read by the real PP-OCR in rapidocr's package: lines, places, order, cut, and models that are not there."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
import rapidocr as package
from PIL import Image

from stages.asking.models.batches import BatchedModel
from stages.asking.models.ocr import open_rapidocr
from stages.asking.outcomes import Outcome
from stages.asking.requests import Picture, Read, Reply
from stages.asking.seeing import Line, Reading
from stages.project.errors import UserError
from stages.project.model_kinds import RapidOCRModel
from stages.project.settings import Endpoint
from tests import fakes
from tests.fakes import encoded
from tests.lettering import SHOP, blank, shop

CARRIED = Path(package.__file__).parent / "models"


def reader(confidence: float = 0.5, **endpoint: int | str) -> BatchedModel:
    return open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr", confidence=confidence), Endpoint(**endpoint))


def put(model: BatchedModel, *pictures: bytes) -> list[Reply]:
    return fakes.answers(model, *(Read(Picture(data)) for data in pictures))


def lines(reply: Reply) -> list[Line]:
    outcome = Reading(Read(Picture(b""))).next([reply])
    assert isinstance(outcome, Outcome) and outcome.status == "ok", outcome
    return outcome.value


def test_reads_lines_in_reading_order_where_they_stand(project: Path):
    found = lines(put(reader(), shop())[0])
    assert [line.text for line in found] == list(SHOP)
    for line, (left, top, right, bottom) in zip(found, SHOP.values(), strict=True):
        assert 0.9 < line.confidence <= 1
        across, down = zip(*line.corners, strict=True)
        assert max(abs(min(across) - left), abs(max(across) - right)) < 10
        assert max(abs(min(down) - top), abs(max(down) - bottom)) < 20
        assert line.corners[0][0] < line.corners[1][0], "the corners begin at the top left and go clockwise"


def test_a_broken_picture_harms_no_other_and_company_changes_no_byte(project: Path):
    narrow = encoded(Image.new("RGB", (5000, 1)), "PNG")
    nonsense, narrow_one, empty, whole = put(reader(batch=3), b"not a picture", narrow, blank(), shop())
    assert nonsense == Reply(b"the picture is not a picture in a known format", "invalid")
    assert narrow_one == Reply(b"the picture is too narrow to be read", "invalid")
    assert empty == Reply(b"[]") and whole == put(reader(batch=1), shop())[0]


def test_a_model_that_is_not_carried_is_never_fetched(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("requests.get", lambda *a, **b: pytest.fail("a download"))
    with pytest.raises(UserError) as error:
        open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr", id="PP-OCRv5_server"), Endpoint())
    said = str(error.value)
    assert said.startswith("reader (ocr): PP-OCRv5_server needs ch_PP-OCRv5_det_server.onnx, which is not in ")
    assert "with rapidocr comes PP-OCRv6_small alone: fetch it from https://" in said and "`weights`" in said
    assert "\n" not in said


def test_models_of_a_folder_are_read_and_have_to_be_the_known_ones(project: Path):
    shutil.copytree(CARRIED, project / "ocr", ignore=shutil.ignore_patterns("*cls*"))
    reader(weights="ocr")
    changed = project / "ocr" / "PP-OCRv6_rec_small.onnx"
    changed.write_bytes(hashlib.sha256(b"").digest())
    with pytest.raises(UserError, match=f"{changed} is not the PP-OCRv6_small that rapidocr knows: fetch https"):
        reader(weights="ocr")
