"""Curated prompts: every drawn element in them, long texts of good pictures, what is lost is asked for once more."""

from __future__ import annotations

import shutil
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.asking.outcomes import Outcome
from stages.asking.questions import Asked
from stages.asking.requests import Reply, fields_of, seed_of
from stages.asking.visiting import Answer
from stages.prism.construction import represent
from stages.prism.construction.compose import COMPOSE_OF, EXPAND, RULES, composed, elements_of, laid_out, records
from stages.prism.construction.proposals import REPRESENTATIVES
from stages.prism.construction.samples import FOLDER, draw_samples
from stages.prism.construction.samples import TRACKS as DRAWN
from stages.prism.shared.items import TRACKS
from stages.project.errors import UserError
from stages.tables.columns import Row
from stages.tables.writing import TableWriter
from tests import fakes
from tests.prism.small_dataset import EDITION, Picture, write_dataset

POOLS = "stages/prism/pools"


@pytest.fixture
def pools(project: Path) -> None:
    shutil.copytree(FOLDER, project / POOLS)


def wanted(curated: int = 2, pools: str = POOLS) -> dict[str, list[Row]]:
    values = fakes.values()["prism"]
    propose = values["propose"] | {"curated": curated, "pools": pools}
    return records(fakes.params(prism=values | {"propose": propose}), EDITION)


def represented(*rows: str) -> None:
    with TableWriter(REPRESENTATIVES / EDITION, represent.SCHEMA) as table:
        table.write("style-00000", [{"id": f"style-{n:08d}", "row": row} for n, row in enumerate(rows)])


def ended(conversation: Asked, *prompts: str) -> Outcome:
    """How a conversation ends with these replies, the last of which is said for ever."""
    had: list[Reply] = []
    while not isinstance(step := conversation.next(had), Outcome):
        had.append(Reply(orjson.dumps({"prompt": prompts[min(len(had), len(prompts) - 1)]})))
    return step


@pytest.mark.usefixtures("pools")
def test_draws_and_good_pictures_are_asked_about() -> None:
    write_dataset(
        Picture(0, {"style": "a cubist cat", "detail": "long cat"}, looks=(9, 7)),
        Picture(1, {"style": "a cubist dog", "detail": "long dog"}, looks=(9, 9)),
        Picture(2, {"abstract": "a calm cow", "detail": "long cow"}, looks=(8, 10), original="cow, 1998", wave="x"),
        Picture(3, {"detail": "long owl"}, looks=(10, 10), kept=False),
        Picture(4, {"detail": "long eel"}, looks=(10, 10), status="parse_error"),
    )
    represented("w-00000001")
    shards = wanted()
    assert list(shards) == [f"{track.replace('_', '-')}-curated-00000" for track in TRACKS]
    for track in DRAWN:
        rows = shards[f"{track.replace('_', '-')}-curated-00000"]
        assert [row["id"][-2:] for row in rows] == ["00", "01"] and {row["track"] for row in rows} == {track}
        assert [elements_of(row["elements"]) for row in rows] == [draw.elements for draw in draw_samples(track, 2, 3)]
    assert [(row["row"], row["captions"]) for row in shards["long-text-curated-00000"]] == [
        ("x-00000002", "affection: a calm cow\ndetail: long cow\noriginal: cow, 1998"),
        ("w-00000000", "style: a cubist cat\ndetail: long cat"),
    ]


@pytest.mark.usefixtures("pools")
def test_more_than_the_pools_allow_is_said() -> None:
    write_dataset()
    represented()
    tiny = Path(shutil.copytree(POOLS, f"{POOLS}/tiny"))  # a folder of its own: what was read stays in memory
    (tiny / "entity.yaml").write_text("families: {animal: [okapi]}")
    with pytest.raises(UserError, match=r"prism\.propose\.curated in params\.yaml: entity: 2 draws are wanted"):
        wanted(pools=str(tiny))


def test_every_track_has_its_question() -> None:
    assert set(COMPOSE_OF) == set(RULES) == set(DRAWN)
    assert [question.name for question in COMPOSE_OF.values()] == [f"prism_compose_{track}" for track in COMPOSE_OF]
    assert EXPAND.name == "prism_expand"


@given(st.sampled_from(sorted(DRAWN)), st.integers(0, 99))
def test_elements_are_read_back(track: str, seed: int) -> None:
    for draw in draw_samples(track, 3, seed):
        assert elements_of(laid_out(draw.elements)) == draw.elements


ABOUT_A_SIGN = {"elements": "content: Two for $8: today\nfont: neon tubes\nsurface: on a shop window"}


def test_a_prompt_with_all_elements_is_taken() -> None:
    prompt = 'A red "Two for $8: today" in neon tubes on a shop window.'
    outcome = ended(COMPOSE_OF["text_rendering"].about(ABOUT_A_SIGN), prompt)
    assert (outcome.status, outcome.value.prompt) == ("ok", prompt)


def test_what_is_missing_is_asked_for_once_more_by_name() -> None:
    conversation = COMPOSE_OF["text_rendering"].about(ABOUT_A_SIGN)
    first = Reply(orjson.dumps({"prompt": "A sign that says two for $8 in neon tubes."}))
    again = conversation.next([first])
    assert "'Two for $8: today', 'on a shop window'" in again.messages[-1].parts[0]
    assert ended(conversation, "A sign.", 'Neon tubes on a shop window say "Two for $8: today".').status == "ok"
    outcome = ended(conversation, "A sign.")
    assert outcome.status == "parse_error" and "'neon tubes'" in str(outcome.reason)


@pytest.mark.parametrize("prompt", ["", "   ", "a cat", "a cat\nand a long dog"])
def test_no_prompt_at_all(prompt: str) -> None:
    assert ended(EXPAND.about({"captions": "detail: a cat"}), prompt).status == "parse_error"


@pytest.mark.usefixtures("pools")
def test_rows_keep_what_they_were_made_of() -> None:
    write_dataset(Picture(0, {"detail": "long cat"}))
    represented()
    shards = wanted(1)

    def answer(asked: object) -> list[Answer]:
        return [Answer(Outcome("ok", EXPAND.reply(prompt=" A long prompt.\n")), "fake", ())]

    visit = composed(fakes.params(seed=4))
    [[asked]], [row] = fakes.drive(visit(shards["long-text-curated-00000"][0]), answer)
    assert (asked.question, fields_of(asked.request), asked.request.seed) == (
        EXPAND,
        {"captions": "detail: long cat"},
        seed_of("long-text-curated-00000000", 4),
    )
    named = {name: row[name] for name in ("id", "track", "elements", "row", "prompt", "status")}
    assert list(named.values()) == [
        "long-text-curated-00000000",
        "long_text",
        None,
        "w-00000000",
        "A long prompt.",
        "ok",
    ]
    style = shards["style-curated-00000"][0]
    failed = [Answer(Outcome("parse_error", reason="lost"), "fake", ())]
    [[asked]], [row] = fakes.drive(visit(style), lambda asked: failed)
    assert asked.question is COMPOSE_OF["style"] and fields_of(asked.request) == {"elements": style["elements"]}
    assert (row["elements"], row["row"], row["prompt"], row["reason"]) == (style["elements"], None, None, "lost")
