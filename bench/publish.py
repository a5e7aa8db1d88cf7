"""What goes up when a release is published, edited, grown and published again, and how long `gamut publish` takes.

    python bench/publish.py                            # 3 shards of 1,000 rows, then 1,000 small shards
    python bench/publish.py --shards 1 --small-shards 100
    python bench/publish.py --shards 1 --rows 100 --kilobytes 20 --changes first labels --small-shards 2 --turns 1

Every version is published by the command `gamut publish dataset` in a process of its own, out of a git repository with
DVC, to the Hub of the tests, which runs here and to whose folder hf_xet itself writes. What goes up are the chunks and
shards that hf_xet has written and the bodies of all calls. Pictures are random bytes, of which nothing repeats: 135 KB
in the mean, as in FLUX-Reason-6M, and for some changes also 70 KB, as the embedded world paints them, and 20 KB.
Seconds hold the Hub's answers, CPU and memory (resident) are the client's alone. The last line is JSON:

first               of the first version's bytes, how much went up
labels              scores and a flag of 2 % of the rows changed, and of every fifth of them a caption: of the release
scores              all scores of all rows changed: of the release
labels_elsewhere    as labels, by a machine that has never published, and does not know what chunks the Hub has
labels_plain        as labels, without Xet
dropped             2 % of the rows gone, the others where they were: of the release
resplit             50 new rows in front and all others moved on, which fixed shards avoid: of the release
wave                a new wave of two shards instead: of these shards
grown               half as many rows again in the last shard of a wave, which was not full: of what it grew by
publish, again, preview   the small shards: the first version, the same once more, `--dry-run` of the next
fetch               `gamut fetch` of them; its time over that of `snapshot_download`, medians of some in turn
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import psutil
from ruamel.yaml import YAML

from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.tables.columns import ROWS_PER_SHARD, ROWS_PER_SLICE, Row, make_id
from gamut.tables.reading import Slice, cut_into_slices, slices
from gamut.tables.writing import TableWriter
from stages.dataset.release import CAPTION_COLUMNS, ORIGINAL_SCORE, ORIGINS, QUALITY_SCORES, RELEVANCE_SCORES, SCHEMA
from tests.hub.client import environment
from tests.hub.server import WRITER, Hub, hub_server
from tests.hub.xet import uploaded_bytes

EDITED = 0.02
SHORT = ROWS_PER_SLICE // 2
"""So many rows fewer are in a wave's last shard: its last row group is not full."""
CHANGES = ("first", "labels", "scores", "labels_elsewhere", "labels_plain", "dropped", "resplit", "wave", "grown")
WITH_OTHER_PICTURES = CHANGES[:3]
SCORES = (*RELEVANCE_SCORES, ORIGINAL_SCORE, *QUALITY_SCORES)
CAPTIONS_OF_6 = 2.3 / 6
"""The share of the characteristics that have a caption: 20 million captions of 6 million pictures, with `detail`."""
WORDS = ["".join(random.Random(number).choices("aeinorstlcdmpu", k=3 + number % 7)) for number in range(4_000)]
FREQUENT = list(itertools.accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))
SIGNS = "".join(map(chr, range(0x4E00, 0x4E00 + 1_500)))
SECONDS_BETWEEN_LOOKS = 0.05
DVC_YAML = """\
stages:
  release:
    cmd: "true"
    deps: [version.txt]
    outs: [datasets/release, datasets/provenance]
  statistics:
    cmd: "true"
    deps: [datasets/release]
    outs:
    - metrics/contact_sheet.webp: {cache: false}
    - datasets/card.md: {cache: false}
"""
SNAPSHOT = """\
import sys
from huggingface_hub import snapshot_download
snapshot_download(sys.argv[1], repo_type="dataset", revision=sys.argv[2], local_dir=sys.argv[3])
"""
Edit = Callable[[Row, random.Random], Row]


