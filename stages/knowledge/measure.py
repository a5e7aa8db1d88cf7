"""What each checkpoint of a training knows, on both sides: the new fact, the old one, and neighbours that were never
trained, asked in wordings that were and in others (arXiv 2602.02140, E.3).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import compress
from operator import not_
from pathlib import Path

import numpy as np

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.limits import NOT_REACHED
from gamut.asking.models.weights import built_digest
from gamut.asking.requests import Embed
from gamut.asking.seeing import Embedding
from gamut.project.model_kinds import Adapter
from gamut.project.places import TREE_FOLDER
from gamut.project.stage import main
from gamut.tables.columns import ASKED, Row, grouped, make_id, table_schema
from gamut.tables.reading import read_rows
from gamut.tables.writing import write_rows
from stages.knowledge.asking import ask_model, ask_rows, entity_pictures, judge
from stages.knowledge.design import KINDS, split_pictures
from stages.knowledge.parameters import Params
from stages.knowledge.stages import ADAPTERS, KNOWLEDGE, MEASURE, TABLES

SCHEMA = table_schema(
    "id model study strategy step:int32 entity cluster side fact wording value:float64 status reason reply "
    "image:binary question"
)
"""A row an answer and fact. `value`: 0 or 1 of what was judged, of paintings of injected entities the mean cosine with
their pictures; fact `reference`, at step 0, is that of these among themselves. What a checkpoint did not answer has
neither `reply` nor `image`; of an answer with two facts the first has the picture.
"""
EMBEDDED = table_schema("id vector:[float32]", *ASKED)
Found = dict[tuple[str, str], Row]
"""What is known of an answer, by its id, and a name: a status, a reason, and `correct` or `cosine`."""


def measure(params: Params, model: str, study: str, strategy: str) -> None:
    cell, scratch = f"{model}-{study}-{strategy}", TREE_FOLDER / "knowledge" / f"{model}-{study}-{strategy}"
    asked = list(measured_rows([row for row in read_rows(TABLES["sets"]) if row["study"] == study], params))
    answers = list[Row]()
    for step in (0, *params.knowledge.recipe.checkpoints):
        rows = [row | {"id": make_id(f"step{step}", number), "step": step} for number, row in enumerate(asked)]
        place = scratch / f"step-{step}"
        if step:
            folder = str((ADAPTERS / cell / f"step-{step}").absolute())
            adapter = Adapter(path=folder, revision=built_digest(folder))
            given = ask_model(params, f"knowledge.measure@{cell}", params.player(model, adapter), rows, place, ())
        else:  # the same of all strategies, and asked once
            given = ask_model(params, f"knowledge.untrained@{model}-{study}", params.player(model), rows, place)
        answers += [row | answer for row, answer in zip(rows, given, strict=True)]
    there = [answer for answer in answers if answer["status"] == "ok"]
    compared = [study == "inject" and answer["side"] == "gen" for answer in there]
    pairs = [(one, name) for one in compress(there, map(not_, compared)) for name in names_by_fact(one).values()]
    verdicts = judge(params, f"knowledge.measure_judged@{cell}", pairs, scratch / "verdicts")
    found: Found = {(row["answer"], row["name"]): row for row in verdicts}
    references = list[Row]()
    if study == "inject":
        cosines, references = compare(params, cell, asked, [*compress(there, compared)], scratch / "vectors")
        found |= cosines
    named = {"model": model, "study": study, "strategy": strategy}
    rows = [row | named for row in (*references, *value_rows(answers, found))]
    write_rows(
        TABLES["measured"] / cell,
        SCHEMA,
        [row | {"id": make_id(f"step{row['step']}", n)} for n, row in enumerate(rows)],
    )


def measured_rows(rows: Sequence[Row], params: Params) -> Iterator[Row]:
    """Yield what every checkpoint is asked: on each side of each trained entity its first trained wording and the
    held-out one, of neighbours the latter. Further answers are about further pictures.
    """
    numbers, entities = (
        split_pictures(params.knowledge.pictures),
        read_rows(TABLES["entities"], ["id", "entity", "number"]),
    )
    ids, seen = {(row["entity"], row["number"]): row["id"] for row in entities}, set[tuple[str, ...]]()
    for row in rows:
        key, own = (row["entity"], row["side"], row["split"]), numbers[row["split"]]
        wanted = row["role"] == "trained" or (row["role"] == "neighbour" and row["split"] == "held_out")
        if wanted and row["kind"] == KINDS[row["side"]][0] and key not in seen:
            seen.add(key)
            for sample in range(params.knowledge.answers):
                picture = ids[row["entity"], own[sample % len(own)]] if row["side"] == "und" else None
                yield row | {"sample": sample, "picture": picture}


def names_by_fact(row: Row) -> dict[str, str]:
    """Return the names that an answer is held against."""
    if row["role"] == "neighbour":
        return {"neighbour": row["name"]}
    return {"new": row["name"]} | ({"old": row["old"]} if row["old"] else {})


def value_rows(answers: Sequence[Row], found: Found) -> Iterator[Row]:
    kept = ("step", "entity", "cluster", "side", "question")
    for answer in answers:
        image = answer["image"] and answer["image"]["bytes"]
        for fact, name in names_by_fact(answer).items():
            said: Row = answer if answer["status"] != "ok" else found[answer["id"], name]
            value = (said["cosine"] if "cosine" in said else float(said["correct"])) if said["status"] == "ok" else None
            about = {name: answer[name] for name in kept} | {"wording": answer["split"], "fact": fact, "value": value}
            reason = said["reason"] or said.get("note")
            yield about | {"status": said["status"], "reason": reason, "reply": answer["text"], "image": image}
            image = None


def compare(
    params: Params, cell: str, asked: Sequence[Row], painted: Sequence[Row], folder: Path
) -> tuple[Found, list[Row]]:
    """Return the mean cosine of each painting with its entity's pictures, and a row of each entity of those of its own
    among themselves.
    """
    entities = {row["entity"]: row for row in asked}
    own = grouped((row["entity"], row["id"]) for row in read_rows(TABLES["entities"], ["id", "entity"]))
    pictures = entity_pictures(one for entity in entities for one in own[entity])
    pictures |= {answer["id"]: answer["image"]["bytes"] for answer in painted}
    rows = [{"id": make_id("vector", number), "of": of} for number, of in enumerate(pictures)]
    embedded = ask_rows(
        params,
        f"knowledge.measure_embedded@{cell}",
        params.role_model("image_embedder"),
        rows,
        lambda row: Embedding(Embed(picture_as_shown(pictures[row["of"]]))),
        lambda row, vector: {"vector": (vector / np.linalg.norm(vector)).tolist()},
        (folder, EMBEDDED),
        NOT_REACHED,
    )
    vectors = dict(zip(pictures, embedded, strict=True))
    found = {
        (one["id"], one["name"]): cosine_of([vectors[one["id"]]], [vectors[of] for of in own[one["entity"]]])
        for one in painted
    }
    references = list[Row]()
    for entity, row in entities.items():
        some = [vectors[of] for of in own[entity]]
        cosine = cosine_of(some, some)
        if row["role"] == "trained" and cosine["status"] == "ok":
            value = (len(some) * cosine["cosine"] - 1) / (len(some) - 1)  # without each beside itself
            about = {"entity": entity, "cluster": row["cluster"], "side": "gen", "wording": "trained", "step": 0}
            references.append({**about, "fact": "reference", "value": value, "status": "ok"})
    return found, references


def cosine_of(some: Sequence[Row], others: Sequence[Row]) -> Row:
    """Return the mean cosine of each with each; where one has no vector, why."""
    if failed := next((row for row in (*some, *others) if row["status"] != "ok"), None):
        return {"status": failed["status"], "reason": failed["reason"]}
    one, other = (np.array([row["vector"] for row in rows], float) for rows in (some, others))
    return {"status": "ok", "reason": None, "cosine": float((one @ other.T).mean())}


if __name__ == "__main__":
    main("knowledge.measure", measure, Params, *sys.argv[1:], record=KNOWLEDGE.record(MEASURE))
