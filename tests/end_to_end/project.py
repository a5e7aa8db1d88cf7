"""A clone of this project in a temporary folder, small, in which the tests run the real `dvc`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from gamut.project.pipeline import EDITIONS, PARAMS, PIPELINE
from gamut.project.roles import MAY_BE_NULL
from gamut.project.validation import read_yaml
from gamut.tables.columns import ANSWERED_BY, Row
from gamut.tables.reading import read_rows
from tests.paths import ROOT

ROLES = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
LEGACY = {"kind": "sandbox", "without_image": 0.1, "mismatched": 0.2, "duplicates": 0.1}
ROWS_IN = 16 + 6 + 14 + 10
"""Source rows of the small build."""
PER_TRACK = 2
"""Items of the small edition."""
OF_OTHERS = 4
"""Items of the editions of other benchmarks, which are held out too: each is compared with every text and picture."""
ROWS_PER_SHARD, ROWS_PER_SLICE = 12, 4
"""Shards and slices are small too, so that a few records fill several of them."""
SIZES = {"GAMUT_ROWS_PER_SHARD": str(ROWS_PER_SHARD), "GAMUT_ROWS_PER_SLICE": str(ROWS_PER_SLICE)}
OF_THE_CALLER = ("GAMUT_", "DVC_", "GIT_", "PYTHONDONTWRITEBYTECODE")
"""Beginnings of settings that no project of a test has, ..."""
DVC_NOTES = "DVC_SITE_CACHE_DIR"
"""... but for this one: where DVC notes things about projects outside of them."""
SENTENCES = [
    "a blue car",
    "two red apples",
    'a sign that says "OPEN"',
    "a green tree to the left of a yellow house",
    "an owl",
    "a photo of a bicycle",
    "a purple bell above an orange box",
    "the abstract idea of justice in a courtroom of clouds",
    "a corgi wearing a tuxedo next to the Eiffel Tower",
    "three yellow stars",
]
"""Ten real sentences; the embedded world cannot draw all of them."""


@dataclass(frozen=True)
class Project:
    """A cloned project; `environment` is what its commands run in."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a command in a process group of its own."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )

    def edit(self, change: Callable[[Any], None], file: Path = PARAMS) -> None:
        """Change params.yaml, or another file of parameters, through its values; comments stay."""
        yaml, path = YAML(), self.folder / file
        values = yaml.load(path.read_text())
        change(values)
        with path.open("w") as file:
            yaml.dump(values, file)

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.folder / path).read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        (self.folder / path).write_text(text.replace(old, new))

    def commit(self) -> None:
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--allow-empty", "--message", "test")

    def asked(self) -> dict[str, int]:
        """How many requests each stage has sent so far, over all its runs."""
        log = self.folder / ".store" / "log.jsonl"
        total: dict[str, int] = {}
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            total[entry["stage"]] = total.get(entry["stage"], 0) + entry["asked"]
        return total

    def asked_since(self, before: dict[str, int]) -> dict[str, int]:
        """Requests sent since `before`, by stage, without zeros."""
        return {stage: n - before.get(stage, 0) for stage, n in self.asked().items() if n != before.get(stage, 0)}

    def rows(self, table: str) -> list[Row]:
        """A table's rows without the columns that say where an answer came from."""
        return [
            {key: value for key, value in row.items() if key not in ANSWERED_BY}
            for row in read_rows(self.folder / "datasets" / table)
        ]

    def locked(self) -> dict[str, Any]:
        """What DVC recorded of the build's stages, by name."""
        return dict(read_yaml(self.folder / PIPELINE.with_suffix(".lock"))["stages"])

    def metrics(self, name: str = "dataset") -> Any:
        return json.loads((self.folder / "metrics" / f"{name}.json").read_text())

    def files(self, folder: str) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted((self.folder / folder).iterdir())}


def outputs(project: Project) -> dict[str, str]:
    """The digest of every output, by its path."""
    return {out["path"]: out["md5"] for stage in project.locked().values() for out in stage["outs"]}


def copy_of(project: Project, folder: Path) -> Project:
    """A copy of a project, for a test to change."""
    subprocess.run(["cp", "-a", str(project.folder), str(folder)], check=True)  # quicker
    return Project(folder, project.environment | {"PYTHONPATH": str(folder)})


def opened(folder: Path) -> Project:
    """The project in a folder, with nothing of the caller's own settings; its modules are compiled once."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {key: os.environ[key] for key in os.environ if not key.startswith(OF_THE_CALLER) or key == DVC_NOTES}
    names = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    ours = {"PATH": path, "PYTHONPATH": str(folder), "DVC_NO_ANALYTICS": "1"}
    return Project(folder, kept | names | SIZES | ours)


def copy_checkout(folder: Path) -> None:
    """Copy what git would have of this project, but for what was built; and its modules as Python has compiled them."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file() and name != "dvc.lock":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for compiled in (*ROOT.glob("gamut/**/*.pyc"), *ROOT.glob("stages/**/*.pyc")):
        copied = folder / compiled.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another test has compiled it anew
            shutil.copy2(compiled, copied)