@dataclass(frozen=True)
class Run:
    """One command: seconds, the process's CPU seconds and peak megabytes, bytes that the Hub got, its last line."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    received: int
    said: str

    def figures(self) -> dict[str, Any]:
        return {
            "seconds": round(self.seconds, 2),
            "cpu_seconds": round(self.cpu_seconds, 2),
            "megabytes": round(self.megabytes),
        }


@dataclass(frozen=True)
class Project:
    """A git repository with DVC and a release in it, on a machine with its own caches, that publishes to a Hub."""

    folder: Path
    repo: str
    hub: Hub

    @property
    def table(self) -> Path:
        """Where the release lies."""
        return self.folder / "datasets/release"

    def make(self) -> None:
        """All but the release."""
        (self.folder / "datasets").mkdir(parents=True)
        (self.folder / "metrics").mkdir()
        (self.folder / "dvc.yaml").write_text(DVC_YAML)
        (self.folder / ".gitignore").write_text("/datasets/release\n/datasets/provenance\n/.store\n/home*\n")
        (self.folder / "datasets/card.md").write_text("# A release\n\n![](../metrics/contact_sheet.webp)\n")
        (self.folder / "metrics/contact_sheet.webp").write_bytes(random.Random(1).randbytes(200_000))
        self.git("init", "--quiet")
        (self.folder / ".dvc").mkdir()
        (self.folder / ".dvc/.gitignore").write_text("/tmp\n/cache\n")
        (self.folder / ".dvc/config").write_text("[core]\nanalytics = false\n[cache]\ntype = hardlink,copy\n")

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True)

    def dvc(self, *arguments: str) -> None:
        subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=self.folder, check=True)

    def record(self, version: str) -> None:
        """Name a version, record the release that lies here as its build, commit all."""
        yaml = YAML()
        params = yaml.load((ROOT / "params.yaml").read_text())
        params["publish"]["dataset"] |= {"repo": self.repo, "license": "cc0-1.0", "version": version}
        with (self.folder / "params.yaml").open("w") as file:
            yaml.dump(params, file)
        (self.folder / "version.txt").write_text(version)
        self.dvc("commit", "--quiet", "--force")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", version)

    def run(self, *command: str, home: str = "home", xet: bool = True, folder: Path | None = None) -> Run:
        """Run a command that speaks to the Hub here, or in another folder."""
        surroundings = environment(self.hub.url, self.folder / home, WRITER, xet)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        before, start, used = received(self.hub), time.perf_counter(), cpu_seconds()
        running = subprocess.Popen(
            command,
            cwd=folder or self.folder,
            env=os.environ | surroundings | {"PATH": path, "GAMUT_STORE": str((folder or self.folder) / ".store")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        peak = 0
        while running.poll() is None:
            peak = max(peak, resident(running.pid))
            time.sleep(SECONDS_BETWEEN_LOOKS)
        seconds, used = time.perf_counter() - start, cpu_seconds() - used
        said = running.communicate()[0].strip()
        if running.returncode:
            sys.exit(f"{' '.join(command)} ended with {running.returncode}: {said}")
        return Run(seconds, used, peak / 1e6, received(self.hub) - before, said)

    def publish(self, *options: str, **surroundings: Any) -> Run:
        """The command."""
        return self.run("gamut", "publish", "dataset", *options, **surroundings)


def received(hub: Hub) -> int:
    """All bytes that clients have sent."""
    return uploaded_bytes(hub.xet_folder) + sum(call.received for call in hub.log)


def cpu_seconds() -> float:
    """CPU time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resident(process: int) -> int:
    """Bytes of a process in memory."""
    try:
        return psutil.Process(process).memory_info().rss
    except psutil.NoSuchProcess:
        return 0  # it has ended meanwhile


def english(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, cum_weights=FREQUENT, k=words))


def chinese(chance: random.Random, words: int) -> str:
    return "".join(chance.choices(SIGNS, k=round(1.6 * words)))


