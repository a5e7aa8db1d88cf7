"""The kind of model that CONTRIBUTING.md adds by a diff."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.diffs import apply_diff
from tests.paths import ROOT

OPENED = """
import asyncio, json
from gamut.asking.models.opening import open_model
from gamut.asking.requests import Chat, Paint
from gamut.project.model_kinds import PlainModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.tables.images import upright_rgb

model = open_model(RoleModel("painter", "grey", PlainModel(kind="plain", colour=(200, 0, 0))), Settings())
replies = [asyncio.run(model.answer(one)) for one in (Paint("a cat", 64, 32, 1), Chat("ask", (), {}, 1))]
picture = upright_rgb(replies[0].content)
print(json.dumps([picture.size, picture.getpixel((5, 5)), replies[1].finish, dict(model.identity)]))
"""


def test_the_kind_of_model_that_contributing_adds_is_opened(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "gamut", tmp_path / "gamut")
    apply_diff("model_kind", tmp_path, "tests/*")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", OPENED], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    size, pixel, finish, identity = json.loads(done.stdout)
    assert size == [64, 32] and pixel == [200, 0, 0] and finish == "unsupported"
    assert identity["kind"] == "plain" and identity["colour"] == [200, 0, 0]
