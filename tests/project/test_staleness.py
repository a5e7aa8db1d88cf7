"""What lock files record against the parameters that stand beside them: said in one line, and only where it is so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gamut.project.staleness import changes, staleness

ROOT = {
    "world": {"params": ["sources"], "outs": ["datasets/world"]},
    "score": {"deps": ["datasets/world/judge"], "params": ["judge"], "outs": ["datasets/score"]},
    "pick": {"deps": ["datasets/score"], "params": ["lowest"], "outs": ["datasets/picked"]},
    "release": {"deps": ["datasets/picked"], "outs": ["datasets/release"]},
    "count": {"deps": ["datasets/release"], "params": ["bins"], "outs": ["metrics/count.json"]},
}
CELLS = {"contestant": "${contestants}"}
CURATION = {
    "answer": {
        "matrix": CELLS,
        "params": ["t2i.size", "contestants.${item.contestant}"],
        "outs": ["datasets/t2i/answers/${item.contestant}"],
    },
    "score": {
        "matrix": CELLS,
        "deps": ["datasets/t2i/answers/${item.contestant}"],
        "params": ["t2i.judges"],
        "outs": ["datasets/t2i/scores/${item.contestant}"],
    },
    "board": {"deps": ["datasets/t2i/scores"], "params": ["contestants", "t2i.judges"], "outs": ["metrics/t2i.json"]},
}
PARAMS: dict[str, Any] = {
    "sources": [{"count": 3}],
    "judge": {"kind": "a", "sampling": {"top_p": 0.5, "seed": None}},
    "lowest": 7,
    "bins": 5,
    "contestants": {"good": {"class": "unified"}, "poor": {"class": "unified"}},
    "t2i": {"size": 64, "judges": ["world"]},
}
RELEASE = "`dvc repro release` builds it again"
Change = Callable[[Any], Any]


def recorded(declared: dict[str, Any], item: str = "") -> dict[str, Any]:
    """What DVC records of a stage, or a cell of one: values by key, digests by path."""

    def named(text: str) -> str:
        return text.replace("${item.contestant}", item)

    def at(key: str) -> Any:
        value: Any = PARAMS
        for name in key.split("."):
            value = value[name]
        return value

    return {
        "cmd": "python",
        "deps": [{"path": named(path), "md5": named(path)} for path in declared.get("deps", ())],
        "params": {"params.yaml": {named(key): at(named(key)) for key in declared.get("params", ())}},
        "outs": [{"path": named(path), "md5": named(path), "size": 3} for path in declared["outs"]],
    }


def write(folder: Path, params: Any, locks: dict[str, Any]) -> None:
    """A project's files, and what stages made as far as a test looks at it."""
    (folder / "stages/t2i").mkdir(parents=True, exist_ok=True)
    (folder / "datasets/release").mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(json.dumps(params))
    for path, stages in (("dvc", ROOT), ("stages/t2i/dvc", CURATION)):
        (folder / f"{path}.yaml").write_text(json.dumps({"stages": stages}))
        (folder / f"{path}.lock").write_text(json.dumps({"schema": "2.0", "stages": locks[path]}))
    (folder / "datasets/release/a.parquet").write_text("abc")


def built() -> tuple[Any, dict[str, Any]]:
    """Parameters, and the locks of a build with them; of a contestant that was taken out DVC keeps what it recorded."""
    cells = {
        f"{name}@{cell}": recorded(CURATION[name], cell) for name in ("answer", "score") for cell in ("good", "poor")
    }
    gone = json.loads(json.dumps(cells["answer@good"]).replace("good", "gone"))
    root = {name: recorded(stage) for name, stage in ROOT.items()}
    root["release"]["outs"][0] |= {"nfiles": 1}
    folder = cells | {"answer@gone": gone, "board": recorded(CURATION["board"])}
    return json.loads(json.dumps(PARAMS)), {"dvc": root, "stages/t2i/dvc": folder}


def test_nothing_is_said_of_what_was_built_so_and_where_no_lock_tells(project: Path) -> None:
    write(project, *built())
    assert (
        staleness(["release"]) is staleness(["count"]) is staleness(["t2i.board"]) is staleness(["t2i.score"]) is None
    )
    params, locks = built()
    params["lowest"] = params["t2i"]["size"] = 1
    write(project, params, {path: {} for path in locks})  # a lock that does not know these stages
    assert staleness(["release"]) is staleness(["t2i.board"]) is None
    for path in locks:
        Path(f"{path}.lock").unlink()
    assert staleness(["release"]) is staleness(["t2i.board"]) is None


