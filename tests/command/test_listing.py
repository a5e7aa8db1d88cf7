"""`gamut list`: what there is, as tables and as JSON."""

from __future__ import annotations

import json

import pytest

from tests.in_command import gamut
from tests.paths import ROOT

KINDS = ["benchmarks", "contestants", "editions", "models", "steps", "profiles"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The project as it is shipped; whether its boards are built nobody here knows."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "120")


def test_what_there_is() -> None:
    code, said = gamut("list", "--json")
    found = json.loads(said)
    assert code == 0 and [*found] == KINDS
    boards = {row["name"]: row for row in found["benchmarks"]}
    assert boards["own"]["board"] == "no block in params.yaml" and boards["own"]["items"] is None
    prism = boards["prism"]
    assert (prism["edition"], prism["items"], prism["judges"]) == ("sandbox", 56, ["world", "world_strict"])
    assert prism["contestants"] == ["careful", "average", "hasty"] and prism["board"] in ("built", "not built", "stale")
    [average] = [one for one in found["contestants"] if one["name"] == "average"]
    assert average["measured in"] == ["gapeval", "prism"]
    assert {"edition": "prism/sandbox", "items": 56, "measured": "yes"} in found["editions"]
    assert ("reader", "rapidocr") in [(one["role"], one["slug"]) for one in found["models"]]
    assert ("annotate", "datasets/annotate") in [(one["step"], one["table"]) for one in found["steps"]]
    assert {"profile": "laptop", "file": "profiles/laptop.yaml"} in found["profiles"]


@pytest.mark.parametrize("kind", KINDS)
def test_one_kind_as_a_table(kind: str) -> None:
    code, said = gamut("list", kind)
    assert code == 0 and said.startswith(kind) and "│" in said


def test_an_unknown_kind_is_one_line() -> None:
    assert gamut("list", "model") == (1, "there is no list of 'model'; did you mean 'models'?\n")