def clone(folder: Path) -> Project:
    """Copy this project, make it a repository, and take a small build as its parameters."""
    copy_checkout(folder)
    project = opened(folder)
    project.run("git", "init", "--quiet")
    project.edit(make_small)
    project.edit(lambda editions: editions["prism"].update(sampled=1, curated=1, max_failures=5), EDITIONS)
    shorten_editions(folder)
    (folder / "run.toml").write_text("[models.world]\nconcurrency = 1\n")  # workers take long to start
    (folder / "datasets/sources/empty.tsv").write_text("Prompt\n")
    (folder / "datasets/sources/ten.tsv").write_text("\n".join(["Prompt", *SENTENCES]) + "\n")
    project.commit()
    return project


def make_small(params: Any) -> None:
    params["sources"] = [
        LEGACY | {"wave": "aesthetics-part01", "route": "rewrite", "count": 16, "seed": 1},
        {"wave": "imaginative", "kind": "imagine", "count": 6},
        LEGACY | {"wave": "text", "route": "mine_text", "count": 14, "seed": 2, "without_image": 0.0},
        {"wave": "nothing", "kind": "file", "path": "datasets/sources/empty.tsv", "columns": {"caption": "Prompt"}},
        {"wave": "sentences", "kind": "file", "path": "datasets/sources/ten.tsv", "columns": {"caption": "Prompt"}},
    ]
    params["brainstorm"] |= {"families": ["hybrid creatures", "reversed scale"], "prompts_per_family": 5}
    params["seeds"]["count"] = 8
    params["imagine"]["examples"] = 4
    params["synthesize"] |= {"width": 256, "height": 256}
    params["roles"]["judge"] = "world"  # who does not err, the only judge, and thresholds for such a one
    params["prism"]["judges"] = ["world"]
    params["admit"]["clarity"] = 7
    params["categorize"] |= dict.fromkeys(params["categorize"], 7)
    params["contestants"] = {}
    params["prism"] |= {"edition": "small", "contestants": [], "controls_of": []}
    params["prism"]["answer"] |= {"width": 256, "height": 256}
    for name in ("aegis", "gir", "gapeval", "genius"):  # stories of their own
        del params[name], params["publish"][name]


def with_contestants(params: Any) -> None:
    """Two contestants of unlike skill, who can do all that benchmarks ask for, and controls."""
    faults = {"wrong_count": 0.4, "swapped_relation": 0.4, "misspelt_lettering": 0.5, "blur": 0.3}
    faults |= {"wrong_reasoning": 0.5}  # of items that have keys
    params["contestants"] = {
        name: {"class": "unified", "model": {"kind": "sandbox"} | model}
        for name, model in (("careful", {}), ("hasty", {"faults": faults}))
    }
    params["prism"] |= {"contestants": [*params["contestants"]], "controls_of": ["careful"]}


def shorten_editions(folder: Path) -> None:
    """Put an edition of two curated prompts a track in the place of PRISM-Bench's; leave a few items in the others."""
    shipped = folder / "datasets/editions/prism/sandbox.jsonl"
    for other in shipped.parents[1].glob("*/sandbox.jsonl"):
        if other != shipped:
            other.write_text("".join(other.read_text().splitlines(keepends=True)[:OF_OTHERS]))
    items = [json.loads(line) for line in shipped.read_text().splitlines()]
    small = []
    for track in dict.fromkeys(item["track"] for item in items):
        curated = [item for item in items if item["track"] == track and item["origin"] == "curated"][:PER_TRACK]
        small += [item | {"id": f"{track}/{number}"} for number, item in enumerate(curated)]
    shipped.unlink()
    shipped.with_name("small.jsonl").write_text("".join(json.dumps(item) + "\n" for item in small))


def answer_over_http(project: Project, url: str, concurrency: int = 4) -> None:
    """Let every role be answered by the server at `url`."""

    def change(params: Any) -> None:
        params["models"] = {role: {"kind": "openai", "id": f"stub-{role}"} for role in ROLES}
        params["models"]["tfidf"] = {"kind": "tfidf"}
        params["roles"] = {role: role for role in ROLES} | {
            "text_embedder": "tfidf",
            **dict.fromkeys((*MAY_BE_NULL, "matcher")),
        }
        params["prism"]["judges"] = ["judge"]

    project.edit(change)
    project.edit(lambda editions: editions["prism"].update(writer="writer", translator="translator"), EDITIONS)
    endpoint = f'url = "{url}"\nconcurrency = {concurrency}\n'
    text = "\n".join(f"[models.{role}]\n{endpoint}" for role in ROLES)
    (project.folder / "run.toml").write_text(text)
    project.commit()
