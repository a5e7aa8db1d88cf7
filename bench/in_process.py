"""Where the time of a build goes whose models run in process: tiny ones with weights on disk, and the real `dvc repro`.

    python bench/in_process.py                    # 10 source rows by all four routes, from sources to release
    python bench/in_process.py --until brainstorm --models writer    # the embedded world plays the other roles

FLUX by diffusers paints; Qwen2.5-VL and Qwen2 by transformers write. Their weights are set so that every reply is one
JSON object with all the keys that any stage asks for, of as many tokens as it would be of a published model's. For each
stage that asks, in seconds: the whole stage, imports while it ran (of its own process and of those that have its
model), loading, answering, and the rest. Model time is answering, and the first loading of each model; imports, another
loading of the same model (`again`) and the rest are not. The last line is JSON: the sums over these stages, the share
of their time that is not model time, and the seconds of the whole `dvc repro`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # this folder would hide Python's own `statistics`

import argparse
import itertools
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from PIL import Image
from transformers.utils import logging

from stages.asking.models.weights import digest
from stages.dataset.shared.parameters import CHARACTERISTICS
from tests import tiny_chat_models
from tests.end_to_end.project import Project, clone

REPLY = {
    "reason": "The lettering is sharp and whole, and nothing else in the picture disturbs it.",
    "transcription": "OPEN",
    "legibility": 8,
    "clarity": 9,
    "structure": 7,
    **dict.fromkeys(CHARACTERISTICS, 8),
    **dict.fromkeys(("contrast", "letterforms", "sense", "alignment"), 8),
    "caption": 'A red enamel sign hangs from two chains above a green wooden door and says "OPEN" in white capitals, '
    "each as tall as the brass handle beneath; evening sun falls from the left, draws long soft shadows over rough "
    "plaster and warms worn steps where three clay pots of basil stand side by side.",
    "translation": "绿色的木门上方，两条铁链挂着一块红色搪瓷牌子，上面用白色大写字母写着“OPEN”。",
    "prompts": [
        "A lighthouse made of folded letters.",
        "Three foxes carry a river uphill.",
        "An orchestra of clocks at the bottom of the sea.",
    ],
}
PROBE = '''\
"""Notes what each process of a stage does, and when; Python runs this at its start."""
import atexit, json, os, sys, threading, time

def note(what, begun, name=""):
    with open(os.environ["NOTES"], "a") as file:
        file.write(json.dumps([os.getpid(), what, name, begun, time.time()]) + "\\n")

def timed(what, call, name_of):
    def wrapped(*arguments, **options):
        begun = time.time()
        try:
            return call(*arguments, **options)
        finally:
            note(what, begun, name_of(*arguments, **options))
    return wrapped

def watch(begun, stage):
    bootstrap, depth = sys.modules["_frozen_importlib"], threading.local()
    find = bootstrap._find_and_load

    def find_and_load(name, import_):
        depth.now = getattr(depth, "now", 0) + 1
        started = time.time()
        try:
            return find(name, import_)
        finally:
            depth.now -= 1
            if not depth.now and time.time() - started > 0.001:
                note("imports", started, name)
            if name == "stages.asking.models.batches":
                of = sys.modules[name].BatchedModel
                first = of.__init__
                def init(self, identity, batch, generate):
                    first(self, identity, batch, timed("answering", generate, lambda *_: ""))
                of.__init__ = init
            if name == "stages.asking.models.opening":
                of = sys.modules[name]
                of.open_here = timed("loading", of.open_here, lambda one, *_: one.slug)

    bootstrap._find_and_load = find_and_load
    if stage:
        atexit.register(note, "stage", begun, stage)

module = next((word for word in sys.orig_argv if word.startswith("stages.")), "")
if module:
    watch(time.time(), "" if module.startswith("stages.asking.") else os.environ["DVC_STAGE"])
'''


ROLES = {"writer": ("translator", "seed_writer", "writer"), "seer": ("judge", "captioner"), "painter": ("painter",)}
"""What each model plays."""


def saved(name: str, folder: Path) -> Path:
    """Save a tiny model; return its folder."""
    if name == "painter":
        from tests import tiny_models  # which imports diffusers

        return tiny_models.flux(folder)
    make = tiny_chat_models.qwen2 if name == "writer" else tiny_chat_models.qwen2_5_vl
    return tiny_chat_models.always(make(folder), json.dumps(REPLY, ensure_ascii=False, indent=0))


def with_models(project: Project, folder: Path, names: Sequence[str]) -> None:
    """Save tiny models below a folder, and let them play their roles in the build."""
    logging.disable_progress_bar()
    os.chdir(project.folder)  # digests of large files are noted in its store

    def change(params: Any) -> None:
        for name in names:
            kind, steps = ("diffusers", {"num_inference_steps": 2}) if name == "painter" else ("transformers", {})
            revision = digest(saved(name, folder / name))
            params["models"][name] = {"kind": kind, "id": name, "revision": revision, "dtype": "float32"}
            params["models"][name]["sampling"] = steps
            params["roles"] |= dict.fromkeys(ROLES[name], name)
        params["sources"] = [
            {"wave": "photographs", "kind": "folder", "path": "datasets/sources/photographs", "route": "rewrite"},
            {"wave": "inventions", "kind": "imagine", "count": 1},
            {"wave": "signs", "kind": "folder", "path": "datasets/sources/signs", "route": "mine_text"},
            {"wave": "ten", "kind": "file", "path": "datasets/sources/ten.tsv", "columns": {"caption": "Prompt"}}
            | {"limit": 5},
        ]
        params["brainstorm"] |= {"families": ["reversed scale"], "prompts_per_family": len(REPLY["prompts"])}
        params["seeds"]["count"] = params["imagine"]["examples"] = 2
        params["synthesize"] |= {"width": 64, "height": 64}

    project.edit(change)
    for wave in ("photographs", "signs"):
        (project.folder / "datasets/sources" / wave).mkdir()
        for number in range(2):
            picture = Image.effect_mandelbrot((96, 64), (-2 + number, -1, 1, 1), 20 + number).convert("RGB")
            picture.save(project.folder / f"datasets/sources/{wave}/{number}.png")
    text = "".join(f'[models.{name}]\nweights = "{folder / name}"\n' for name in names)
    (project.folder / "run.toml").write_text(text)
    project.commit()


def spent(notes: Sequence[tuple[int, str, str, float, float]]) -> dict[str, dict[str, float]]:
    """Seconds of every stage that loaded or answered, by what they went to; `again`: loading what was loaded before."""
    order = ("answering", "loading", "again", "imports")
    loaded: set[str] = set()
    events = []
    for _, what, name, begun, ended in sorted(notes, key=lambda note: note[3]):
        if what == "loading" and name in loaded:
            what = "again"
        elif what == "loading":
            loaded.add(name)
        events.append((what, name, begun, ended))
    stages = {}
    for _, name, begun, ended in [event for event in events if event[0] == "stage"]:
        within = [event for event in events if event[0] in order and event[2] < ended and event[3] > begun]
        if not any(event[0] != "imports" for event in within):
            continue
        seconds: dict[str, float] = defaultdict(float, stage=ended - begun)
        edges = sorted({begun, ended} | {min(max(edge, begun), ended) for event in within for edge in event[2:]})
        for start, end in itertools.pairwise(edges):
            going_on = {what for what, _, first, last in within if first <= start and last >= end}
            # An import inside of a loading is an import; what a lazy import does inside of an answer is one, too.
            what = next((what for what in ("imports", *order) if what in going_on), "rest")
            seconds[what] += end - start
        stages[name] = seconds
    return stages


def main() -> None:
    """Build once, print a line a stage, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", metavar="STAGE", default="release", help="build no more than this stage needs")
    parser.add_argument("--models", nargs="+", default=list(ROLES), choices=list(ROLES), help="all unless named")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gamut-in-process-") as name:
        folder = Path(name)
        (folder / "project").mkdir()
        project = clone(folder / "project")
        with_models(project, folder / "models", arguments.models)
        (folder / "probe").mkdir()
        (folder / "probe/sitecustomize.py").write_text(PROBE)
        paths = os.pathsep.join([str(folder / "probe"), project.environment["PYTHONPATH"]])
        environment = project.environment | {"PYTHONPATH": paths, "NOTES": str(folder / "notes"), "HF_HUB_OFFLINE": "1"}
        environment["OMP_NUM_THREADS"] = "1"  # on networks this small more threads only wait for each other
        project.run("gamut", "check", "--quiet")
        started = time.perf_counter()
        done = Project(project.folder, environment).run("dvc", "repro", arguments.until, check=False)
        seconds = time.perf_counter() - started
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        stages = spent([json.loads(line) for line in (folder / "notes").read_text().splitlines()])
        asked = project.asked()
        os.chdir(folder.parent)
    columns = ("stage", "imports", "loading", "again", "answering", "rest")
    total = {column: sum(spent[column] for spent in stages.values()) for column in columns}
    print(f"{'':12}{'asked':>10}" + "".join(f"{column:>10}" for column in columns))
    for stage, spent_there in [*stages.items(), ("all", total)]:
        count = asked.get(stage, sum(asked.values()))
        print(f"{stage:12}{count:10}" + "".join(f"{spent_there[column]:10.2f}" for column in columns))
    share = round(1 - (total["loading"] + total["answering"]) / total["stage"], 3)
    figures: dict[str, float] = {column: round(value, 1) for column, value in total.items()}
    print(
        json.dumps(figures | {"asked": sum(asked.values()), "not_model_share": share, "dvc_repro": round(seconds, 1)})
    )


if __name__ == "__main__":
    main()
