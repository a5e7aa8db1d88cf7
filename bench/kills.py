"""Small builds whose whole process group is killed, again and again: every one has to go on with `make run` alone.

    python bench/kills.py                        # 100 kills, every fifth aimed at a write of DVC's own
    python bench/kills.py --kills 5 --seed 7
    python bench/kills.py --kills 1 --until world

Kills come after up to an eighth of the time that an undisturbed build takes, or where DVC writes dvc.lock,
.dvc/tmp/rwlock or the note of a run. Each run goes on where the last was killed; a finished build is held against the
undisturbed one, byte for byte, and the next begins. The last line is JSON: how many kills, how many of them aimed, how
many builds, how many runs ended otherwise than killed or well (`stopped`), how many finished builds had other bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import json
import signal
import tempfile
import time
from collections import Counter

from tests.end_to_end.kills import Kill, killed_after, killed_writing, run_until
from tests.end_to_end.project import Project, clone, with_contestants

UNDISTURBED = Kill()
KEPT = ("datasets", "metrics", "dvc.lock", "stages/prism/dvc.lock", "stages/editions/dvc.lock")
EVERY_AIMED = 5


def fresh(folder: Path) -> Project:
    """A clone with contestants that has never been built."""
    folder.mkdir()
    project = clone(folder)
    project.edit(with_contestants)
    project.commit()
    return project


def content(project: Project) -> dict[str, bytes]:
    """All that a build leaves, but for how long it took."""
    files = [path for name in KEPT for path in [project.folder / name, *(project.folder / name).rglob("*")]]
    named = {path.relative_to(project.folder).as_posix(): path for path in files if path.is_file()}
    return {name: path.read_bytes() for name, path in named.items()}


def main() -> None:
    """Build once undisturbed, then kill."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--until", metavar="STAGE", default="", help="build no more than this stage needs")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        undisturbed, started = fresh(Path(folder, "undisturbed")), time.monotonic()
        done = run_until(undisturbed, UNDISTURBED, arguments.until)
        assert done.returncode == 0, done.stdout + done.stderr
        longest, wanted = (time.monotonic() - started) / 8, content(undisturbed)
        project = None
        while counts["kills"] < arguments.kills or project is not None:
            if project is None:
                counts["builds"] += 1
                project = fresh(Path(folder, f"build{counts['builds']}"))
            kill, seed = UNDISTURBED, arguments.seed + counts["kills"]
            if counts["kills"] < arguments.kills:
                aimed = counts["kills"] % EVERY_AIMED == EVERY_AIMED - 1
                kill = killed_writing(seed) if aimed else killed_after(seed, longest)
            done = run_until(project, kill, arguments.until)
            if abs(done.returncode) == signal.SIGKILL:
                counts.update(kills=1, aimed=bool(kill.aimed))
                print(f"{counts['kills']}: {kill.aimed or f'after {kill.seconds:.1f} s'}", flush=True)
                continue
            if done.returncode:
                counts["stopped"] += 1
                print(f"stopped after {counts['kills']} kills:\n{done.stdout[-3000:]}{done.stderr[-3000:]}", flush=True)
            else:
                found = content(project)
                unlike = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
                counts["other_bytes"] += bool(unlike)
                print(f"built, {', '.join(unlike) or 'nothing'} unlike the undisturbed build", flush=True)
            project = None
    names = ("kills", "aimed", "builds", "stopped", "other_bytes")
    print(json.dumps({name: counts[name] for name in names} | {"undisturbed_seconds": round(longest * 8, 1)}))


if __name__ == "__main__":
    main()
