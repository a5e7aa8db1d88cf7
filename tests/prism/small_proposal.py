"""A proposal of a few prompts, and what people say of it."""

from __future__ import annotations

from collections.abc import Mapping

from gamut.evaluation.construction import proposals
from gamut.evaluation.curating.review import digest_of
from gamut.project.decisions import Decision, open_log
from gamut.tables.columns import Row, make_id
from gamut.tables.writing import TableWriter
from stages.prism.construction.proposals import COLUMNS, wave_of
from stages.prism.curation import CURATION
from tests.prism.small_dataset import EDITION

PROPOSAL = proposals.path_of("prism", EDITION)
SHA256 = "5a" * 32


def proposed(track: str, number: int, prompt: str, origin: str = "sampled", **values: str | None) -> Row:
    row_id = make_id(wave_of(track, origin), number)
    texts = {"prompt": prompt, "prompt_zh": f"{prompt}，中文"}
    row = {"row": f"w-{number:08d}", "row_sha256": SHA256} if origin == "sampled" else {}
    return {"id": row_id, "track": track, "origin": origin, **texts, **row, "status": "ok"} | values


CAT = proposed("style", 3, 'a cubist cat, "meow"')
DOG = proposed("style", 0, "a cubist dog", "curated", elements="style: Cubism\nsubject: dog")
OWL = proposed("entity", 8, "a barn owl")
LOST = proposed("entity", 9, "a lost owl", status="near_duplicate", reason="resembles entity-00000008 (1.00)")


def write_proposal(*rows: Row) -> None:
    with TableWriter(PROPOSAL, proposals.schema_of(*COLUMNS)) as table:
        for wave in dict.fromkeys(row["id"].rpartition("-")[0] for row in rows):
            table.write(f"{wave}-00000", [row for row in rows if row["id"].rpartition("-")[0] == wave])


def decide(reviewer: str, said: Mapping[str, str | Decision], *rows: Row) -> None:
    """Add to a reviewer's log what is said of rows by id: a decision about their texts as they are here."""
    with open_log(reviewer, "review.prism.v1") as log:
        for row in rows:
            if one := said.get(row["id"]):
                decision = one if isinstance(one, Decision) else Decision(id="-", decision=one)
                log.add(decision.model_copy(update={"id": row["id"], "about": digest_of(CURATION, row)}))
