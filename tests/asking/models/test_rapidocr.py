"""Lettering read by the real PP-OCR in rapidocr's package: lines, places, order, cut, and models that are not there."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
import rapidocr as package
from PIL import Image, ImageOps

from stages.asking.models.batches import BatchedModel
from stages.asking.models.ocr import open_rapidocr
from stages.asking.outcomes import Outcome
from stages.asking.requests import Picture, Read, Reply
from stages.asking.seeing import Line, Reading
from stages.project.errors import UserError
from stages.project.model_kinds import RapidOCRModel, identity
from stages.project.settings import Endpoint
from tests import fakes
from tests.fakes import encoded
from tests.lettering import SHOP, blank, page, shop

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


def test_a_picture_is_read_upright(project: Path):
    exif = Image.Exif()
    exif[0x0112] = 6  # it is to be turned by 90° clockwise when shown, and so it lies turned the other way
    turned = encoded(page().rotate(90), "PNG", exif=exif)
    assert [line.text for line in lines(put(reader(), turned)[0])] == list(SHOP)


def test_no_lettering_is_an_empty_list(project: Path):
    assert put(reader(), blank(), encoded(Image.new("RGB", (1, 1)), "PNG")) == [Reply(b"[]"), Reply(b"[]")]


def test_a_broken_picture_harms_no_other(project: Path):
    narrow = encoded(Image.new("RGB", (5000, 1)), "PNG")
    cut = encoded(Image.effect_noise((64, 64), 50).convert("RGB"), "JPEG")[:300] + b"\xff\xd9"
    nonsense, narrow_one, cut_one, whole = put(reader(), b"not a picture", narrow, cut, shop())
    assert nonsense == Reply(b"the picture is not a picture in a known format", "invalid")
    assert narrow_one == Reply(b"the picture is too narrow to be read", "invalid")
    assert cut_one.finish == "invalid" and b"cannot be decoded" in cut_one.content
    assert len(lines(whole)) == 3


def test_bytes_do_not_depend_on_company(project: Path):
    pictures = [shop(), blank(), encoded(ImageOps.invert(page()), "PNG")]
    together = put(reader(batch=3), *pictures)
    assert together == put(reader(batch=1), *reversed(pictures))[::-1]


def test_lines_below_the_confidence_are_left_out(project: Path):
    sure = [line.confidence for line in lines(put(reader(0.0), shop())[0])]
    cut = sorted(sure)[1]  # of three, the least sure falls out and the one at the cut stays
    kept = [line.confidence for line in lines(put(reader(cut), shop())[0])]
    assert kept == [confidence for confidence in sure if confidence >= cut] and len(kept) == 2


def test_identity_is_what_params_say():
    model = reader(0.7, batch=3)
    assert model.identity == identity(RapidOCRModel(kind="rapidocr", confidence=0.7))
    assert model.identity == {
        "id": "PP-OCRv6_small",
        "revision": "",
        "numerics": "",
        "sampling": {},
        "confidence": 0.7,
        "kind": "rapidocr",
    }


def test_a_model_that_is_not_carried_is_never_fetched(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("requests.get", lambda *a, **b: pytest.fail("a download"))
    with pytest.raises(UserError) as error:
        open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr", id="PP-OCRv5_server"), Endpoint())
    said = str(error.value)
    assert said.startswith("reader (ocr): PP-OCRv5_server needs ch_PP-OCRv5_det_server.onnx, which is not in ")
    assert "with rapidocr comes PP-OCRv6_small alone: fetch it from https://" in said and "`weights`" in said
    assert "\n" not in said


def test_every_model_that_params_may_name_is_known(project: Path):
    for id in RapidOCRModel.model_fields["id"].annotation.__args__:
        with pytest.raises(UserError, match=f"{id} needs .*onnx, which is not in {project}/none: fetch it from"):
            open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr", id=id), Endpoint(weights="none"))


def test_models_of_a_folder_are_read_and_have_to_be_the_known_ones(project: Path):
    shutil.copytree(CARRIED, project / "ocr", ignore=shutil.ignore_patterns("*cls*"))
    assert put(reader(weights="ocr"), shop()) == put(reader(), shop())
    changed = project / "ocr" / "PP-OCRv6_rec_small.onnx"
    changed.write_bytes(hashlib.sha256(b"").digest())
    with pytest.raises(UserError, match=f"{changed} is not the PP-OCRv6_small that rapidocr knows: fetch https"):
        reader(weights="ocr")
