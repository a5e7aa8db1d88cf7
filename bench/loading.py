"""What a trainer's loader costs: an export read by WebDataset in a DataLoader, against reading and decoding alone.

    python bench/loading.py                   # 2,000 pictures of 512 x 512
    python bench/loading.py --rows 20000

Both read the same shards in this process and decode every picture. Compared is processor time, the best of three. The
last line is JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import io
import json
import os
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image
from torch.utils.data import DataLoader
from webdataset import WebDataset

from gamut.command.export_dataset import export_dataset
from gamut.dataset.shared.joins import table_of
from gamut.dataset.steps import RELEASE_SCHEMA
from gamut.tables.columns import Row, make_id
from gamut.tables.images import as_jpeg
from gamut.tables.reading import cut_into_slices
from gamut.tables.writing import TableWriter


def release_rows(count: int) -> Iterator[Row]:
    chance = np.random.default_rng(0)
    pictures = [
        as_jpeg(Image.fromarray(chance.integers(0, 256, (64, 64, 3), np.uint8)).resize((512, 512))) for _ in range(20)
    ]
    for n in range(count):
        text = f"picture {n}"
        yield {"id": make_id("bench", n), "image": {"bytes": pictures[n % 20], "path": None}, "caption": text}


def decoded_alone(shards: list[str]) -> int:
    pixels = 0
    for shard in shards:
        with tarfile.open(shard) as file:
            for member in file:
                content = file.extractfile(member)
                assert content is not None
                data = content.read()
                if member.name.endswith(".jpg"):
                    pixels += np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).shape[0]
    return pixels


def decoded_by_loader(shards: list[str]) -> int:
    rows = WebDataset(shards, shardshuffle=False).decode("rgb8").to_tuple("jpg", "txt")
    return sum(picture.shape[0] for picture, _ in DataLoader(rows, batch_size=None, num_workers=0))


def best_time(run: Callable[[list[str]], int], shards: list[str], expected: int) -> float:
    seconds = []
    for _ in range(3):
        start = time.process_time()
        assert run(shards) == expected
        seconds.append(time.process_time() - start)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=2000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with TableWriter(table_of("release"), RELEASE_SCHEMA) as table:
            for start in range(0, rows, 5000):
                some = [row for row in release_rows(rows) if start <= int(row["id"].rpartition("-")[2]) < start + 5000]
                for shard, _, of_slice in cut_into_slices(f"bench-{start // 5000:05d}", some):
                    table.write(shard, of_slice)
        for line in export_dataset(Path("shards"), "webdataset", "caption"):
            print(line)
        shards = sorted(str(path) for path in Path("shards").glob("*.tar"))
        alone = best_time(decoded_alone, shards, 512 * rows)
        loader = best_time(decoded_by_loader, shards, 512 * rows)
    print(json.dumps({"rows": rows, "loader_to_bare": round(loader / alone, 3)}))


if __name__ == "__main__":
    main()
