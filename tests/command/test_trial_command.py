"""`gamut try`: what is cut, what is brought to its place and kept there, who is asked first, and what it puts back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gamut.command import trial
from gamut.command.estimate.flow import Flow
from gamut.command.estimate.report import Bill
from gamut.command.trial import PLACE, lay_out_place, require_all_there, require_consent, spread_lines, trial_values
from gamut.project import places
from gamut.project.errors import UserError
from gamut.project.validation import read_yaml
from tests import fakes

PIPELINE = """
stages:
  world: {cmd: x, deps: [gamut/project], outs: [datasets/world]}
  read: {cmd: x, deps: [datasets/sources, datasets/world, datasets/labels], outs: [datasets/rows]}
  answer: {cmd: x, deps: ["datasets/editions/prism/${prism.edition}.jsonl"], outs: [datasets/answers/good]}
  board: {cmd: x, deps: [datasets/answers], metrics: [{metrics/board.json: {cache: false}}]}
"""


def test_few_rows_and_patience() -> None:
    sources = [
        {"kind": "sandbox", "wave": "a", "count": 240},
        {"kind": "imagine", "wave": "b", "count": 2},
        {"kind": "file", "wave": "c", "path": "datasets/sources/c.csv", "columns": {"caption": "c"}},
        {"kind": "hub", "wave": "d", "limit": 9},
    ]
    values = fakes.values(sources=sources)
    values["calibrate"]["labels"] = "datasets/labels/mine.csv"
    values["hold_out"]["paraphrases"] = "datasets/paraphrases/mine.jsonl"
    values["rewrite"] = {"max_failures": 0.9}
    values["imagine"]["max_failures"] = 7
    before = json.dumps(values)
    small = trial_values(values, 5)
    assert [(of.get("count"), of.get("limit")) for of in small["sources"]] == [
        (5, None),
        (2, None),
        (None, 5),
        (None, 5),
    ]
    assert (small["calibrate"]["labels"], small["hold_out"]["paraphrases"]) == (None, None)
    assert [small[of]["max_failures"] for of in ("rewrite", "imagine", "score")] == [0.9, 7, 0.5]
    assert [small["prism"][of]["max_failures"] for of in ("answer", "judge")] == [0.5, 0.5]
    assert {key for key in small if small[key] != values.get(key)} <= {
        *("sources", "calibrate", "hold_out", "brainstorm", "rewrite", "find_text", "mine_text", "synthesize"),
        *("examine", "score", "proofread", "annotate", "align", "translate", "imagine", "prism", "aegis", "gir"),
        *("follow", "safety", "embed_prompts", "score_alignment", "score_aesthetics", "score_preference"),
        *("same_pictures", "captions"),
        *("gapeval", "genius"),
    }
    assert json.dumps(values) == before, "the project's own stay"


def test_a_trial_trains_nothing() -> None:
    """Neither studies nor who is made of what they build; who is a variant of such a one stays, as nobody's."""
    toy = {"kind": "unified", "id": "toy", "revision": "built"}
    given = {
        "tuned": {"model": {"id": "x", "revision": "0" * 40, "adapter": {"path": "a", "revision": "built"}}},
        "pair": {"models": {"text": {"id": "x", "revision": "0" * 40}, "image": toy}},
        "made": {"variant_of": "tuned", "model": {"kind": "folder"}},
    }
    values = fakes.values(contestants=given, training={}, recipes={}, knowledge={})
    values["prism"] |= {"contestants": [*given], "controls_of": ["tuned"]}
    small = trial_values(values, 5)
    assert not small.keys() & {"training", "recipes", "knowledge"}
    assert small["contestants"] == {"made": {"model": {"kind": "folder"}}}
    assert (small["prism"]["contestants"], small["prism"]["controls_of"]) == (["made"], [])
    values["prism"]["contestants"] = ["pair"]
    assert "prism" not in trial_values(values, 5)


def test_items_come_from_all_over_an_edition() -> None:
    lines = [b"%d\n" % n for n in range(10)]
    assert spread_lines(lines, 3) == [b"0\n", b"3\n", b"6\n"]  # 0, 10/3, 20/3
    assert spread_lines(lines, 10) == spread_lines(lines, 99) == lines
    assert spread_lines([], 3) == []


