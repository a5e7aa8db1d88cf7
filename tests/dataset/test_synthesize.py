"""Ugly pictures from a painter: each ends in a status or as an upright RGB JPEG, nothing is lost."""

from __future__ import annotations

import asyncio
import io
import pickle
import re
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from gamut.asking.making import Painting, png_comment
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Paint, Reply, Request, seed_of, stored_picture
from gamut.project.errors import UserError
from gamut.project.parameters import load
from gamut.project.validation import check_values, parse_yaml
from gamut.tables.images import encode_upright, upright_jpeg
from gamut.tables.reading import read_rows
from stages.dataset.pipeline import Params
from stages.dataset.synthesize import SCHEMA, Synthesize, draw_size, paint
from tests.fakes import ask_all, claiming, encoded
from tests.paths import ROOT


def rotated() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(Image.new("RGB", (80, 64), "red"), "JPEG", exif=exif)


def with_nonsense_in_exif() -> bytes:
    """The EXIF data of exif_crash.jpg on a picture of another size."""
    return EXIF_CRASH[: EXIF_CRASH.index(b"\xff\xdb")] + PLAIN[PLAIN.index(b"\xff\xdb") :]


EXIF_CRASH = (ROOT / "tests/data/exif_crash.jpg").read_bytes()
FRAMES = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
PLAIN = encoded(Image.new("RGB", (80, 64), "red"), "JPEG")
PICTURES: dict[str, tuple[bytes, str, str | tuple[int, int]]] = {
    "plain": (PLAIN, "ok", (80, 64)),
    "corrupt": (b"\xff\xd8 not a picture", "parse_error", "not a picture in a known format"),
    "truncated": (PLAIN[:-4], "parse_error", "truncated"),
    "empty": (b"", "missing_output", "no image"),
    "huge": (claiming(50_000, 50_000), "parse_error", "too many pixels"),
    "animated": (encoded(FRAMES[0], "GIF", save_all=True, append_images=FRAMES[1:]), "parse_error", "animated"),
    "cmyk": (encoded(Image.new("CMYK", (80, 64)), "JPEG"), "ok", (80, 64)),
    "rotated": (rotated(), "ok", (64, 80)),
    "nonsense in EXIF": (with_nonsense_in_exif(), "ok", (64, 80)),
    "nonsense in EXIF, small": (EXIF_CRASH, "parse_error", "the image has 40x60 pixels, too few to be a picture"),
    "one pixel": (encoded(Image.new("RGB", (1, 1)), "PNG"), "parse_error", "the image has 1x1 pixels"),
    "as asked": (encoded(Image.new("RGB", (512, 512), "red"), "JPEG"), "ok", (512, 512)),
    "MPO": (encoded(Image.new("RGB", (80, 64)), "MPO", save_all=True, append_images=FRAMES), "ok", (80, 64)),
    "motion photo": (PLAIN + b"video" * 1000, "ok", (80, 64)),
    "16-bit": (encoded(Image.new("I;16", (80, 64), 65535), "PNG"), "ok", (80, 64)),
}


class Painter:
    """Paints the picture that the prompt names."""

    identity = {"id": "painter"}  # noqa: RUF012
    by_record = False
    concurrency = 4

    async def answer(self, request: Request) -> Reply:
        await asyncio.sleep(0)
        assert isinstance(request, Paint)
        return Reply(PICTURES[request.prompt][0])

    async def close(self) -> None:
        pass


def test_ugly_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path / "store"))
    params = load(Params, ROOT / "params.yaml")
    records = [{"id": f"ugly-{n:08d}", "prompt": name} for n, name in enumerate(PICTURES)]
    limits = ask_all(
        Painter(), [("ugly-00000", 0, records)], tmp_path / "images", paint(params), SCHEMA, len(records), len(records)
    )
    rows = {row["prompt"]: row for row in read_rows(tmp_path / "images")}
    assert list(rows) == list(PICTURES)
    for name, (_, status, expected) in PICTURES.items():
        row = rows[name]
        assert row["status"] == status, (name, row["reason"])
        if isinstance(expected, str):
            assert expected in row["reason"]
            assert row["image"] is None
        else:
            picture = Image.open(io.BytesIO(row["image"]["bytes"]))
            assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", expected)
            assert (row["width"], row["height"]) == expected
            remark = f"{expected[0]}x{expected[1]} pixels instead of 512x512"
            assert (row["reason"] or "").startswith(remark if expected != (512, 512) else "")
            assert ("behind its end" in (row["reason"] or "")) == (name in ("MPO", "motion photo"))
    assert limits.statuses["ok with a remark"] == 7 and limits.statuses["ok"] == 1
    white = Image.open(io.BytesIO(rows["16-bit"]["image"]["bytes"]))
    assert white.getpixel((0, 0)) == (255, 255, 255), "65535 of 65535 is white"


JPEG_85 = {"kind": "jpeg", "quality": 85, "subsampling": "4:2:0"}


