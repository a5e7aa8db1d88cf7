"""People are asked what judges are asked, but for the form of the reply, in every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.labelling.questions import question_lines, without_reply_format
from gamut.project.validation import check_values, read_yaml
from stages.prism.shared.items import TRACKS, PrismItem
from tests.aegis.test_aegis_record import ITEMS as AEGIS_ITEMS
from tests.gapeval.small_items import item_of
from tests.genius.small_genius import genius_item
from tests.gir.small_tables import ITEMS as GIR_ITEMS
from tests.own.test_own_record import PROMPT as OWN_ITEM
from tests.paths import ROOT

GAP_CATEGORIES = ("world_knowledge", "numerical", "instruction_following", "reasoning")
ITEMS: Mapping[str, Sequence[tuple[Any, Sequence[str]]]] = {
    "prism": [(PrismItem(id=f"{one}/1", track=one, prompt="A cat.", prompt_zh="猫"), ("en", "zh")) for one in TRACKS],
    "aegis": [(item, ("raw", "clear")) for item in AEGIS_ITEMS[:4]],
    "gir": [(item, ("t2i", "txt")) for item in GIR_ITEMS],
    "gapeval": [(item_of(category), ("und", "gen")) for category in GAP_CATEGORIES],
    "genius": [(genius_item(), ("edit",))],
    "own": [(item, ("as_is",)) for item in (OWN_ITEM, OWN_ITEM.model_copy(update={"scale": 2, "checklist": ()}))],
}


@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_asked_for_json(name: str) -> None:
    benchmark = curation_of(name).benchmark
    shipped = curation_of("prism" if name == "own" else name).benchmark  # own has no block of its own there
    block = shipped.block(check_values(shipped.params, read_yaml(ROOT / "params.yaml"), Path("params.yaml")))
    pairs = [(item, setting) for item, settings in ITEMS[name] for setting in settings]
    lines = [line for item, setting in pairs for line in question_lines(benchmark, block, item, setting)]
    assert lines
    for line in lines:
        assert "json" not in line.words.lower() and "`" not in line.words, line.words


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("Is it?", "Is it?"),
        ("Is it?\n\nAnswer with a JSON object: first `why`, then `score`.", "Is it?"),
        (
            "Is it?\n\nAnswer with a JSON object with `reason`, a line, then `score`: 1 where it is, 0 else. No.\n",
            "Is it?\n\nAnswer 1 where it is, 0 else.",
        ),
        ("Is it?\n\nAnswer with a JSON object with the one key `score`.", "Is it?"),
        ("Is it?\n\nAnswer with a JSON object.\n\nIs it not?", "Is it?\n\nAnswer with a JSON object.\n\nIs it not?"),
    ],
)
def test_what_values_mean_is_still_told(words: str, asked: str) -> None:
    assert without_reply_format(words) == asked
