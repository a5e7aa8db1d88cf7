"""The proposal: every prompt in both languages, or why not; of prompts that resemble each other the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.reading.rows import SCHEMA as ROWS_SCHEMA
from gamut.evaluation.construction.proposals import SOURCE_ROWS, SYNTHESIZED
from gamut.evaluation.defining.editions import source_sha256
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, read_rows, shard_names
from gamut.tables.writing import TableWriter
from stages.dataset import synthesize
from stages.prism.construction.steps import PRISM
from tests import constructing, fakes
from tests.prism.small_proposal import PROPOSAL

LONG = "a fox in a red scarf reads a newspaper under a street lamp while snow falls"  # 15 words
NEAR = LONG.replace("newspaper", "magazine")  # 14 of 16 words: .875


def sampled(number: int, text: str, track: str = "style") -> Row:
    return {"id": f"{track}-{number:08d}", "track": track, "text": text, "row": f"w-{number:08d}"}


def curated(number: int, prompt: str | None, status: str = "ok") -> Row:
    row = {"id": f"style-curated-{number:08d}", "track": "style", "prompt": prompt, "elements": "style: Cubism"}
    return row | {"status": status, "reason": None if status == "ok" else "the writer was lost"}


def chinese(row_id: str, status: str = "ok") -> Row:
    text = "一只狐狸" if status == "ok" else None
    return {"id": row_id, "prompt_zh": text, "status": status, "reason": None if text else "no Chinese"}


def proposal(samples: list[Row], composed: list[Row], localized: list[Row]) -> dict[str, dict[str, Any]]:
    """The proposal's rows by id; the dataset has rows w-00000000 to 9, those of odd numbers without a caption."""
    ids = [f"w-{number:08d}" for number in range(10)]
    captions = [{"caption": None if n % 2 else f"legacy {n}"} for n in range(10)]
    prompts = [{"prompt": f"thing {n}"} for n in range(10)]
    dataset = [(SOURCE_ROWS, ROWS_SCHEMA, captions), (SYNTHESIZED, synthesize.SCHEMA, prompts)]
    for folder, schema, rows in dataset:
        with TableWriter(folder, schema) as table:
            table.write("w-00000", [{"id": i, "status": "ok"} | row for i, row in zip(ids, rows, strict=True)])
    for step, rows in (("represent", samples), ("compose", composed), ("localize", localized)):
        table = [{"status": "ok"} | row for row in sorted(rows, key=lambda row: str(row["id"]))]
        constructing.slots_at(PRISM, fakes.proposing_prompts(), step).write(table)
    constructing.run(PRISM, fakes.proposing_prompts(), "propose")
    return {row["id"]: row for row in read_rows(PROPOSAL)}


def test_both_origins_in_both_languages(project: Path) -> None:
    rows = proposal(
        [sampled(3, "a cubist cat"), sampled(4, "a cubist cow")],
        [curated(0, "a cubist dog")],
        [chinese("style-00000004"), chinese("style-00000003"), chinese("style-curated-00000000")],
    )
    invented = ["style-00000003", "style", "sampled", "a cubist cat", "一只狐狸", None, "w-00000003"]
    captioned = ["style-00000004", "style", "sampled", "a cubist cow", "一只狐狸", None, "w-00000004"]
    curated_one = ["style-curated-00000000", "style", "curated", "a cubist dog", "一只狐狸", "style: Cubism"]
    assert [list(row.values()) for row in rows.values()] == [
        [*invented, source_sha256(None, "thing 3"), "ok", None],
        [*captioned, source_sha256("legacy 4", "thing 4"), "ok", None],
        [*curated_one, None, None, "ok", None],
    ]
    assert shard_names(PROPOSAL)[:2] == ["imagination-00000", "imagination-curated-00000"]


def test_what_is_missing_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = proposal(
        [sampled(3, "a cubist cat")],
        [curated(0, None, "parse_error"), curated(1, "a cubist owl")],
        [chinese("style-00000003", "refused_judge"), chinese("style-curated-00000001")],
    )
    assert [(row["status"], row["reason"], row["prompt"], row["prompt_zh"]) for row in rows.values()] == [
        ("refused_judge", "no Chinese", "a cubist cat", None),
        ("parse_error", "the writer was lost", None, None),
        ("ok", None, "a cubist owl", "一只狐狸"),
    ]
    said = "prism.propose@v1: 1 of 3 are proposed, left out: 1 parse_error, 1 refused_judge"
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_what_resembles_a_sampled_prompt_of_its_track_is_left_out(project: Path) -> None:
    samples = [sampled(3, LONG), sampled(4, LONG, "entity"), sampled(5, "a cubist owl")]
    rows = proposal(
        samples,
        [curated(0, NEAR), curated(1, "A cubist owl."), curated(2, "a cubist cow")],
        [chinese(row["id"]) for row in samples] + [chinese(f"style-curated-{n:08d}") for n in range(3)],
    )
    assert {row_id: row["reason"] for row_id, row in rows.items() if row["status"] == "near_duplicate"} == {
        "style-curated-00000000": "resembles style-00000003 (0.88)",
        "style-curated-00000001": "resembles style-00000005 (1.00)",
    }
    assert manifest(PROPOSAL)["statuses"] == {"near_duplicate": 2, "ok": 4}