def made_row(row_id: str, picture_bytes: int) -> Row:
    """A released row: `detail`, some of the characteristics, now and then the source's own caption."""
    chance = random.Random(row_id)
    made: Row = {
        "id": row_id,
        "image": {
            "bytes": b"\xff\xd8\xff\xe0" + chance.randbytes(picture_bytes * chance.randint(80, 120) // 100),
            "path": None,
        },
    }
    for name in CAPTION_COLUMNS:
        has = name == DETAIL or chance.random() < CAPTIONS_OF_6
        words = (150 if name == DETAIL else 15 if name == ORIGINAL else 80) * chance.randint(80, 120) // 100
        made[f"caption_{name}"] = english(chance, words) if has else None
        made[f"caption_{name}_cn"] = chinese(chance, words) if has else None
        made[f"bool_caption_{name}"] = has
    return made | scored(chance) | {"caption": made[f"caption_{DETAIL}"]}


def scored(chance: random.Random) -> Row:
    return {name: chance.randint(0, 10) for name in SCORES}


def made_shard(name: str, number: int, rows: int, picture_bytes: int) -> Iterator[Slice]:
    """A shard of a wave with its first rows, in row groups."""
    ids = (make_id(name, number * ROWS_PER_SHARD + position) for position in range(rows))
    return cut_into_slices(f"{name}-{number:05d}", (made_row(row_id, picture_bytes) for row_id in ids))


def write(folder: Path, made: Iterable[Slice]) -> None:
    """A release, as the stage writes it, with where its pictures come from."""
    with TableWriter(folder, SCHEMA) as table, TableWriter(folder.with_name("provenance"), ORIGINS) as origins:
        for shard, _, rows in made:
            table.write(shard, rows)
            origins.write(shard, [{"id": row["id"], "wave": shard.rpartition("-")[0]} for row in rows])


def edited(made: Iterable[Slice], edit: Edit, share: float, seed: int) -> Iterator[Slice]:
    """Some of the rows edited, at random."""
    chance = random.Random(seed)
    for shard, number, rows in made:
        yield shard, number, [edit(row, chance) if chance.random() < share else row for row in rows]


def relabelled(row: Row, chance: random.Random) -> Row:
    """Its scores and one flag are others, of every fifth row also a caption."""
    flag = f"bool_caption_{chance.choice(CHARACTERISTICS)}"
    new = row | scored(chance) | {flag: not row[flag]}
    if chance.random() < 0.2:
        name = chance.choice([name for name in CAPTION_COLUMNS[:-1] if row[f"caption_{name}"]] or [DETAIL])
        new |= {f"caption_{name}": english(chance, 80), f"caption_{name}_cn": chinese(chance, 80)}
    return new


def rescored(row: Row, chance: random.Random) -> Row:
    return row | scored(chance)


def without(made: Iterable[Slice], share: float, seed: int) -> Iterator[Slice]:
    """Some rows are dropped, at random; the others keep shard and row group."""
    chance = random.Random(seed)
    for shard, number, rows in made:
        yield shard, number, [row for row in rows if chance.random() >= share]


def refilled(made: Iterable[Slice], full: int) -> Iterator[Slice]:
    """The same rows in the same order, in shards and row groups that are full."""
    rows = (row for _, _, group in made for row in group)
    for number, group in enumerate(iter(lambda: list(itertools.islice(rows, ROWS_PER_SLICE)), [])):
        yield f"resplit-{number * ROWS_PER_SLICE // full:05d}", number, group


def uploads(project: Project, shards: int, full: int, kilobytes: int, changes: Sequence[str]) -> dict[str, Any]:
    """What goes up with each kind of change, which is one of the first version; a shard has so many rows when full."""
    picture_bytes = 1000 * kilobytes
    numbers, figures = itertools.count(), dict[str, Any]()
    base, wave = project.folder / ".store/base", project.folder / ".store/wave"

    def measure(name: str, made: Iterable[Slice], size: int = 0, **surroundings: Any) -> None:
        """Publish a release as the next version: bytes that go up over `size`, else over the release's own."""
        if name not in changes:
            return
        write(project.table, made)
        project.record(f"0.{next(numbers)}.0")
        run = project.publish(**surroundings)
        figures[name] = round(run.received / (size or size_of(project.table)), 4)
        print(f"{picture_bytes:,} {name}: {run.received / 1e6:.2f} MB, {figures[name]}; {run.figures()}", flush=True)

    last = shards - 1
    rows = [full - SHORT if number == last else full for number in range(shards)]
    write(base, itertools.chain(*(made_shard("bench", *numbered, picture_bytes) for numbered in enumerate(rows))))
    measure("first", slices(base))
    measure("labels", edited(slices(base), relabelled, EDITED, 1))
    measure("scores", edited(slices(base), rescored, 1, 2))
    measure("labels_elsewhere", edited(slices(base), relabelled, EDITED, 3), home="home-elsewhere")
    measure("labels_plain", edited(slices(base), relabelled, EDITED, 4), xet=False)
    measure("dropped", without(slices(base), EDITED, 5))
    measure("resplit", refilled(itertools.chain(made_shard("before", 0, 50, picture_bytes), slices(base)), full))
    if not {"wave", "grown"} & set(changes):
        return figures
    write(wave, itertools.chain(*(made_shard("later", number, full, picture_bytes) for number in range(2))))
    measure("wave", itertools.chain(slices(base), slices(wave)), size_of(wave))
    name = f"bench-{last:05d}"
    write(wave, made_shard("bench", last, rows[last] + full // 2, picture_bytes))
    others = (one for one in slices(base) if one[0] != name)
    more = size_of(wave) - (base / f"{name}.parquet").stat().st_size
    measure("grown", itertools.chain(others, slices(wave)), more)
    return figures | {"shards": shards, "megabytes": round(size_of(base) / 1e6)}


def size_of(table: Path) -> int:
    """Bytes of a table's shards."""
    return sum(path.stat().st_size for path in table.glob("*.parquet"))


def small_shards(project: Project, shards: int, turns: int) -> dict[str, Any]:
    """How long the commands take where there are many shards."""
    write(project.table, itertools.chain(*(made_shard("bench", number, 2, 300) for number in range(shards))))
    project.record("0.1.0")
    first = project.publish()
    repository = project.hub.repo(project.repo)
    commits = len(list(repository.history(repository.at("main")))) - 1  # the Hub's own comes first
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "receipt")
    again = project.publish()
    print(again.said)
    for path in project.table.glob("*.parquet"):
        project.hub.state.keep(path.read_bytes())  # or it would put every download together out of chunks
    brought: list[Run] = []
    plain: list[Run] = []
    for turn in range(turns):
        target = project.folder / f".store/turn{turn}"
        (target / "fetched").mkdir(parents=True)
        snapshot = (sys.executable, "-c", SNAPSHOT, project.repo, "v0.1.0", str(target / "plain"))
        plain.append(project.run(*snapshot, home=f"home-plain{turn}"))
        fetch = ("gamut", "fetch", f"{project.repo}@v0.1.0")
        brought.append(project.run(*fetch, home=f"home-fetched{turn}", folder=target / "fetched"))
    seconds, floor = (median(run.seconds for run in runs) for runs in (brought, plain))
    write(project.table, edited(slices(project.table), rescored, EDITED, 1))
    project.record("0.2.0")
    preview = project.publish("--dry-run")
    return {
        "small_shards": shards,
        "publish": first.figures() | {"commits": commits},
        "again": again.figures() | {"said": again.said.splitlines()[0]},
        "preview": preview.figures(),
        "fetch": {"seconds": round(seconds, 2), "over_snapshot": round(seconds / floor, 2)},
    }


def measured(name: str, measure: Callable[[Project], dict[str, Any]]) -> dict[str, Any]:
    """The figures of a project and a Hub of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="gamut-bench-") as folder,
        hub_server(Path(folder) / "hub", xet=True) as hub,
    ):
        project = Project(Path(folder) / "project", f"somebody/{name}", hub)
        project.make()
        return measure(project)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--small-shards", type=int, default=1_000)
    parser.add_argument("--kilobytes", type=int, nargs="+", default=[135, 70, 20], help="of a picture, in the mean")
    parser.add_argument("--turns", type=int, default=3, help="of fetching")
    parser.add_argument("--rows", type=int, default=1_000, help="of a full shard")
    parser.add_argument("--changes", nargs="+", choices=CHANGES, default=CHANGES, help="`first` has to be one of them")
    options = parser.parse_args()
    changes = options.changes
    first, *others = options.kilobytes
    figures = measured("first", lambda project: uploads(project, options.shards, options.rows, first, changes))
    some = [change for change in changes if change in WITH_OTHER_PICTURES]
    for size in others:
        figures[f"pictures_of_{size}_KB"] = measured(
            f"of-{size}", lambda project, size=size: uploads(project, 2, options.rows, size, some)
        )
    figures |= measured("small", lambda project: small_shards(project, options.small_shards, options.turns))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
