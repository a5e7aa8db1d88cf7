"""Pictures of editions: frozen to the same bytes, read one by one, and named where they are missing or altered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gamut.asking.requests import Picture
from gamut.evaluation.defining import editions, picture_shards
from gamut.evaluation.defining.editions import (
    Item,
    freeze_edition,
    origin_path,
    path_of,
    pictures_path,
    read_edition,
    read_origin,
)
from gamut.evaluation.defining.pictures import absence_message, missing_pictures, pictures_of
from gamut.project.errors import UserError
from tests.evaluation.small_pictures import ORIGIN, by_digest, item, png

TWO_HUNDRED = [png(number) for number in range(200)]
ITEMS = [item(n, *TWO_HUNDRED[2 * n : 2 * n + 2]) for n in range(100)]
CAT, DOG = png(1), png(2)


def here(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def frozen_two_hundred() -> None:
    assert freeze_edition("zoo", "v1", ITEMS, by_digest(*TWO_HUNDRED), ORIGIN)


def test_frozen_twice_two_hundred_pictures_have_the_same_bytes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen_two_hundred()
    first = here(Path("datasets"))
    assert list(first) == [
        "datasets/edition_images/zoo/v1/images-00000.parquet",
        "datasets/editions/zoo/v1.jsonl",
        "datasets/editions/zoo/v1.origin.json",
    ]
    assert not freeze_edition("zoo", "v1", ITEMS, by_digest(*TWO_HUNDRED), ORIGIN)
    (project / "again").mkdir()
    monkeypatch.chdir(project / "again")
    freeze_edition("zoo", "v1", read_again(first), dict(reversed(by_digest(*TWO_HUNDRED).items())), ORIGIN)
    assert here(Path("datasets")) == first, "in whatever order pictures are given"
    assert read_origin(origin_path("zoo", "v1")) == ORIGIN


def read_again(files: Mapping[str, bytes]) -> list[Item]:
    Path("items.jsonl").write_bytes(files["datasets/editions/zoo/v1.jsonl"])
    return list(editions.read_items(Path("items.jsonl"), Item))


def test_one_picture_is_read_without_the_others(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_shards, "ROWS_PER_GROUP", 10)
    monkeypatch.setattr(picture_shards, "BYTES_PER_SHARD", 3_000)
    frozen_two_hundred()
    shards = picture_shards.shards(pictures_path("zoo", "v1"))
    assert len(shards) > 3
    wanted = ITEMS[7].images[1]
    [only] = [path for path in shards if wanted.sha256 in picture_shards.places(path)]
    pictures = pictures_of("zoo", "v1")
    assert len(pictures) == 200 and list(pictures) == sorted(by_digest(*TWO_HUNDRED))
    for path in shards:
        if path != only:
            path.unlink()
    assert pictures[wanted.sha256] == Picture(TWO_HUNDRED[15], "image/png")
    assert pq.ParquetFile(only).metadata.row_group(0).num_rows == 10


def test_missing_and_altered_pictures_are_named_with_their_items(project: Path) -> None:
    frozen_two_hundred()
    assert missing_pictures(ITEMS, pictures_of("zoo", "v1")) == {}
    [shard] = picture_shards.shards(pictures_path("zoo", "v1"))
    rows = pq.read_table(shard).to_pylist()
    missing, altered = ITEMS[3].images[0], ITEMS[50].images[1]
    rows = [row for row in rows if row["sha256"] != missing.sha256]
    next(row for row in rows if row["sha256"] == altered.sha256)["image"]["bytes"] = CAT
    pq.write_table(pa.Table.from_pylist(rows, picture_shards.SCHEMA), shard, compression="none", use_dictionary=False)
    pictures = pictures_of("zoo", "v1")
    assert missing_pictures(ITEMS, pictures) == {
        "3": f"picture '0': {pictures.folder} has no picture {missing.sha256[:8]}…",
        "50": f"picture '1': {shard}: its picture {altered.sha256[:8]}… was altered",
    }
    with pytest.raises(LookupError, match=r"^item 3: picture '0': datasets/edition_images/zoo/v1 has no picture"):
        pictures.of(ITEMS[3])
    with pytest.raises(LookupError, match=r"^item 50: picture '1': .* was altered$"):
        pictures.of(ITEMS[50])
    assert len(pictures.of(ITEMS[4])) == 2
    assert freeze_edition("zoo", "v1", ITEMS, by_digest(*TWO_HUNDRED)), (
        "the same items: their pictures are put there again"
    )
    assert missing_pictures(ITEMS, pictures_of("zoo", "v1")) == {}


def damage_page(shard: Path) -> None:
    data, at = bytearray(shard.read_bytes()), pq.ParquetFile(shard).metadata.row_group(0).column(0).data_page_offset
    data[at : at + 40] = b"\xff" * 40
    shard.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damage_page, "not a readable Parquet file"),
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "not a readable Parquet file"),
        (lambda path: pq.write_table(pa.table({"a": [1]}), path), "is not a shard of pictures: its columns are a"),
        (lambda path: pq.write_table(pq.read_table(path), path, compression="zstd"), "it is compressed"),
    ],
)
def test_a_shard_that_cannot_be_read_takes_its_own_pictures_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch, damage: object, words: str
) -> None:
    monkeypatch.setattr(picture_shards, "BYTES_PER_SHARD", 1)
    monkeypatch.setattr(picture_shards, "ROWS_PER_GROUP", 1)
    items = [item(0, CAT), item(1, DOG)]
    freeze_edition("zoo", "v1", items, by_digest(CAT, DOG))
    bad = picture_shards.shards(pictures_path("zoo", "v1"))[0]
    hit = next(one for one in items if one.images[0].sha256 in picture_shards.places(bad))
    damage(bad)  # type: ignore[operator]
    pictures = pictures_of("zoo", "v1")
    [(item_id, why)] = missing_pictures(items, pictures).items()
    assert item_id == str(hit.id) and words in why and str(bad) in why
    with pytest.raises(LookupError, match=f"item {hit.id}: picture '0': .*{words}"):
        pictures.of(hit)


@pytest.mark.parametrize(
    ("given", "words"),
    [([CAT], "item 0: its picture '1' .* is missing"), ([CAT, DOG, png(3)], "no item names the picture with sha256")],
)
def test_all_pictures_are_given_and_no_others(project: Path, given: list[bytes], words: str) -> None:
    with pytest.raises(UserError, match=words):
        freeze_edition("zoo", "v1", [item(0, CAT, DOG)], by_digest(*given))
    assert not Path("datasets").exists()


@pytest.mark.parametrize("wrong", [{"media_type": "image/jpeg"}, {"width": 65}])
def test_a_picture_is_what_its_item_says(project: Path, wrong: dict[str, object]) -> None:
    said = item(0, CAT).images[0].model_dump() | wrong
    with pytest.raises(UserError, match=r"^item 0: its picture '0' does not have the sha256, media type and size"):
        freeze_edition("zoo", "v1", [item(0, images=[said])], by_digest(CAT))
    assert not here(Path("datasets"))


def test_killed_before_the_items_there_is_no_edition_and_again_it_is_whole(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    for name in ("write_items", "write_json"):
        with monkeypatch.context() as patch:
            patch.setattr(editions, name, killed)
            with pytest.raises(Killed):
                frozen_two_hundred()
        assert not path_of("zoo", "v1").exists()
    frozen_two_hundred()
    assert missing_pictures(ITEMS, pictures_of("zoo", "v1")) == {}


def test_what_is_not_said_of_an_item_is_not_written(project: Path) -> None:
    freeze_edition("zoo", "v1", [Item(id=1, prompt="a cat"), item(2, CAT, texts=["a hint"])], by_digest(CAT))
    first, second = path_of("zoo", "v1").read_text().splitlines()
    assert first == '{"id":1,"prompt":"a cat"}'
    sha256 = hashlib.sha256(CAT).hexdigest()
    assert f'"images":[{{"name":"0","role":"input","sha256":"{sha256}","media_type":"image/png","width":64' in second
    assert "origin" not in second
    one, two = read_edition("zoo", "v1", Item)
    assert not one.images and [(p.name, p.role, p.sha256) for p in two.images] == [("0", "input", sha256)]
    assert one.held_out == ["a cat"] and two.held_out == ["thing 2", "a hint"]


@pytest.mark.parametrize(
    ("images", "words"),
    [
        ([CAT, CAT], "images: two pictures have the name '0'"),
        ([{"name": "a<b"}], "images.0.name: String should match"),
        ([{"name": "a\nb"}], "images.0.name: has characters that cannot be printed"),
        ([{"role": "inputs"}], "images.0.role: Input should be"),
        ([{"file": "x.png"}], "images.0.file: Extra inputs"),
    ],
)
def test_pictures_that_are_not_well_named_are_refused(
    project: Path, images: list[bytes | dict[str, object]], words: str
) -> None:
    usual = item(0, CAT).model_dump(exclude_unset=True)
    said = [usual["images"][0] | (one if isinstance(one, dict) else {}) for one in images]
    path_of("zoo", "v1").parent.mkdir(parents=True)
    path_of("zoo", "v1").write_bytes(editions.orjson.dumps(usual | {"images": said}))
    with pytest.raises(UserError, match=rf"zoo/v1\.jsonl, line 1: {words}"):
        read_edition("zoo", "v1", Item)


def test_an_origin_is_kept(project: Path) -> None:
    freeze_edition("zoo", "v1", [item(0, CAT)], by_digest(CAT), ORIGIN)
    with pytest.raises(UserError, match=r"v1\.jsonl is frozen with another origin: fix .*v1\.origin\.json by hand"):
        freeze_edition("zoo", "v1", [item(0, CAT)], by_digest(CAT), ORIGIN.model_copy(update={"revision": "3"}))
    assert not freeze_edition("zoo", "v1", [item(0, CAT)], by_digest(CAT))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "Invalid JSON"),
        ("{}", "source: Field required"),
        ('{"source": " ", "revision": "1", "licence": "x", "redistributable": true}', "source: is blank"),
    ],
)
def test_an_origin_that_cannot_be_read_is_named(project: Path, content: str, words: str) -> None:
    Path("v1.origin.json").write_text(content)
    with pytest.raises(UserError, match=rf"^v1\.origin\.json: {words}.*redistributable \(true or false\) is expected$"):
        read_origin(Path("v1.origin.json"))
    assert read_origin(Path("none.json")) is None


def test_absent_pictures_are_named_with_what_brings_them(project: Path) -> None:
    items = [item(0, CAT)]
    assert absence_message("zoo", "v1", [Item(id=1, prompt="a cat")]) is None
    words = absence_message("zoo", "v1", items) or ""
    assert words.startswith("datasets/edition_images/zoo/v1: the pictures of this edition are missing: restore them")
    Path("datasets/edition_images/zoo").mkdir(parents=True)
    Path("datasets/edition_images/zoo/v1.dvc").touch()
    assert "`dvc pull datasets/edition_images/zoo/v1.dvc` brings them" in (absence_message("zoo", "v1", items) or "")
    freeze_edition("zoo", "v1", items, by_digest(CAT))
    assert absence_message("zoo", "v1", items) is None
