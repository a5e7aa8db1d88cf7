"""What answers as each contestant: parts of the embedded world, a Python file, what stages build; each in a file of its
own, so that a change of it runs again what it concerns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.models.opening import identity, pinned_model
from gamut.asking.models.weights import digest, pin_built
from gamut.dataset.world_places import PLAYERS, WORLD, players, write_players, write_world
from gamut.project.errors import UserError
from gamut.project.model_kinds import BASES, TRAINED, UnifiedModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.project.validation import check_values
from tests import fakes

OTHER = {"gpt": {"kind": "openai", "id": "org/model"}}
TOY = {"kind": "unified", "id": "toy", "revision": "built", "painting": {"guidance_scale": 1}}


def found(**changes: Any) -> dict[str, list[str]]:
    return {place: list(parts) for place, parts in players(fakes.params(**changes))}


def test_a_painter_does_not_write_and_models_may_rewrite() -> None:
    of = found(contestants=fakes.two_contestants())
    assert (of["contestants/good"], of["rewriters/contestants.good"]) == (["painter", "creator"], [])
    assert (of["rewriters/models.world"], of["rewriters/models.gpt"]) == (["writer"], [])


def test_a_contestant_has_the_parts_that_it_may_be_asked_as_and_so_has_either_model_of_a_pair() -> None:
    world, other = {"kind": "sandbox"}, OTHER["gpt"]
    duos = {
        "one": {"class": "unified", "model": world},
        "writer": {"class": "unified", "models": {"text": world, "image": other}},
        "painter": {"class": "unified", "models": {"text": other, "image": world}},
        "both": {"class": "unified", "models": {"text": world, "image": world}},
        "neither": {"class": "unified", "models": {"text": other, "image": other}},
    }
    of = found(contestants=duos)
    assert of["contestants/one"] == of["contestants/writer"] == of["contestants/painter"] == ["painter", "creator"]
    assert (of["contestants/both"], of["contestants/neither"]) == (["painter", "creator"], [])
    writing = {name for name in duos if of[f"rewriters/contestants.{name}"] == ["writer"]}
    assert writing == {"one", "writer", "both"}


def test_an_edit_of_a_model_s_file_changes_its_own_places_alone(project: Path) -> None:
    """So its cells run again, and nobody else's; where a file is missing its own cell says so."""
    own = {name: {"kind": "python", "file": f"stages/mine/models/{name}.py", "function": "see"} for name in "ab"}
    mine = {name: {"class": "unified", "model": model | {"function": "answer"}} for name, model in own.items()}
    values = fakes.values(contestants={f"its_{name}": one for name, one in mine.items()})
    values["models"] |= own
    Path("params.yaml").write_text(json.dumps(values))
    params = fakes.params(models=values["models"], contestants=values["contestants"])
    Path("stages/mine/models").mkdir(parents=True)

    def written(text: str) -> dict[str, bytes]:
        Path("stages/mine/models/a.py").write_text(text)
        write_world(params)
        write_players(params)
        return fakes.contents(WORLD) | fakes.contents(PLAYERS)

    before, after = written("1"), written("2")
    changed = {path for path in before if before[path] != after[path]}
    assert before.keys() == after.keys() and {path.partition("/")[2] for path in changed} == {
        "a",
        "models.a",
        "its_a",
        "contestants.its_a",
    }
    assert {"contestants/its_a", "observers/a", "judges/a", "rewriters/contestants.its_a"} < changed
    assert after["contestants/its_b"] == b"the file stages/mine/models/b.py does not exist: put it there\n"


def test_what_a_stage_builds_of_a_contestant_is_told_by_its_digests(project: Path) -> None:
    """So its cell runs again when an adapter is trained anew, and no cell of another contestant."""
    adapter = {"path": f"{TRAINED}/release-0/step-9", "revision": "built"}
    models = {
        "base": TOY,
        "tuned": TOY | {"adapter": adapter},
        "whole": TOY | {"id": "release-0/step-9"},
        "other": TOY | {"id": "second"},
    }
    params = fakes.params(
        contestants={
            name: {"class": "unified", "tasks": ["understanding", "generation"], "model": model}
            for name, model in models.items()
        }
    )
    places_of = {name: tuple(parts) for name, parts in players(params)}
    assert places_of["contestants/tuned"] == (f"{BASES}/toy", f"{TRAINED}/release-0/step-9")
    assert places_of["contestants/whole"] == (f"{TRAINED}/release-0/step-9",)

    def written(place: str, text: str) -> dict[str, bytes]:
        Path(place).mkdir(parents=True, exist_ok=True)
        Path(place, "weights").write_text(text)
        write_players(params)
        return fakes.contents(PLAYERS)

    first = written(f"{BASES}/toy", "1")
    assert b"models/trained/release-0/step-9, which a stage builds, does not exist" in first["contestants/tuned"]
    trained = written(f"{TRAINED}/release-0/step-9", "1")
    again = written(f"{TRAINED}/release-0/step-9", "2")
    assert {name for name in again if again[name] != trained[name]} == {
        *("contestants/tuned", "contestants/whole"),
        *("rewriters/contestants.tuned", "rewriters/contestants.whole"),
    }
    assert (
        written(f"{TRAINED}/release-0/step-9", "1") == trained
        and trained["contestants/base"] == first["contestants/base"]
    )


def test_what_is_built_is_opened_from_this_tree_and_its_place_is_no_part_of_what_it_is(project: Path) -> None:
    """A temporary experiment lies within the project whose store it shares, and has models of its own."""
    place = f"{TRAINED}/release-0/step-9"
    model = check_values(UnifiedModel, TOY | {"adapter": {"path": place, "revision": "built"}}, Path("params.yaml"))
    with pytest.raises(UserError, match=r"^models/bases/toy, which a stage builds, does not exist"):
        pin_built(model)
    for folder in (f"{BASES}/toy", place):
        Path(folder).mkdir(parents=True)
        Path(folder, "weights").write_text(folder)
    pinned = pin_built(model)
    assert pinned.adapter.path == str(project / place) and pinned.revision == digest(Path(BASES, "toy"))
    assert identity(model, "painter")["adapter"] == {"revision": digest(Path(place)), "weight": 1.0}
    _, endpoint = pinned_model(RoleModel("painter", "toy", model), Settings())
    assert endpoint.weights == str(project / BASES / "toy")
