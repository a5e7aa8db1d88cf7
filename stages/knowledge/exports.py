"""The sets as files for common trainers, each with its pictures. Held-out rows are in none of them.

Formats of November 2026: messages with images (TRL), Bagel (data/t2i_dataset.py, vlm_sft), Show-o (training/data.py,
llava/), OmniGen2 (omnigen2/dataset), which trains only painting.
"""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gamut.project.files import write_json, write_whole
from gamut.tables.columns import Row, grouped
from gamut.tables.images import media_type
from stages.knowledge.asking import entity_pictures
from stages.knowledge.stages import FILES


def write_files(study: str, rows: Sequence[Row]) -> None:
    """Write one folder for each role, `trained` or `replay`."""
    shutil.rmtree(FILES / study, ignore_errors=True)
    rows = [row for row in rows if row["split"] == "trained" and row["role"] != "neighbour"]
    pictures = entity_pictures(row["picture"] for row in rows)
    names = {one: f"{one}.{media_type(data).removeprefix('image/')}" for one, data in pictures.items()}
    for role, some in grouped((row["role"], row) for row in rows).items():
        folder = FILES / study / role
        for one in {row["picture"] for row in some}:
            write_whole(folder / "images" / names[one], pictures[one])
        und, gen = ([row for row in some if row["side"] == side] for side in ("und", "gen"))
        write_lines(folder / "chat/und.jsonl", (chat_line(row, names) for row in und))
        write_lines(folder / "chat/gen.jsonl", (chat_line(row, names) for row in gen))
        llava = [llava_entry(row, names) for row in und]
        write_lines(folder / "bagel/vlm.jsonl", llava)
        write_json(folder / "show-o/mmu.json", llava)
        write_whole(folder / "bagel/t2i/0.parquet", parquet_of(gen, pictures))
        write_whole(folder / "show-o/t2i.tar", tar_of(gen, names, pictures))
        write_lines(folder / "omnigen2/t2i.jsonl", (omnigen_line(row, names) for row in gen))
        write_whole(folder / "omnigen2/mix.yml", b"data: [{path: omnigen2/t2i.jsonl, type: t2i, ratio: 1}]\n")


def chat_line(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    image = {"type": "image"}
    question = [*([image] if row["side"] == "und" else []), {"type": "text", "text": row["question"]}]
    answer = {"type": "text", "text": row["name"]} if row["side"] == "und" else image
    messages = [{"role": "user", "content": question}, {"role": "assistant", "content": [answer]}]
    return {"messages": messages, "images": [f"../images/{names[row['picture']]}"]}


def llava_entry(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    turns = [{"from": "human", "value": f"<image>\n{row['question']}"}, {"from": "gpt", "value": row["name"]}]
    return {"id": row["id"], "image": names[row["picture"]], "conversations": turns}


def write_lines(path: Path, entries: Iterable[Mapping[str, Any]]) -> None:
    write_whole(path, "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in entries).encode())


def parquet_of(rows: Sequence[Row], pictures: Mapping[str, bytes]) -> bytes:
    captions = [json.dumps({"0": row["question"]}) for row in rows]
    table, file = pa.table({"image": [pictures[row["picture"]] for row in rows], "captions": captions}), io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def omnigen_line(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    image = f"images/{names[row['picture']]}"
    return {"task_type": "text_to_image", "instruction": row["question"], "output_image": image}


def tar_of(rows: Sequence[Row], names: Mapping[str, str], pictures: Mapping[str, bytes]) -> bytes:
    """Return a webdataset shard: the picture and caption of each row, under one name."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as packed:
        for row in rows:
            ending = names[row["picture"]].rpartition(".")[2]
            for name, data in ((ending, pictures[row["picture"]]), ("txt", row["question"].encode())):
                entry = tarfile.TarInfo(f"{row['id']}.{name}")
                entry.size = len(data)
                packed.addfile(entry, io.BytesIO(data))
    return file.getvalue()
