"""Which parts of the embedded world a build uses where, and that one without it uses none."""

from __future__ import annotations

from typing import Any

import pytest

from gamut.dataset.world_places import places
from gamut.project.errors import UserError
from tests import fakes

HUB = {"kind": "hub", "wave": "w", "repo": "a/b", "revision": "0" * 40, "split": "train", "columns": {"caption": "c"}}
OTHER = {"gpt": {"kind": "openai", "id": "org/model"}}


def found(**changes: Any) -> dict[str, list[str]]:
    params = fakes.params(**changes)
    return {place: list(parts) for place, parts in places(params)}


def test_each_place_has_the_parts_that_are_asked_there() -> None:
    of = found()
    assert (of["roles/painter"], of["roles/judge"], of["judges/world"], of["judges/gpt"]) == (
        *(["painter"], [], ["judge"], []),  # gpt is the judge of these parameters
    )
    assert of["sources"] == ["sources"]
    assert (of["observers/world"], of["observers/gpt"]) == (["detector", "image_embedder"], [])
    assert (of["writers/world"], of["writers/gpt"]) == (["writer"], [])
    assert (of["translators/world"], of["translators/gpt"]) == (["translator"], [])


def test_what_is_true_rests_on_the_painter_and_on_the_sources() -> None:
    assert found()["truth"] == ["truth", "sources"]
    assert found(sources=[HUB])["truth"] == ["truth"]
    roles = fakes.values()["roles"] | {"painter": "gpt"}
    assert found(roles=roles)["truth"] == ["sources"]


def test_a_build_without_the_world_uses_no_part_of_it() -> None:
    parts = found(models=OTHER, roles=dict.fromkeys(fakes.values()["roles"], "gpt"), sources=[HUB])
    assert parts.pop("pictograms") == ["pictograms"], "of studies alone"
    assert parts and not any(parts.values())


def test_what_a_stage_builds_is_no_part_of_the_world() -> None:
    """`world` declares no models/bases, which a stage may write after it; no role may have such a model."""
    toy = {"kind": "unified", "id": "toy", "revision": "built", "painting": {"guidance_scale": 1}}
    models = fakes.values()["models"] | {"toy": toy}
    assert found(models=models)["judges/toy"] == found(models=models)["writers/toy"] == []
    with pytest.raises(
        UserError, match=r"roles\.judge: 'toy' has `revision: built` \(models/bases/toy\): only contestants"
    ):
        found(models=models, roles=fakes.values()["roles"] | {"judge": "toy"})
