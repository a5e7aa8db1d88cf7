"""Who does only some of the tasks has values of these, none that counts others, and no rank by one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gamut.evaluation.boards import rank, score
from gamut.evaluation.bodies import answer, judge, observe
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.measures import Column, Linear, Metric, Scale, ends_of
from gamut.evaluation.defining.parameters import Contestant
from gamut.evaluation.scoring.board import Layout, no_rank_notes, rank_contestants
from gamut.evaluation.scoring.pairwise import Entrant, comparisons, read_entrant_scores
from gamut.tables.columns import Row
from tests.evaluation.test_toy import edition, toy
from tests.evaluation.toy_project import Played, canned, params_of

__all__ = ["edition", "toy"]  # fixtures

WIDE = {"class": "unified", "model": {"kind": "sandbox"}}
NARROW = WIDE | {"tasks": ["generation", "understanding"]}
PAINTER = {"class": "generation", "model": {"kind": "sandbox"}}


def test_a_contestant_says_what_it_does() -> None:
    assert Contestant.model_validate(WIDE).abilities == {"understanding", "generation", "editing", "interleaved"}
    assert Contestant.model_validate(NARROW).abilities == {"understanding", "generation"}
    assert Contestant.model_validate(PAINTER).abilities == {"generation"}
    with pytest.raises(ValueError, match="tasks: class generation does not do 'editing': name another class"):
        Contestant.model_validate(PAINTER | {"tasks": ["editing"]})


EASY, HARD = [f"easy{n}" for n in range(40)], [f"hard{n}" for n in range(40)]
METRIC = Metric("en", ("en",), [Column("all", "en", "right")], {"overall": Linear(np.array([100.0]))}, ("overall",))
LAYOUT = Layout([*EASY, *HARD], np.zeros(80, np.int64), METRIC, ends_of(METRIC, {"right": Scale(0, 1)}), seed=0)


def scored(easy: float, hard: float | None) -> list[Row]:
    """Scores of a contestant; without any of hard items they are not put to it."""
    chance = np.random.default_rng(1).random(40)
    kind = {"stratum": "all", "groups": ["all"], "setting": "en", "judge": "j", "measure": "right"}
    found = []
    for item, luck, share in zip([*EASY, *HARD], [*chance, *chance], [easy] * 40 + [hard] * 40, strict=True):
        value = None if share is None else float(luck < share)
        own = {"item": item, "off_task": share is None, "scored": int(share is not None)}
        left_out = ["not_asked.task"] * (share is None)
        found.append(kind | own | dict.fromkeys(("value", "low", "high"), value) | {"left_out": left_out})
    return found


def test_the_worst_of_four_is_no_better_for_being_declared_narrower() -> None:
    """All of 40 easy and 40 hard items in one group: of the easy ones it has more than the best has of all."""
    scores = {"best": (0.9, 0.4), "good": (0.85, 0.35), "fair": (0.8, 0.3), "worst": (0.7, 0.1)}
    whole = rank_contestants({name: scored(*both) for name, both in scores.items()}, LAYOUT)
    assert [row.name for row in whole] == [*scores]
    narrow = {name: scored(*both) for name, both in scores.items()} | {"worst": scored(0.7, None)}
    board = rank_contestants(narrow, LAYOUT)
    last = board[-1]
    assert (last.name, last.rank, last.estimates, last.scored) == ("worst", None, {}, None)
    assert last.coverage == 0.5 and [row.rank for row in board[:3]] == [row.rank for row in whole[:3]]
    assert no_rank_notes(board) == ["worst: no rank: 40 items of 80 ask for what it does not do"]


def measured(toy: Benchmark[Any, Any], monkeypatch: pytest.MonkeyPatch, **contestants: Any) -> Any:
    Played(monkeypatch, canned)
    params = params_of(toy, **contestants)
    for name in contestants:
        answer.answer(toy, params, name)
        judge.judge(toy, params, name, "world")
        observe.observe(toy, "detector", params, name, "world")
        score.score(toy, params, name)
    return params


def test_what_it_does_has_values_and_nothing_else(
    toy: Benchmark[Any, Any], edition: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    params = measured(toy, monkeypatch, wide=WIDE, narrow=NARROW, painter=PAINTER)
    wide, narrow, painter = (
        json.loads(Path(f"metrics/toy/v1/contestants/{name}.json").read_text()) for name in params.contestants
    )
    assert narrow["apart.world.picture"] == wide["apart.world.picture"] and "apart.world.words" in narrow
    for found, kinds in ((narrow, ("edit", "both", "overall")), (painter, ("words", "edit", "both", "overall"))):
        assert not [key for key in found for kind in kinds if key.startswith(f"apart.world.{kind}")]
    # of a setting's 16 items 8 are put to it: words 4 times right, pictures once held for each of 8 statements and
    # counted
    assert narrow["apart.world.coverage"] < wide["apart.world.coverage"] == 1
    assert narrow["apart.world.not_asked.task"] > 0 and "apart.world.not_asked.task" not in wide
    rank.rank(toy, params)
    found = json.loads(Path("metrics/toy/v1/board.json").read_text())
    ranks = {key.split(".")[2] for key in found if key.startswith("apart.world.") and key.endswith("rank_best")}
    assert ranks == {"wide"} and "apart.world.narrow.picture" in found
    assert not [key for key in found if key.startswith("apart.world.narrow.overall")]
    said = " ".join(capsys.readouterr().out.split())
    assert "narrow: no rank: 8 items of 16 ask for what it does not do" in said


def test_two_are_compared_on_what_both_do(
    toy: Benchmark[Any, Any], edition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one group of all items, too: the metric's value is of the common ones."""
    together = replace(toy, groups=lambda item: ("all",), metrics=lambda block: [one_group()])
    params = measured(together, monkeypatch, wide=WIDE, narrow=NARROW)
    pair = [read_entrant_scores(Entrant(name), together, params) for name in params.contestants]
    told = [*comparisons(together, together.metrics_in(params), *pair, params.seed)]
    [one] = [one for one in told if not isinstance(one, str)]
    assert one.differences[0].n == 8 and one.differences[0].difference == 0
    assert any("8 items, asked of wide alone" in line for line in told if isinstance(line, str))
    assert not [
        key for key in json.loads(Path("metrics/toy/v1/contestants/narrow.json").read_text()) if "overall" in key
    ]


def one_group() -> Metric:
    columns = [Column("all", "apart", measure) for measure in ("right", "holds")]
    return Metric("apart", ("apart",), columns, {"overall": Linear(np.array([50.0, 50.0]))}, ("overall",))