@pytest.fixture
def small(project: Path) -> Path:
    """A project that was built."""
    values = fakes.values(sources=[{"kind": "sandbox", "wave": "a", "count": 9}])
    for path, content in {
        "params.yaml": json.dumps(values),
        "dvc.yaml": PIPELINE,
        "dvc.lock": "built",
        "gamut/project/code.py": "1",
        "stages/prism/dvc.lock": "built",
        "datasets/world/w.json": "{}",
        "datasets/rows/r.parquet": "rows",
        "datasets/sources/mine.csv": "c\n1\n",
        "datasets/labels/mine.csv": "labels",
        "datasets/answers/.gitkeep": "",
        "datasets/answers/good/a.parquet": "answers",
        "datasets/answers/gone/a.parquet": "of a contestant that is gone",
        f"datasets/editions/prism/{values['prism']['edition']}.jsonl": "".join(f'{{"id": {n}}}\n' for n in range(9)),
        ".dvc/config": "",
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(content)
    return project


def laid() -> dict[str, str]:
    return {str(path.relative_to(PLACE)): path.read_text() for path in PLACE.rglob("*") if path.is_file()}


def test_what_stages_read_is_brought_and_nothing_that_they_write(small: Path) -> None:
    fakes.write_editions()
    lay_out_place(3)
    edition = fakes.values()["prism"]["edition"]
    found = laid()
    assert set(found) == {
        *(
            ".dvc/config",
            "dvc.yaml",
            "params.yaml",
            "gamut/project/code.py",
            "stages/editions/params.yaml",
            "datasets/sources/mine.csv",
        ),
        *("datasets/answers/.gitkeep", f"datasets/editions/prism/{edition}.jsonl"),
    }
    assert found[f"datasets/editions/prism/{edition}.jsonl"] == '{"id": 0}\n{"id": 3}\n{"id": 6}\n'
    values = read_yaml(PLACE / "params.yaml")
    assert values["sources"] == [{"kind": "sandbox", "wave": "a", "count": 3}]
    assert values["prism"].keys() == fakes.values()["prism"].keys(), (
        "how new editions are proposed stands in a file of its own"
    )
    assert (PLACE / "datasets/labels").is_dir()


def test_again_it_goes_on(small: Path) -> None:
    """What ran there stays, what changed here is brought, what is gone here goes."""
    lay_out_place(3)
    for path in ("dvc.lock", "datasets/world/w.json", "stages/prism/dvc.lock"):
        (PLACE / path).parent.mkdir(parents=True, exist_ok=True)
        (PLACE / path).write_text("ran there")
    Path("gamut/project/code.py").unlink()
    Path("gamut/project/other.py").write_text("22")
    Path("datasets/sources/mine.csv").unlink()
    Path("datasets/sources/mine.csv").write_text("c\n1\n2\n")
    lay_out_place(4)
    found = laid()
    assert [found[path] for path in ("dvc.lock", "datasets/world/w.json", "stages/prism/dvc.lock")] == ["ran there"] * 3
    assert "gamut/project/code.py" not in found and found["gamut/project/other.py"] == "22"
    assert found["datasets/sources/mine.csv"] == "c\n1\n2\n"
    assert read_yaml(PLACE / "params.yaml")["sources"][0]["count"] == 4
    assert Path("dvc.lock").read_text() == "built" and Path("datasets/world/w.json").read_text() == "{}"


def test_the_place_shares_the_store(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GAMUT_STORE", raising=False)
    lay_out_place(3)
    monkeypatch.chdir(PLACE)
    assert places.store_root() == small / ".store"


def consent(monkeypatch: pytest.MonkeyPatch, yes: bool = False, **changes: Any) -> None:
    monkeypatch.setattr(trial, "expected_bill", lambda everything, run_settings: Bill(Flow(), [], [], [], [], []))
    require_consent(fakes.everything(**changes), 3, yes)


def test_servers_are_asked_only_when_a_person_says_so(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    consent(monkeypatch, yes=True)
    with pytest.raises(
        UserError, match=r"^nothing was asked yet: the trial asks servers \(gpt\), at .*: `gamut try 3 --yes`"
    ):
        consent(monkeypatch)


def test_nobody_is_asked_where_nothing_leaves_this_machine(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roles = dict.fromkeys(fakes.values()["roles"], "world")
    consent(monkeypatch, models={"world": {"kind": "sandbox"}}, roles=roles)


def test_the_first_thing_that_is_missing_is_named_with_what_to_do(project: Path) -> None:
    with pytest.raises(UserError) as error:
        require_all_there(fakes.everything())
    assert str(error.value) == "nothing was run yet: judge: gpt: set `url` under [models.gpt] in run.toml"
    roles = fakes.values()["roles"] | {"translator": "gpt"}
    with pytest.raises(UserError, match=r"run\.toml \(1 more: `gamut check`\)$"):
        require_all_there(fakes.everything(roles=roles))
