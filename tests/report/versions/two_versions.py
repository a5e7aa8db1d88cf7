"""A project whose release, edition, parameters and metrics differ from those of its tag v1."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stages.dataset.shared.joins import table_of
from stages.evaluation.defining.editions import Item, freeze
from stages.evaluation.defining.pictures import described
from stages.tables.columns import IMAGE, Row, make_id
from stages.tables.writing import TableWriter
from tests import fakes
from tests.publish.edition_project import commit_all, git

SCHEMA = pa.schema([("id", pa.string()), ("image", IMAGE), ("caption", pa.string()), ("score", pa.int64())])
HOSTILE = "<script>alert(1)</script> \u202e" + "x" * 1_000_000
PICTURES = {color: fakes.jpeg(color) for color in ("red", "green", "blue")}


def row(number: int, caption: str | None = "a red fox sits", color: str = "red", wave: str = "b") -> Row:
    image = {"bytes": PICTURES[color], "path": None}
    return {"id": make_id(wave, number), "image": image, "caption": caption, "score": number % 10}


def release(shards: dict[str, list[Row]]) -> None:
    with TableWriter(table_of("release"), SCHEMA) as table:
        for name, rows in shards.items():
            table.write(name, rows)


def edition(version: str, *items: dict[str, Any], color: str) -> None:
    data = PICTURES[color]
    picture = described(data, "mask", "mask")
    whole = [Item(images=(picture,), prompt_zh="狐狸", track="style", origin="curated", **item) for item in items]
    freeze("prism", version, whole, {picture.sha256: data})


def params(clarity: int, version: str) -> None:
    block = fakes.values()["prism"] | {"edition": version}
    values = fakes.values(prism=block)
    values["admit"]["clarity"] = clarity
    Path("params.yaml").write_text(json.dumps(values))


def metrics(**values: Any) -> None:
    path = Path("metrics/dataset.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))


def build(folder: Path) -> None:
    """Put it into a folder: v1 in git and DVC's cache, the other version lies there."""
    from dvc.repo import Repo

    logging.disable(logging.INFO)  # DVC would write to the stream that was there when it was imported
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        git("init", "-q", "-b", "main")
        Repo.init().close()
        release({"a-00000": [row(0, wave="a")], "b-00000": [row(n) for n in range(120)]})
        edition("v1", {"id": "style/0", "prompt": "a fox"}, {"id": "style/1", "prompt": "a cat"}, color="red")
        params(clarity=6, version="v1")
        metrics(release={"pictures": 121, "share": 0.5}, gone="yes", same="1, 2")
        with Repo() as repo:
            repo.add(str(table_of("release")))
        commit_all()
        git("tag", "v1")
        # Of wave b row 0 is gone, 120 is new; 1 to 60 have another caption, of these 1 and 2 another picture too, and 3
        # another score. So 60 rows are changed, in 60 captions, 2 pictures and 1 score; wave a is the same.
        changed = [row(n, "a blue fox sits", "green" if n < 3 else "red") | {"score": 7} for n in range(1, 4)]
        changed[0]["score"], changed[1]["score"] = 1, 2
        changed += [row(n, "a blue fox sits") for n in range(4, 61)] + [row(n) for n in range(61, 120)]
        release({"a-00000": [row(0, wave="a")], "b-00000": [*changed, row(120, HOSTILE)]})
        edition("v2", {"id": "style/0", "prompt": "a vixen"}, {"id": "style/2", "prompt": "a dog"}, color="blue")
        params(clarity=7, version="v2")
        metrics(release={"pictures": 121, "share": 0.75}, new=3, same="1, 2")
    logging.disable(logging.NOTSET)
