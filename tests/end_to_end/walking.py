"""What walks of a document share: its commands in one shell, a reader's surroundings, items on a Hub, and a judge."""

from __future__ import annotations

import io
import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from gamut.asking.requests import Chat, Reply, Request, parts_of, pictures_of
from tests.aegis.released_file import entries
from tests.end_to_end.kills import make_run
from tests.end_to_end.project import Project
from tests.evaluation.small_pictures import png
from tests.hub.client import environment
from tests.hub.server import WRITER, Hub

REPOSITORY = "<this repository>"
INSTALLED = """\
set -euo pipefail
make() {
    mkdir -p .venv/bin && touch .venv/bin/activate .venv/.core
    [ -e run.toml ] || printf '[models.world]\\nconcurrency = 1\\n' > run.toml  # workers take long to start
    [ "$1" = install ] || command $MAKE_RUN
}
pip() {
    python -c 'import sys; from importlib.metadata import version; print(sys.argv[2], version(sys.argv[2]))' "$@"
}
"""
"""An environment is there, that of the tests, with all that `pip install` names."""
END = "-- end of what was typed --"


def surroundings(folder: Path, hub: Hub) -> dict[str, str]:
    """What a reader's commands find where they run below a folder: the clone's code there, and a test Hub."""
    clone = Project(folder / "gamut", {})
    ours = {"PYTHONPATH": str(clone.folder), "COLUMNS": "100", "MAKE_RUN": " ".join(make_run(clone))}
    return ours | environment(hub.url, folder / "home", WRITER)


def printed_by(typed: Iterable[str], folder: Path, variables: dict[str, str], replaced: Mapping[str, str]) -> list[str]:
    """Type everything into one shell and return what each printed; AssertionError where one fails."""
    script = "".join(f"{commands}\necho '{END}'\n" for commands in typed)
    for theirs, here in replaced.items():
        assert theirs in script
        script = script.replace(theirs, here)
    done = subprocess.run(
        ["bash", "-c", INSTALLED + script],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    printed = done.stdout
    for theirs, here in replaced.items():
        printed = printed.replace(here, theirs)
    return printed.split(f"{END}\n")[:-1]


def publish_aegis(hub: Hub) -> None:
    """Publish a few items of AEGIS on a Hub, as all of them are on the real one."""
    wanted = {("understanding", 1): 4, ("generation", 0): 4, ("editing", 1): 1, ("interleaved", 0): 1}
    chosen: list[dict[str, Any]] = []
    for (task, pictures), count in wanted.items():
        alike = [one for one in entries() if (one["task"], len(one["input_image"])) == (task, pictures)]
        chosen += alike[:count]
    named = [name for one in chosen for name in (*one["input_image"], *one["ref_image"])]
    shown = {f"data/images/{name}": png(number) for number, name in enumerate(named)}
    hub.commit("DongSky/AEGIS", {"data/annotation.json": json.dumps(chosen).encode()} | shown)


def judge(request: Request) -> Reply:
    """A judge who likes contrast, and every other letter."""
    assert isinstance(request, Chat)
    words = "\n".join(part for part in parts_of(request) if isinstance(part, str))
    spread = [np.asarray(Image.open(io.BytesIO(one)).convert("L")).std() for one in pictures_of(request)]
    taste = round(float(spread[-1]) * 2) if spread else len(words)
    if request.name.startswith("prism_"):
        score = taste - 35 + request.name.count("c")  # the questions differ a little
        found: dict[str, Any] = {"justification": "contrast", "score": max(0, min(10, score))}
    else:
        numbers = map(int, re.findall(r"^(\d+)\. ", words, re.MULTILINE))
        found = {"verdicts": [{"question": n, "reason": "", "verdict": "YN"[(taste + n) % 2]} for n in numbers]}
    return Reply(json.dumps(found).encode(), "stop", 1000, 50)
