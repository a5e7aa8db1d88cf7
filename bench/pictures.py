"""Pictures mutated in every part, as the world sends them: each is kept, converted or refused in words; none escapes.

    python bench/pictures.py             # 100,000 pictures
    python bench/pictures.py 1000

Small JPEG, MPO, PNG, WEBP, TIFF, GIF, BMP and AVIF files with EXIF, ICC, XMP, comments, thumbnails, videos behind
their end: one to three mutations each, of headers, EXIF entries, lengths, scans, tails, drawn from their number. Every
one goes through `upright_jpeg` and, in turn, one of the other doors. What comes back is opened again: an upright
RGB JPEG of a size that may be, which goes through unchanged. The floor opens and decodes the same bytes with Pillow
alone; the ratio is of CPU time. The last line is JSON: outcomes, causes of refusal, `escapes` (other exceptions) and
`unsound` results, which have to be 0, how many of the kept have a scan that Pillow does not decode, and the slowest.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import struct
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial

from PIL import Image, ImageCms, PngImagePlugin

from gamut.tables import images

PROCESSES = 2
ORIENTATION, GPS, MAKER, WIDTH = 0x0112, 0x8825, 0x010F, 0x0100
VIDEO = b"\0\0\0\x18ftypmp42" + bytes(range(256)) * 8
"""What a phone puts behind a motion photo."""


def drawn(mode: str = "RGB", size: tuple[int, int] = (40, 24)) -> Image.Image:
    coarse = Image.frombytes("RGB", (5, 3), random.Random(mode).randbytes(45))
    return coarse.resize(size, Image.Resampling.BICUBIC).convert(mode)


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif(orientation: int = 1, order: str = "II") -> bytes:
    """EXIF data of a phone: orientation, maker, position, and a thumbnail behind them."""
    data = Image.Exif()
    data.endian = "<" if order == "II" else ">"
    data[ORIENTATION], data[MAKER], data[WIDTH] = orientation, "Maker", 40
    data.get_ifd(GPS).update({1: "N", 2: (48.0, 8.0, 14.5), 3: "E", 4: (11.0, 34.0, 31.0)})
    return data.tobytes() + encoded(drawn(size=(8, 8)), "JPEG")


@cache
def bases() -> list[bytes]:
    """The pictures that are mutated."""
    rgb = drawn()
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    text = PngImagePlugin.PngInfo()
    text.add_text("comment", "a picture", zip=True)
    text.add_itxt("XML:com.adobe.xmp", xmp.decode())
    rich = {"exif": exif(6), "icc_profile": icc}

    def several(kind: str, **options: object) -> bytes:
        return encoded(drawn(), kind, save_all=True, append_images=[drawn("L").convert("RGB")], **options)

    return [
        encoded(rgb, "JPEG"),
        encoded(rgb, "JPEG", progressive=True, comment=b"a picture", icc_profile=icc),
        encoded(rgb, "JPEG", xmp=xmp, exif=exif(1), restart_marker_rows=1),
        encoded(rgb, "JPEG", **rich),
        encoded(rgb, "JPEG", exif=exif(8, "MM")),
        encoded(drawn("CMYK"), "JPEG", exif=exif(3)),
        encoded(drawn("L"), "JPEG", **rich),
        encoded(rgb, "JPEG", exif=exif(1)) + VIDEO,
        encoded(rgb, "JPEG", exif=exif(6, "MM")) + VIDEO,
        several("MPO"),
        several("MPO", exif=exif(6)),
        encoded(rgb, "PNG", pnginfo=text, **rich),
        encoded(drawn("P"), "PNG", transparency=3),
        encoded(drawn("RGBA"), "PNG", exif=exif(5)),
        encoded(Image.new("I;16", (40, 24), 40_000), "PNG"),
        encoded(rgb, "WEBP", xmp=xmp, **rich),
        encoded(drawn("RGBA"), "WEBP", lossless=True, exif=exif(7)),
        encoded(rgb, "TIFF", **rich),
        *(encoded(rgb, "TIFF", compression=f"tiff_{way}", tiffinfo={ORIENTATION: 6}) for way in ("lzw", "jpeg")),
        encoded(drawn("CMYK"), "TIFF", exif=exif(5)),
        encoded(drawn("P"), "GIF", comment=b"a picture", transparency=2),
        encoded(rgb, "BMP"),
        encoded(drawn("P"), "BMP"),
        encoded(rgb, "AVIF", xmp=xmp, speed=10, **rich),
        encoded(drawn("RGBA"), "AVIF", speed=10),
        *(several(kind) for kind in ("GIF", "PNG", "WEBP", "TIFF")),
    ]


Chance = random.Random


def bytes_changed(data: bytearray, chance: Chance, among: range | None = None) -> None:
    """Up to 8 bytes, anywhere or among these."""
    among = among or range(len(data))
    for _ in range(chance.choice([1, 1, 2, 8])):
        data[chance.choice(among)] = chance.choice([0, 1, 0xFF, 0xD9, chance.randrange(256)])


def header_changed(data: bytearray, chance: Chance) -> None:
    bytes_changed(data, chance, range(min(len(data), chance.choice([32, 128, 512]))))


def entries(data: bytearray) -> list[tuple[str, int]]:
    """Where the entries of EXIF and TIFF directories begin, with the order of their bytes: of the first, and of GPS."""
    found = []
    for head in re.finditer(rb"II\*\0|MM\0\*", data):
        order = "<" if head[0] == b"II*\0" else ">"
        offsets = [4]
        for offset in offsets:  # grows
            with contextlib.suppress(struct.error):
                [place] = struct.unpack_from(f"{order}I", data, head.start() + offset)
                [count] = struct.unpack_from(f"{order}H", data, head.start() + place)
                own = [place + 2 + 12 * number for number in range(min(count, 20))]
                found += [(order, head.start() + entry) for entry in own if head.start() + entry + 12 <= len(data)]
                if offset == 4:
                    offsets += [e + 8 for e in own if struct.unpack_from(f"{order}H", data, head.start() + e)[0] == GPS]
    return found


def entry_changed(data: bytearray, chance: Chance) -> None:
    """Types, tags, counts or values of EXIF or TIFF directories' entries."""
    there = entries(data)
    if not there:
        return bytes_changed(data, chance)
    for order, at in chance.choices(there, k=chance.choice([1, 1, 2, 4])):
        field, offset, value = chance.choice(
            [
                ("H", 2, chance.randrange(16)),
                ("H", 2, chance.choice([1, 2, 3, 4, 5, 7, 10, 12])),
                (
                    "H",
                    0,
                    chance.choice([ORIENTATION, GPS, MAKER, WIDTH, 0x0111, 0x0117, 0x8769, chance.randrange(2**16)]),
                ),
                ("I", 4, chance.choice([0, 1, 2, 3, 1000, 2**31, 2**32 - 1])),
                ("I", 8, chance.choice([0, 1, 6, 6 << 16, 50, 2**31, 2**32 - 1])),
            ]
        )
        struct.pack_into(f"{order}{field}", data, at + offset, value)


