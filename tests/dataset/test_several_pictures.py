"""Several pictures of a prompt: their ids, the requests, and what the tables of pictures take from those of prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.requests import Paint, Reply, Request, seed_of
from gamut.command.show_record import show_record
from gamut.dataset.calibration.filters import FILTERS, rows_shown
from gamut.dataset.calibration.labels import known_ids, well_formed_ids
from gamut.dataset.leaks.items import ItemText, gather_benchmarks
from gamut.dataset.leaks.nearest import embeddings_of
from gamut.dataset.leaks.suspects import Known, described_pictures, suspects_of
from gamut.dataset.reporting.card import card
from gamut.dataset.reporting.counts import usage_in
from gamut.dataset.reporting.figures import gather_figures, reasons_by_step
from gamut.dataset.shared.joins import table_of
from gamut.evaluation.construction.proposals import source_hashes
from gamut.evaluation.defining.editions import source_sha256
from gamut.project.errors import UserError
from gamut.report.dataset.records import gallery, records
from gamut.tables.columns import make_id, place, prompt_id, sample_id
from gamut.tables.reading import read_rows
from stages.dataset import align, originals, release
from stages.dataset.synthesize import SCHEMA, Synthesize, paint
from tests import fakes
from tests.dataset import small_build
from tests.dataset.small_build import I0, L0, M0, asked, put
from tests.fakes import ask_all, jpeg


def test_ids_stay_in_order_and_in_their_slice() -> None:
    ids = [sample_id(make_id("w-2", n), k) for n in (0, 99, 100) for k in range(16)]
    assert ids[:3] == ["w-2-00000000", "w-2-00000000_1", "w-2-00000000_2"] and ids[15] == "w-2-00000000_f"
    assert ids == sorted(ids) and len(set(ids)) == 48
    assert {place(one) for one in ids[:32]} == {("w-2-00000", 0)} and place(ids[47]) == ("w-2-00000", 1)
    assert [prompt_id(one) for one in ids] == [one[:12] for one in ids]
    assert prompt_id("odd_wave-00000001") == "odd_wave-00000001"


class Painter:
    """Paints a picture for each seed but one."""

    identity = {"id": "painter"}  # noqa: RUF012
    by_record = False
    concurrency = 4

    def __init__(self) -> None:
        self.asked: list[Paint] = []

    async def answer(self, request: Request) -> Reply:
        await asyncio.sleep(0)
        assert isinstance(request, Paint)
        self.asked.append(request)
        return Reply(b"it may not", "refused") if request.sample == 2 else Reply(jpeg((request.sample * 60, 0, 0)))

    async def close(self) -> None:
        pass


def painted(samples: int, records: list[dict[str, Any]]) -> tuple[list[Paint], list[dict[str, Any]]]:
    sizes = [{"width": 192, "height": 128}, {"width": 128, "height": 192}]
    params = fakes.params(synthesize={"width": 192, "height": 192, "sizes": sizes, "samples": samples})
    painter = Painter()
    ask_all(painter, [("w-00000", 0, records)], Path(f"images{samples}"), paint(params), SCHEMA, len(records), 9)
    return painter.asked, list(read_rows(Path(f"images{samples}")))


def test_a_row_for_each_picture_with_the_seed_that_painters_use(project: Path) -> None:
    records = [{"id": make_id("w", n), "prompt": f"prompt {n}"} for n in (0, 1)]
    requests, rows = painted(3, records)
    assert [row["id"] for row in rows] == [f"w-0000000{n}{end}" for n in (0, 1) for end in ("", "_1", "_2")]
    first = seed_of("w-00000000", 3)
    assert [row["seed"] for row in rows[:3]] == [first, first + 1, first + 2]
    assert {(one.seed, one.sample) for one in requests if one.prompt == "prompt 0"} == {(first, k) for k in range(3)}
    assert len({(one.width, one.height) for one in requests if one.prompt == "prompt 0"}) == 1, "all in one size"
    assert [(row["status"], row["painted"]) for row in rows[:3]] == [
        ("ok", True),
        ("ok", True),
        ("refused_generation", False),
    ]
    again, alone = painted(1, records)
    assert alone == rows[::3] and again == [], "the first of several is the one that there is alone, already asked for"


def test_a_sources_own_picture_is_the_only_one(project: Path) -> None:
    _, [row] = painted(3, [{"id": "w-00000000", "prompt": None, "image": {"bytes": jpeg("red")}}])
    assert (row["id"], row["painted"]) == ("w-00000000", False)


@pytest.mark.parametrize("samples", [0, 17])
def test_how_many_there_may_be(samples: int) -> None:
    with pytest.raises(UserError, match=r"^params.yaml: synthesize.samples: "):
        fakes.params(synthesize={"width": 64, "height": 64, "samples": samples})
    assert Synthesize(width=64, height=64).samples == 1


# What stands in tables of prompts, by the prompt's id

OF_PICTURES = (
    *("synthesize", "examine", "admit", "score", "categorize", "proofread", "follow", "safety", "select"),
    *("annotate", "align", "originals", "translate", "hold_out"),
)
SECOND = {L0: f"{L0}_1", M0: f"{M0}_1"}
"""Pictures that were chosen, the second ones of their prompts."""


def with_second_pictures() -> None:
    """Let the second picture of two prompts be what their first one was; the first is there and left out."""
    for name in OF_PICTURES:
        rows = list(read_rows(table_of(name)))
        moved = [row | {"id": SECOND.get(row["id"], row["id"])} for row in rows]
        if name == "synthesize":
            moved += [row for row in rows if row["id"] in SECOND]
        if name == "select":
            moved += [row | {"kept": False, "reason": "not_chosen"} for row in rows if row["id"] in SECOND]
        put(table_of(name), sorted(moved, key=lambda row: row["id"]))
    release.STEP.carry_out(small_build.params())


def captions_compared() -> Any:
    return {
        row_id: text
        for wave in small_build.WAVES
        for row_id, text in align.captions_of_selected(f"{wave}-00000").items()
    }


def captions_released() -> Any:
    work = originals.by_shard(small_build.params())
    return {row["id"]: row["caption"] for shard in work.shards for [rows] in work.make(shard) for row in rows}


def origins() -> Any:
    return {row["id"]: row for row in read_rows(table_of("provenance"))}


def sources_hashed() -> Any:
    return {
        row["id"]: row["source_sha256"] for wave in small_build.WAVES for row in described_pictures(f"{wave}-00000")
    }


def hashes_of_items() -> Any:
    released = [row["id"] for row in read_rows(table_of("release"), ["id"])]
    return source_hashes(released)


def captions_shown() -> Any:
    [alignment] = [one for one in FILTERS if one.name == "alignment"]
    aligned = {row["id"] for row in read_rows(table_of("align"), ["id"])}
    return {shown.row["id"]: (shown.text, shown.about) for shown in rows_shown(alignment, aligned)}


def routes() -> Any:
    found = gallery(100)
    assert found is not None
    kept = {row["id"] for row in read_rows(table_of("select")) if row["kept"]}
    return {one.id: (one.route, one.outcome, one.captions) for one in records(found) if one.id in kept}


@pytest.mark.parametrize(
    "found",
    [captions_compared, captions_released, origins, sources_hashed, hashes_of_items, captions_shown, routes],
)
def test_the_second_picture_is_of_the_same_source(project: Path, found: Callable[[], dict[str, Any]]) -> None:
    small_build.write()
    before = found()
    with_second_pictures()
    for wanted in before.values():
        if isinstance(wanted, dict):
            wanted["id"] = SECOND.get(wanted["id"], wanted["id"])
    assert {SECOND.get(row_id, row_id): of for row_id, of in before.items()} == found()
    assert SECOND[L0] in found()


def test_figures_count_prompts_and_pictures(project: Path) -> None:
    """Seven pictures of five prompts; calls about pictures of a prompt are of the same slice."""
    small_build.write()
    before = gather_figures(small_build.params()).report
    with_second_pictures()
    after = gather_figures(small_build.params()).report
    assert after["select"] == before["select"] | {"not_chosen": 2} and after["release"] == before["release"]
    assert reasons_by_step(after)["choose"] == {"kept": after["select"]["kept"], "not_chosen": 2}
    assert "choose" not in reasons_by_step(before)
    row = f"| `choose` | of the pictures of its prompt it is the best | {after['select']['kept'] + 2} |"
    assert row in card(small_build.params(), after)
    assert after["sources"] == before["sources"] and "preferences" not in after
    put(table_of("examine"), [asked({"id": one}, "shared") for one in (L0, SECOND[L0])])
    assert usage_in(table_of("examine"), "legacy-00000")["calls"] == 1


def test_an_item_that_names_the_row_names_all_pictures_of_its_prompt(project: Path) -> None:
    item = ItemText("prism/v1", "3", "a text", L0, source_sha256("two red apples", "p"))
    named = gather_benchmarks([item], 0.845)
    known = Known([], [], embeddings_of([], [], []), named, [], small_build.params().hold_out)
    record = {"source_sha256": item.row_sha256, "texts": [("prompt", "another")]}
    for row_id in (L0, SECOND[L0]):
        [found] = suspects_of(record | {"id": row_id}, None, None, known)
        assert (found["id"], found["found_by"]) == (row_id, "row")
    assert suspects_of(record | {"id": I0}, None, None, known) == []


def test_ids_of_labels(project: Path) -> None:
    small_build.write()
    with_second_pictures()
    ids = [L0, SECOND[L0], f"{L0}_2", f"{L0}_0", f"{L0}_10", "x"]
    assert well_formed_ids(ids) == {L0, SECOND[L0], f"{L0}_2"}
    assert known_ids(ids) == {L0, SECOND[L0]}


def test_gamut_show_finds_the_source_of_a_second_picture(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_build.write()
    with_second_pictures()
    Path("dvc.yaml").write_text(
        "stages: {align: {cmd: x, deps: [datasets/source_rows, datasets/synthesize], outs: [datasets/align]}}"
    )
    said = "\n".join(show_record("align", SECOND[L0], Path("shown")))
    assert f"align {SECOND[L0]}" in said and "caption: two red apples" in said and "score_original: 9" in said
