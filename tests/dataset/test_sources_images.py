"""Images of sources: from Parquet columns, folders and the embedded world, and what a row without one is good for."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gamut.dataset.reading.files import file_rows
from gamut.dataset.reading.rows import SCHEMA, row_of, rows_of
from gamut.dataset.reading.tables import RawRow
from gamut.dataset.reading.waves import write_sources
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.source_blocks import FileSource
from gamut.project.errors import UserError
from gamut.tables.columns import IMAGE, Row
from gamut.tables.reading import read_rows
from stages.dataset.pipeline import Params
from tests import fakes
from tests.paths import DATA

EXIF_CRASH = (DATA / "exif_crash.jpg").read_bytes()
RED, BLUE = fakes.jpeg("red"), fakes.jpeg("blue")
PNG = fakes.encoded(Image.new("RGB", (8, 8), "green"), "PNG")
COLUMNS = {"caption": "text", "image": "picture"}


@pytest.fixture(autouse=True)
def folder(project: Path) -> Path:
    path = project / "datasets" / "sources"
    path.mkdir(parents=True)
    return path


def params(**block: Any) -> Params:
    return fakes.params(sources=[{"wave": "w", **block}])


def rows(**block: Any) -> list[Row]:
    found = list(rows_of(params(**block).sources[0]))
    assert [row["id"] for row in found] == [f"w-{n:08d}" for n in range(len(found))]
    assert all(row.keys() == set(SCHEMA.names) for row in found)
    assert all((row["status"] == "ok") == (row["reason"] is None) for row in found)
    return found


def file_of(name: str = "a.parquet", route: str = "rewrite", **more: Any) -> dict[str, Any]:
    columns = {key: name for key, name in COLUMNS.items() if key != "image" or route != "as_is"}
    return {"kind": "file", "route": route, "path": f"datasets/sources/{name}", "columns": columns} | more


def folder_of(route: str = "rewrite", **more: Any) -> dict[str, Any]:
    return {"kind": "folder", "route": route, "path": "datasets/sources/pictures"} | more


def write(path: Path, texts: list[Any], pictures: pa.Array | list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    array = pictures if isinstance(pictures, pa.Array) else pa.array(pictures, pa.binary())
    pq.write_table(pa.table({"n": list(range(len(texts))), "text": texts, "picture": array}), path)


def reasons(found: list[Row], key: str = "image_reason") -> list[str | None]:
    return [row[key] for row in found]


def held(row: Row) -> bytes | None:
    return row["image"] and row["image"]["bytes"]


# Parquet columns


@pytest.mark.parametrize("kind", [IMAGE, pa.binary(), pa.large_binary(), pa.struct([("bytes", pa.binary())])])
def test_every_type_of_image_column(folder: Path, kind: pa.DataType) -> None:
    pictures = [{"bytes": data, "path": "x.jpg"} if pa.types.is_struct(kind) else data for data in (RED, BLUE)]
    write(folder / "a.parquet", ["one", "two"], pa.array([*pictures, None], kind)[:2])
    found = rows(**file_of())
    assert [held(row) for row in found] == [RED, BLUE], "an upright RGB JPEG is kept as it is"
    assert [row["image"]["path"] for row in found] == [None, None]
    assert reasons(found) == [None, None] and reasons(found, "reason") == [None, None]


def test_nulls_and_damaged_images(folder: Path) -> None:
    pictures = [RED, None, b"", b"no picture", RED[:-2], PNG[:40], BLUE]
    write(folder / "a.parquet", ["text"] * 7, pictures)
    found = rows(**file_of())
    assert [held(row) for row in found] == [RED, None, None, None, None, None, BLUE]
    assert reasons(found)[:5] == [
        None,
        "column 'picture' is empty",
        "column 'picture' is empty",
        "column 'picture' is not a picture in a known format",
        "column 'picture' is a truncated JPEG",
    ]
    assert str(found[5]["image_reason"]).startswith("column 'picture' ") and found[6]["image_reason"] is None
    assert {row["status"] for row in found} == {"ok"}, "they are rewritten from their text"
    mined = rows(**file_of(route="mine_text"))
    assert [row["status"] for row in mined] == ["ok", *["invalid_input"] * 5, "ok"]
    assert reasons(mined, "reason") == reasons(mined) == reasons(found)


def test_a_path_without_bytes_is_no_image(folder: Path) -> None:
    pictures = [{"bytes": None, "path": "x.jpg"}, {"bytes": None, "path": None}, {"bytes": RED, "path": None}]
    write(folder / "a.parquet", ["one", "two", "three"], pa.array(pictures, IMAGE))
    assert reasons(rows(**file_of())) == [
        "column 'picture' holds only the path 'x.jpg'",
        "column 'picture' is empty",
        None,
    ]


def test_a_large_row_group_is_read_in_small_pieces(folder: Path) -> None:
    # 256 images of 64 KiB in one row group are 16 MiB; 16 of them, a page and the buffer are 1 MiB each
    pictures = [bytes([n]) * 2**16 for n in range(256)]
    table = pa.table({"text": ["x"] * 256, "picture": pa.array(pictures, pa.binary())})
    options = {"compression": "none", "use_dictionary": False}
    pq.write_table(table, folder / "a.parquet", row_group_size=256, write_batch_size=16, **options)
    del table
    [source] = params(**file_of()).sources
    assert isinstance(source, FileSource)
    before, peak = pa.total_allocated_bytes(), 0
    for number, found in enumerate(file_rows(source)):
        assert isinstance(found, RawRow) and found.image == pictures[number]
        peak = max(peak, pa.total_allocated_bytes() - before)
    assert number == 255 and 2**20 <= peak < 4 * 2**20


def test_a_picture_whose_exif_is_nonsense_is_read_like_any_other(folder: Path) -> None:
    write(folder / "a.parquet", ["one", "two"], [EXIF_CRASH, RED])
    write_files(folder, a__jpg=EXIF_CRASH, b__jpg=RED)
    for found in (rows(**file_of()), rows(**folder_of())):
        with Image.open(io.BytesIO(held(found[0]) or b"")) as image:
            assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (40, 60))
        assert [row["status"] for row in found] == ["ok", "ok"] and held(found[1]) == RED


# Folders of Parquet files


def test_ids_run_on_over_the_files_of_a_folder(folder: Path) -> None:
    write(folder / "parts" / "b.parquet", ["three"], [RED])
    write(folder / "parts" / "a" / "z.parquet", ["one", "two"], [RED, BLUE])
    write(folder / "parts" / "c.parquet", [], [])
    write(folder / "parts" / "d.parquet", ["four"], [RED])
    write(folder / "parts" / ".hidden.parquet", ["no"], [RED])
    assert [row["caption"] for row in rows(**file_of("parts"))] == ["one", "two", "three", "four"]
    assert [row["caption"] for row in rows(**file_of("parts", limit=3))] == ["one", "two", "three"]
    assert {row["source"] for row in rows(**file_of("parts"))} == {"datasets/sources/parts"}


def test_a_second_file_without_the_column_stops_before_the_first_row(folder: Path) -> None:
    write(folder / "parts" / "a.parquet", ["one"], [RED])
    pq.write_table(pa.table({"texts": ["two"], "picture": [RED]}), folder / "parts" / "b.parquet")
    with pytest.raises(UserError) as error:
        next(rows_of(params(**file_of("parts")).sources[0]))
    expected = "datasets/sources/parts/b.parquet: there is no column 'text'; did you mean 'texts'?"
    assert str(error.value) == expected


def test_a_damaged_second_file_leaves_no_table(folder: Path) -> None:
    write(folder / "parts" / "a.parquet", ["one"], [RED])
    write(folder / "parts" / "b.parquet", [f"{n} cubes" for n in range(1000)], [None] * 1000)
    data = (folder / "parts" / "b.parquet").read_bytes()
    (folder / "parts" / "b.parquet").write_bytes(data[:4] + bytes(200) + data[204:])  # the first column's first page
    with pytest.raises(UserError, match=r"^datasets/sources/parts/b\.parquet: this is not a readable Parquet file \("):
        write_sources(params(**file_of("parts", columns=COLUMNS | {"source_id": "n"})))
    assert not table_of("source_rows").exists()


def test_a_folder_that_is_a_file(folder: Path) -> None:
    (folder / "parts").write_text("x")
    with pytest.raises(UserError, match=r"^datasets/sources/parts \(wave 'w' in params\.yaml\) is not a folder: a "):
        rows(**file_of("parts"))


# Folders of images


def write_files(folder: Path, **files: bytes | str) -> None:
    """Files below datasets/sources/pictures; `__` stands for a dot and `___` for a slash."""
    for name, content in files.items():
        path = folder / "pictures" / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def test_images_in_order_of_their_paths(folder: Path) -> None:
    write_files(
        folder,
        b__JPG=RED,
        b__txt="a red square\n",
        c__png=PNG,
        a___z__jpeg=BLUE,
        a___z__txt="\ufeffblue",
        a___z__json="{}",
    )
    found = rows(**folder_of())
    assert [(row["source_id"], row["caption"]) for row in found] == [
        ("a/z.jpeg", "blue"),
        ("b.JPG", "a red square"),
        ("c.png", None),
    ]
    assert [held(row) for row in found[:2]] == [BLUE, RED]
    assert {row["source"] for row in found} == {"datasets/sources/pictures"}
    assert {row["status"] for row in found} == {"ok"}
    assert len(rows(**folder_of(limit=2))) == 2
    assert reasons(rows(**folder_of("as_is")), "reason") == [None, None, "there is no caption"]


def test_files_that_are_no_images(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(folder, a__jpg="no picture", b__jpg=RED, c__jpg=b"", c__txt="text", d__jpg=RED, d__txt=b"\xff")
    # left aside: a text without an image, a table, notes, a second text; hidden ones are no part at all
    write_files(folder, e__txt="text", f__parquet="x", b__pdf="x", c__TXT="x", __DS_Store="x", __git___b__jpg=RED)
    write_sources(params(**folder_of()))
    found = list(read_rows(table_of("source_rows")))
    assert [row["source_id"] for row in found] == ["a.jpg", "b.jpg", "c.jpg", None]
    assert reasons(found) == ["the image is not a picture in a known format", None, "there is no image", None]
    assert reasons(found, "reason") == [
        "there is neither a caption nor an image",
        None,
        None,
        "the caption beside d.jpg is not UTF-8 text (invalid start byte)",
    ]
    expected = "sources: wave w: 4 rows, 2 without image, 2 unusable, 4 other files not read"
    expected += " (b.pdf, c.TXT, e.txt, …)\n"
    assert capsys.readouterr().out == expected


def test_other_files_among_parquet_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "parts" / "a.parquet", ["one"], [RED])
    (folder / "parts" / "b.csv").write_text("text\ntwo\n")
    write_sources(params(**file_of("parts")))
    assert capsys.readouterr().out == "sources: wave w: 1 row, 1 other file not read (b.csv)\n"


def test_a_name_that_is_not_utf8(folder: Path) -> None:
    (folder / "pictures").mkdir()
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/pictures/\xff.jpg")).write_bytes(RED)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    write_sources(params(**folder_of()))
    assert [row["source_id"] for row in read_rows(table_of("source_rows"))] == ["\\xff.jpg"]


def test_an_image_that_cannot_be_read(folder: Path) -> None:
    write_files(folder, a__jpg=RED)
    (folder / "pictures" / "b.jpg").symlink_to("nowhere")
    with pytest.raises(UserError, match=r"^datasets/sources/pictures/b\.jpg cannot be read \(No such file"):
        rows(**folder_of())


# The embedded world


# The embedded world


def test_the_embedded_world() -> None:
    found = rows(kind="sandbox", route="rewrite", count=4, seed=1, without_image=0.5)
    assert all(row["caption"] and row["status"] == "ok" and row["source"] == "sandbox" for row in found)
    assert {held(row) is None for row in found} == {True, False}
    assert set(reasons(found)) == {None, "there is no image"}
    assert not any(map(held, rows(kind="sandbox", count=4, seed=1))), "for captions alone nothing is painted"
    with Image.open(io.BytesIO(next(filter(None, map(held, found))))) as image:
        assert image.format == "JPEG"


# What a row needs


@pytest.mark.parametrize(
    ("route", "caption", "image", "reason"),
    [
        ("as_is", "text", None, None),
        ("as_is", None, RED, "column 'text' is empty"),
        ("as_is", " \n", RED, "column 'text' is empty"),
        ("rewrite", "text", None, None),
        ("rewrite", None, RED, None),
        ("rewrite", "", None, "there is neither a caption nor an image"),
        ("rewrite", 7, RED, "column 'text' holds int, not text"),
        ("mine_text", None, RED, None),
        ("mine_text", "text", None, "column 'picture' is empty"),
        ("mine_text", ["text"], RED, "column 'text' holds list, not text"),
    ],
)
def test_what_a_route_needs(route: str, caption: Any, image: bytes | None, reason: str | None) -> None:
    [source] = params(**file_of(route=route)).sources
    row = row_of(source, 0, RawRow(caption, image), set())  # type: ignore[arg-type]
    assert (row["status"], row["reason"]) == ("invalid_input" if reason else "ok", reason)
    assert row["route"] == route


FOUND = st.one_of(
    st.text(),
    st.builds(
        RawRow,
        caption=st.one_of(st.none(), st.text(max_size=5), st.integers(), st.binary(max_size=3)),
        image=st.sampled_from([None, b"", RED, PNG[:30], {"bytes": BLUE}, {"bytes": None, "path": "x"}, "x", 7, []]),
        source_id=st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["", "0", "a"])),
    ),
)


@settings(max_examples=25)
@given(st.sampled_from(["as_is", "rewrite", "mine_text"]), st.lists(FOUND, max_size=8))
def test_no_row_is_lost_and_none_is_unexplained(route: str, given_rows: list[Any]) -> None:
    [source] = params(**file_of(route=route)).sources
    taken: set[str] = set()
    found = [row_of(source, n, row, taken) for n, row in enumerate(given_rows)]  # type: ignore[arg-type]
    pa.Table.from_pylist(found, schema=SCHEMA)
    for row, was in zip(found, given_rows, strict=True):
        assert (row["status"] == "ok") == (row["reason"] is None)
        if isinstance(was, RawRow):
            assert (row["image"] is None) == (row["image_reason"] is not None or route == "as_is")
            assert row["caption"] in (None, was.caption)
    usable = [row["source_id"] for row in found if row["status"] == "ok" and row["source_id"] is not None]
    assert len(usable) == len(set(usable)) and set(usable) == taken


def test_a_kept_picture_must_be_there_and_large_enough(folder: Path) -> None:
    whole, small = fakes.jpeg("red", (80, 64)), fakes.jpeg("blue", (80, 40))
    write(folder / "a.parquet", ["a red wall", None, "a blue wall", "nothing"], [whole, whole, small, None])
    assert [row["reason"] for row in rows(**file_of(route="keep"))] == [
        None,
        None,
        "column 'picture' has 80 x 40 pixels, too few to be a picture",
        "column 'picture' is empty",
    ]
    with pytest.raises(UserError, match=r"columns\.image: route keep takes pictures as they are: name their column"):
        params(**file_of(route="keep") | {"columns": {"caption": "text"}})
    with pytest.raises(UserError, match=r"redistributable: route keep publishes the source's pictures: leave out"):
        params(**file_of(route="keep", redistributable=False))
