"""Pictures that repeat another one in a known way: how many are found, which others are taken for them, what it costs.

    python bench/same_pictures.py                    # 40 pictures that are changed, among 2,000
    python bench/same_pictures.py --changed 4 --among 40

Half of the pictures are scenes of the embedded world, half are drawn by chance: there are no free photographs here.
Each changed picture is compared with its original. `similar` pictures are different ones of the same prompt with
another seed, or of the prompt with another thing or colour: they should not be found. False alarms are pairs among all
pictures. Cosines are those of the world's own embeddings, which know scenes and not pixels: of two pictures of the same
prompt the cosine is 1, and of what the world no longer recognises there is none. The last line is JSON: shares found by
kind and threshold, false alarms, milliseconds to hash a picture, seconds to search a quarter, half and all of them, and
a tenth of them that comes as a new wave, seconds for the cosines of as many vectors, and what 100,000 pictures would
take (hashes grow as from the quarter to the whole, cosines with the square).
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

from gamut.dataset.leaks.pictures import OUTLINE, WORDS, hashes_in, places
from gamut.dataset.leaks.repeats import Block, near_hashes, near_vectors
from gamut.world import vocabulary
from gamut.world.answering import Unsupported
from gamut.world.observers import embed
from gamut.world.painting import paint_prompt
from gamut.world.scene import Scene, canonical_scene, random_scene
from gamut.world.writing import write

BITS = (6, 8, 10, 12, 16, 20)
COSINES = (0.95, 0.98, 0.99, 0.999)
LARGE = 100_000
PIXELS = 512
DIMENSIONS = 768


def encoded(image: Image.Image, kind: str = "JPEG", quality: int = 85) -> bytes:
    out = io.BytesIO()
    image.convert("RGB").save(out, kind, quality=quality)
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def drawn(seed: int) -> bytes:
    """Shapes on a ground that changes from top to bottom, softened."""
    rng = random.Random(seed)
    size = rng.choice(((320, 240), (240, 320), (256, 256)))

    def colour() -> tuple[int, int, int]:
        return rng.randrange(256), rng.randrange(256), rng.randrange(256)

    image = ImageOps.colorize(Image.linear_gradient("L").resize(size), colour(), colour())
    draw = ImageDraw.Draw(image)
    for _ in range(rng.randint(4, 9)):
        corners = [(rng.randrange(size[0]), rng.randrange(size[1])) for _ in range(rng.choice((2, 3, 5)))]
        if len(corners) == 2:
            (left, right), (top, bottom) = (sorted(pair) for pair in zip(*corners, strict=True))
            draw.ellipse((left, top, right + 8, bottom + 8), fill=colour())
        else:
            draw.polygon(corners, fill=colour())
    return encoded(image.filter(ImageFilter.GaussianBlur(1)), quality=92)


def painted(scene: Scene, seed: int) -> bytes:
    return paint_prompt(write(scene), PIXELS, PIXELS, seed, {})


def changed(data: bytes, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield what is done to a picture, and what comes of it."""
    rng, image = random.Random(seed), opened(data)
    width, height = image.size

    def cropped(kept: float, down: float | None = None) -> Image.Image:
        wide, high = width * kept, height * (kept if down is None else down)
        left, top = rng.uniform(0, width - wide), rng.uniform(0, height - high)
        return image.crop((round(left), round(top), round(left + wide), round(top + high)))

    yield "encoded again, JPEG 40", encoded(image, quality=40)
    yield "encoded again, WEBP 60", encoded(image, "WEBP", 60)
    yield "half as large", encoded(image.resize((width // 2, height // 2)))
    yield "twice as large", encoded(image.resize((width * 2, height * 2)))
    yield "mirrored", encoded(ImageOps.mirror(image))
    yield "cropped to 90 %", encoded(cropped(0.9))
    yield "cropped to 75 %", encoded(cropped(0.75))
    yield "one side cropped to 75 %", encoded(cropped(0.75, 1.0))
    yield "cropped to 75 %, mirrored, JPEG 60", encoded(ImageOps.mirror(cropped(0.75)), quality=60)
    yield "recoloured: grey", encoded(image.convert("L"))
    yield "recoloured: saturated", encoded(ImageEnhance.Color(image).enhance(1.8))
    yield "recoloured: warmer", encoded(tinted(image, (1.15, 1.0, 0.8)))
    yield "recoloured: brighter by a quarter", encoded(ImageEnhance.Brightness(image).enhance(1.25))
    hues = np.array(image.convert("HSV"))
    hues[..., 0] += np.uint8(40)
    yield "recoloured: other hues", encoded(Image.fromarray(hues, "HSV"))


def tinted(image: Image.Image, factors: tuple[float, float, float]) -> Image.Image:
    bands = zip(image.split(), factors, strict=True)
    return Image.merge("RGB", [band.point([min(255, round(v * factor)) for v in range(256)]) for band, factor in bands])


def similar(scene: Scene, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield different pictures of the same prompt, and of similar ones."""
    rng, first = random.Random(seed), scene.groups[0]
    yield "similar: the same prompt, another seed", painted(scene, seed + 1_000_000)
    kind = rng.choice([name for name in vocabulary.KINDS if name != first.kind])
    colour = rng.choice([name for name in vocabulary.COLOURS if name != first.colour])
    for what, group in (("thing", replace(first, kind=kind)), ("colour", replace(first, colour=colour))):
        other = canonical_scene(replace(scene, groups=(group, *scene.groups[1:])))
        yield f"similar: another {what}", painted(other, seed)


def hashed(pictures: list[bytes]) -> Block:
    found = [hashes_in(data, versions=True)[1] for data in pictures]
    versions = np.stack([of["versions"].reshape(1 + len(places()), WORDS) for of in found])
    outlines = np.stack([of["outline"].reshape(OUTLINE, OUTLINE) for of in found])
    return Block(np.arange(len(found)), outlines, versions.transpose(2, 0, 1))


def least_bits(one: bytes, other: bytes) -> int | None:
    block = hashed([one, other])
    return next((near.bits for _, near in near_hashes(lambda: [block], max(BITS))), None)


def cosine(one: bytes, other: bytes) -> float | None:
    """Return the cosine of the world's embeddings; None if it does not recognise one of them."""
    try:
        return float(embed(one) @ embed(other))
    except Unsupported:
        return None


def shares(values: list[float | None], thresholds: tuple[float, ...], sign: int) -> dict[str, float]:
    """Return which share reaches each threshold: from above with sign 1, from below with -1."""
    known = [value for value in values if value is not None]
    return {str(one): round(sum(sign * value >= sign * one for value in known) / len(values), 3) for one in thresholds}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--changed", type=int, default=40)
    parser.add_argument("--among", type=int, default=2000)
    arguments = parser.parse_args()
    rng = random.Random(1)
    scenes = [random_scene(rng) for _ in range(arguments.among // 2)]
    pictures = [painted(scene, seed) for seed, scene in enumerate(scenes)]
    pictures += [drawn(seed) for seed in range(arguments.among - len(scenes))]
    began = time.process_time()
    block = hashed(pictures)
    hashing = (time.process_time() - began) / len(pictures)

    bits: dict[str, list[float | None]] = defaultdict(list)
    cosines: dict[str, list[float | None]] = defaultdict(list)
    for number in range(arguments.changed // 2):
        original = pictures[number]
        for kind, other in (*changed(original, number), *similar(scenes[number], number)):
            bits[f"world, {kind}"].append(least_bits(original, other))
            cosines[kind].append(cosine(original, other))
        original = pictures[len(scenes) + number]
        for kind, other in changed(original, number):
            bits[f"drawn, {kind}"].append(least_bits(original, other))
    by_bits = {kind: shares(each, BITS, -1) for kind, each in sorted(bits.items())}
    by_cosine = {kind: shares(each, COSINES, 1) for kind, each in cosines.items()}
    for kind, found in (by_bits | by_cosine).items():
        print(f"{kind:45}", *(f"{threshold:>5}: {share:.3f}" for threshold, share in found.items()), flush=True)

    seconds, order = {}, np.random.default_rng(0).permutation(len(pictures))
    for count in (len(pictures) // 4, len(pictures) // 2, len(pictures)):
        some = np.sort(order[:count])
        picked = Block(some, block.outlines[some], block.versions[:, some])
        began = time.process_time()
        near = [(later, one.picture, one.bits) for later, one in near_hashes(lambda one=picked: [one], max(BITS))]
        seconds[str(count)] = round(time.process_time() - began, 2)
    first, numbers = len(pictures) * 9 // 10, np.arange(len(pictures))
    waves = [
        Block(numbers[some], block.outlines[order[some]], block.versions[:, order[some]])
        for some in (slice(first), slice(first, None))
    ]
    began = time.process_time()
    new = list(near_hashes(lambda: waves, max(BITS), first))
    seconds_new = round(time.process_time() - began, 2)
    assert len(new) <= len(near)
    of_world = [apart for later, _, apart in near if later < len(scenes)]
    of_others = [apart for later, _, apart in near if later >= len(scenes)]
    pairs = len(scenes) * (len(scenes) - 1) // 2
    alarms = {
        f"of {pairs:,} pairs of scenes": {str(most): sum(apart <= most for apart in of_world) for most in BITS},
        f"of {len(pictures) * (len(pictures) - 1) // 2 - pairs:,} other pairs": {
            str(most): sum(apart <= most for apart in of_others) for most in BITS
        },
    }
    vectors = np.random.default_rng(0).standard_normal((len(pictures), DIMENSIONS)).astype(np.float32)
    began = time.process_time()
    assert not list(near_vectors([(np.arange(len(vectors)), vectors)], 0.9))
    of_cosines = time.process_time() - began
    quarter, _, whole = seconds.values()
    growth = max(1.0, math.log(whole / max(quarter, 0.001), 4))
    figures = {
        "found": by_bits,
        "found_by_cosine": by_cosine,
        "false_alarms": alarms,
        "milliseconds_to_hash": round(1000 * hashing, 2),
        "bytes_a_picture": int(block.versions.nbytes + block.outlines.nbytes) // len(pictures),
        "search_seconds": seconds,
        "search_seconds_of_a_new_tenth": seconds_new,
        "cosine_seconds": round(of_cosines, 2),
        "growth": round(growth, 2),
        "seconds_for_100,000": {
            "hashes": round(whole * (LARGE / len(pictures)) ** growth),
            "cosines": round(of_cosines * (LARGE / len(pictures)) ** 2),
        },
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
