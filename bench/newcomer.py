"""A newcomer's walk: all that README.md and the documents promise, typed command by command into a terminal.

    python bench/newcomer.py --transcript walk.txt                # in a fresh clone
    python bench/newcomer.py --until check                        # the first steps: seconds
    python bench/newcomer.py --install                            # makes the environment too, by pip; asks the network

Every step is one line of a shell in a terminal of 80 columns, in the order of README.md; before some of them a file is
written, as a person would in an editor. Servers and the Hub are those of the tests, in this process. The first step
whose exit code is not the one that the documents name ends the walk, unless --keep-going is given. The last line is
JSON: the steps taken, those that failed, commands of gamut that say something but not what to do next, steps that write
lines too long for the terminal, commands that no document has, and the seconds of each step.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, NamedTuple, TextIO

from gamut.asking.requests import Create, Paint, Reply, Request, number_pictures
from tests import embedded_world as world
from tests.end_to_end.project import SIZES, Project, copy_checkout, opened
from tests.hub.client import environment as led_to
from tests.hub.server import WRITER, hub_server
from tests.stub_server import stub_server

COLUMNS = 80
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
NEXT = re.compile(r"`[^`]+`|report/index\.html|\bdvc \w+|\bgit (add|commit|restore)|--\w+|up to date|https?://|file://")
OURS = re.compile(r"(?:^|&& )gamut (?!--version)[^&]*$")
COMMAND = re.compile(r"gamut(?: add| store)? [\w-]+|dvc(?: exp| metrics| data)? [\w-]+|make \w+")
SHOP = ROOT / "docs/own.md"


class Step(NamedTuple):
    """One line that a newcomer types; `before` it something is written."""

    name: str
    command: str
    before: Callable[[Project], None] = lambda project: None
    codes: tuple[int, ...] = (0,)


@dataclass
class Done:
    """What came of a step: its exit code, what stood in the terminal, and how long it took."""

    code: int
    said: str
    seconds: float


def captions(project: Project) -> None:
    """Write four captions, and their source block as README.md has it."""
    texts = ("a red cube above two blue umbrellas at sunset", "three yellow birds", "a green chair", "a black cat")
    lines = "".join(json.dumps({"caption": text}) + "\n" for text in texts)
    (project.folder / "datasets/sources/mine.jsonl").write_text(lines)
    source = {"wave": "mine", "kind": "file", "path": "datasets/sources/mine.jsonl", "route": "as_is"}
    project.edit(lambda params: params["sources"].append(source | {"columns": {"caption": "caption"}}))


def shop(project: Project) -> None:
    """Write the five lines of docs/own.md."""
    [lines] = re.findall(r"```json\n(.*?)```", SHOP.read_text(), re.DOTALL)[:1]
    (project.folder / "shop.jsonl").write_text(lines)


def pictures(project: Project) -> None:
    """Make pictures elsewhere, thrice: by the names of items, as EvalScope lists them, and as lm-eval logs them."""
    items = (project.folder / "datasets/editions/prism/sandbox.jsonl").read_text().splitlines()
    for number, item in enumerate(map(json.loads, items)):
        painted = world.reply(Paint(item["prompt"], 256, 256, number), {}).content
        named = project.folder / f"outputs/mine/{item['id']}.png"
        for path in (named, *(project.folder / f"outputs/{tool}/images/{number}.png" for tool in ("scope", "lm"))):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(painted)
        listed = {"id": number, "prompt": item["prompt"], "image_path": f"images/{number}.png"}
        logged = {"doc_id": number, "doc": {"prompt": item["prompt"]}, "filtered_resps": [listed["image_path"]]}
        for path, line in (("scope/reviews/model/general_t2i", listed), ("lm/samples_t2i", logged)):
            file = project.folder / f"outputs/{path}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a") as lines:
                lines.write(json.dumps(line) + "\n")


def prices(project: Project) -> None:
    """Name a price in run.toml, below the address that `gamut add contestant` wrote."""
    with (project.folder / "run.toml").open("a") as file:
        file.write("image_price = 0.04\n")


def mistake(project: Project) -> None:
    """Change a picture of a pinned folder."""
    path = project.folder / "outputs/lm/images/0.png"
    path.write_bytes(path.with_name("1.png").read_bytes())


def publication(project: Project) -> None:
    """Name repository and licence, as docs/publishing.md says."""
    project.edit(lambda params: params["publish"]["dataset"].update(repo="somebody/mine", license="cc-by-4.0"))


LOADING = {
    "pandas": "import pandas; print(len(pandas.read_parquet('datasets/release')))",
    "polars": "import polars; print(len(polars.read_parquet('datasets/release/*.parquet')))",
    "duckdb": "import duckdb; print(duckdb.sql(\"select count(*) from 'datasets/release/*.parquet'\").fetchall())",
    "datasets": "from datasets import load_dataset; "
    "print(load_dataset('datasets/release', split='train')[0]['image'].size)",
}
COMMIT = "git add --all && git commit --quiet --message '{}' && git status --short"
ON = "--benchmarks prism:en"
STEPS = (
    Step("version", "gamut --version"),
    Step("help", "gamut --help"),
    Step("check", "gamut check"),
    Step("run", "make run"),
    Step("commit", COMMIT.format("built")),
    Step("show", "gamut show prism imagination/0"),
    Step("captions.check", "gamut check --quiet", captions),
    Step("captions", "dvc repro"),
    Step("captions.commit", COMMIT.format("my captions")),
    Step("own.import", "gamut import own shop.jsonl shop-signs", shop),
    Step("own", "dvc repro stages/own/dvc.yaml:board"),
    Step("own.report", "gamut report"),
    Step("own.commit", COMMIT.format("my items")),
    Step("add.folder", f"gamut add contestant mine --folder outputs/mine {ON}", pictures),
    Step("add.evalscope", f"gamut add contestant scope --folder outputs/scope {ON}"),
    Step("add.lm_eval", f"gamut add contestant lm --folder outputs/lm {ON}"),
    Step("add.server", f'gamut add contestant served --model org/painter --base-url "$SERVER" {ON},own:as_is'),
    Step("served.check", "gamut check --ask --quiet", prices),
    Step("served.estimate", "gamut estimate"),
    Step("served.price", "gamut try 3", codes=(1,)),
    Step("served.try", "gamut try 3 --yes"),
    Step("pin", "gamut pin --check"),
    Step("pin.changed", "gamut pin --check", mistake, codes=(1,)),
    Step("pin.again", "gamut pin lm"),
    Step("board", "dvc repro leaderboard"),
    Step("build", "dvc repro"),
    Step("board.commit", COMMIT.format("my models")),
    Step("compare", "gamut compare careful mine"),
    Step("compare.items", "gamut compare careful hasty --items 3 --judge world --of prism"),
    Step("compare.margin", "gamut compare careful mine --margin 2", codes=(0, 4)),
    Step("compare.metric", "gamut compare careful served --of prism:en --margin 5", codes=(0, 4)),
    Step("experiment", "dvc exp run --name entity-9 -S categorize.entity=9 statistics calibrate"),
    Step("experiment.show", "dvc exp show --only-changed --drop '(?!metrics).*/'"),
    Step("experiment.diff", "dvc metrics diff HEAD entity-9"),
    Step("experiment.back", "git checkout . && dvc checkout"),
    Step("calibrate", "gamut calibrate"),
    Step("publish", f"{COMMIT.format('to be published')} && gamut publish dataset --dry-run", publication),
    Step("share", "dvc remote add --default shared ../remote && dvc push"),
    Step("share.commit", COMMIT.format("where data lie")),
    Step("share.clone", "git clone --quiet . ../theirs && cd ../theirs && dvc pull && dvc status"),
    *(Step(f"load.{name}", f"cd ../theirs && python -c {quote(code)}") for name, code in LOADING.items()),
    Step("seed", "cd ../theirs && gamut store seed --all"),
    Step("seed.status", "cd ../theirs && dvc status && git status --short && gamut report"),
    Step("calibrate.sample", "gamut calibrate --sample 5"),
    Step("label.answers", "gamut label prism --label-studio answers"),
    Step("label.studio", "gamut label filters --label-studio studio"),
)


def of_a_clone(folder: Path, install: bool) -> Project:
    """A fresh clone; its environment is this one by other names, unless it is to be installed."""
    project = opened(folder / "project")
    copy_checkout(project.folder)
    project.run("git", "init", "--quiet")
    project.commit()
    venv = project.folder / ".venv"
    if install:
        project.run("make", "install")
    else:
        venv.mkdir()
        for part in Path(sys.prefix).iterdir():
            with suppress(FileExistsError):
                (venv / part.name).symlink_to(part)
        (venv / ".core").touch()
    path = f"{venv / 'bin'}{os.pathsep}{project.environment['PATH']}"
    return Project(project.folder, project.environment | {"PATH": path})


def hosted(request: Request) -> Reply:
    """Answer as the embedded world does, but paint something for any prompt, as a hosted model would."""
    if isinstance(request, Create):
        request = Paint(number_pictures(request.parts)[0], request.width, request.height, request.seed)
    reply = world.reply(request, {})
    if isinstance(request, Paint) and reply.finish != "stop":
        return world.reply(replace(request, prompt="a blue car"), {})
    return reply


def typed(project: Project, step: Step) -> Done:
    """Run a step in a terminal, and return what a person sees there once it is still."""
    began = time.monotonic()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    running = subprocess.Popen(
        ["bash", "-c", step.command],
        cwd=project.folder,
        env=project.environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    with suppress(OSError):  # nobody writes any more
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    return Done(running.wait(), still(said.decode(errors="replace")), round(time.monotonic() - began, 1))


def still(said: str) -> str:
    """What is left of lines that were written over, without colours."""
    lines = (ESCAPES.sub("", line).rstrip("\r").rpartition("\r")[2].rstrip() for line in said.split("\n"))
    return "\n".join(lines).strip()


def walk(install: bool, until: str, keep_going: bool, transcript: TextIO, figures: dict[str, Any]) -> None:
    """Take the steps, writing each into the transcript and counting it into the figures."""
    documents = "\n".join(path.read_text() for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")))
    with tempfile.TemporaryDirectory(prefix="gamut-") as scratch, stub_server(hosted) as stub, hub_server() as hub:
        began = time.monotonic()
        project = of_a_clone(Path(scratch).resolve(), install)
        figures["seconds"]["install"] = round(time.monotonic() - began, 1)
        for name in SIZES:
            del project.environment[name]
        told = {"SERVER": stub.url, "TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat", "DVC_PAGER": "cat"}
        project.environment.update(told | led_to(hub.url, Path(scratch) / "home", WRITER))
        for step in STEPS:
            step.before(project)
            done = typed(project, step)
            print(f"{step.name}: exit code {done.code}, {done.seconds} s", flush=True)
            transcript.write(
                f"\n### {step.name} ({done.seconds} s, exit code {done.code})\n$ {step.command}\n{done.said}\n"
            )
            transcript.flush()
            figures["steps"] += 1
            figures["seconds"][step.name] = done.seconds
            wrong = done.code not in step.codes or "Traceback" in done.said
            for key, found in {
                "failures": wrong,
                "no_next": OURS.search(step.command) and done.said and not NEXT.search(done.said),
                "wide": any(len(line) > COLUMNS for line in done.said.split("\n")),
                "undocumented": any(command not in documents for command in COMMAND.findall(step.command)),
            }.items():
                figures[key] += [step.name] * bool(found)
            if wrong:
                print(f"{step.name} failed: {step.command}\n{done.said}")
            if (wrong and not keep_going) or step.name == until:
                return


def main() -> None:
    """Walk, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", choices=[step.name for step in STEPS], metavar="STEP", help="the last step to take")
    parser.add_argument("--keep-going", action="store_true", help="go on where a step failed")
    parser.add_argument("--install", action="store_true", help="install by pip; not what is here")
    parser.add_argument("--transcript", type=Path, default=Path(os.devnull), metavar="PATH")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {"steps": 0, "failures": [], "no_next": [], "wide": [], "undocumented": [], "seconds": {}}
    with arguments.transcript.open("w", encoding="utf-8") as transcript:
        walk(arguments.install, arguments.until, arguments.keep_going, transcript, figures)
    print(json.dumps(figures))
    sys.exit(bool(figures["failures"]))


if __name__ == "__main__":
    main()
