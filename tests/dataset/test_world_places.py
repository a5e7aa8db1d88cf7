"""Which parts of the embedded world a build uses where, and that one without it uses none."""

from __future__ import annotations

from typing import Any

from gamut.dataset.world_places import places
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
