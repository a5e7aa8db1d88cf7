"""Pictures that repeat an earlier one leave, and that one stays: by their hashes, and by embeddings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps

from gamut.dataset.leaks.pictures import (
    COMPARES,
    OUTLINE,
    WORDS,
    Hashes,
    bits_apart,
    distances,
    grey_pixels,
    places,
    versions_of,
    whole_hash,
)
from gamut.dataset.leaks.repeats import Block, Near, near_hashes, near_vectors, repeats
from gamut.dataset.shared.joins import table_of
from gamut.pipeline.shards import ByShard
from gamut.project.errors import UserError
from gamut.tables.columns import Row, place, wave_of
from gamut.tables.reading import manifest, read_rows
from gamut.tables.writing import TableWriter
from stages.dataset import (
    admit,
    categorize,
    embed_pictures,
    follow,
    hash_pictures,
    proofread,
    safety,
    same_pictures,
    select,
    synthesize,
)
from stages.dataset.pipeline import Params
from tests import fakes
from tests.drawn import drawn_picture, encoded_again, opened


def flipped(hash_: Hashes, *bits: int) -> Hashes:
    other = hash_.copy()
    for bit in bits:
        other[bit // 64] ^= np.uint64(1) << np.uint64(bit % 64)
    return other


def test_hashes_that_differ_in_few_bits() -> None:
    """Picture 2 is as it is 3 bits from 0 and mirrored 1 bit, its first crop 2 bits from 1; 3 is 60 bits from 0."""
    rng = np.random.default_rng(0)
    one, two, mirrored, crop = (rng.integers(0, 1 << 63, (WORDS, 1), np.uint64) for _ in range(4))
    crops = len(places()) - 1
    far = flipped(one, *range(0, 120, 2))
    each = [
        [mirrored, one, *[crop] * crops],
        [two, two, *[two] * crops],
        [flipped(mirrored, 70), flipped(one, 5, 64, 127), *[flipped(two, 1, 90)] * crops],
        [far, far, *[far] * crops],
    ]
    stacked = np.stack([np.concatenate(some, axis=1) for some in each], axis=1)
    flat = np.zeros((4, OUTLINE, OUTLINE), np.uint8)
    blocks = [Block(np.arange(n, n + 2), flat[n : n + 2], stacked[:, n : n + 2]) for n in (0, 2)]
    assert sorted(near_hashes(lambda: blocks, 3)) == [(2, Near(0, bits=1)), (2, Near(1, bits=2))]
    assert sorted(near_hashes(lambda: blocks, 1)) == [(2, Near(0, bits=1))], "moved, the flat outline fits no better"
    backwards = stacked[:, ::-1]
    blocks = [Block(np.arange(n, n + 2), flat[n : n + 2], backwards[:, n : n + 2]) for n in (0, 2)]
    for first, later in ((0, [2, 3]), (2, [2, 3]), (3, [3]), (4, [])):  # 1 has the versions that are like 2 and 3
        assert [one for one, near in sorted(near_hashes(lambda: blocks, 3, first))] == later
    assert not [*near_hashes(lambda: [Block(np.arange(0), flat[:0], stacked[:, :0])], 3)]


def test_a_crop_is_moved_until_it_fits() -> None:
    """A crop that begins at 0.03 of both sides and keeps 0.87 lies between those of 0.85 and 0.9 that are hashed."""
    small = grey_pixels(drawn_picture(7, (512, 512)))
    whole = opened(drawn_picture(7, (512, 512)))
    cut = grey_pixels(fakes.encoded(whole.crop((15, 15, 461, 461)), "PNG"))  # 15 / 512 = 0.03, 446 / 512 = 0.87
    target = whole_hash(cut)
    apart = distances(target, versions_of(small))
    nearest = int(apart.argmin())
    outline = small.reshape(OUTLINE, 4, OUTLINE, 4).mean((1, 3)).astype(np.uint8)
    assert bits_apart(outline, nearest, target) <= 6 < apart[nearest]


def test_embeddings_with_a_high_cosine() -> None:
    """(3, 4) and (4, 3) have the cosine 24 / 25 = 0.96, (3, 4) and (1, 0) 3 / 5 = 0.6, (4, 3) and (1, 0) 0.8."""
    blocks = [
        (np.array([0, 1]), np.array([[3, 4], [1, 0]], np.float32)),
        (np.array([], np.int64), np.zeros((0, 0), np.float32)),
        (np.array([2]), np.array([[8, 6]], np.float32)),
    ]
    assert [*near_vectors(blocks, 0.96)] == [(2, Near(0, similarity=0.96))]
    found = [*near_vectors(blocks, 0.6)]
    assert found == [(1, Near(0, similarity=0.6)), (2, Near(0, similarity=0.96)), (2, Near(1, similarity=0.8))]
    assert [*near_vectors(blocks, 0.6, first=2)] == found[1:]
    assert repeats(found) == {1: Near(0, similarity=0.6), 2: Near(0, similarity=0.96)}


def test_a_picture_that_left_removes_no_other() -> None:
    chain = [(1, Near(0, bits=4)), (2, Near(1, bits=5)), (3, Near(1, bits=2)), (3, Near(2, bits=9))]
    assert repeats(chain) == {1: Near(0, bits=4), 3: Near(2, bits=9)}, "2 is near 1 alone, and 1 has left"
    both = [(1, Near(0, bits=4)), (1, Near(0, similarity=0.9))]
    assert repeats(both) == repeats(both[::-1]) == {1: Near(0, 4, 0.9)}


def encoded(image: Image.Image) -> bytes:
    return fakes.encoded(image, "JPEG", quality=90)


ONE, OTHER = drawn_picture(1), drawn_picture(2)
MIRRORED = encoded(ImageOps.mirror(opened(ONE)))
CROPPED = encoded(opened(ONE).crop((16, 12, 304, 228)))  # 288 of 320, 216 of 240 pixels: 90 %
FILTERS = (admit, categorize, safety, proofread, follow)


def asking(bits: int | None = 10, similarity: float | None = None, embedder: str | None = None) -> Params:
    roles = fakes.values()["roles"] | {"image_embedder": embedder}
    block = {"bits": bits, "similarity": similarity}
    return fakes.params(same_pictures=block, roles=roles, choose={"by": {"follows": 1}, "margin": 1})


def test_more_bits_than_are_found_cannot_be_asked_for() -> None:
    with pytest.raises(UserError, match=r"same_pictures.bits: 29 is not right: .* less than or equal to 28$"):
        asking(bits=29)


def write(pictures: Mapping[str, bytes], rejected: Sequence[str] = (), kept: Sequence[str] = ()) -> None:
    """The tables of pictures that pass all filters, except for rejected ones; `kept` are sources' own."""
    ids = [*pictures]
    tables: dict[str, tuple[Any, list[Row]]] = {
        "synthesize": (
            synthesize.SCHEMA,
            [
                {"id": i, "status": "ok", "image": {"bytes": data, "path": None}, "painted": i not in kept}
                for i, data in pictures.items()
            ],
        ),
        "admit": (
            admit.STEP.schema,
            [{"id": i, "admitted": i not in rejected, "reason": "clarity" if i in rejected else None} for i in ids],
        ),
        "categorize": (
            categorize.STEP.schema,
            [{"id": i, "categories": ["style"], "text": False} for i in ids if i not in rejected],
        ),
        "proofread": (proofread.STEP.schema, []),
        "safety": (safety.STEP.schema, []),
        "follow": (follow.STEP.schema, []),
    }
    for name, (schema, rows) in tables.items():
        with TableWriter(table_of(name), schema) as table:
            for shard in dict.fromkeys(place(i)[0] for i in ids):
                table.write(shard, [row for row in rows if place(row["id"])[0] == shard])
    COMPARES.write_text(json.dumps({"pictures": False}))


