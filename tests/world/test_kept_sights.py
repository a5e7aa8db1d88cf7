"""What the world saw on a picture is kept between stages, and says what a look says."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from PIL import Image, ImageFilter

from gamut.world import looking
from gamut.world.answering import Unsupported
from gamut.world.scene import random_scene
from gamut.world.seeing import Sight, see
from gamut.world.writing import write
from tests import embedded_world as world
from tests.drawn import drawn_picture

RNG = random.Random(5)
SCENES = [world.picture(write(random_scene(RNG))) for _ in range(6)]
DIGEST = "ab" * 32


def blurred(picture: bytes) -> bytes:
    file = io.BytesIO()
    Image.open(io.BytesIO(picture)).filter(ImageFilter.GaussianBlur(3)).save(file, "PNG")
    return file.getvalue()


def sight(picture: bytes) -> Sight:
    return see(Image.open(io.BytesIO(picture)))


@pytest.mark.parametrize("picture", [*SCENES, blurred(SCENES[0]), drawn_picture(1)])
def test_it_comes_back_as_it_was_seen(picture: bytes, tmp_path: Path) -> None:
    seen = sight(picture)
    assert looking.read_sight(tmp_path, DIGEST) is None
    looking.write_sight(tmp_path, DIGEST, seen)
    assert looking.read_sight(tmp_path, DIGEST) == seen
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{DIGEST}.json"]


@pytest.mark.parametrize("damage", [b"", b"\xff", b"[]", b"{}", b'{"scene": 1}', b'{"scene": {"groups": 1}}', "half"])
def test_what_lies_there_damaged_is_no_sight(damage: bytes | str, tmp_path: Path) -> None:
    looking.write_sight(tmp_path, DIGEST, sight(SCENES[0]))
    path = looking.place_of(tmp_path, DIGEST)
    path.write_bytes(damage if isinstance(damage, bytes) else path.read_bytes()[: path.stat().st_size // 2])
    assert looking.read_sight(tmp_path, DIGEST) is None


def test_where_nothing_can_be_kept_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    looking.write_sight(tmp_path / "file", DIGEST, sight(SCENES[0]))


def test_a_picture_is_looked_at_once_by_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(looking, "see", lambda image: looks.append(image) or see(image))
    try:
        looking.keep_sights(tmp_path)
        first = looking.sight_of(SCENES[1])
        looking.keep_sights(tmp_path)  # as another process: nothing in memory
        assert looking.sight_of(SCENES[1]) == first and len(looks) == 1
        with pytest.raises(Unsupported, match="cannot be decoded"):
            looking.sight_of(b"no picture")
        assert len(list(tmp_path.rglob("*.json"))) == 1, "what is not a picture is not kept"
    finally:
        looking.keep_sights(None)
