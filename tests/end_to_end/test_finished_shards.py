"""A build that grows with the real dvc: what is finished is neither asked about nor written again."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

from tests.end_to_end.project import LEGACY, Project, copy_of, opened

LAST = "originals"
TABLES = ("source_rows", "rewrite", "synthesize", "examine", "admit", "score", "categorize", "select", "align", LAST)


def append(project: Project, wave: str, count: int) -> None:
    block = LEGACY | {"wave": wave, "route": "rewrite", "count": count, "seed": count, "without_image": 0.0}
    project.edit(lambda params: params["sources"].append(block))


def shards(project: Project) -> dict[str, tuple[int, bytes]]:
    """Inode and bytes of all shards."""
    paths = (path for table in TABLES for path in (project.folder / "datasets" / table).glob("*.parquet"))
    return {str(path.relative_to(project.folder)): (path.stat().st_ino, path.read_bytes()) for path in paths}


def contents(found: dict[str, tuple[int, bytes]]) -> dict[str, bytes]:
    return {name: content for name, (_, content) in found.items()}


def set_clarity(project: Project, clarity: int) -> None:
    project.edit(lambda params: params["admit"].update(clarity=clarity))


def repro(project: Project, *arguments: str) -> str:
    return project.run("dvc", "repro", *arguments).stdout


def test_a_wave_a_threshold_and_a_build_from_nothing(built: Project, tmp_path: Path) -> None:
    before, asked = shards(built), built.asked()
    append(built, "more", 5)
    said = repro(built, LAST)
    after = shards(built)
    assert {name for name in after if name not in before} == {f"datasets/{t}/more-00000.parquet" for t in TABLES}
    assert contents(before).items() <= contents(after).items()
    count = Counter(contents(after).values())
    own = [name for name, content in contents(after).items() if count[content] == 1]  # equal shards share a file
    assert [name for name in own if name in before and after[name][0] != before[name][0]] == [], "the same files"
    since = built.asked_since(asked)
    assert {"rewrite", "synthesize", "examine"} <= since.keys() and max(since.values()) <= 5
    assert len(re.findall(r"^\w+: \d+ rows in \d+ shards kept$", said, re.MULTILINE)) >= len(TABLES) - 1
    for name, inode in ((name, after[name][0]) for name in own):
        path = built.folder / name
        assert path.stat().st_nlink == 3 and path.stat().st_ino == inode, "in the pool, the table and DVC's cache"

    asked = built.asked()
    set_clarity(built, 9)
    repro(built, LAST)
    moved = shards(built)
    changed = {name.split("/")[1] for name in after if moved[name][1] != after[name][1]}
    assert "admit" in changed and not changed & {"source_rows", "rewrite", "synthesize", "examine"}
    assert built.asked_since(asked) == {}, "fewer pictures are admitted, nobody is asked"

    new, of_shards = copy_of(built, tmp_path / "new"), contents(moved)
    for path in (".store/shards", ".dvc/cache", ".dvc/tmp", *(f"datasets/{table}" for table in TABLES)):
        shutil.rmtree(new.folder / path, ignore_errors=True)
    (new.folder / "dvc.lock").unlink()
    assert " kept" not in repro(new, LAST)
    assert contents(shards(new)) == of_shards

    assert " kept" not in repro(built, "--single-item", "-f", "admit"), "-f makes all shards"
    assert contents(shards(built)) == of_shards, "and the same ones"


def test_a_flipped_byte_does_not_stay(built: Project) -> None:
    path = built.folder / "datasets/admit/text-00000.parquet"
    right = path.read_bytes()
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(200)
        file.write(bytes([right[200] ^ 255]))
    path.chmod(0o444)  # as DVC leaves what it has cached
    append(built, "more", 2)
    said = repro(built, "admit")
    assert "has changed since text-00000.parquet was made: it is made again" in said
    assert path.read_bytes() == right
    assert "up to date" in built.run("dvc", "status", "admit").stdout


def test_a_killed_run_goes_on_from_its_finished_shards(built: Project) -> None:
    append(built, "long", 36)
    built.run("dvc", "repro", "sources")
    noted = built.folder / ".store/shards/notes/rewrite"
    running = built.start("dvc", "repro", "rewrite")
    until = time.monotonic() + 120
    while not [*noted.glob("long-*/*.json")] and time.monotonic() < until and running.poll() is None:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    finished = len([*noted.glob("long-*/*.json")])
    assert 1 <= finished <= 3
    said = repro(built, "rewrite")
    [shards_kept] = re.findall(r"^rewrite: \d+ rows in (\d+) shards kept$", said, re.MULTILINE)
    assert int(shards_kept) == 2 + finished, "two of the first wave"
    assert finished == 3 or f"rewrite: {36 - 12 * finished} records" in said


def test_a_clone_that_only_pulled(built: Project, tmp_path: Path) -> None:
    built.run("dvc", "remote", "add", "--default", "there", str(tmp_path / "remote"))
    built.commit()
    built.run("dvc", "push", "--quiet", "--with-deps", LAST)
    built.run("git", "clone", "--quiet", ".", str(tmp_path / "pulled"))
    pulled = opened(tmp_path / "pulled")
    shutil.copy(built.folder / "run.toml", pulled.folder / "run.toml")
    pulled.run("dvc", "pull", "--quiet", "--with-deps", LAST)
    append(pulled, "more", 5)
    repro(pulled, LAST)
    assert max(pulled.asked().values()) <= 5, "only about the wave"
    append(built, "more", 5)
    repro(built, LAST)
    assert contents(shards(pulled)) == contents(shards(built))


def test_code_that_changed_nothing(built: Project) -> None:
    """`dvc commit --force` takes a change of code over, and finished shards with it."""
    with (built.folder / "gamut/tables/columns.py").open("a") as file:
        file.write("\n# a remark\n")
    built.run("dvc", "commit", "--force")
    append(built, "more", 5)
    asked = built.asked()
    said = repro(built, "admit")
    assert max(built.asked_since(asked).values()) <= 5
    assert re.search(r"^synthesize: \d+ rows in \d+ shards kept$", said, re.MULTILINE)
