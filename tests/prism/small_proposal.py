"""A proposal of a few prompts, and a review of it as a person fills it in."""

from __future__ import annotations

import csv
from collections.abc import Mapping

from gamut.evaluation.construction import proposals
from gamut.evaluation.curating.review import path_of
from gamut.tables.columns import Row, make_id
from gamut.tables.writing import TableWriter
from stages.prism.construction.proposals import COLUMNS, wave_of
from stages.prism.curation import CURATION
from tests.prism.small_dataset import EDITION

REVIEW = path_of(CURATION, EDITION)
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


def sheet() -> list[dict[str, str]]:
    with REVIEW.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill_in(decisions: Mapping[str, Mapping[str, str]]) -> None:
    rows = [row | decisions.get(row["id"], {}) for row in sheet()]
    with REVIEW.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
