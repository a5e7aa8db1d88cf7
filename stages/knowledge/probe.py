"""Whether a model knows the entities: it names pictures of each, and paints each from its name (arXiv
2602.02140, D.2).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from gamut.project.stage import main
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import read_rows
from stages.knowledge.asking import ask_model, judge
from stages.knowledge.parameters import Params
from stages.knowledge.stages import KNOWLEDGE, PROBE, TABLES

WHAT, PICTURE_OF = "What is this?", "A picture of the {}."


def probe(params: Params, model: str) -> None:
    entities = list(read_rows(TABLES["entities"], ["id", "entity", "number", "status"]))
    rows = list(probing_rows(entities, params.knowledge.probe.pictures))
    name = f"knowledge.probe@{model}"
    answers = ask_model(params, name, params.player(model), rows, TABLES["answers"] / model)
    judged = ((answer, answer["entity"]) for answer in answers if answer["status"] == "ok")
    judge(params, f"knowledge.probe_judged@{model}", judged, TABLES["probe"] / model)


def probing_rows(entities: Sequence[Row], pictures: int) -> Iterator[Row]:
    """Yield `pictures` questions on each side for each complete entity."""
    pictures_of_whole = [row for row in entities if row["status"] == "ok" and row["number"] < pictures]
    texts = {"und": WHAT, "gen": PICTURE_OF}
    for number, (side, row) in enumerate((side, row) for row in pictures_of_whole for side in texts):
        question, picture = texts[side].format(row["entity"]), row["id"] if side == "und" else None
        about = {"entity": row["entity"], "side": side, "sample": row["number"]}
        yield {"id": make_id("probe", number), **about, "question": question, "picture": picture}


if __name__ == "__main__":
    main("knowledge.probe", probe, Params, *sys.argv[1:], record=KNOWLEDGE.record(PROBE))
