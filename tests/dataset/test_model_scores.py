"""Scores of models as columns: which pictures they are about, what is off without a model, and who reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from gamut.asking.models.world import sandbox
from gamut.asking.requests import Paint
from gamut.command.estimate.asks import dataset_asks, dataset_lines
from gamut.command.estimate.flow import Flow
from gamut.dataset.reporting.outputs import CARD
from gamut.dataset.shared.joins import table_of
from gamut.project.errors import UserError
from gamut.project.roles import SCORERS
from gamut.project.settings import Settings
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row, grouped, prompt_id
from gamut.tables.reading import manifest, read_rows, shard_names
from gamut.tables.writing import TableWriter
from stages.dataset import (
    admit,
    examine,
    follow,
    proofread,
    release,
    safety,
    score,
    score_alignment,
    scores,
    synthesize,
)
from stages.dataset.choosing import SCORING, Choose, clearest_pair, mean_scores
from stages.dataset.pipeline import Params
from tests import fakes, in_one_process
from tests.paths import ROOT

ROLES = dict.fromkeys(SCORERS.values(), "world")
A, B, C, D, E = (f"w-{number:08d}" for number in range(5))


def given(**roles: str) -> Params:
    return fakes.params(roles=fakes.values()["roles"] | roles)


def write(name: str, schema: pa.Schema, rows: list[Row]) -> None:
    with TableWriter(table_of(name), schema) as table:
        table.write("w-00000", rows)
        table.write("x-00000", [])


def write_pictures() -> None:
    """A as its prompt has it; B otherwise; C was not admitted; D is a source's own, without a prompt; E's prompt is one
    that the world cannot read."""
    prompts = {A: "two red cats", B: "an owl", C: "two red cats", D: None, E: "Ennui"}
    cats = sandbox.answer(Paint("two red cats", 256, 256, 3), {}, "painter").content
    rows = [
        {"id": one, "prompt": text, "painted": text is not None, "status": "ok", "image": {"bytes": cats, "path": None}}
        for one, text in prompts.items()
    ]
    write("synthesize", synthesize.SCHEMA, rows)
    write("admit", admit.STEP.schema, [{"id": one, "admitted": one != C, "reason": None} for one in prompts])


def found(name: str) -> dict[str, tuple[str, float | None]]:
    return {row["id"]: (row["status"], row["score"]) for row in read_rows(table_of(f"score_{name}"))}


def test_each_score_is_of_the_pictures_that_it_can_be_of(project: Path) -> None:
    write_pictures()
    for step in SCORING.values():
        step.carry_out(given(**ROLES))
    (_, looks) = found("aesthetics")[A]
    assert looks is not None and 7 <= looks <= 10
    assert found("alignment") == {A: ("ok", 10), B: ("ok", 0), E: ("unsupported", None)}
    assert found("aesthetics") == dict.fromkeys((A, B, D, E), ("ok", looks)), "a source's own picture has looks too"
    assert found("preference") == {A: ("ok", (10 + looks) / 2), B: ("ok", looks / 2), E: ("unsupported", None)}
    [row] = [row for row in read_rows(table_of("score_alignment")) if row["id"] == A]
    assert [reply["content"] for reply in row["replies"]] == ['{"score":10}'] and row["model"] == "gamut-sandbox"


def test_a_role_without_a_model_turns_its_step_off(project: Path) -> None:
    write_pictures()
    for step in SCORING.values():
        step.carry_out(given(aesthetic_scorer="world"))
    assert found("alignment") == found("preference") == {} and len(found("aesthetics")) == 4
    assert shard_names(table_of("score_alignment")) == ["w-00000", "x-00000"]
    assert score_alignment.STEP.keys() == ["roles.alignment_scorer", "models"]


def test_only_what_is_asked_is_estimated() -> None:
    flow = Flow(candidates=100, painted=80, admitted=50)
    models = {"world": {"kind": "sandbox"}, "gpt": {"kind": "openai", "id": "org/model"}}
    params = fakes.params(models=models, roles=fakes.values()["roles"] | {"alignment_scorer": "gpt"})
    asked = {ask.stage: ask.requests for ask in dataset_asks(params, flow) if ask.role in SCORERS.values()}
    assert asked == {"score_alignment": 40}  # of the 50 admitted, 80 of 100 were painted
    [line] = [one for one in dataset_lines(params, dataset_asks(params, flow), Settings()) if one.stage in asked]
    assert (line.model, line.requests, line.free) == ("gpt", 40, False)


# The choice among pictures


def test_scores_of_several_scales_are_weighed(project: Path) -> None:
    scores = {A: {"preference": 21.5, "clarity": 8}, B: {"preference": 20.25, "clarity": 9}, C: {"clarity": 10}}
    by = {"preference": 2.0, "clarity": 1.0}
    # (43 + 8) / 3 = 17, (40.5 + 9) / 3 = 16.5; of C and A only clarity is known
    assert mean_scores([A, B], scores, by) == ([*by], [17.0, 16.5])
    assert mean_scores([A, C], scores, by) == (["clarity"], [8.0, 10.0])
    pair = clearest_pair(A, [B, C], scores, Choose(by={"preference": 1}, margin=1.25))
    assert pair is not None and (pair.rejected, pair.score_chosen, pair.score_rejected) == (B, 21.5, 20.25)


@pytest.mark.parametrize("name", [*SCORING])
def test_no_score_that_nobody_gives_decides(name: str) -> None:
    choose, role = {"by": {"clarity": 1, name: 2}, "margin": 1}, SCORING[name].role
    message = rf"^params\.yaml: choose\.by\.{name}: no model gives it: set roles\.{role}, or leave it out$"
    with pytest.raises(UserError, match=message):
        fakes.params(choose=choose)
    roles = fakes.values()["roles"] | {role: "world"}
    assert fakes.params(choose=choose, roles=roles).choose.by == choose["by"]


# The table of all scores


def write_scores(of_models: Mapping[str, tuple[str, float | None]]) -> None:
    sharp = {"status": "ok", "score_image_clarity": 9, "score_image_structure": 8}
    write("examine", examine.STEP.schema, [{"id": one} | sharp for one in (A, B, C)])
    relevance = {"status": "ok"} | {one.column: 7 for one in score.STEP.filters}
    write("score", score.STEP.schema, [{"id": A} | relevance, {"id": B} | relevance])
    write("proofread", proofread.STEP.schema, [{"id": B, "status": "parse_error"}])
    for step in (follow.STEP, safety.STEP):
        write(step.name, step.schema, [])
    for step in SCORING.values():
        rows = [{"id": one, "status": status, "score": value} for one, (status, value) in of_models.items()]
        write(step.name, step.schema, rows if step.name == "score_preference" else [])
    write("release", release.SCHEMA, [{"id": A}, {"id": B}])


def test_a_row_of_all_scores_for_each_released_picture(project: Path) -> None:
    write_scores({A: ("ok", 21.25), B: ("unsupported", None), C: ("ok", 20.0)})
    scores.STEP.carry_out(given())
    one, two = read_rows(table_of("scores"))
    filters = {"clarity": 9, "structure": 8} | dict.fromkeys((of.name for of in score.STEP.filters), 7)
    unasked = [one.name for step in (safety.STEP, proofread.STEP, follow.STEP) for one in step.filters]
    nobody = dict.fromkeys([*unasked, "prompt_alignment", "aesthetics"])
    assert one == {"id": A, "preference": 21.25} | filters | nobody
    assert two == {"id": B, "preference": None} | filters | nobody, "what has no usable answer is no score"
    assert scores.SCHEMA.field("clarity").type == pa.int8() and scores.SCHEMA.field("preference").type == pa.float32()
    assert b'"preference": {"dtype": "float"' in scores.SCHEMA.metadata[b"huggingface"]


def test_without_a_score_of_a_model_there_is_no_row(project: Path) -> None:
    write_scores({})
    scores.STEP.carry_out(given())
    assert manifest(table_of("scores"))["rows"] == 0


# A whole build in the embedded world, in which the preferred picture of each prompt stays


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    values = read_yaml(ROOT / "profiles/defaults.yaml")
    return in_one_process.build(
        tmp_path_factory.mktemp("scored"),
        roles=values["roles"] | ROLES,
        sources=[{"kind": "sandbox", "wave": "w", "route": "as_is", "count": 12, "seed": 5}],
        synthesize={"width": 256, "height": 256, "samples": 3},
        choose=values["choose"] | {"by": {"preference": 1.0}},
    )


@pytest.fixture
def here(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)


@pytest.mark.usefixtures("here")
def test_the_preferred_picture_of_a_prompt_stays() -> None:
    preferred = {row["id"]: row["score"] for row in read_rows(table_of("score_preference")) if row["status"] == "ok"}
    decided = {row["id"]: row["reason"] for row in read_rows(table_of("select"))}
    passed = grouped((prompt_id(one), one) for one, why in decided.items() if why in (None, "not_chosen"))
    assert sum(len(some) > 1 for some in passed.values()) > 3
    for some in passed.values():
        [chosen] = [one for one in some if decided[one] is None]
        assert preferred[chosen] == max(preferred[one] for one in some)


@pytest.mark.usefixtures("here")
def test_scores_are_joined_and_the_card_names_the_models() -> None:
    ids = [row["id"] for row in read_rows(table_of("release"), ["id"])]
    rows = list(read_rows(table_of("scores")))
    assert [row["id"] for row in rows] == ids and len(ids) > 5
    for column, name in (("prompt_alignment", "alignment"), ("preference", "preference"), ("follows", "follow")):
        kind = "score_follows" if name == "follow" else "score"
        table = name if name == "follow" else f"score_{name}"
        expected = {row["id"]: row[kind] for row in read_rows(table_of(table))}
        assert [row[column] for row in rows] == [expected[one] for one in ids]
    card = CARD.read_text()
    for name, role in SCORERS.items():
        assert f"| {role} | the embedded world |" in card and f"| score_{name} |" in card
    assert "the one with the highest mean of preference (weight 1) stays." in card