@pytest.mark.parametrize(
    ("stage", "key", "value", "said"),
    [("release", "lowest", 9, "lowest"),
("release", "judge", {"kind": "b", "sampling": {"top_p": 1, "seed": 1}},
         "judge.kind, judge.sampling.top_p, judge.sampling.seed"),
("release", "bins", 6, None),
("count", "bins", 6, "bins"),
("t2i.board", "lowest", 9, None),
("t2i.board", "t2i", {"size": 32, "judges": ["owl"], "new": 1}, "t2i.size, t2i.judges"),
("t2i.board", "t2i", ..., None),
("t2i.board", "contestants", PARAMS["contestants"] | {"new": {}}, "contestants.new"),
("t2i.score@good", "contestants", PARAMS["contestants"] | {"new": {}}, None),
("t2i.score", "contestants", PARAMS["contestants"] | {"poor": {}}, "contestants.poor.class"),
("t2i.board", "contestants", {name: {} for name in "abcd"},
         "contestants.good, contestants.poor, contestants.a and 3 more"),],
)  # fmt: skip
def test_values_that_changed_since_are_named(project: Path, stage: str, key: str, value: Any, said: str | None) -> None:
    params, locks = built()
    if value is ...:
        del params[key]
    else:
        params[key] = value
    write(project, params, locks)
    fix = f"`dvc repro {stage.replace('t2i.', 'stages/t2i/dvc.yaml:')}` builds it again"
    expected = said and f"not built with these parameters ({said} changed since): {fix}"
    assert staleness([stage]) == expected


def test_a_build_stopped_half_way_shows_tables_of_two_kinds(project: Path) -> None:
    """What picks ran with the new value, and the release not yet: its parameters are right, its table is not."""
    params, locks = built()
    params["lowest"] = locks["dvc"]["pick"]["params"]["params.yaml"]["lowest"] = 9
    locks["dvc"]["pick"]["outs"][0]["md5"] = "other"
    write(project, params, locks)
    assert staleness(["pick"]) is None
    assert staleness(["release"]) == f"not built with these parameters (datasets/picked changed since): {RELEASE}"


def test_what_was_fetched_was_not_built_here(project: Path) -> None:
    write(project, *built())
    Path("datasets/release/a.parquet").write_text("another's")
    said = f"not built here: datasets/release is not what the lock file records: {RELEASE}"
    assert staleness(["release"]) == said
    Path("datasets/release/a.parquet").unlink()
    Path("datasets/release").rmdir()  # not pulled yet: there is nothing to be shown
    assert staleness(["release"]) is None


def test_a_torn_lock_is_said_and_stops_nobody(project: Path) -> None:
    write(project, *built())
    lock = Path("stages/t2i/dvc.lock")
    lock.write_text(lock.read_text()[:-30])
    torn = "stages/t2i/dvc.lock is damaged, perhaps by a killed run: `gamut check` repairs it"
    assert staleness(["t2i.board"]) == torn


def test_a_room_that_is_left_out_of_the_build_cannot_be_built_anew(project: Path) -> None:
    params, locks = built()
    params["t2i"]["size"] = 32
    write(project, params, locks)
    Path(".dvcignore").write_text("/stages/t2i/dvc.yaml\n")
    left_out = "it is left out of the build, `gamut check` says why"
    assert staleness(["t2i.board"]) == f"not built with these parameters (t2i.size changed since): {left_out}"


def test_another_version_is_held_against_its_own_parameters(project: Path, tmp_path: Path) -> None:
    params, locks = built()
    write(project, params, locks)
    params["t2i"]["size"] = 32
    there = tmp_path / "there"
    write(there, params, locks)
    said = "not built with its own parameters (t2i.size changed since)"
    assert staleness(["t2i.board"], "v1", lambda path: there / path) == said
    assert staleness(["t2i.board"]) is None


def test_changes_are_by_key() -> None:
    before, after = {"a": {"x": 1, "y": [1]}, "b": 1, "c": None}, {"a": {"x": 1, "y": [2]}, "d.e": 0.5}
    assert [*changes(before, after)] == [("a.y", [1], [2]), ("b", 1, None), ("d.e", None, 0.5)]
    assert [*changes(before, before)] == []
