"""What each checkpoint of a training knows on both sides: the new fact, the old one, and neighbours that were never
trained, asked in trained and in other wordings (arXiv 2602.02140, E.3).
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
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
from stages.knowledge.design import KINDS
from stages.knowledge.parameters import Params
from stages.knowledge.stages import ADAPTERS, KNOWLEDGE, MEASURE, TABLES

SCHEMA = table_schema(
    "id model study strategy step:int32 entity cluster side fact wording value:float64 status reason reply "
    "image:binary question"
)
"""One row for each answer and fact. `value`: 0 or 1 if judged; for paintings of injected entities the mean cosine with
their pictures. Fact `reference`, at step 0, is the mean cosine among these pictures. If a checkpoint did not answer,
there is no `reply` and no `image`. For an answer with two facts the first has the picture."""
EMBEDDED = table_schema("id vector:[float32]", *ASKED)
Found = dict[tuple[str, str], Row]
"""The results for an answer, by its id, and a name: a status, a reason, a value."""


def measure(params: Params, model: str, study: str, strategy: str) -> None:
    cell, scratch = f"{model}-{study}-{strategy}", TREE_FOLDER / "knowledge" / f"{model}-{study}-{strategy}"
    rows_of_step, answers = list(rows_to_ask(study)), list[Row]()
    for step in (0, *params.knowledge.recipe.checkpoints):
        rows = [row | {"id": make_id(f"step{step}", n), "step": step} for n, row in enumerate(rows_of_step)]
        place = scratch / f"step-{step}"
        if step:
            folder = str((ADAPTERS / cell / f"step-{step}").absolute())
            adapter = Adapter(path=folder, revision=built_digest(folder))
            given = ask_model(params, f"knowledge.measure@{cell}", params.player(model, adapter), rows, place, ())
        else:  # equal for all strategies: asked once
            given = ask_model(params, f"knowledge.untrained@{model}-{study}", params.player(model), rows, place)
        answers += [row | answer for row, answer in zip(rows, given, strict=True)]
    there = [answer for answer in answers if answer["status"] == "ok"]
    painted = [answer for answer in there if study == "inject" and answer["side"] == "gen"]
    others = [answer for answer in there if study == "edit" or answer["side"] == "und"]
    pairs = [(answer, name) for answer in others for name in names_by_fact(answer).values()]
    verdicts = judge(params, f"knowledge.measure_judged@{cell}", pairs, scratch / "verdicts")
    found: Found = {(row["answer"], row["name"]): row | {"value": row["correct"]} for row in verdicts}
    references = list[Row]()
    if study == "inject":
        cosines, references = compare(params, cell, rows_of_step, painted, scratch / "vectors")
        found |= cosines
    named = {"model": model, "study": study, "strategy": strategy}
    rows = [row | named for row in (*references, *value_rows(answers, found))]
    rows = [row | {"id": make_id(f"step{row['step']}", n)} for n, row in enumerate(rows)]
    write_rows(TABLES["measured"] / cell, SCHEMA, rows)
    shutil.rmtree(scratch)  # the store has all replies


def rows_to_ask(study: str) -> Iterator[Row]:
    """Yield what every checkpoint is asked: on each side, for each trained entity its first trained wording and its
    first held-out one; for neighbours the latter.
    """
    seen = set[tuple[str, ...]]()
    for row in read_rows(TABLES["sets"] / study):
        key = (row["entity"], row["side"], row["split"])
        wanted = row["role"] == "trained" or (row["role"] == "neighbour" and row["split"] == "held_out")
        if wanted and row["kind"] == KINDS[row["side"]][0] and key not in seen:
            seen.add(key)
            yield row | {"sample": 0}


def names_by_fact(row: Row) -> dict[str, str]:
    """Return the names with which an answer is compared."""
    if row["role"] == "neighbour":
        return {"neighbour": row["name"]}
    return {"new": row["name"]} | ({"old": row["old"]} if row["old"] else {})


def value_rows(answers: Sequence[Row], found: Found) -> Iterator[Row]:
    for answer in answers:
        image = answer["image"] and answer["image"]["bytes"]
        about = {name: answer[name] for name in ("step", "entity", "cluster", "side", "question")}
        about |= {"wording": answer["split"], "reply": answer["text"]}
        for fact, name in names_by_fact(answer).items():
            one = answer if answer["status"] != "ok" else found[answer["id"], name]
            value = float(one["value"]) if one["status"] == "ok" else None
            said = {"fact": fact, "value": value, "status": one["status"], "reason": one["reason"] or one.get("note")}
            yield about | said | {"image": image}
            image = None


def compare(
    params: Params, cell: str, rows: Sequence[Row], painted: Sequence[Row], folder: Path
) -> tuple[Found, list[Row]]:
    """Return the mean cosine of each painting with its entity's pictures, and for each entity a row with that among its
    own pictures.
    """
    entities = {row["entity"]: row for row in rows}
    own = grouped((row["entity"], row["id"]) for row in read_rows(TABLES["entities"], ["id", "entity"]))
    pictures = entity_pictures(one for entity in entities for one in own[entity])
    pictures |= {answer["id"]: answer["image"]["bytes"] for answer in painted}
    embedded = ask_rows(
        params,
        f"knowledge.measure_embedded@{cell}",
        params.role_model("image_embedder"),
        [{"id": make_id("vector", number), "of": of} for number, of in enumerate(pictures)],
        lambda row: Embedding(Embed(picture_as_shown(pictures[row["of"]]))),
        lambda row, vector: {"vector": (vector / np.linalg.norm(vector)).tolist()},
        (folder, EMBEDDED),
        NOT_REACHED,
    )
    vectors = dict(zip(pictures, embedded, strict=True))
    references = {entity: [vectors[one] for one in own[entity]] for entity in entities}
    found = {(one["id"], one["name"]): cosine_of([vectors[one["id"]]], references[one["entity"]]) for one in painted}
    rows_of_references = list[Row]()
    for entity, row in entities.items():
        one, count = cosine_of(references[entity], references[entity]), len(references[entity])
        if row["role"] == "trained" and one["status"] == "ok":
            value = (count * one["value"] - 1) / (count - 1)  # without pairs of a picture with itself
            about = {"entity": entity, "cluster": row["cluster"], "side": "gen", "wording": "trained", "step": 0}
            rows_of_references.append({**about, "fact": "reference", "value": value, "status": "ok"})
    return found, rows_of_references


def cosine_of(some: Sequence[Row], others: Sequence[Row]) -> Row:
    """Return the mean cosine of all pairs, or the reason if one has no vector."""
    if failed := next((row for row in (*some, *others) if row["status"] != "ok"), None):
        return {"status": failed["status"], "reason": failed["reason"]}
    one, other = (np.array([row["vector"] for row in rows], float) for rows in (some, others))
    return {"status": "ok", "reason": None, "value": float((one @ other.T).mean())}


if __name__ == "__main__":
    main("knowledge.measure", measure, Params, *sys.argv[1:], record=KNOWLEDGE.record(MEASURE))