def build(params: Params) -> list[tuple[str, str | None]]:
    """What is selected, and why the others are not."""
    for step in (hash_pictures.STEP, embed_pictures.STEP, same_pictures.STEP, select.STEP):
        step.carry_out(params)
    return [(row["id"], row["reason"]) for row in read_rows(table_of("select"))]


def ids(*numbers: int, wave: str = "w") -> list[str]:
    return [f"{wave}-{number:08d}" for number in numbers]


def test_the_later_of_two_leaves(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, c, d, e = ids(0, 1, 2, 3, 4)
    write({a: ONE, b: OTHER, c: MIRRORED, d: encoded_again(OTHER), e: CROPPED}, rejected=[b], kept=[a, d])
    assert build(asking()) == [
        (a, None),
        (b, "clarity"),
        (c, "same_picture"),
        (d, None),  # the one that it repeats was rejected
        (e, "same_picture"),
    ]
    rows = {row["id"]: row for row in read_rows(table_of("same_pictures"))}
    assert [*rows] == [a, c, d, e] and rows[a] == {
        "id": a,
        "kept": True,
        "reason": None,
        "same_as": None,
        "bits": None,
        "similarity": None,
    }
    assert [rows[i]["same_as"] for i in (c, d, e)] == [a, None, a]
    assert rows[c]["bits"] <= 4 and rows[e]["bits"] <= 10 and rows[c]["similarity"] is None
    said = capsys.readouterr().out
    assert "same_pictures: 2 of 4 pass, left out: 2 same_picture\n" in said
    assert "select: 2 of 5 pass, left out: 2 same_picture, 1 clarity\n" in said
    assert build(asking(bits=0))[2:] == [(c, None), (d, None), (e, None)] or rows[c]["bits"] == 0


def test_the_crop_may_come_first(project: Path) -> None:
    a, b, c = ids(0, 1, 2)
    write({a: CROPPED, b: ONE, c: fakes.jpeg("blue")})  # a blank picture is like no other
    assert build(asking()) == [(a, None), (b, "same_picture"), (c, None)]


def test_across_waves_the_earlier_wins_and_a_new_wave_changes_nothing_before_it(project: Path) -> None:
    old = {**dict(zip(ids(0, 5000, wave="w"), (ONE, OTHER), strict=True)), **dict.fromkeys(ids(0, wave="a"), MIRRORED)}
    write(old)
    first = build(asking())
    assert [reason for _, reason in first] == [None, None, "same_picture"]
    paths = [
        table_of(name) / f"{shard}.parquet" for name in ("same_pictures", "select") for shard in ("w-00000", "a-00000")
    ]
    before = [path.read_bytes() for path in paths]
    write(old | dict(zip(ids(0, 1, 2, wave="b"), (CROPPED, encoded_again(OTHER), drawn_picture(3)), strict=True)))
    assert build(asking()) == [
        *first,
        *zip(ids(0, 1, 2, wave="b"), ("same_picture", "same_picture", None), strict=True),
    ]
    assert [path.read_bytes() for path in paths] == before


def test_other_pictures_of_a_prompt_do_not_compete(project: Path) -> None:
    a, b, c = ids(0, 1, 2)
    write({a: OTHER, f"{a}_1": ONE, b: MIRRORED, c: OTHER, f"{c}_1": drawn_picture(3)})
    assert build(asking()) == [
        (a, None),
        (f"{a}_1", "not_chosen"),
        (b, None),  # like a picture that was not chosen
        (c, "same_picture"),
        (f"{c}_1", "not_chosen"),
    ]


def test_without_thresholds_nothing_is_compared(project: Path) -> None:
    a, b, c = ids(0, 1, 2)
    write({a: ONE, b: ONE, c: OTHER}, rejected=[c])
    assert build(asking(bits=None)) == [(a, None), (b, None), (c, "clarity")]
    for name in ("picture_hashes", "picture_versions", "embed_pictures", "same_pictures"):
        assert [shard["rows"] for shard in manifest(table_of(name))["shards"]] == [0]
    decided = [row | {"categories": ["style"] * (row["id"] != c)} for row in read_rows(table_of("select"))]
    with TableWriter(Path("datasets/expected"), select.SCHEMA) as table:  # as without this step
        table.write("w-00000", decided)
    written, expected = (Path("datasets") / name / "w-00000.parquet" for name in ("select", "expected"))
    assert written.read_bytes() == expected.read_bytes()


def test_by_embeddings(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c, d = ids(0, 1, 2, 3)
    pictures = [fakes.jpeg(colour) for colour in ("red", "green", "blue", "white")]
    write(dict(zip((a, b, c, d), pictures, strict=True)), rejected=[b])
    hash_pictures.STEP.carry_out(asking(bits=None, similarity=0.9))
    vectors = {a: [3.0, 4.0], c: [4.0, 3.0], d: None}  # 24 / 25 = 0.96; one was refused
    with TableWriter(table_of("embed_pictures"), embed_pictures.STEP.schema) as table:
        table.write(
            "w-00000", [{"id": i, "vector": v, "status": "ok" if v else "refused_judge"} for i, v in vectors.items()]
        )
    for similarity, reason in ((0.96, "same_picture"), (0.97, None)):
        same_pictures.STEP.carry_out(asking(bits=None, similarity=similarity))
        [_, row, _] = read_rows(table_of("same_pictures"))
        assert row["reason"] == reason and manifest(table_of("picture_versions"))["rows"] == 0
    assert row["similarity"] is None


def test_the_world_embeds_admitted_pictures(project: Path) -> None:
    from tests import embedded_world as world

    a, b, c = ids(0, 1, 2)
    pictures = {a: world.picture("two red cats at noon"), b: world.picture("a blue car at night"), c: ONE}
    write(pictures, rejected=[b])
    params = asking(bits=None, similarity=0.99, embedder="world")
    embed_pictures.STEP.carry_out(params)
    rows = {row["id"]: row for row in read_rows(table_of("embed_pictures"))}
    assert [*rows] == [a, c] and np.linalg.norm(rows[a]["vector"]) == pytest.approx(1)
    assert (rows[c]["vector"], rows[c]["status"]) == (None, "unsupported")
    with pytest.raises(UserError, match=r"roles\.image_embedder is not filled"):
        embed_pictures.STEP.carry_out(asking(similarity=0.99))


FILTERED = ("synthesize", "admit", "categorize", "safety", "proofread", "follow")
READ = (*FILTERED, "picture_versions", "embed_pictures")
PIPELINE = f"""\
stages:
  same_pictures: {{cmd: x, params: [same_pictures, select, choose.by], outs: [datasets/same_pictures], deps: [
    {", ".join(f"datasets/{name}" for name in READ)}]}}
"""


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The waves that are searched."""
    waves, search = list[str](), same_pictures.search

    def counted(shards: Sequence[str], *arguments: Any) -> Any:
        waves.append(wave_of(shards[0]))
        return search(shards, *arguments)

    monkeypatch.setattr(same_pictures, "search", counted)
    return waves


def keep_notes() -> None:
    Path("dvc.yaml").write_text(PIPELINE)
    Path("params.yaml").write_text(
        "{same_pictures: {bits: 10, similarity: null}, select: {contrast: 6}, choose: {by: {follows: 1}}}\n"
    )


def shards_written(*shards: str) -> list[bytes]:
    return [(table_of("same_pictures") / f"{shard}.parquet").read_bytes() for shard in shards]


def test_a_new_wave_alone_is_searched(project: Path, searched: list[str]) -> None:
    old = dict(zip(ids(0, 1, 2), (CROPPED, OTHER, MIRRORED), strict=True))
    write(old)
    build(asking())
    keep_notes()
    same_pictures.STEP.carry_out(asking())
    assert searched == ["w", "w"]
    Path("dvc.yaml").unlink()
    # the whole of an earlier crop, a crop of an earlier one that left, and one that is like the first of its own wave
    new = (ONE, encoded_again(MIRRORED), drawn_picture(3), encoded_again(drawn_picture(3)))
    write(old | dict(zip(ids(0, 1, 5000, 5001, wave="b"), new, strict=True)))
    assert [reason for _, reason in build(asking())] == [None, None, *["same_picture"] * 3, None, "same_picture"]
    whole = shards_written("w-00000", "b-00000", "b-00001")
    keep_notes()
    searched.clear()
    same_pictures.STEP.carry_out(asking())
    assert searched == ["b"] and shards_written("w-00000", "b-00000", "b-00001") == whole


def test_a_run_that_is_killed_goes_on_to_the_same_bytes(
    project: Path, searched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write(dict(zip([*ids(0, 1), *ids(0, 1, wave="b")], (ONE, MIRRORED, CROPPED, OTHER), strict=True)))
    build(asking())
    whole = shards_written("w-00000", "b-00000")
    keep_notes()
    searched.clear()

    def killed(params: Any) -> ByShard:
        work = same_pictures.by_shard(params)

        def make(shard: str) -> Any:
            if shard == "b-00000":
                raise KeyboardInterrupt
            return work.make(shard)

        return work._replace(make=make)

    object.__setattr__(same_pictures.STEP, "by_shard", killed)
    try:
        with pytest.raises(KeyboardInterrupt):
            same_pictures.STEP.carry_out(asking())
    finally:
        object.__setattr__(same_pictures.STEP, "by_shard", same_pictures.by_shard)
    for path in table_of("same_pictures").glob("*.parquet"):
        path.unlink()
    capsys.readouterr()
    same_pictures.STEP.carry_out(asking())
    assert shards_written("w-00000", "b-00000") == whole and searched == ["w", "b"], "what was found is kept too"
    assert capsys.readouterr().out.startswith("same_pictures: 2 rows in 1 shard kept\n")
