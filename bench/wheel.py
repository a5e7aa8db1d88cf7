"""A project of one's own, from the wheel alone: is what it builds the same, byte for byte, as what a clone builds?

    python bench/wheel.py --python python3.13 --against ../clone    # an empty environment, and the laptop's whole build
    python bench/wheel.py --until world                             # the packages of this environment: asks no network

Builds the wheel, installs it with the versions of constraints.txt, makes a project by `gamut init` and runs `dvc repro`
there. With --against every output that both have recorded is compared with a clone's that was built with the same
params.yaml, and the release file by file. The last line is JSON: the version of Python, seconds of each step, how many
outputs were recorded, compared and unlike, and how many files of the release were compared and unlike.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import json
import os
import subprocess
import tempfile
import time

from stages.project.files import sha256_of
from stages.project.validation import read_yaml
from tests import wheel
from tests.end_to_end.project import SIZES, Project, opened


def environment(python: str, built: Path, folder: Path) -> Project:
    """A project whose commands are those of an empty environment with the wheel and what it needs."""
    venv = folder / "venv"
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, "--constraint", str(ROOT / "constraints.txt"), str(built)], check=True)
    kept = {key: value for key, value in opened(folder).environment.items() if key != "PYTHONPATH"}
    return Project(folder / "project", kept | {"PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"})


def outputs(folder: Path) -> dict[str, str]:
    """The digest of every output that the locks of a built project record, by its path there."""
    locks = [folder / "dvc.lock", *folder.glob("stages/**/dvc.lock")]
    stages = [stage for lock in locks if lock.exists() for stage in read_yaml(lock)["stages"].values()]
    return {out["path"]: out["md5"] for stage in stages for out in stage.get("outs", ())}


def release(folder: Path) -> dict[str, str]:
    """The digest of every file of a built project's release, by its name."""
    return {path.name: sha256_of(path) for path in (folder / "datasets/release").glob("*")}


def main() -> None:
    """Build, install, make a project, build it, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", metavar="PROGRAM", help="makes an empty environment with this one, by pip")
    parser.add_argument("--against", type=Path, metavar="CLONE", help="a clone that was built")
    parser.add_argument("--until", metavar="STAGE", default="", help="build no more than this stage needs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="a new folder for it all, which stays")
    arguments = parser.parse_args()
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory(prefix="gamut-") as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        began = time.monotonic()
        built = wheel.build(folder / "wheel")
        if arguments.python:
            project = environment(arguments.python, built, folder)
        else:
            project = wheel.installed_apart(built, folder / "site", folder / "project")
        for name in SIZES:
            del project.environment[name]
        figures["install_seconds"] = round(time.monotonic() - began, 1)
        project.folder.mkdir()
        figures["python"] = project.run("python", "--version").stdout.split()[1]
        steps = {"init": "gamut init .", "check": "gamut check", "build": f"python -m dvc repro {arguments.until}"}
        for step, command in steps.items():
            began = time.monotonic()
            project.run(*command.split())
            figures[f"{step}_seconds"] = round(time.monotonic() - began, 1)
        figures["outputs"] = len(outputs(project.folder))
        for what, of in (("outputs", outputs), ("release_files", release)) if arguments.against else ():
            here, there = of(project.folder), of(arguments.against)
            others = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
            figures |= {f"{what}_compared": len(here.keys() & there.keys()), f"{what}_unlike": len(others)}
            print(*(f"unlike: {name}" for name in others), sep="\n")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
