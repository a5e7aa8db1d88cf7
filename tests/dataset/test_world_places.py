"""Which parts of the embedded world a build uses where, and that one without it uses none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gamut.dataset.world_places import WORLD, places, write_world
from tests import fakes

HUB = {"kind": "hub", "wave": "w", "repo": "a/b", "revision": "0" * 40, "split": "train", "columns": {"caption": "c"}}
OTHER = {"gpt": {"kind": "openai", "id": "org/model"}}


def found(**changes: Any) -> dict[str, list[str]]:
    params = fakes.params(**changes)
    return {place: list(parts) for place, parts in places(params, params.contestants)}


def test_each_place_has_the_parts_that_are_asked_there() -> None:
    of = found(contestants=fakes.two_contestants())
    assert (of["roles/painter"], of["roles/judge"], of["judges/world"], of["judges/gpt"]) == (
        *(["painter"], [], ["judge"], []),  # gpt is the judge of these parameters
    )
    assert of["contestants/good"] == ["painter", "creator"] and of["sources"] == ["sources"]
    assert (of["observers/world"], of["observers/gpt"]) == (["detector", "image_embedder"], [])
    assert (of["rewriters/models.world"], of["rewriters/models.gpt"]) == (["writer"], [])
    assert (of["writers/world"], of["writers/gpt"]) == (["writer"], [])
    assert (of["translators/world"], of["translators/gpt"]) == (["translator"], [])
    assert not any(place.startswith("writers/") and place[8:] in fakes.two_contestants() for place in of)
    assert of["rewriters/contestants.good"] == [], "a painter does not write"


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


def test_what_is_true_rests_on_the_painter_and_on_the_sources() -> None:
    assert found()["truth"] == ["truth", "sources"]
    assert found(sources=[HUB])["truth"] == ["truth"]
    roles = fakes.values()["roles"] | {"painter": "gpt"}
    assert found(roles=roles)["truth"] == ["sources"]


def test_a_build_without_the_world_uses_no_part_of_it() -> None:
    parts = found(models=OTHER, roles=dict.fromkeys(fakes.values()["roles"], "gpt"), sources=[HUB])
    assert parts and not any(parts.values())


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
        return fakes.contents(WORLD)

    before, after = written("1"), written("2")
    changed = {path for path in before if before[path] != after[path]}
    assert before.keys() == after.keys() and {path.partition("/")[2] for path in changed} == {
        "a",
        "models.a",
        "its_a",
        "contestants.its_a",
    }
    assert {"contestants/its_a", "observers/a", "judges/a", "rewriters/contestants.its_a"} < changed
    assert after["contestants/its_b"] == b"stages/mine/models/b.py: there is no such file: put it there\n"
