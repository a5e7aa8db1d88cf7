"""A whole build of nine candidates, written by hand, so that every figure can be counted on fingers.

Waves: `legacy` (rewrite, 4 rows), `imagined` (imagine, 3), `mined` (mine_text, 2). Two pictures are released.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.dataset.leaks import items
from gamut.dataset.reading.rows import SCHEMA as ROWS_SCHEMA
from gamut.dataset.shared import joins
from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import cut_into_slices
from gamut.tables.writing import TableWriter
from stages.dataset import captions, choosing, release, scores
from stages.dataset.pipeline import ASKING, DECIDING, Params
from tests import fakes

SCHEMAS = {
    joins.table_of("source_rows"): ROWS_SCHEMA,
    **{step.table: step.schema for step in (*ASKING, *DECIDING)},
    joins.table_of("release"): release.SCHEMA,
    joins.table_of("captions"): captions.SCHEMA,
    joins.table_of("scores"): scores.SCHEMA,
}
WAVES = ("legacy", "imagined", "mined")
OWN_SHARDS = {
    joins.table_of("brainstorm"): ("families",),
    joins.table_of("seeds"): ("seeds",),
    joins.table_of("embed_prompts"): ("prompts",),
    joins.table_of("embed_items"): (items.ITEMS,),
}
L0, L1, L2, L3 = (make_id("legacy", n) for n in range(4))
I0, I1, I2 = (make_id("imagined", n) for n in range(3))
M0, M1 = (make_id("mined", n) for n in range(2))
WHALE, CLOCKS = "a glass whale swims over the city", "clocks melt on a tower of sand"


SOURCES = [
    {"kind": "sandbox", "wave": "legacy", "route": "rewrite", "count": 4},
    {"kind": "imagine", "wave": "imagined", "count": 3},
    {"kind": "sandbox", "wave": "mined", "route": "mine_text", "count": 2},
]
"""The three waves."""


def params(**changes: Any) -> Params:
    """Parameters with the three waves."""
    return fakes.params(**{"sources": SOURCES} | changes)


def put(folder: Path, rows: Iterable[Row], schema: pa.Schema | None = None) -> None:
    """Write a table with a shard for every wave, also for one without rows."""
    rows = list(rows)
    with TableWriter(folder, schema or SCHEMAS[folder]) as table:
        for wave in OWN_SHARDS.get(folder, WAVES):
            of_wave = [row for row in rows if row["id"].startswith(f"{wave}-")]
            for shard, _, some in cut_into_slices(f"{wave}-00000", of_wave):
                table.write(shard, some)


def empty() -> None:
    """A build of which nothing came."""
    for folder in SCHEMAS:
        put(folder, [])


def asked(row: Mapping[str, Any], name: str, status: str = "ok") -> Row:
    """A row that was answered with one reply of 100 and 10 tokens; `name` stands for the request."""
    reply = {"fingerprint": name, "finish": "stop", "content": "x", "input_tokens": 100, "output_tokens": 10}
    reason = None if status == "ok" else "a cause"
    return {**row, "status": status, "reason": reason, "model": "model", "replies": [reply]}


def caption(row_id: str, description: str, text: str) -> Row:
    return asked({"id": row_id, "description": description, "caption": text}, f"{row_id} {description}")


def chinese(row_id: str, description: str, status: str = "ok") -> Row:
    text = "一只鲸鱼" if status == "ok" else None
    return asked({"id": row_id, "description": description, "caption_cn": text}, f"{row_id} {description}", status)


def decided(row_id: str, column: str, reason: str | None = None, **values: Any) -> Row:
    return {"id": row_id, column: reason is None, "reason": reason, **values}


def write() -> None:
    """Write all tables."""
    colours = itertools.cycle(["red", "green", "blue", "white"])
    image = {row_id: {"bytes": fakes.jpeg(next(colours), (64, 48)), "path": None} for row_id in (L0, L1, I0, M0, M1)}

    def source(row_id: str, route: str, caption: str | None, **values: Any) -> Row:
        wave = row_id.rpartition("-")[0]
        row = {"id": row_id, "wave": wave, "route": route, "source": "sandbox", "caption": caption, "status": "ok"}
        return row | {"image": image.get(row_id)} | values

    put(
        joins.table_of("source_rows"),
        [
            source(L0, "rewrite", "two red apples"),
            source(L1, "rewrite", "a blue car", image=None, image_reason="there is no image"),
            source(L2, "rewrite", "a green tree"),
            source(L3, "rewrite", None, status="invalid_input", reason="there is neither a caption nor an image"),
            *(source(row_id, "imagine", None) for row_id in (I0, I1, I2)),
            source(M0, "mine_text", "a sign"),
            source(M1, "mine_text", None),
        ],
    )
    family = {"id": make_id("families", 0), "family": "dreams"}
    first = asked({**family, "position": 0, "prompt": "a whale of glass over a city"}, "family")
    others = [first | {"position": n, "prompt": text, "replies": []} for n, text in ((1, CLOCKS), (2, CLOCKS))]
    put(joins.table_of("brainstorm"), [first, *others])
    seed_prompts = [{"family": "dreams", "prompt": row["prompt"]} for row in (first, *others)]
    repeats = ("near_duplicate", make_id("seeds", 1))
    put(
        joins.table_of("seeds"),
        [
            decided(make_id("seeds", 0), "kept", **seed_prompts[0]),
            decided(make_id("seeds", 1), "kept", **seed_prompts[1]),
            decided(make_id("seeds", 2), "kept", repeats[0], duplicate_of=repeats[1], **seed_prompts[2]),
        ],
    )
    shown = [make_id("seeds", 0)]
    put(
        joins.table_of("imagine"),
        [
            asked({"id": I0, "caption": WHALE, "seeds": shown}, "the same"),
            asked({"id": I1, "caption": WHALE, "seeds": shown}, "the same"),  # in the same slice: asked once
            asked({"id": I2, "caption": CLOCKS, "seeds": shown}, "another"),
        ],
    )
    directions = enumerate([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8]])
    put(
        joins.table_of("embed_prompts"),
        [asked({"id": make_id("prompts", n), "vector": vector}, f"prompts {n}") for n, vector in directions],
    )
    put(
        joins.table_of("rewrite"),
        [
            asked({"id": L0, "caption": "two red apples on a table", "from_image": True}, L0),
            asked({"id": L1, "caption": "a blue car in the street", "from_image": False}, L1),
            asked({"id": L2, "caption": None, "from_image": True}, L2, "parse_error"),
        ],
    )
    put(joins.table_of("find_text"), [asked({"id": i, "score_legibility": n}, i) for i, n in ((M0, 9), (M1, 3))])
    put(joins.table_of("legible"), [decided(M0, "legible"), decided(M1, "legible", "legibility")])
    put(joins.table_of("mine_text"), [asked({"id": M0, "caption": 'a sign that says "OPEN"'}, M0)])

    def prompt(row_id: str, reason: str | None = None, **values: Any) -> Row:
        route = {"legacy": "rewrite", "imagined": "imagine", "mined": "mine_text"}[row_id.rpartition("-")[0]]
        return decided(row_id, "kept", reason, wave=row_id.rpartition("-")[0], route=route, prompt="p", **values)

    put(
        joins.table_of("prompts"),
        [
            *(prompt(row_id) for row_id in (L0, L1)),
            prompt(L2, "rewrite_parse_error"),
            prompt(L3, "invalid_input: there is neither a caption nor an image"),
            prompt(I0),
            prompt(I1, "duplicate", duplicate_of=I0, similarity=1.0),
            prompt(I2),
            prompt(M0),
            prompt(M1, "legibility"),
        ],
    )
    painted = {"width": 64, "height": 48, "seed": 1, "prompt": "p", "painted": True}
    put(
        joins.table_of("synthesize"),
        [
            *(asked({"id": i, "image": image[i], **painted}, i) for i in (L0, L1, I0)),
            asked({"id": I2, "prompt": "p", "seed": 1}, I2, "unsupported"),
            asked({"id": M0, "image": image[M0], **painted}, M0),
        ],
    )
    quality = {L0: (10, 9), L1: (3, 9), I0: (9, 9), M0: (8, 8)}
    names = ("score_image_clarity", "score_image_structure")
    put(
        joins.table_of("examine"),
        [asked({"id": i} | dict(zip(names, of, strict=True)), i) for i, of in quality.items()],
    )
    put(joins.table_of("admit"), [decided(i, "admitted", "clarity" if i == L1 else None) for i in quality])
    relevance = {L0: {"entity": 9, "style": 8}, I0: {"imaginative": 10}, M0: {"text": 9}}
    put(
        joins.table_of("score"),
        [asked({"id": i} | {f"score_{n}": of.get(n, 0) for n in CHARACTERISTICS}, i) for i, of in relevance.items()],
    )
    put(
        joins.table_of("categorize"),
        [{"id": i, "categories": list(of), "text": "text" in of} for i, of in relevance.items()],
    )
    put(
        joins.table_of("proofread"),
        [asked({"id": M0, "score_contrast": 9, "score_letterforms": 8, "score_sense": 9}, M0)],
    )
    put(joins.table_of("safety"), [])
    put(joins.table_of("follow"), [asked({"id": i, "score_follows": n}, i) for i, n in ((L0, 9), (I0, 8), (M0, 5))])
    put(
        joins.table_of("select"),
        [
            decided(L0, "kept", categories=["entity", "style"]),
            decided(L1, "kept", "clarity", categories=[]),
            decided(I0, "kept", categories=["imaginative"]),
            decided(I2, "kept", "synthesize_unsupported", categories=[]),
            decided(M0, "kept", categories=["text"]),
        ],
    )
    put(
        joins.table_of("annotate"),
        [
            caption(L0, "entity", "two shiny red apples"),  # 4 words
            caption(L0, "style", "flat and bold colours"),
            caption(L0, "detail", " ".join(["word"] * 20)),
            caption(I0, "imaginative", "a whale made of glass"),  # 5 words
            caption(I0, "detail", " ".join(["word"] * 40)),
            caption(M0, "text", 'a sign that reads "OPEN"'),
            caption(M0, "detail", "a wooden sign above a door"),
        ],
    )
    put(joins.table_of("align"), [asked({"id": i, "score_original": n}, i) for i, n in ((L0, 9), (M0, 5))])
    put(
        joins.table_of("originals"),
        [
            decided(L0, "kept", caption="two red apples", score_original=9),
            decided(M0, "kept", "alignment", caption="a sign", score_original=5),
        ],
    )
    translated = [(L0, "entity"), (L0, "detail"), (L0, "original"), (I0, "imaginative"), (I0, "detail")]
    lettered = [(M0, "text"), (M0, "detail"), (M0, "original")]
    put(
        joins.table_of("translate"),
        sorted(
            [*(chinese(*of) for of in translated + lettered), chinese(L0, "style", "parse_error")],
            key=lambda row: [L0, I0, M0].index(row["id"]),
        ),
    )
    for folder in (
        joins.table_of("embed_pictures"),
        joins.table_of("same_pictures"),
        joins.table_of("embed_items"),
        joins.table_of("compare_pictures"),
        *(step.table for step in choosing.SCORING.values()),  # without a model
        joins.table_of("resemble"),
        joins.table_of("same_test"),
        joins.table_of("caption_lengths"),
        joins.table_of("translate_lengths"),
        joins.table_of("captions"),
        joins.table_of("scores"),
    ):
        put(folder, [])
    held_out = {"edition": "prism/v1", "item": "3", "description": "prompt_en", "similarity": 0.9}
    put(
        joins.table_of("hold_out"),
        [decided(L0, "kept"), decided(I0, "kept"), decided(M0, "kept", "benchmark", **held_out)],
    )
    release.STEP.carry_out(params())