@pytest.mark.parametrize(
    ("encoding", "format", "layers"),
    [
        (JPEG_85, "JPEG", (2, 2)),
        (JPEG_85 | {"subsampling": "4:4:4"}, "JPEG", (1, 1)),
        ({"kind": "webp"}, "WEBP", None),
    ],
)
def test_pictures_are_encoded_as_params_yaml_says(
    encoding: dict[str, object], format: str, layers: tuple[int, int] | None
) -> None:
    """Whatever they came as, and what their painter remarked stays; where nothing is said a JPEG stays as it came."""
    block = {"width": 80, "height": 64}
    params = check_values(Synthesize, block | {"encoding": encoding}, Path("params.yaml"))
    png = encoded(Image.linear_gradient("L").resize((80, 64)), "PNG", pnginfo=png_comment("black, as it was unsafe"))
    for data in (PLAIN, png):
        convert = pickle.loads(pickle.dumps(partial(encode_upright, encoding=params.encoding)))  # for worker processes
        outcome = Painting(Paint("", 80, 64, 0), convert).next([Reply(data)])
        assert isinstance(outcome, Outcome) and outcome.status == "ok" and outcome.value == convert(data) != data
        assert outcome.reason == ("black, as it was unsafe" if data == png else None)
        picture = Image.open(io.BytesIO(outcome.value))
        assert (picture.format, picture.mode, picture.size) == (format, "RGB", (80, 64))
        assert layers is None or picture.layer[0][1:3] == layers  # type: ignore[attr-defined]
        assert stored_picture(outcome.value).media_type == f"image/{format.lower()}"
    unsaid = check_values(Synthesize, block, Path("params.yaml")).encoding
    assert encode_upright(PLAIN, unsaid) == PLAIN and encode_upright(png, unsaid) == upright_jpeg(png)


def test_subsampling_is_of_jpegs() -> None:
    values = {"width": 80, "height": 64, "encoding": {"kind": "webp", "subsampling": "4:2:0"}}
    with pytest.raises(UserError, match=r"^params.yaml: encoding.subsampling: unknown key"):
        check_values(Synthesize, values, Path("params.yaml"))


def test_seeds_are_their_own() -> None:
    seeds = {seed_of(f"wave-{n:08d}", seed) for n in range(1000) for seed in (0, 1)}
    assert len(seeds) == 2000, "a collision among 2,000 of 2^31 would be a rare accident (p = 0.001)"
    assert all(0 <= seed < 2**31 for seed in seeds)


SQUARE, WIDE, TALL = ({"width": w, "height": h} for w, h in ((512, 512), (640, 384), (384, 640)))


def test_sizes_are_drawn_by_id_as_often_as_their_weight() -> None:
    """Two in four are square: 1,000 of 2,000, give or take three standard deviations of 22.4."""
    block = Synthesize(**SQUARE, sizes=[SQUARE | {"weight": 2}, WIDE, TALL])
    drawn = [draw_size(block.drawn, f"w-{n:08d}") for n in range(2000)]
    assert 933 < sum(one.width == one.height for one in drawn) < 1067
    assert 442 < sum(one.width > one.height for one in drawn) < 558
    assert drawn[7] == draw_size(block.drawn, "w-00000007")
    assert block.usual == (504, 504)  # (2 * 512^2 + 2 * 640 * 384) / 4 pixels
    alone = Synthesize(**WIDE)
    assert draw_size(alone.drawn, "w-00000000") == (640, 384, 1) and alone.usual == (640, 384)


@pytest.mark.parametrize(
    ("sizes", "kind", "message"),
    [
        ([{"width": 640, "height": 512}], "sandbox", "640 x 512 has more pixels than width x height, 512 x 512"),
        ([{"width": 96, "height": 640}], "sandbox", "sides are 128 to 2048 pixels, in steps of 1"),
        ([{"width": 392, "height": 640}], "diffusers", "sides are 64 to 4096 pixels, in steps of 16"),
        ([{"width": 392, "height": 640}], "openai", None),
    ],
)
def test_sizes_that_cannot_be_painted_are_refused_before_anything_is_asked(
    sizes: list[dict[str, int]], kind: str, message: str | None
) -> None:
    values = parse_yaml((ROOT / "params.yaml").read_text())
    values["synthesize"] |= {"sizes": sizes}
    if kind != "sandbox":
        values["models"]["painter"] = {"kind": kind, "id": "org/name"} | (
            {"revision": "0" * 40} if kind == "diffusers" else {}
        )
        values["roles"]["painter"] = "painter"
    if message is None:
        assert check_values(Params, values, Path("params.yaml")).synthesize.sizes[0].width == 392
    else:
        with pytest.raises(UserError, match=re.escape(message)):
            check_values(Params, values, Path("params.yaml"))


def test_a_kept_picture_is_not_painted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no prompt and no model, its own size, and another seed than another picture."""
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path / "store"))
    params = load(Params, ROOT / "params.yaml")
    others = encoded(Image.new("RGB", (96, 64), "blue"), "JPEG")
    records = [{"id": f"own-{n:08d}", "prompt": None, "image": {"bytes": one}} for n, one in enumerate((PLAIN, others))]
    ask_all(Painter(), [("own-00000", 0, records)], tmp_path / "images", paint(params), SCHEMA, 2, 0)
    first, second = read_rows(tmp_path / "images")
    assert first["image"]["bytes"] == PLAIN and (second["width"], second["height"]) == (96, 64)
    assert {first["painted"], first["prompt"], first["model"]} == {False, None} and first["status"] == "ok"
    assert first["seed"] != second["seed"]
