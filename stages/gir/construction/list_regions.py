"""Regions to find by a description, as cases of an edition: a person's pictures and masks, as in LISA (3.3)."""

from collections.abc import Mapping
from pathlib import Path

from gamut.evaluation.construction.slots import Slots, digest_of, pack_case
from gamut.project.csv_forms import form_rows, refuse_lines
from gamut.project.inputs import regular_file, stays_within
from gamut.tables.columns import Row, make_id
from gamut.tables.images import UnusableError, as_png, picture_size, upright_jpeg, upright_rgb
from stages.gir.construction.parameters import Params
from stages.gir.shared.measures.overlap import INSIDE_LEVEL
from stages.gir.shared.prompts import REGION

LIST_FILE = "perception.csv"
COLUMNS = ("image", "mask", "description", "origin", "licence")


def list_regions(slots: Slots[Params]) -> None:
    """Make a case of every line of a person's list. A UserError names the lines that cannot be used."""
    path = Path(slots.params.propose.pictures, slots.edition, LIST_FILE)
    rows: list[Row] = []
    mistakes = []
    for line, values in form_rows(path, COLUMNS, "") if path.exists() else ():
        own = {"id": make_id("perception", len(rows)), "status": "ok", "task": "perception"}
        try:
            rows.append(own | region_columns(values, path.parent))
        except ValueError as error:
            mistakes.append((line, str(error)))
    refuse_lines(path, mistakes)
    slots.write(rows)


def region_columns(line: Mapping[str, str], folder: Path) -> Row:
    """Return the columns of a line: the picture as a JPEG, the region as a PNG. ValueError for an unusable line."""
    if not all(line[name] for name in COLUMNS):
        raise ValueError(f"each of {', '.join(COLUMNS)} needs a value")
    if not line["description"].endswith((".", "。")):
        raise ValueError("description: a full stop is expected at its end")
    pictures = dict[str, bytes]()
    for name, read in (("image", upright_jpeg), ("mask", lambda data: mask_of(data, picture_size(pictures["image"])))):
        file = folder / line[name]
        if not file.is_file() or not stays_within(folder, file):
            raise ValueError(f"{line[name]!r} is not a file below {folder}")
        try:
            pictures[name] = read(regular_file(file).read_bytes())
        except UnusableError as error:
            raise ValueError(f"{line[name]} {error}") from None
    proof = {"share": round(share_of(pictures["mask"]), 4), "input": digest_of(pictures["image"])}
    origin = f"{line['origin']}; licence: {line['licence']}"
    images = [
        {"name": f"{role}_1", "role": role, "origin": origin, "image": {"bytes": data, "path": None}}
        for role, data in zip(("input", "mask"), pictures.values(), strict=True)
    ]
    return {"prompt": f"{line['description']} {REGION}", "case": pack_case({"proof": proof}), "images": images}


def mask_of(data: bytes, size: tuple[int, int]) -> bytes:
    """Return a mask as a PNG of 0 and 255. UnusableError for another size than the picture's, or only one colour."""
    mask = upright_rgb(data).convert("L")
    if mask.size != size:
        raise UnusableError(f"has {mask.width}x{mask.height} pixels, but its picture has {size[0]}x{size[1]}")
    region = mask.point([0] * (INSIDE_LEVEL + 1) + [255] * (255 - INSIDE_LEVEL))
    if region.getextrema() != (0, 255):
        raise UnusableError("has only one colour, so it marks no region")
    return as_png(region)


def share_of(mask: bytes) -> float:
    counts = upright_rgb(mask).convert("L").histogram()
    return counts[255] / sum(counts)
