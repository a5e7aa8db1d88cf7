"""The same files from the Hub and from the disk. Put into a clone's tests/dataset/reading/, then
`python -m pytest -s -p no:cacheprovider tests/dataset/reading/test_two_ways.py`. Right: the same captions both ways,
and the pictures of a zip (a common layout of image folders on the Hub) are there."""

import io
import os
import zipfile
from pathlib import Path

import pytest

from tests.dataset.reading.test_hub import BLUE, RED, block, client, hub, read  # noqa: F401

FILES = {
    "quotes.tsv": b'index\ttext\n0\t"a sign that reads ""OPEN"""\n1\tplain\n',
    "nan.jsonl": b'{"text": "one", "s": 0.1}\n{"text": "two", "s": NaN}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_same_captions(hub, client, tmp_path, name):  # noqa: F811
    repo, suffix = f"org/{name.partition('.')[0]}", Path(name).suffix
    columns = {"columns": {"caption": "text"}, "route": "as_is"}
    far = client(read, block(hub.commit(repo, {f"train{suffix}": FILES[name]}), repo, **columns))
    os.chdir(tmp_path)
    Path("datasets/sources").mkdir(parents=True)
    Path("datasets/sources/x" + suffix).write_bytes(FILES[name])
    near = read({"kind": "file", "wave": "w", "path": "datasets/sources/x" + suffix, **columns})
    assert [row["caption"] for row in near] == [row["caption"] for row in far]


def test_pictures_of_a_zip(hub, client):  # noqa: F811
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        lines = b'{"file_name": "a.jpg", "text": "one"}\n{"file_name": "b.jpg", "text": "two"}\n'
        for name, data in {"metadata.jsonl": lines, "a.jpg": RED, "b.jpg": BLUE}.items():
            archive.writestr(name, data)
    pinned = hub.commit("org/zip", {"train.zip": out.getvalue()})
    found = client(read, block(pinned, "org/zip", columns={"caption": "text", "image": "image"}))
    assert [row["image"] is not None for row in found] == [True, True], [row["image_reason"] for row in found]
