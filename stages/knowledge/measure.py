"""What each checkpoint of a training knows, on both sides: the new fact, the old one, and neighbours that were never
trained, asked in wordings that were and in others (arXiv 2602.02140, E.3).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.limits import FAILURES, NOT_REACHED
from gamut.asking.requests import Embed
from gamut.asking.seeing import Embedding
from gamut.project.model_kinds import BUILT, TRAINED, Adapter
from gamut.project.places import TREE_FOLDER
from gamut.project.roles import RoleModel
from gamut.project.stage import main
from gamut.tables.columns import ASKED, Row, grouped, make_id, place, table_schema
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from stages.knowledge.asking import ask_model, ask_rows, entity_pictures, judge
from stages.knowledge.design import KINDS, split_pictures
from stages.knowledge.parameters import Params
from stages.knowledge.stages import MEASURE, TABLES, record_of

SCHEMA = table_schema(
    "id model study strategy step:int32 entity cluster side fact wording value:float64 status reason reply image:binary "
    "question"
)
"""A row an answer and fact. `value`: 0 or 1 of what was judged, a cosine of what an injected entity was painted like.
What the checkpoint did not answer has neither `reply` nor `image`. Fact `reference`: the mean cosine among an entity's
own pictures, at step 0.
"""
EMBEDDED = table_schema("id vector:[float32]", *ASKED)


def measure(params: Params, model: str, study: str, strategy: str) -> None:
    cell = f"{model}-{study}-{strategy}"
    asked = list(measured_rows([row for row in read_rows(TABLES["sets"]) if row["study"] == study], params))
    scratch = TREE_FOLDER / "knowledge" / cell
    answers: dict[int, list[Row]] = {}
    for step in (0, *params.knowledge.recipe.checkpoints):
        player, counted = params.player(model), FAILURES
        stage = f"knowledge.untrained@{model}-{study}"  # the same of all strategies, and asked once
        if step:
            adapter = Adapter(path=f"{TRAINED}/knowledge-{cell}/step-{step}", revision=BUILT)
            player = player._replace(model=player.model.model_copy(update={"adapter": adapter}))
            stage, counted = f"knowledge.measure@{cell}", ()
        rows = [row | {"id": make_id(f"step{step}", number)} for number, row in enumerate(asked)]
        answers[step] = ask_model(params, stage, player, rows, scratch / f"step-{step}", counted)
    by_cosine = study == "inject"
    judged = [
        (answer, name)
        for some in answers.values()
        for answer, row in zip(some, asked, strict=True)
        if answer["status"] == "ok" and not (by_cosine and row["side"] == "gen")
        for name in facts_of(row).values()
    ]
    verdicts = judge(params, f"knowledge.measure_judged@{cell}", judged, scratch / "verdicts")
    found = {(row["answer"], row["name"]): row for row in verdicts}
    references: list[Row] = []
    if by_cosine:
        cosines, references = compared(params, cell, asked, answers, scratch / "vectors")
        found |= cosines
    rows = [*value_rows(asked, answers, found), *references]
    named = {"model": model, "study": study, "strategy": strategy}
    with TableWriter(TABLES["measured"] / cell, SCHEMA) as table:
        numbered = (row | named | {"id": make_id(f"step{row['step']}", n)} for n, row in enumerate(rows))
        for shard, some in grouped((place(row["id"])[0], row) for row in numbered).items():
            table.write(shard, some)


def measured_rows(rows: Sequence[Row], params: Params) -> Iterator[Row]:
    """Yield what every checkpoint is asked: on each side of each trained entity its first trained wording and the
    held-out one, of neighbours the latter. Answers to one question about a picture are about different ones.
    """
    numbers = split_pictures(params.knowledge.pictures)
    ids = {(row["entity"], row["number"]): row["id"] for row in read_rows(TABLES["entities"], ["id", "entity", "number"])}
    seen = set[tuple[str, ...]]()
    for row in rows:
        key = row["entity"], row["side"], row["split"]
        wanted = row["role"] == "trained" or (row["role"] == "neighbour" and row["split"] == "held_out")
        if wanted and row["kind"] == KINDS[row["side"]][0] and key not in seen:
            seen.add(key)
            for sample in range(params.knowledge.answers):
                number = numbers[row["split"]][sample % len(numbers[row["split"]])]
                yield row | {"sample": sample, "picture": ids[row["entity"], number] if row["side"] == "und" else None}


def facts_of(row: Row) -> dict[str, str]:
    """Return the names that an answer is held against, by fact."""
    if row["role"] == "neighbour":
        return {"neighbour": row["name"]}
    return {"new": row["name"], **({"old": row["old"]} if row["old"] else {})}


def value_rows(
    asked: Sequence[Row], answers: Mapping[int, Sequence[Row]], found: Mapping[tuple[str, str], Row]
) -> Iterator[Row]:
    """Yield a row an answer and fact, by what was `found` of an answer and a name: its status, `correct` or `cosine`.
    The picture stands in the first.
    """
    for step, some in answers.items():
        for row, answer in zip(asked, some, strict=True):
            about = {name: row[name] for name in ("entity", "cluster", "side", "question")} | {"wording": row["split"]}
            image = answer["image"] and answer["image"]["bytes"]
            for fact, name in facts_of(row).items():
                judgment = answer if answer["status"] != "ok" else found[answer["id"], name]
                value = None
                if judgment["status"] == "ok":
                    value = judgment["cosine"] if "cosine" in judgment else float(judgment["correct"])
                reason = judgment["reason"] or judgment.get("note")
                kept = {"status": judgment["status"], "reason": reason, "reply": answer["text"], "image": image}
                yield {**about, "step": step, "fact": fact, "value": value, **kept}
                image = None


Cosines = dict[tuple[str, str], Row]


def compared(
    params: Params, cell: str, asked: Sequence[Row], answers: Mapping[int, Sequence[Row]], folder: Path
) -> tuple[Cosines, list[Row]]:
    """Return of each painting its mean cosine with the pictures of its entity, and rows of those among themselves."""
    entities = sorted({row["entity"] for row in asked})
    shown = [row for row in read_rows(TABLES["entities"], ["id", "entity"]) if row["entity"] in entities]
    pictures = entity_pictures(row["id"] for row in shown)
    painted = [
        (answer, row["name"])
        for some in answers.values()
        for answer, row in zip(some, asked, strict=True)
        if row["side"] == "gen" and answer["status"] == "ok"
    ]
    pictures |= {answer["id"]: answer["image"]["bytes"] for answer, _ in painted}
    rows = [{"id": make_id("vector", number), "of": of} for number, of in enumerate(pictures)]
    vectors = ask_rows(
        params,
        f"knowledge.measure_embedded@{cell}",
        params.role_model("image_embedder"),
        rows,
        lambda row: Embedding(Embed(picture_as_shown(pictures[row["of"]]))),
        lambda row, vector: {"vector": (vector / np.linalg.norm(vector)).tolist()},
        (folder, EMBEDDED),
        NOT_REACHED,
    )
    of = dict(zip(pictures, vectors, strict=True))
    own = {entity: [of[row["id"]] for row in shown if row["entity"] == entity] for entity in entities}
    cosines = {(answer["id"], name): cosine_row(of[answer["id"]], own[name]) for answer, name in painted}
    references = []
    for row in {row["entity"]: row for row in asked if row["role"] == "trained"}.values():
        others = [cosine_row(one, [two for two in own[row["entity"]] if two is not one]) for one in own[row["entity"]]]
        values = [one["cosine"] for one in others if one["status"] == "ok"]
        about = {"entity": row["entity"], "cluster": row["cluster"], "side": "gen", "wording": "trained", "step": 0}
        if values:
            references.append({**about, "fact": "reference", "value": float(np.mean(values)), "status": "ok"})
    return cosines, references


def cosine_row(one: Row, others: Sequence[Row]) -> dict[str, Any]:
    """Return the mean cosine of a vector with others; the first status that is not `ok` where there is none."""
    if failed := next((row for row in (one, *others) if row["status"] != "ok"), None):
        return {"status": failed["status"], "reason": failed["reason"]}
    cosine = np.mean([np.dot(one["vector"], other["vector"]) for other in others])
    return {"status": "ok", "reason": None, "cosine": float(cosine)}


if __name__ == "__main__":
    main("knowledge.measure", measure, Params, *sys.argv[1:], record=record_of(MEASURE))
