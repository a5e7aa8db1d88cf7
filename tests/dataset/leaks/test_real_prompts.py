"""Real prompts: paraphrases of PartiPrompts are among the candidates, and other prompts are not taken for them.

docs/hold_out.md has the figures among all 1,632 prompts, way by way. What sentence embeddings find stands in
tests/asking/models/torch/test_text_embeddings.py, where their model is loaded anyway.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from gamut.asking.models.torch.text_embeddings import fit_embedder
from gamut.dataset.leaks.deciding import answers_of, leaks_of
from gamut.dataset.leaks.items import ITEMS, ItemText, gather_benchmarks
from gamut.dataset.leaks.nearest import embeddings_of, nearest_items
from gamut.dataset.leaks.suspects import ASKED_ABOUT, Known, passages, suspects_of
from gamut.tables.columns import make_id
from tests import fakes
from tests.paths import ROOT

BLOCK = fakes.params().hold_out


@cache
def prompts() -> list[str]:
    with (ROOT / "tests/data/parti/PartiPrompts.tsv").open(encoding="utf-8") as file:
        return list(
            dict.fromkeys(row["Prompt"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        )


@cache
def paraphrases() -> list[dict[str, str]]:
    return [json.loads(line) for line in (ROOT / "tests/data/leaks/paraphrases.jsonl").read_text().splitlines()]


def candidates(
    items: Sequence[str], lines: Sequence[dict[str, str]], of_items: np.ndarray, of_rows: np.ndarray
) -> dict[str, float]:
    """How many paraphrases have their prompt among the at most 20 nearest from the least similarity on, by way."""
    known = embeddings_of(of_items, range(len(items)), range(len(items)))
    ways: dict[str, list[bool]] = {}
    for line, row in zip(lines, of_rows, strict=True):
        near = [one for one in nearest_items(row[None], known, BLOCK.asked) if one.similarity >= 0.35]
        ways.setdefault(line["way"], []).append(items.index(line["prompt"]) in [one.item_text for one in near])
    english = [one for way, some in ways.items() if way != "chinese" for one in some]
    return {"english": float(np.mean(english))} | {way: float(np.mean(some)) for way, some in ways.items()}


def test_what_embeddings_without_weights_find_and_what_not() -> None:
    """As the documents have it: the same words in another order or frame, and not other words."""
    embed = fit_embedder(prompts(), 256)
    rows = embed([line["paraphrase"] for line in paraphrases()])
    found = candidates(prompts(), paraphrases(), np.array(embed(prompts())), np.array(rows))
    assert min(found[way] for way in ("prefix", "reorder", "summary", "round_trip")) >= 0.95, found
    assert found["sentence"] < 0.5 and found["chinese"] < 0.5, found


FRAME = frozenset(("a", "an", "the", "of", "in", "on", "with", "and", "is", "are", "to", "photo", "painting"))


def content(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in FRAME)


def scripted(pair: dict[str, Any]) -> dict[str, Any]:
    """An answerer by rule: the same test where four of five content words are the same."""
    one, other = content(pair["text"]), content(pair["item_text"])
    return pair | {"status": "ok", "same": len(one & other) >= 0.8 * len(one | other)}


Answerer = Callable[[dict[str, Any]], dict[str, Any]]


def alarms(rows: Sequence[str], others: Sequence[str], answer: Answerer, asked: int = BLOCK.asked) -> float:
    """The share of prompts that are taken for others, where a model says so; it is asked about so many near a text."""
    benchmarks = gather_benchmarks([ItemText("parti/v1", str(n), text) for n, text in enumerate(others)], 0.845)
    embed = fit_embedder(others, 256)
    embeddings = embeddings_of(np.array(embed(others)), range(len(others)), range(len(others)))
    item_texts = [{"edition": "parti/v1", "item": str(n), "text": text} for n, text in enumerate(others)]
    known = Known([], item_texts, embeddings, benchmarks, [], BLOCK)
    taken = 0
    for number, text in enumerate(rows):
        record = {"id": make_id("w", number), "texts": [("prompt", text)]}
        nears = nearest_items(np.array(embed(passages(text))), embeddings, asked) if asked else []
        near = [
            {"description": "prompt", "item_text": make_id(ITEMS, one.item_text), "similarity": one.similarity}
            for one in nears
        ]
        suspects = suspects_of(record, {"nearest": near, "distance": None}, None, known)
        answers = answers_of([answer(one) for one in suspects if one["found_by"] in ASKED_ABOUT])
        taken += bool(leaks_of(suspects, answers, BLOCK))
    return taken / len(rows)


def test_few_prompts_of_one_half_are_taken_for_those_of_the_other() -> None:
    half = len(prompts()) // 2
    assert alarms(prompts()[:half], prompts()[half:], scripted) <= 0.02


def test_near_duplicates_are_held_out_unless_a_model_says_that_they_are_other_tests() -> None:
    """Every other prompt stands beside others of its family, which differ in one of a dozen words."""
    rows, others = prompts()[::2], prompts()[1::2]
    shares = [
        alarms(rows, others, lambda pair, answer=answer: pair | answer, asked=0)  # type: ignore[misc]
        for answer in (
            {"status": "ok", "same": False},
            {"status": "ok", "same": True},
            {"status": "refusal", "same": None},
        )
    ]
    assert shares[0] < 0.005 and 0.03 < shares[1] == shares[2] < 0.04, shares
