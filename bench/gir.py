"""Pictures a second of the observers that run here, batched, against the bare libraries in one thread, in the same run.

    python bench/gir.py                          # 48 pictures of 512 pixels, 3 turns
    python bench/gir.py --pictures 4 --side 256 --turns 1

Kind `rapidocr` reads pictures with up to six lines of lettering, against rapidocr itself as it decodes and reads the
same files one after the other in one thread; kind `pixels` embeds them, against Pillow and numpy in a loop. Both are
asked as a stage asks them, all requests at once. The two take turns, since the machine is not always equally busy; what
counts is the best turn of each. The last line is JSON: pictures a second, ratios, and whether both found the same.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from stages.asking.models.batches import BatchedModel, usable_cores
from stages.asking.models.pixels import embedding, open_pixels
from stages.asking.models.rapidocr import model_files, open_rapidocr
from stages.asking.requests import Embed, Picture, Read, Reply, Request, unpacked
from stages.asking.seeing import LINES
from stages.project.model_kinds import PixelsModel, RapidOCRModel
from stages.project.settings import Endpoint

WORDS = ["never", "put", "off", "until", "tomorrow", "what", "you", "can", "today", "better", "late", "wrong"]

READER = RapidOCRModel(kind="rapidocr", confidence=0.0)


def pictures(count: int, side: int) -> list[bytes]:
    """Return PNG files with one to six lines of two words in colours on a soft background."""
    chance, files = random.Random(0), []
    for _ in range(count):
        corners = np.array([chance.randrange(170, 256) for _ in range(12)], np.uint8).reshape(2, 2, 3)
        image = Image.fromarray(corners).resize((side, side), Image.Resampling.BICUBIC)
        draw, height = ImageDraw.Draw(image), side // 8
        for row in range(chance.randint(1, 6)):
            colour = tuple(chance.randrange(100) for _ in range(3))
            words, font = " ".join(chance.sample(WORDS, 2)), ImageFont.load_default(height * 0.6)
            draw.text((height // 2, height * (row + 1)), words, font=font, fill=colour)
        out = io.BytesIO()
        image.save(out, "PNG")
        files.append(out.getvalue())
    return files


def put(model: BatchedModel, requests: Sequence[Request]) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        return list(await asyncio.gather(*map(model.answer, requests)))

    return asyncio.run(all_of_them())


def bare_reader() -> Callable[[bytes], list[str]]:
    """Return how rapidocr alone reads a file: with the same two models, in one thread."""
    from rapidocr import RapidOCR

    detection, recognition = model_files("bench", READER, Endpoint())
    reader: Any = RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "Global.text_score": 0.0,
            "Det.model_path": str(detection),
            "Rec.model_path": str(recognition),
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
    return lambda data: sorted(reader(data).txts or ())


def bare_embedding(data: bytes) -> list[float]:
    return embedding(Image.open(io.BytesIO(data)).convert("RGB")).tolist()


def compared(ours: Callable[[], list[Any]], bare: Callable[[], list[Any]], count: int, turns: int) -> dict[str, Any]:
    """Return pictures a second of both, by turns, and whether they found the same."""
    best, found = {"ours": 0.0, "bare": 0.0}, {}
    ours(), bare()  # models load, threads start
    for _ in range(turns):
        for name, run in (("bare", bare), ("ours", ours)):
            started = time.perf_counter()
            found[name] = run()
            best[name] = max(best[name], count / (time.perf_counter() - started))
    rounded = {name: round(value, 2) for name, value in best.items()}
    return rounded | {"ratio": round(best["ours"] / best["bare"], 2), "same": found["ours"] == found["bare"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=48)
    parser.add_argument("--side", type=int, default=512, help="pixels")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    files, turns = pictures(options.pictures, options.side), options.turns
    reader, embedder = open_rapidocr("bench", READER, Endpoint()), open_pixels(PixelsModel(kind="pixels"))
    alone = bare_reader()

    def read() -> list[list[str]]:
        replies = put(reader, [Read(Picture(data)) for data in files])
        return [sorted(line.text for line in LINES.validate_json(reply.content)) for reply in replies]

    def embedded() -> list[list[float]]:
        return [unpacked(reply.content).tolist() for reply in put(embedder, [Embed(Picture(data)) for data in files])]

    figures: dict[str, Any] = {"pictures": len(files), "side": options.side, "cores": usable_cores()}
    figures["rapidocr"] = compared(read, lambda: [alone(data) for data in files], len(files), turns)
    print(f"rapidocr: {figures['rapidocr']}", flush=True)
    figures["pixels"] = compared(embedded, lambda: [bare_embedding(data) for data in files], len(files), turns)
    print(f"pixels: {figures['pixels']}", flush=True)
    for model in (reader, embedder):
        asyncio.run(model.close())
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