def length_changed(data: bytearray, chance: Chance) -> None:
    """Two or four bytes that may be a length."""
    if len(data) < 8:
        return
    form, most = chance.choice([(">H", 2**16), (">I", 2**32), ("<I", 2**32)])
    at = chance.randrange(min(len(data) - 4, 600))
    struct.pack_into(form, data, at, chance.choice([0, 1, 2, 8, most // 2, most - 1]))


def block_moved(data: bytearray, chance: Chance) -> None:
    """A block is taken out, doubled, or put somewhere else."""
    start = chance.randrange(len(data))
    block = data[start : start + chance.choice([1, 4, 12, 64, 300])]
    if chance.random() < 0.5:
        del data[start : start + len(block)]
    if chance.random() < 0.5:
        at = chance.randrange(len(data) + 1)
        data[at:at] = block


def cut(data: bytearray, chance: Chance) -> None:
    del data[chance.randrange(len(data)) :]


def tail_added(data: bytearray, chance: Chance) -> None:
    """Zeros, noise, a video or another picture behind the end."""
    tails = [bytes(chance.choice([3, 500, 5000])), chance.randbytes(2000), VIDEO, chance.choice(bases())]
    data += chance.choice(tails)


def spliced(data: bytearray, chance: Chance) -> None:
    """A stretch of another picture in place of one's own."""
    other = chance.choice(bases())
    start, length = chance.randrange(len(data)), chance.choice([8, 40, 200])
    begin = chance.randrange(len(other))
    data[start : start + length] = other[begin : begin + length]


MUTATIONS: list[Callable[[bytearray, Chance], None]] = [
    bytes_changed, header_changed, length_changed, block_moved, cut, tail_added, spliced, *[entry_changed] * 5
]  # fmt: skip


def mutated(number: int) -> bytes:
    """The picture of this number."""
    chance = Chance(number)
    data = bytearray(chance.choice(bases()))
    for mutate in chance.choices(MUTATIONS, k=chance.randint(1, 3)):
        mutate(data, chance)
        if not data:
            break
    return bytes(data)


DOORS: list[Callable[[bytes], object]] = [
    images.require_picture, images.upright_rgb, images.media_type, images.picture_size, images.as_everyone_sees,
    partial(images.scale_down, longest=20),
]  # fmt: skip


def outcome(data: bytes) -> tuple[str, bytes | None]:
    """What `upright_jpeg` makes of a picture, in words, and its result."""
    try:
        made = images.upright_jpeg(data)
    except ValueError as error:
        if "\n" in str(error) or " at 0x" in str(error):
            return f"unsound reason: {error!r}", None
        return "refused: " + re.sub(r"( too many pixels)? \(.*| \d.*", "", str(error)), None
    except Exception as error:
        return f"escaped: {error!r}", None
    return "kept" if made is data else "cut" if made[-200:] in data else "converted", made


def fault(made: bytes) -> str | None:
    """Why a result is not what `upright_jpeg` promises."""
    image = Image.open(io.BytesIO(made))
    if (image.format, image.mode) != ("JPEG", "RGB") or not 0 < image.width * image.height <= images.MAX_PIXELS:
        return f"{image.format} {image.mode} {image.size}"
    if images.orientation(image) != 1:
        return "not upright"
    return None if images.upright_jpeg(made) is made else "changed by a second time"


def decodes(data: bytes) -> bool:
    try:
        Image.open(io.BytesIO(data)).load()
    except Exception:
        return False
    return True


def tried(numbers: Iterable[int]) -> tuple[Counter[str], float, float, float]:
    """Try the pictures of these numbers: outcomes, CPU seconds, those of the floor, and the slowest picture's."""
    counts: Counter[str] = Counter()
    seconds = floor = slowest = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in numbers:
            data = mutated(number)
            started = time.process_time()
            what, made = outcome(data)
            took = time.process_time() - started
            started = time.process_time()
            decodes(data)
            floor += time.process_time() - started
            seconds, slowest = seconds + took, max(slowest, took)
            counts[what] += 1
            if made is not None:
                if (why := fault(made)) is not None:
                    counts[f"unsound: {why}"] += 1
                counts["kept, not decodable"] += what != "converted" and not decodes(made)
            try:
                DOORS[number % len(DOORS)](data)
            except ValueError:
                pass
            except Exception as error:
                counts[f"escaped: {error!r}"] += 1
    return +counts, seconds, floor, slowest


def figures(count: int, parts: Iterable[tuple[Counter[str], float, float, float]]) -> dict[str, object]:
    """The figures of all parts together."""
    counts: Counter[str] = Counter()
    seconds = floor = slowest = 0.0
    for part, took, least, longest in parts:
        counts, seconds, floor, slowest = counts + part, seconds + took, floor + least, max(slowest, longest)
    return {
        "pictures": count,
        **{name: counts[name] for name in ("kept", "cut", "converted")},
        "refused": {key[9:]: n for key, n in counts.most_common() if key.startswith("refused: ")},
        "escapes": sum(n for key, n in counts.items() if key.startswith("escaped")),
        "unsound": sum(n for key, n in counts.items() if key.startswith("unsound")),
        "examples": [key for key in counts if key.startswith(("escaped", "unsound"))][:5],
        "kept_not_decodable": counts["kept, not decodable"],
        "time_ratio_to_floor": round(seconds / floor, 2),
        "ms_each": round(1000 * seconds / count, 3),
        "slowest_seconds": round(slowest, 2),
    }


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    parts = [range(start, min(start + 1000, count)) for start in range(0, count, 1000)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        print(json.dumps(figures(count, pool.map(tried, parts))))


if __name__ == "__main__":
    main()
