"""The card of an edition: every count is that of its items, and it claims no more than items and parameters tell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from huggingface_hub import DatasetCard
from markdown_it import MarkdownIt

from gamut.evaluation.curating import benchmarks
from gamut.evaluation.defining.editions import Item
from gamut.publish import edition_card
from gamut.publish.card import About, card_text
from gamut.publish.edition_card import about_edition
from gamut.publish.parameters import Everything
from gamut.publish.products import find_product
from stages.gir.layout import NAMES
from stages.prism.shared.items import PrismItem
from tests import fakes
from tests.paths import ROOT
from tests.publish import small_version

PARAMS = small_version.params()
ONE = {"models": {"gpt": {"kind": "openai", "id": "org/model"}}, "roles": dict.fromkeys(fakes.values()["roles"], "gpt")}


def said(items: Sequence[PrismItem] = small_version.ITEMS, params: Everything = PARAMS) -> About:
    small_version.edition(items)
    return about_edition(find_product("prism", params), params)


def imported() -> list[PrismItem]:
    return [item.model_copy(update={"origin": None}) for item in small_version.ITEMS]


REAL = small_version.params(**ONE)
"""No embedded world among the models."""


def test_items_are_counted_by_track_and_origin(project: Path) -> None:
    body = said().body
    assert "edition `small`: 3 items in English and Chinese." in body
    head, _, *rows = body[body.index("| track | sampled") :].splitlines()[:4]
    assert head == "| track | sampled | curated | items |"
    assert rows == ["| style | 1 | 1 | 2 |", "| entity | 0 | 1 | 1 |"]


EVIL = ["a|b", "two\nlines", "`z`", "<img src=x>", "k\n---\nk", "![](http://evil.example)", "\\|\u202e|", "# x\r\n"]


def test_keys_and_values_of_others_stay_in_their_cells(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_version.edition()
    monkeypatch.setattr(edition_card, "task_categories", lambda *_: [])  # these items are of no benchmark
    item = {"id": "x/0", "prompt": "```\n</pre>", "prompt_zh": None, "row": None, "origin": EVIL[2]}
    lines = [json.dumps(item | dict.fromkeys(EVIL, 1) | {"id": f"x/{n}", "track": one}) for n, one in enumerate(EVIL)]
    Path("datasets/editions/prism/small.jsonl").write_text("\n".join(lines))
    made = find_product("prism", PARAMS)
    whole = card_text(made, about_edition(made, PARAMS))
    read = DatasetCard(whole)
    found, markdown = read.data.to_dict()["dataset_info"]["features"], read.text
    assert [feature["name"] for feature in found][-len(EVIL) - 1 : -1] == EVIL
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    kinds = {child.type for token in tokens for child in token.children or []}
    assert not any(token.type == "html_block" for token in tokens) and not kinds & {"html_inline", "image"}
    assert [token.content for token in tokens if token.type == "fence" and token.info == "json"] == [
        json.dumps(json.loads(lines[0]), indent=2, ensure_ascii=False) + "\n"
    ]
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(made.schema.names) + 2 + len(EVIL)
    opened = [token for token in tokens if token.type in ("td_open", "th_open")]
    assert len(opened) == 2 * (1 + len(made.schema.names)) + 3 * (1 + len(EVIL))


def test_the_example_is_the_first_item(project: Path) -> None:
    example = said().body.split("```json\n")[1].split("```")[0]
    assert json.loads(example) == small_version.ITEMS[0].model_dump(exclude_unset=True)


def test_an_edition_of_both_says_both(project: Path) -> None:
    body = said([*imported()[:1], *small_version.ITEMS[1:]]).body
    assert "K-means" in body and "were imported" in body


@pytest.mark.parametrize(
    ("params", "pools", "warning"),
    [
        (
            PARAMS,
            "/world",
            "composes its curated prompts of `stages/prism/pools/world` and has the embedded world",
        ),
        (REAL, "/world", "this composes its curated prompts of `stages/prism/pools/world`: a small"),
        (PARAMS, "", "this has the"),
    ],
)
def test_the_embedded_world_is_named_where_it_proposes(
    project: Path, params: Everything, pools: str, warning: str
) -> None:
    fakes.write_editions(pools=f"stages/prism/pools{pools}")
    assert warning in said(params=params).body


def test_real_models_and_pools_get_no_warning(project: Path) -> None:
    fakes.write_editions(pools="stages/prism/pools")
    assert "embedded world" not in said(params=REAL).body


def test_names_and_curations_are_the_same() -> None:
    assert [curation.name for curation in benchmarks.curations().values()] == [*benchmarks.NAMES]


@pytest.mark.parametrize("name", benchmarks.NAMES)
def test_every_shipped_card_can_be_read_and_cited(name: str) -> None:
    """A citation ends its last line: else the fence behind it would not close."""
    card = benchmarks.curation_of(name).card
    assert card.counted and (card.proposed or card.imported)
    assert card.citation is None or (ROOT / card.citation).read_text(encoding="utf-8").endswith("}\n")


def test_an_edition_of_both_kinds_says_how_either_came_about() -> None:
    """One item that was imported and one that was proposed; the shipped record of GIR-Bench names both."""
    curation = benchmarks.curation_of("gir")
    items = [Item.model_construct(id=f"{next(iter(NAMES.values()))}/1"), Item.model_construct(id="quantity/0")]
    card = curation.card
    assert curation.origins(items) == f"{card.proposed}\n\n{card.imported}"
    assert curation.origins(items[:1]) == card.imported and curation.origins(items[1:]) == card.proposed
