"""Six riddles, two contestants, and what observers say of their answers, as stages find it in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.running import answers, judging
from gamut.project.validation import check_values
from gamut.tables.columns import Row, make_id
from gamut.tables.writing import TableWriter
from stages.gir.shared.benchmark import GIR, Params
from stages.gir.shared.items import GirItem
from tests import fakes
from tests.gir.construction.small_maker import BLOCK

Said = Mapping[str, float | None]
"""By measure, None where the observer failed."""
PLACING = [{"subject": ["cat"], "direction": "left", "object": ["dog"]}]
ITEMS = [
    *(
        GirItem(id=f"q{n}", prompt="?", task="quantity", objects=("duck",), numbers=(n,), absent=("cat",))
        for n in range(2)
    ),
    *(GirItem(id=f"s{n}", prompt="?", task="spatial", objects=("cat", "dog"), relations=PLACING) for n in range(2)),  # type: ignore[arg-type]
    *(GirItem(id=f"t{n}", prompt="?", task="text", lettering="slow down") for n in range(2)),
]
ROLE = {"counts": "detector/world", "places": "detector/world", "relations": "detector/world", "words": "reader/ocr"}


def params_of(detectors: Sequence[str] = ("world",)) -> Params:
    observers = {"detector": [*detectors], "reader": ["ocr"], "image_embedder": ["world"]}
    models = {"world": {"kind": "sandbox"}, "ocr": {"kind": "rapidocr"}, "gpt": {"kind": "openai", "id": "org/model"}}
    models["owl"] = {"kind": "sandbox"}
    block = BLOCK | {"observers": observers}
    values = fakes.values(gir=block, models=models, contestants=fakes.two_contestants())
    return check_values(Params, values, Path("params.yaml"))


def write_edition(items: Sequence[GirItem] = ITEMS) -> None:
    freeze_edition("gir", "v1", items)


def write_tables(contestant: str, said: Mapping[str, Said | None], png: bytes = fakes.jpeg("red")) -> None:
    """Write a contestant's answers and what observers say of them, by item; None where there is no answer."""
    made: list[Row] = []
    seen: dict[str, list[Row]] = {place: [] for place in ("detector/world", "reader/ocr", "image_embedder/world")}
    seen["rules"] = []
    for ordinal, (item, values) in enumerate(said.items()):
        where = {"id": make_id("t2i-0", ordinal), "item": item, "setting": "t2i", "sample": 0}
        status = "refused_generation" if values is None else "ok"
        parts = [{"text": None, "image": {"bytes": png, "path": None}}] if values is not None else None
        made.append(dict.fromkeys(answers.SCHEMA.names) | where | {"status": status, "parts": parts, "replies": []})
        for measure, value in (values or {}).items():
            own = {"part": 0, "question": measure, "repeat": 0, "value": value, "replies": []}
            own["status"] = "unsupported" if value is None else "ok"
            row = dict.fromkeys(judging.SCHEMA.names) | where | own
            seen[ROLE[measure.removesuffix("_released")]].append(row)
    with TableWriter(GIR.answers / contestant, answers.SCHEMA) as table:
        table.write("t2i-0-00000", made)
    for place, rows in seen.items():
        with TableWriter(GIR.answer_judgments(contestant, place), judging.SCHEMA) as table:
            table.write("t2i-0-00000", rows)
